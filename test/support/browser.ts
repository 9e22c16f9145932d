import { readFileSync } from "node:fs";
import { expect } from "bun:test";
import { findChromium } from "./chromium.ts";
import { consolePassword } from "./console.ts";
import { until } from "./until.ts";

export const chromium = findChromium();
/** For `test(…, browserTimeoutMs)`: starting a Chromium on a busy machine takes some seconds. */
export const browserTimeoutMs = 90_000;

/** A real browser; one at a time in a process, so a test file opens one and closes it at its end. */
export interface Browser {
  open(url: string): Promise<void>;
  /** The value of an expression in the page; a promise is waited for. */
  evaluate<T>(expression: string): Promise<T>;
  /** Waits until the expression is true in the page, also in the one that comes after a click. */
  until(expression: string, what?: string): Promise<void>;
  click(selector: string): Promise<void>;
  /** Fills a field as if typed, what stood in it is gone. */
  fill(selector: string, text: string): Promise<void>;
  press(key: string): Promise<void>;
  /** The text of the page as a person sees it. */
  text(): Promise<string>;
  /** CSS pixels. */
  size(width: number, height?: number): Promise<void>;
  colors(scheme: "light" | "dark"): Promise<void>;
  /** Whether the console's script may come. */
  script(enabled: boolean): Promise<void>;
  /** The whole page as PNG, or what the window shows of it. */
  screenshot(extent?: "page" | "window"): Promise<Uint8Array<ArrayBuffer>>;
  /** Signs in to the console that answers at this address. */
  signIn(url: string): Promise<void>;
  /** What the page complained of in its console, what failed to load and what the policy forbade, since last asked. */
  complaints(): string[];
  close(): Promise<void>;
}

const attemptsMax = 3;

/** @param hosts which names there are, as in Chromium's --host-resolver-rules; by default none. */
export async function openBrowser({
  hosts = "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
}: { hosts?: string } = {}): Promise<Browser> {
  const complaints: string[] = [];
  const view = new Bun.WebView({
    width: 1280,
    height: 900,
    backend: {
      type: "chrome",
      path: chromium!,
      argv: [
        "--no-sandbox",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-quic",
        "--force-color-profile=srgb",
        `--host-resolver-rules=${hosts}`,
      ],
    },
    console: (type, ...args) => {
      if (type === "error" || type === "warn") complaints.push(args.map(String).join(" "));
    },
  });
  await view.navigate("about:blank");
  await view.cdp("Log.enable");
  await view.cdp("Page.enable");
  view.addEventListener("Log.entryAdded", (event) => {
    const { entry } = (event as MessageEvent<{ entry: { level: string; text: string; url?: string } }>).data;
    // A page that tells of an error is an answer like any other.
    if (entry.level === "error" && !/status of 4\d\d/.test(entry.text))
      complaints.push(`${entry.text} ${entry.url ?? ""}`);
  });
  /** A page that just gives way to the next one takes what was begun on it along: it is begun anew on the next. */
  const evaluate = async <T>(expression: string): Promise<T> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return (await view.evaluate(expression)) as T;
      } catch (error) {
        if (attempt === attemptsMax || !/navigated or closed/.test(String(error))) throw error;
      }
    }
  };

  const self: Browser = {
    open: (url) => view.navigate(url),
    evaluate,
    async until(expression, what = expression) {
      // Between two pages, nothing can be evaluated.
      const isTrue = () => evaluate<boolean>(`Boolean(${expression})`).catch(() => false);
      await until(isTrue, what).catch(async (error: Error) => {
        throw new Error(`${error.message}\n${await self.text()}`);
      });
    },
    async click(selector) {
      // What is below the edge of the window cannot be clicked.
      await evaluate(
        `document.querySelector(${JSON.stringify(selector)})?.scrollIntoView({ block: "center" })`,
      );
      await view.click(selector);
    },
    async fill(selector, text) {
      const found = await evaluate<boolean>(
        `(() => { const field = document.querySelector(${JSON.stringify(selector)}); if (!field) return false; field.focus(); field.select?.(); return true; })()`,
      );
      if (!found) throw new Error(`there is no field ${selector}`);
      await view.press("Delete");
      await view.type(text);
    },
    press: (key) => view.press(key),
    text: () => evaluate<string>("document.body.innerText"),
    size: async (width, height = 900) =>
      void (await view.cdp("Emulation.setDeviceMetricsOverride", {
        width,
        height,
        deviceScaleFactor: 1,
        mobile: false,
      })),
    colors: async (scheme) =>
      void (await view.cdp("Emulation.setEmulatedMedia", {
        features: [
          { name: "prefers-color-scheme", value: scheme },
          // Else a colour is looked at on its way from one to the other.
          { name: "prefers-reduced-motion", value: "reduce" },
        ],
      })),
    // The page's own script does not come; scripting as such stays on, for the tests look with it.
    async script(enabled) {
      await view.cdp("Network.enable");
      await view.cdp("Network.setCacheDisabled", { cacheDisabled: !enabled });
      await view.cdp("Network.setBlockedURLs", { urls: enabled ? [] : ["*/console/assets/*.js"] });
    },
    async screenshot(extent = "page") {
      // Else the page is laid out without the bars once it is pictured whole, and cut off by their width.
      await view.cdp("Emulation.setScrollbarsHidden", { hidden: true });
      // A window keeps the bars that it was laid out with.
      await evaluate("void (document.documentElement.style.scrollbarWidth = 'none')");
      const { data } = await view.cdp<{ data: string }>("Page.captureScreenshot", {
        format: "png",
        captureBeyondViewport: extent === "page",
      });
      await view.cdp("Emulation.setScrollbarsHidden", { hidden: false });
      return Buffer.from(data, "base64");
    },
    async signIn(url) {
      await view.navigate(`${url}/console/sign-in`);
      await self.fill("#password", consolePassword);
      await view.click("button[type=submit]");
      await self.until("location.pathname === '/console' && document.readyState === 'complete'");
    },
    complaints: () => complaints.splice(0),
    async close() {
      Bun.WebView.closeAll();
      // Bun reports no end of the browser, and cannot start another before the pipe to this one is closed.
      await Bun.sleep(250);
    },
  };
  return self;
}

let axe: string | undefined;
const parts = {
  all: {},
  colors: { runOnly: ["color-contrast"] },
  layout: { rules: { "color-contrast": { enabled: false } } },
};

/** No violation that axe-core finds, of WCAG 2.2 AA and of its best practices. */
export async function expectAccessible(
  browser: Browser,
  where: string,
  /** `colors`: contrast alone, where nothing else differs; `layout`: all but that, which takes longest. */
  what: "all" | "colors" | "layout" = "all",
): Promise<void> {
  axe ??= readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
  await browser.evaluate(`(() => { if (!window.axe) { ${axe} } })()`);
  const violations = await browser.evaluate<
    { id: string; help: string; nodes: { html: string; failureSummary: string }[] }[]
  >(
    `axe.run(document, ${JSON.stringify({ resultTypes: ["violations"], ...parts[what] })}).then(({ violations }) => violations)`,
  );
  const shown = violations.map(
    ({ id, help, nodes }) =>
      `${where}: ${id}: ${help}\n${nodes
        .slice(0, 5)
        .map(({ html, failureSummary }) => `  ${html.slice(0, 200)}\n  ${failureSummary}`)
        .join("\n")}`,
  );
  expect(shown).toEqual([]);
}
