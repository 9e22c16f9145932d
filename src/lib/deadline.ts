/**
 * Resolves with the value of `work`, or with that of `late` if `work` has not finished after `timeoutMs`. Rejects when
 * `signal` aborts. A safety net around code that has timeouts of its own; a late result of `work` is dropped.
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
