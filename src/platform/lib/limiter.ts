/** Runs work with bounded concurrency; the rest waits in order of arrival. */
export type Limiter = <T>(work: () => Promise<T>) => Promise<T>;

export function createLimiter(concurrencyMax: number): Limiter {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < concurrencyMax) running++;
    // A finished task passes its slot to the next one directly, so that no newcomer can take it.
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

/** Runs work in a slot of a limiter. The slot is free again when the work calls `release`, or ends. */
export async function inSlot<T>(limiter: Limiter, work: (release: () => void) => Promise<T>): Promise<T> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { running } = await limiter(async () => {
    const started = work(release);
    // Its failure is the caller's, below.
    await Promise.race([released, started.catch(() => {})]);
    return { running: started };
  });
  return running;
}

/** Runs work with bounded concurrency per key; the rest of a key waits in order of arrival. */
export function createKeyedLimiter(concurrencyPerKeyMax: number) {
  const limiters = new Map<string, { limiter: Limiter; users: number }>();
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const create = () => ({ limiter: createLimiter(concurrencyPerKeyMax), users: 0 });
    const entry = limiters.getOrInsertComputed(key, create);
    entry.users++;
    try {
      return await entry.limiter(work);
    } finally {
      // Keys are names and addresses that others choose, so no key is kept longer than it is used.
      if (--entry.users === 0) limiters.delete(key);
    }
  };
}
