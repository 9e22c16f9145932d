/** Lets so many pieces of work run at a time; the others wait for their turn, first come, first served. */
export type Limiter = <T>(work: () => Promise<T>) => Promise<T>;

export function createLimiter(concurrencyMax: number): Limiter {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < concurrencyMax) running++;
    // Whoever ends hands over its place, so that nobody can slip in between.
    else await new Promise<void>((resolve) => void waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}
