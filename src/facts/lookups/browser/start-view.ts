import { delay, type Clock } from "../../../platform/lib/clock.ts";

/** Maximum number of starts; the error of the last one is thrown. */
const startsMax = 4;
/** Time between a failed start and the next one. */
const pauseMs = 50;

/**
 * Starts a browser, and resolves when it shows a blank page. Bun uses the previous browser of the process until the pipe to
 * it is closed, which on a busy machine takes a while after the browser was killed. Then this one fails and is started again.
 *
 * @param signal prevents another start, for which nobody would wait.
 */
export async function startView<View extends Pick<Bun.WebView, "navigate">>(
  create: () => View,
  { clock, signal }: { clock: Pick<Clock, "after">; signal: AbortSignal },
): Promise<View> {
  for (let start = 1; ; start++) {
    try {
      const view = create();
      await view.navigate("about:blank");
      return view;
    } catch (error) {
      if (start === startsMax) throw error;
      await delay(clock, pauseMs, signal);
      signal.throwIfAborted();
    }
  }
}
