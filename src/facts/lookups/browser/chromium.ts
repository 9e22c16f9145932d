import { tmpdir } from "node:os";
import { type Clock, delay } from "../../../platform/lib/clock.ts";
import { messageOf } from "../../../platform/lib/errors.ts";
import type { Needs } from "../../../platform/lib/needs.ts";
import { linesOfList } from "../../../platform/lib/lists/list-texts.ts";
import { startGuardProxy, type GuardProxy } from "../../../platform/network/http/guard-proxy.ts";
import type { NetworkNeeds } from "../../../platform/network/http/needs.ts";
import { watchBrowserMemory, createProfileFolders } from "./browser-memory.ts";
import { browserUserAgent } from "../visits/visitors.ts";
import homeHostsText from "./home-hosts.txt" with { type: "text" };
import readMarkup from "./read-markup.js" with { type: "text" };
import switchesText from "./switches.txt" with { type: "text" };

/** Takes screenshots of pages. */
export interface Browser {
  /** Takes one screenshot at a time. Never throws for what a page does. */
  takeScreenshot(url: string, signal: AbortSignal, options?: ScreenshotOptions): Promise<ScreenshotResult>;
  close(): void;
}

export interface ScreenshotOptions {
  /** Whether a person waits for it, so that it is taken before others. Default: no. */
  isUrgent?: boolean;
  /** Default: the user agent of a common browser. */
  userAgent?: string;
}

/** `url`: where the browser ended up. `html`: the page as it is rendered; absent if it could not be read in time. */
export type ScreenshotResult =
  { ok: true; webp: Uint8Array; url: string; html?: string } | { ok: false; reason: string };

type Taken = { webp: Uint8Array; url: string; html?: string };

export const screenshotBytesMax = 1024 * 1024;
const screenshotTimeoutMs = 15_000;
/** Part of the time limit that is for loading. A page that never finishes is shown as far as it has loaded. */
const loadTimeoutMs = 9_000;
const viewport = { width: 1280, height: 800 };
const transferBytesMax = 32 * 1024 * 1024;
/** Delay after a browser was killed, whose processes may still write to their profile. */
const exitDelayMs = 250;
/** WebP qualities, tried in this order until the screenshot is small enough. */
const qualities = [75, 50, 25];

/** Hosts that Chromium contacts on its own. */
const homeHosts = linesOfList(homeHostsText);
const switches = linesOfList(switchesText);

interface BrowserDependencies extends Needs<"log">, NetworkNeeds<"clock" | "resolveHost" | "rules"> {
  chromium: { path: string; args: readonly string[] };
  ports?: { http: number; https: number } | undefined;
  profileFolder?: string;
  timeoutMs?: number;
}

/**
 * Runs Chromium through `Bun.WebView`, which allows one browser per process, on the main thread. Each screenshot is taken
 * with a new browser and a new profile, through a proxy that connects only to what `rules` allow.
 *
 * @param profileFolder folder for the profiles, each of which is deleted after its screenshot.
 */
export function createBrowser(dependencies: BrowserDependencies): Browser {
  const { chromium, clock, log, rules, resolveHost, ports, profileFolder = tmpdir() } = dependencies;
  const { timeoutMs = screenshotTimeoutMs } = dependencies;
  const profiles = createProfileFolders({ clock, folder: profileFolder, log });
  let proxy: Promise<GuardProxy> | undefined;

  async function take(url: string, signal: AbortSignal, userAgent: string): Promise<Taken> {
    proxy ??= startGuardProxy({
      rules,
      resolveHost,
      clock,
      bytesMax: transferBytesMax,
      refusedHosts: homeHosts,
      ports,
    }).catch((error: unknown) => {
      // The next screenshot retries.
      proxy = undefined;
      throw error;
    });
    const { port, refused } = await proxy;
    refused();
    const profile = await profiles.create();
    const argv = [
      ...switches,
      // Headless Chromium identifies itself, and phishing pages show it something else.
      `--user-agent=${userAgent}`,
      `--proxy-server=http://127.0.0.1:${port}`,
      ...chromium.args,
    ];
    const create = () =>
      new Bun.WebView({
        ...viewport,
        backend: { type: "chrome", path: chromium.path, argv },
        dataStore: { directory: profile },
      });
    const over = new AbortController();
    try {
      // The signal may have aborted during the preparation, and has listeners only from here on.
      signal.throwIfAborted();
      const loadingMs = Math.min(loadTimeoutMs, timeoutMs * 0.6);
      const taken = startView(create, { clock, signal: over.signal }).then((view) =>
        open(view, url, { clock, loadingMs }),
      );
      const screenshot = taken.catch((error: unknown) => {
        // Chromium reports "tunnel failed"; the guard proxy knows why.
        const hostname = new URL(url).hostname.replace(/\.$/, "");
        throw new Error(refused().find(({ host }) => host === hostname)?.reason ?? messageOf(error));
      });
      return await before(screenshot, { clock, profile, timeoutMs, signal });
    } finally {
      over.abort();
      Bun.WebView.closeAll();
      await passed(clock, exitDelayMs);
      await profiles.remove(profile);
    }
  }

  return {
    async takeScreenshot(url, signal, { userAgent = browserUserAgent } = {}) {
      try {
        return { ok: true, ...(await take(url, signal, userAgent)) };
      } catch (error) {
        signal.throwIfAborted();
        return { ok: false, reason: messageOf(error) };
      }
    },
    // A proxy that could not be started was reported by the screenshot that needed it.
    close: () =>
      void proxy?.then(
        (started) => started.close(),
        () => {},
      ),
  };
}

/** Opens the page, and takes the screenshot when it has loaded, or as far as it has. */
async function open(
  view: Bun.WebView,
  url: string,
  { clock, loadingMs }: { clock: Clock; loadingMs: number },
): Promise<Taken> {
  await view.cdp("Browser.setDownloadBehavior", { behavior: "deny" });
  await view.cdp("Page.enable");
  // A page with endless dialogs would block everything.
  view.addEventListener("Page.javascriptDialogOpening", () => {
    view.cdp("Page.handleJavaScriptDialog", { accept: false }).catch(() => {});
  });
  const loading = view.navigate(url);
  const failure = await Promise.race([
    loading.then(() => undefined).catch((error: unknown) => ({ error })),
    passed(clock, loadingMs),
  ]);
  if (failure !== undefined && typeof failure === "object") throw failure.error;
  const webp = await view.screenshot({ format: "webp", quality: qualities[0]!, encoding: "buffer" });
  // A page that cannot be read is known by its screenshot.
  const html = await renderedHtml(view, clock).catch(() => undefined);
  return { webp: await shrink(webp), url: view.url, ...(html === undefined ? {} : { html }) };
}

/** Lowers the quality until the screenshot is small enough. */
async function shrink(webp: Uint8Array): Promise<Uint8Array> {
  let shrunk = webp;
  for (const quality of qualities.slice(1)) {
    if (shrunk.length <= screenshotBytesMax) return shrunk;
    shrunk = await new Bun.Image(webp as Uint8Array<ArrayBuffer>).webp({ quality }).bytes();
  }
  if (shrunk.length > screenshotBytesMax)
    throw new Error(`the screenshot is too large (${shrunk.length} bytes)`);
  return shrunk;
}

function passed(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve));
}

async function before<T>(
  work: Promise<T>,
  options: { clock: Clock; profile: string; timeoutMs: number; signal: AbortSignal },
): Promise<T> {
  const { clock, profile, timeoutMs, signal } = options;
  const { promise, reject } = Promise.withResolvers<never>();
  const late = () => reject(new Error(`not finished within ${timeoutMs / 1000} s`));
  const timer = clock.after(timeoutMs, late);
  const memory = watchBrowserMemory({
    clock,
    profile,
    onTooMuch: (reason) => reject(new Error(reason)),
  });
  const giveUp = () => reject(signal.reason as Error);
  signal.addEventListener("abort", giveUp, { once: true });
  // The view may be closed later, when the work is not awaited anymore.
  work.catch(() => {});
  try {
    return await Promise.race([work, promise]);
  } finally {
    timer.cancel();
    memory.cancel();
    signal.removeEventListener("abort", giveUp);
  }
}

/** Maximum number of starts; the error of the last one is thrown. */
const startsMax = 4;
/** Time between a failed start and the next one. */
const pauseMs = 50;

/**
 * Starts a browser, and resolves when it shows a blank page. Bun uses the previous browser of the process until the pipe to
 * it is closed, which on a busy machine takes a while after the browser was killed. Then this one fails and is started again.
 *
 * @param signal prevents another start once the screenshot is not needed anymore.
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

const htmlLengthMax = 1024 * 1024;
const elementsMax = 20_000;
const readTimeoutMs = 2_000;

/**
 * Returns the markup of what the page shows: of the document, of its frames from the same site, and of shadow roots. Runs in
 * a world of its own, so that the page cannot replace the functions that are used.
 */
async function renderedHtml(view: Bun.WebView, clock: Clock): Promise<string | undefined> {
  const { frameTree } = await view.cdp<{ frameTree: { frame: { id: string } } }>("Page.getFrameTree");
  const { executionContextId } = await view.cdp<{ executionContextId: number }>("Page.createIsolatedWorld", {
    frameId: frameTree.frame.id,
  });
  const evaluated = view.cdp<{ result: { value?: unknown } }>("Runtime.evaluate", {
    expression: `(${readMarkup})(${htmlLengthMax}, ${elementsMax})`,
    contextId: executionContextId,
    returnByValue: true,
    timeout: readTimeoutMs,
  });
  const read = await Promise.race([evaluated, passed(clock, readTimeoutMs)]);
  const value = read?.result.value;
  return typeof value === "string" ? value : undefined;
}
