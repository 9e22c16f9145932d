import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openApi, type Api } from "../support/api.ts";
import {
  browserTimeoutMs,
  chromium,
  expectAccessible,
  openBrowser,
  type Browser,
} from "../support/browser.ts";

/** A page with long tables, one with long code, a search, the list of pages, and the reference of the API. */
const paths = ["/docs/configure", "/docs/sandbox", "/docs?q=retry", "/docs", "/docs/api"];

describe.skipIf(chromium === undefined)("the manual in a browser", () => {
  let api: Api;
  let url: string;
  let browser: Browser;
  const checked = { light: new Set<string>(), dark: new Set<string>() };
  beforeAll(async () => {
    api = openApi({ server: { publicUrlIsDefault: true } });
    url = api.server.listen().url;
    browser = await openBrowser();
  }, browserTimeoutMs);
  afterAll(async () => {
    browser?.close();
    await api.server.stop();
    api.dispose();
  });

  test.each(paths)(
    "%s is accessible in light and dark mode, and fits 390 px without horizontal scrolling",
    async (path) => {
      await browser.colors("light");
      await browser.size(1280);
      await browser.open(`${url}${path}`);
      await expectAccessible(browser, `${path}, light`, "all", checked.light);
      await browser.colors("dark");
      await expectAccessible(browser, `${path}, dark`, "colors", checked.dark);
      await browser.size(390);
      await expectAccessible(browser, `${path}, 390 px`, "layout");
      expect(await browser.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
      expect(browser.complaints()).toEqual([]);
    },
    browserTimeoutMs,
  );

  test(
    "the first press of Tab offers a link that skips to the content, with a visible focus",
    async () => {
      await browser.size(1280);
      await browser.open(`${url}/docs/configure`);
      await browser.press("Tab");
      const focused = await browser.evaluate(
        `[document.activeElement.textContent, document.activeElement.getBoundingClientRect().left >= 0,
          getComputedStyle(document.activeElement).outlineStyle]`,
      );
      expect(focused).toEqual(["Skip to content", true, "solid"]);
    },
    browserTimeoutMs,
  );
});
