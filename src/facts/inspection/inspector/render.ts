import type { ScreenshotOptions, ScreenshotResult } from "../../lookups/browser/chromium.ts";
import type { InspectionTarget } from "../model/inspector.ts";

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
