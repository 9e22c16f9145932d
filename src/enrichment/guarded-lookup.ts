import { within } from "../lib/deadline.ts";
import { logDropped, type Log } from "../lib/log.ts";

const failed = "it failed for a reason of our own; the log says more";

/** A look-up's answer; one that does not come, or an error of ours, is an unknown fact and nothing worse. */
export async function boundedLookUp<T>(
  work: Promise<T>,
  {
    log,
    signal,
    timeoutMs,
    unknown,
  }: { log: Log; signal: AbortSignal; timeoutMs: number; unknown: (reason: string) => T },
): Promise<T> {
  try {
    const late = () => unknown(`no answer within ${timeoutMs / 1000} s`);
    return await within(work, { timeoutMs, signal, late });
  } catch (error) {
    signal.throwIfAborted();
    logDropped(log, error, "a look-up for a threat failed");
    return unknown(failed);
  }
}
