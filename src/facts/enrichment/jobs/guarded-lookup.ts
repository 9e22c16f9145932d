import { logDropped, type Log } from "../../../platform/lib/log.ts";

const failed = "an internal error occurred; the log has details";

/**
 * Awaits a lookup that has time limits of its own, in case one of them does not hold. A lookup that is late or throws
 * leaves a fact unknown and does no other harm.
 */
export async function guardedLookup<T>(
  work: Promise<T>,
  {
    log,
    signal,
    timeoutMs,
    unknown,
  }: { log: Log; signal: AbortSignal; timeoutMs: number; unknown: (reason: string) => T },
): Promise<T> {
  try {
    const late = () => unknown(`no response within ${timeoutMs / 1000} s`);
    return await within(work, { timeoutMs, signal, late });
  } catch (error) {
    signal.throwIfAborted();
    logDropped(log, error, "lookup.request_failed");
    return unknown(failed);
  }
}

/**
 * Resolves with the value of `work`, or with that of `late` if `work` has not finished after `timeoutMs`. Rejects when
 * `signal` aborts. A safety net around code that has timeouts of its own; a late result of `work` is dropped.
 */
async function within<T>(
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
