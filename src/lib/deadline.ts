/**
 * The value of `work`, or that of `late` when `work` has not ended after `timeoutMs` or when `signal` gives it up:
 * the last line of defence around code that has time limits of its own. What `work` does later is dropped.
 */
export async function within<T>(
  work: Promise<T>,
  { timeoutMs, signal, late }: { timeoutMs: number; signal: AbortSignal; late: () => T },
): Promise<T> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const timer = setTimeout(() => resolve(late()), timeoutMs);
  const giveUp = () => reject(signal.reason as Error);
  signal.addEventListener("abort", giveUp, { once: true });
  work.then(resolve, reject);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", giveUp);
  }
}
