import { readFileSync } from "node:fs";
import { expect } from "bun:test";
import { systemClock } from "../../src/platform/lib/clock.ts";
import { startView } from "../../src/facts/lookups/browser/chromium.ts";
import { findChromium } from "./chromium.ts";
import { consolePassword } from "./console.ts";
import { until } from "./until.ts";

export const chromium = findChromium();
/** For `test(…, browserTimeoutMs)`: on a busy machine, Chromium takes many times as long. It only guards against hanging. */
export const browserTimeoutMs = 240_000;

/** A real browser. A process can have one at a time, so a test file opens one and closes it at its end. */
export interface Browser {
  open(url: string): Promise<void>;
  /** Returns the value of an expression in the page, awaiting promises. */
  evaluate<T>(expression: string): Promise<T>;
  /** Waits until the expression is true in the page, or in the page that a click leads to. */
  until(expression: string, what?: string): Promise<void>;
  click(selector: string): Promise<void>;
  /** Presses the mouse button on an element, and releases it after `meanwhile`. As in Safari, it gets no focus. */
  hold(selector: string, meanwhile: () => Promise<void>): Promise<void>;
  /** Replaces the value of a field, as typing does. */
  fill(selector: string, text: string): Promise<void>;
  press(key: string): Promise<void>;
  /** Returns the visible text of the page. */
  text(): Promise<string>;
  /** Sets the size of the window in CSS pixels. */
  size(width: number, height?: number): Promise<void>;
  colors(scheme: "light" | "dark"): Promise<void>;
  /** Allows or blocks the console's script. */
  script(enabled: boolean): Promise<void>;
  /** Returns a PNG of the whole page, or of the part in the window. */
  screenshot(extent?: "page" | "window"): Promise<Uint8Array<ArrayBuffer>>;
  /** Signs in to the console at this address. */
  signIn(url: string): Promise<void>;
  /** Returns console errors, failed loads, and policy violations since the last call. */
  complaints(): string[];
  close(): void;
}

const attemptsMax = 3;
const navigated = /navigated or closed/;

/** @param hosts names that resolve, as in Chromium's --host-resolver-rules; by default none. */
export async function openBrowser({
  hosts = "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
}: { hosts?: string } = {}): Promise<Browser> {
  const complaints: string[] = [];
  const create = () =>
    new Bun.WebView({
      width: 1280,
      height: 900,
      backend: {
        type: "chrome",
        path: chromium!,
        argv: [
          "--no-sandbox",
          // The software that replaces a graphics card takes a sixth of a page's CPU time.
          "--disable-gpu",
          "--disable-software-rasterizer",
          // A page would start a process for the next site in advance, get one of its own to be kept for its return, and a new
          // compositor. Together, they take a fourth of the CPU time of opening a page.
          "--disable-features=SpareRendererForSitePerProcess,BackForwardCache,RenderDocument",
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
  const view = await startView(create, { clock: systemClock, signal: new AbortController().signal });
  await view.cdp("Log.enable");
  await view.cdp("Page.enable");
  view.addEventListener("Log.entryAdded", (event) => {
    const { entry } = (event as MessageEvent<{ entry: { level: string; text: string; url?: string } }>).data;
    // An error page is a regular response.
    if (entry.level === "error" && !/status of 4\d\d/.test(entry.text))
      complaints.push(`${entry.text} ${entry.url ?? ""}`);
  });
  /** Navigation aborts an evaluation on the previous page, and another navigation, so either is repeated on the next one. */
  const repeat = async <T>(action: () => Promise<T>): Promise<T> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await action();
      } catch (error) {
        if (attempt === attemptsMax || !navigated.test(String(error))) throw error;
      }
    }
  };
  const evaluate = <T>(expression: string) => repeat(() => view.evaluate(expression) as Promise<T>);
  /** A click or a key may leave the page before the browser confirms it. What follows waits for the next page. */
  const leave = (input: Promise<void>) =>
    input.catch((error: unknown) => {
      if (!navigated.test(String(error))) throw error;
    });

  const self: Browser = {
    open: (url) => repeat(() => view.navigate(url)),
    evaluate,
    async until(expression, what = expression) {
      // Between two pages, nothing can be evaluated.
      const isTrue = () => evaluate<boolean>(`Boolean(${expression})`).catch(() => false);
      await until(isTrue, what).catch(async (error: Error) => {
        throw new Error(`${error.message}\n${await self.text()}`);
      });
    },
    async click(selector) {
      // Elements outside of the window cannot be clicked.
      await evaluate(
        `document.querySelector(${JSON.stringify(selector)})?.scrollIntoView({ block: "center" })`,
      );
      await leave(view.click(selector));
    },
    async hold(selector, meanwhile) {
      const { x, y } = await evaluate<{ x: number; y: number }>(`(() => {
        const element = document.querySelector(${JSON.stringify(selector)});
        element.scrollIntoView({ block: "center" });
        element.addEventListener("mousedown", (event) => event.preventDefault());
        const { x, y, width, height } = element.getBoundingClientRect();
        return { x: x + width / 2, y: y + height / 2 };
      })()`);
      const mouse = async (type: string) =>
        void (await view.cdp("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: 1 }));
      await mouse("mousePressed");
      await meanwhile();
      await leave(mouse("mouseReleased"));
    },
    async fill(selector, text) {
      const found = await evaluate<boolean>(
        `(() => { const field = document.querySelector(${JSON.stringify(selector)}); if (!field) return false; field.focus(); field.select?.(); return true; })()`,
      );
      if (!found) throw new Error(`there is no field ${selector}`);
      await view.press("Delete");
      await view.type(text);
    },
    press: (key) => leave(view.press(key)),
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
          // Otherwise a color could be checked during a transition.
          { name: "prefers-reduced-motion", value: "reduce" },
        ],
      })),
    // Blocks only the page's own script: the tests need scripting to inspect the page.
    async script(enabled) {
      await view.cdp("Network.enable");
      await view.cdp("Network.setCacheDisabled", { cacheDisabled: !enabled });
      await view.cdp("Network.setBlockedURLs", { urls: enabled ? [] : ["*/console/assets/*.js"] });
    },
    async screenshot(extent = "page") {
      // Otherwise a screenshot of the whole page is laid out without scroll bars and cut off by their width.
      await view.cdp("Emulation.setScrollbarsHidden", { hidden: true });
      // A window keeps the scroll bars that it was laid out with.
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
      await self.fill("#name", "admin");
      await self.fill("#password", consolePassword);
      await leave(view.click("button[type=submit]"));
      await self.until(
        "['/console', '/console/welcome'].includes(location.pathname) && document.readyState === 'complete'",
      );
    },
    complaints: () => complaints.splice(0),
    close: () => Bun.WebView.closeAll(),
  };
  return self;
}

let axe: string | undefined;
const parts = {
  all: {},
  colors: { runOnly: ["color-contrast"] },
  layout: { rules: { "color-contrast": { enabled: false } } },
};

/**
 * Marks text whose looks are not known yet, for the check of contrast, and returns all looks: color, what is behind it, size and
 * weight determine the contrast.
 */
const markNewLooks = (known: readonly string[]) => `(() => {
  const known = new Set(${JSON.stringify(known)});
  for (const element of document.body.querySelectorAll("*")) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "");
    if (!hasText && !element.matches("input, select, textarea")) continue;
    const { color, fontSize, fontWeight } = getComputedStyle(element);
    const behind = [];
    let isOpaque = false;
    for (let at = element; at !== null; at = at.parentElement) {
      const { backgroundColor, backgroundImage, opacity } = getComputedStyle(at);
      if (opacity !== "1") behind.push(opacity);
      if (isOpaque) continue;
      behind.push(backgroundColor, backgroundImage);
      isOpaque = backgroundColor.startsWith("rgb(");
    }
    const looks = [color, fontSize, fontWeight, ...behind.filter((one) => !/^(none|rgba\\(0, 0, 0, 0\\))$/.test(one))].join();
    element.toggleAttribute("data-new-looks", !known.has(looks));
    known.add(looks);
  }
  window.axe.configure({ rules: [{ id: "color-contrast", selector: "[data-new-looks]" }] });
  return [...known];
})()`;

/** Fails if axe-core finds a violation of WCAG 2.2 AA or of its best practices. */
export async function expectAccessible(
  browser: Browser,
  where: string,
  /** `colors` checks only contrast; `layout` checks everything else, because contrast takes longest. */
  what: "all" | "colors" | "layout" = "all",
  /** Looks of text whose contrast was checked before and is not checked again. Those of the page are added. */
  checked?: Set<string>,
): Promise<void> {
  axe ??= readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
  await browser.evaluate(`(() => { if (!window.axe) { ${axe} } })()`);
  if (checked !== undefined) {
    const before = checked.size;
    for (const looks of await browser.evaluate<string[]>(markNewLooks([...checked]))) checked.add(looks);
    if (what === "colors" && checked.size === before) return;
  }
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
