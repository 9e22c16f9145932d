import { within } from "../lib/deadline.ts";
import { logDropped, type Log } from "../lib/log.ts";

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
    logDropped(log, error, "lookup for a threat failed");
    return unknown(failed);
  }
}
