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

/** Lets so many pieces of work run at a time for each key; the others of that key wait for their turn. */
export function createKeyedLimiter(concurrencyPerKeyMax: number) {
  const limiters = new Map<string, { limiter: Limiter; users: number }>();
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const entry = limiters.get(key) ?? { limiter: createLimiter(concurrencyPerKeyMax), users: 0 };
    limiters.set(key, entry);
    entry.users++;
    try {
      return await entry.limiter(work);
    } finally {
      // Keys are names and addresses that others chose: none is kept longer than it is used.
      if (--entry.users === 0) limiters.delete(key);
    }
  };
}
