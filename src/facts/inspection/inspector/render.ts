import type { ScreenshotOptions, ScreenshotResult } from "../../lookups/browser/chromium.ts";
import type { Clock } from "../../../platform/lib/clock.ts";
import type { InspectionResult, InspectionTarget } from "../model/inspector.ts";

/** Opens a page in a browser. */
export type Render = (
  url: string,
  signal: AbortSignal,
  options: ScreenshotOptions,
) => Promise<ScreenshotResult>;

/** Returns the target of an inspection that also calls `free` before it waits for the browser. */
export function freedByBrowser<T extends InspectionTarget>(target: T, free: () => void): T {
  const onBrowser = () => {
    free();
    target.onBrowser?.();
  };
  return { ...target, onBrowser };
}

/** Pages that wait for the browser and that no person waits for: three minutes of its work. Each is kept in memory. */
const waitingMax = 60;
const isBusy = `${waitingMax} pages already wait for the browser`;

/** Lets few pages wait for the browser that no person waits for. The others are compared without it. */
export function limitWaiting(render: Render): Render {
  let waiting = 0;
  return async (url, signal, options) => {
    if (options.isUrgent === true) return render(url, signal, options);
    if (waiting >= waitingMax) return { ok: false, reason: isBusy };
    waiting += 1;
    try {
      return await render(url, signal, options);
    } finally {
      waiting -= 1;
    }
  };
}

/** An inspection has time limits of its own, also for its turn in the browser; this one applies if they do not hold. */
const timeoutMs = 15 * 60_000;

/** Inspects within the time limit. Rejects when the signal aborts. */
export async function inTime(
  clock: Pick<Clock, "after">,
  signal: AbortSignal,
  inspect: (signal: AbortSignal) => Promise<InspectionResult>,
): Promise<InspectionResult> {
  signal.throwIfAborted();
  const late = new AbortController();
  const timer = clock.after(timeoutMs, () => late.abort());
  try {
    return await inspect(AbortSignal.any([signal, late.signal]));
  } catch (error) {
    if (signal.aborted || !late.signal.aborted) throw error;
    return { ok: false, reason: `not finished within ${timeoutMs / 60_000} minutes` };
  } finally {
    timer.cancel();
  }
}
