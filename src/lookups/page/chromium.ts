import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../../lib/clock.ts";
import { messageOf } from "../../lib/errors.ts";
import { logDropped, type Log } from "../../lib/log.ts";
import type { AddressRules } from "../../network/addresses.ts";
import { startGuardProxy, type GuardProxy } from "../../network/http/guard-proxy.ts";
import type { ResolveHost } from "../../network/resolve.ts";

/** Takes pictures of pages. */
export interface Camera {
  /** One at a time. Never throws for what a page does. */
  capture(url: string, signal: AbortSignal): Promise<Capture>;
  close(): void;
}

/** `url`: where the browser ended up. */
export type Capture = { ok: true; webp: Uint8Array; url: string } | { ok: false; reason: string };

/** The Chromium to use, or why there will be no screenshots. */
export type ChromiumChoice = { path: string; args: readonly string[] } | { reason: string };

const names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/**
 * @param setting `scan.screenshots`
 * @param args `screenshots.chromium_args`
 * @param which finds a program on the path
 */
export function chooseChromium({
  setting,
  args,
  which,
  isRoot,
}: {
  setting: "auto" | "off" | { path: string };
  args: readonly string[];
  which: (name: string) => string | null;
  isRoot: boolean;
}): ChromiumChoice {
  if (setting === "off") return { reason: "screenshots are switched off" };
  const path = setting === "auto" ? names.map(which).find((found) => found !== null) : which(setting.path);
  if (path === null || path === undefined)
    return { reason: setting === "auto" ? "no Chromium was found" : `there is no program ${setting.path}` };
  // Chromium does not start as root with its sandbox, and hostile pages are not shown without it.
  if (isRoot && !args.includes("--no-sandbox"))
    return {
      reason:
        "Chromium cannot use its sandbox as root: run phishwatch as another user, or, where a container is the " +
        'sandbox, set screenshots.chromium_args = ["--no-sandbox"]',
    };
  return { path, args };
}

export const pictureBytesMax = 1024 * 1024;
const captureTimeoutMs = 15_000;
/** Of these 15 s; a page that loads for ever is then shown as far as it came. */
const loadTimeoutMs = 9_000;
const viewport = { width: 1280, height: 800 };
const transferBytesMax = 32 * 1024 * 1024;
/** The pipe to a browser that was killed has to be closed before Bun starts another. */
const restartDelayMs = 250;
const qualities = [75, 50, 25];

/**
 * How pages are asked for, with and without a browser: as by one of very many visitors. To a program that tells its
 * name a phishing page shows something harmless.
 */
export const browserUserAgent =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";

/** Chromium reports home by itself, whatever it is told; pages have no need of these. */
const homeHosts = [
  "accounts.google.com",
  "clients2.google.com",
  "clientservices.googleapis.com",
  "content-autofill.googleapis.com",
  "optimizationguide-pa.googleapis.com",
  "safebrowsing.googleapis.com",
  "update.googleapis.com",
];

const switches = [
  // Everything goes through the guard, loopback too; and no name is resolved here.
  "--proxy-bypass-list=<-loopback>",
  "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
  // WebRTC would send datagrams past the proxy, to whatever address a page names.
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  // As it was called before.
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--disable-quic",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-default-apps",
  "--disable-dev-shm-usage",
  "--disable-features=AutofillServerCommunication,MediaRouter,NetworkTimeServiceQuerying,OptimizationHints,PreconnectToSearch,Translate",
  "--disable-sync",
  "--deny-permission-prompts",
  // Chromium without a window says so, and is shown something else.
  `--user-agent=${browserUserAgent}`,
  "--hide-scrollbars",
  "--mute-audio",
  "--no-pings",
  // The certificate is a fact by itself; here one wants to see what a careless visitor sees.
  "--ignore-certificate-errors",
];

/**
 * A Chromium by way of `Bun.WebView`, which allows one browser a process, from the main thread. Each picture is
 * taken with a new browser and a new profile, through a proxy that reaches only what `rules` allow.
 */
export function createCamera({
  chromium,
  clock,
  log,
  rules,
  resolveHost,
  ports,
  profileFolder = tmpdir(),
  timeoutMs = captureTimeoutMs,
}: {
  chromium: { path: string; args: readonly string[] };
  clock: Clock;
  log: Log;
  rules: AddressRules;
  resolveHost: ResolveHost;
  ports?: { http: number; https: number } | undefined;
  /** Where the profiles are made, each of which is gone with its picture. */
  profileFolder?: string;
  timeoutMs?: number;
}): Camera {
  let proxy: Promise<GuardProxy> | undefined;

  async function photograph(url: string, signal: AbortSignal): Promise<{ webp: Uint8Array; url: string }> {
    proxy ??= startGuardProxy({
      rules,
      resolveHost,
      clock,
      bytesMax: transferBytesMax,
      refusedHosts: homeHosts,
      ...(ports === undefined ? {} : { ports }),
    }).catch((error: unknown) => {
      // The next picture tries anew.
      proxy = undefined;
      throw error;
    });
    const { port, refused } = await proxy;
    refused();
    const profile = await mkdtemp(join(profileFolder, "phishwatch-chromium-"));
    const argv = [...switches, `--proxy-server=http://127.0.0.1:${port}`, ...chromium.args];
    try {
      const view = new Bun.WebView({
        ...viewport,
        backend: { type: "chrome", path: chromium.path, argv },
        dataStore: { directory: profile },
      });
      const picture = open(view, url).catch((error: unknown) => {
        // Chromium says "tunnel failed"; the guard knows why.
        const hostname = new URL(url).hostname.replace(/\.$/, "");
        throw new Error(refused().find(({ host }) => host === hostname)?.reason ?? messageOf(error));
      });
      return await before(picture, { clock, timeoutMs, signal });
    } finally {
      Bun.WebView.closeAll();
      await passed(clock, restartDelayMs);
      await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }).catch(
        (error: unknown) => logDropped(log, error, "the profile of a browser could not be removed"),
      );
    }
  }

  async function open(view: Bun.WebView, url: string): Promise<{ webp: Uint8Array; url: string }> {
    await view.navigate("about:blank");
    await view.cdp("Browser.setDownloadBehavior", { behavior: "deny" });
    await view.cdp("Page.enable");
    // A page that asks or warns for ever would hold up everything.
    view.addEventListener("Page.javascriptDialogOpening", () => {
      view.cdp("Page.handleJavaScriptDialog", { accept: false }).catch(() => {});
    });
    const loading = view.navigate(url);
    const failure = await Promise.race([
      loading.then(() => undefined).catch((error: unknown) => ({ error })),
      passed(clock, Math.min(loadTimeoutMs, timeoutMs * 0.6)),
    ]);
    if (failure !== undefined && typeof failure === "object") throw failure.error;
    const picture = await view.screenshot({ format: "webp", quality: qualities[0]!, encoding: "buffer" });
    return { webp: await shrink(picture), url: view.url };
  }

  return {
    async capture(url, signal) {
      try {
        return { ok: true, ...(await photograph(url, signal)) };
      } catch (error) {
        signal.throwIfAborted();
        return { ok: false, reason: messageOf(error) };
      }
    },
    // One that could not be started was told to whoever wanted a picture.
    close: () =>
      void proxy?.then(
        (started) => started.close(),
        () => {},
      ),
  };
}

/** The picture, or if need be a coarser one. */
async function shrink(webp: Uint8Array): Promise<Uint8Array> {
  let picture = webp;
  for (const quality of qualities.slice(1)) {
    if (picture.length <= pictureBytesMax) return picture;
    picture = await new Bun.Image(webp as Uint8Array<ArrayBuffer>).webp({ quality }).bytes();
  }
  if (picture.length > pictureBytesMax) throw new Error(`the picture has ${picture.length} bytes`);
  return picture;
}

function passed(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve));
}

async function before<T>(
  work: Promise<T>,
  { clock, timeoutMs, signal }: { clock: Clock; timeoutMs: number; signal: AbortSignal },
): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const late = () => reject(new Error(`not done within ${timeoutMs / 1000} s`));
  const timer = clock.after(timeoutMs, late);
  const giveUp = () => reject(signal.reason as Error);
  signal.addEventListener("abort", giveUp, { once: true });
  // The view is closed under it, and nobody listens any more.
  work.catch(() => {});
  try {
    return await Promise.race([work, promise]);
  } finally {
    timer.cancel();
    signal.removeEventListener("abort", giveUp);
  }
}
