import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  browserTimeoutMs,
  chromium,
  expectAccessible,
  openBrowser,
  type Browser,
} from "../../support/browser.ts";
import { consolePages, sampleConfig, seedSamples, type Samples } from "../../support/console-pages.ts";
import { htmlProblems } from "../../support/html-problems.ts";
import { openConsoleApp, type ConsoleApp, type Visitor } from "../../support/console.ts";

/** Pages that axe-core checks at 360 px, too: they contain all components. A check takes a second per page. */
const likeAllOthers = ["overview", "threats", "keys", "key-create", "webhook"];

/** Size of a page with everything that it loads, as a browser receives it. */
const pageBytesMax = 100_000;

/** Tables of a page that are wider than their container. */
const cutTables = `[...document.querySelectorAll(".scroll")]
  .filter((table) => table.scrollWidth > table.clientWidth).map((table) => table.ariaLabel)`;

/** Cells of folded tables whose content covers the cell beside them. */
const coveringCells = `[...document.querySelectorAll(".fold td")]
  .filter((cell) => cell.scrollWidth > cell.clientWidth + 1).map((cell) => cell.innerText)`;

/** Shows every relative time as the longest one, so that the result does not depend on when the samples were made. */
const longestTimes = `document.querySelectorAll("time").forEach((time) => {
  if (time.textContent.endsWith(" ago")) time.textContent = "22 minutes ago";
})`;

let app: ConsoleApp;
let samples: Samples;
let visitor: Visitor;
beforeAll(async () => {
  app = openConsoleApp({ config: sampleConfig });
  samples = await seedSamples(app.app);
  visitor = await app.signedIn();
});
afterAll(() => app.dispose());

/** Sizes of assets as a browser receives them, by address. */
const assetBytes = new Map<string, number>();
async function bytesOf(address: string): Promise<number> {
  const known = assetBytes.get(address);
  if (known !== undefined) return known;
  const headers = { "accept-encoding": "gzip" };
  const asset = await fetch(`${app.url}${address}`, { headers, decompress: false });
  expect([address, asset.status]).toEqual([address, 200]);
  const bytes = (await asset.arrayBuffer()).byteLength;
  assetBytes.set(address, bytes);
  return bytes;
}

test.each(consolePages)(
  "$name is valid HTML, smaller than 100 kB with its assets, and has no markup that the policy forbids",
  async ({ name, path, signedOut }) => {
    const { html, status } = await (signedOut === true ? app.visitor() : visitor).get(path(samples));
    expect(htmlProblems(html)).toEqual([]);
    expect(status).toBe(name === "not-found" ? 404 : 200);
    expect(html).not.toMatch(/ style="|<style|<script>|javascript:| on\w+="/);
    let bytes = Buffer.byteLength(html);
    const addresses = [...html.matchAll(/(?:src|href)="(\/console\/assets\/[^"#]+)/g)].map(([, one]) => one!);
    for (const address of new Set(addresses)) bytes += await bytesOf(address);
    expect(bytes).toBeLessThan(pageBytesMax);
  },
);

test.each([
  ["<p><form></form></p>", "form in p"],
  ['<span><button type="button"></button><div></div></span>', "div in span"],
  ["<div><p></div>", "p is not closed before /div"],
  ['<a href="/"><button type="button"></button></a>', "button in a"],
  ['<i id="a"></i><i id="a"></i>', "the id a occurs twice"],
  ['<label for="a"></label>', "for refers to a, which does not exist"],
  ["<table><tr><td></td></tr></table>", "tr in table"],
  ['<td align="right"></td>', "td in nothing"],
  ["a < b", "markup cannot be parsed at < b"],
])("the check of HTML finds what is wrong with %s", (html, problem) => {
  expect(htmlProblems(html)).toContain(problem);
});

describe.skipIf(chromium === undefined)("in a browser", () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await openBrowser()), browserTimeoutMs);
  afterAll(() => browser?.close());

  // Pages for visitors without a session come first.
  const ordered = consolePages.toSorted(
    (a, b) => Number(b.signedOut ?? false) - Number(a.signedOut ?? false),
  );
  let signedIn = false;
  const checked = { light: new Set<string>(), dark: new Set<string>() };

  test.each(ordered)(
    "$name is accessible in light and dark mode, and fits 1280 px and 360 px without cut tables or horizontal scrolling",
    async ({ name, path, signedOut }) => {
      if (signedOut !== true && !signedIn) {
        await browser.signIn(app.url);
        signedIn = true;
      }
      await browser.colors("light");
      await browser.size(1280);
      await browser.open(`${app.url}${path(samples)}`);
      await expectAccessible(browser, `${name}, light`, "all", checked.light);
      await browser.evaluate(longestTimes);
      expect(await browser.evaluate<string[]>(cutTables)).toEqual([]);
      await browser.colors("dark");
      await expectAccessible(browser, `${name}, dark`, "colors", checked.dark);
      await browser.size(360);
      if (likeAllOthers.includes(name)) await expectAccessible(browser, `${name}, 360 px`, "layout");
      expect(await browser.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);
      expect(await browser.evaluate<string[]>(coveringCells)).toEqual([]);
      expect(browser.complaints()).toEqual([]);
    },
    browserTimeoutMs,
  );
});
