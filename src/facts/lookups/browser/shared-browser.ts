import type { Clock } from "../../../platform/lib/clock.ts";
import type { Browser, ScreenshotOptions, ScreenshotResult } from "./chromium.ts";
import type { Config } from "../../../platform/config/config.ts";

const waitingMax = 200;
const minuteMs = 60_000;
/** Each screenshot occupies about one processor for a second or two, so that half of the time is left to the server. */
const screenshotsPerMinuteMax = 20;

const tooMany = `${waitingMax} pages are already waiting for the browser`;

interface Waiting {
  isUrgent: boolean;
  begin(): void;
}

/**
 * Shares one browser among those that need screenshots: one at a time, those that people wait for first, and the others
 * up to a number per minute.
 */
export function shareBrowser(
  browser: Browser,
  { clock, perMinuteMax = screenshotsPerMinuteMax }: { clock: Clock; perMinuteMax?: number },
): Browser {
  const waiting: Waiting[] = [];
  /** When the last screenshots without urgency were begun. */
  let begunMs: number[] = [];
  let isBusy = false;
  let timer: { cancel(): void } | undefined;

  /** Returns how long the next screenshot without urgency has to wait. */
  function pauseMs(): number {
    const nowMs = clock.monotonicMs();
    begunMs = begunMs.filter((atMs) => nowMs - atMs < minuteMs);
    return begunMs.length < perMinuteMax ? 0 : begunMs[0]! + minuteMs - nowMs;
  }

  function next(): void {
    if (isBusy || waiting.length === 0) return;
    timer?.cancel();
    const urgent = waiting.findIndex(({ isUrgent }) => isUrgent);
    const delayMs = urgent === -1 ? pauseMs() : 0;
    if (delayMs > 0) {
      timer = clock.after(delayMs, next);
      return;
    }
    const [chosen] = waiting.splice(Math.max(0, urgent), 1);
    if (!chosen!.isUrgent) begunMs.push(clock.monotonicMs());
    isBusy = true;
    chosen!.begin();
  }

  /** Resolves when it is the caller's turn. Rejects when `signal` aborts before. */
  function turn(isUrgent: boolean, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const giveUp = () => {
        waiting.splice(waiting.indexOf(own), 1);
        reject(signal.reason as Error);
      };
      const own = {
        isUrgent,
        begin() {
          signal.removeEventListener("abort", giveUp);
          resolve();
        },
      };
      signal.addEventListener("abort", giveUp, { once: true });
      waiting.push(own);
      next();
    });
  }

  return {
    async takeScreenshot(
      url: string,
      signal: AbortSignal,
      options: ScreenshotOptions = {},
    ): Promise<ScreenshotResult> {
      const { isUrgent = false } = options;
      if (waiting.length >= waitingMax && !isUrgent) return { ok: false, reason: tooMany };
      await turn(isUrgent, signal);
      try {
        return await browser.takeScreenshot(url, signal, options);
      } finally {
        isBusy = false;
        next();
      }
    },
    close() {
      timer?.cancel();
      browser.close();
    },
  };
}

/** The Chromium to use, or why no screenshots are taken. */
export type ChromiumChoice = { path: string; args: readonly string[] } | { reason: string };

const names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

interface ChooseChromiumOptions {
  setting: Config["scan"]["screenshots"];
  args: readonly string[];
  which: (name: string) => string | null;
  isRoot: boolean;
}

/**
 * @param setting `scan.screenshots`
 * @param args `screenshots.chromium_args`
 * @param which finds a program on the PATH
 */
export function chooseChromium({ setting, args, which, isRoot }: ChooseChromiumOptions): ChromiumChoice {
  if (setting === "off") return { reason: "screenshots are disabled" };
  const path = setting === "auto" ? names.map(which).find((found) => found !== null) : which(setting.path);
  if (path === null || path === undefined)
    return {
      reason: setting === "auto" ? "Chromium was not found" : `program ${setting.path} was not found`,
    };
  // As root, Chromium does not start with its sandbox, and hostile pages must not be opened without it.
  if (isRoot && !args.includes("--no-sandbox"))
    return {
      reason:
        "Chromium cannot use its sandbox as root: run phishwatch as another user, or, if a container is the " +
        'sandbox, set screenshots.chromium_args = ["--no-sandbox"]',
    };
  return { path, args };
}
