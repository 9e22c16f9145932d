import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { browserTimeoutMs, chromium, openBrowser, type Browser } from "../../support/browser.ts";
import { openConsoleApp, type ConsoleApp } from "../../support/console.ts";
import { knowAbout, phishingFacts } from "../../support/threat-samples.ts";

describe.skipIf(chromium === undefined)("a threat in a browser", () => {
  let app: ConsoleApp;
  let browser: Browser;
  let first: string;
  let second: string;
  beforeAll(async () => {
    app = openConsoleApp({ config: '[[protected_domains]]\ndomain = "example-bank.com"\n' });
    const match = {
      protectedDomain: "example-bank.com",
      type: "typosquatting" as const,
      similarity: 0.97,
      reasons: [],
    };
    const sight = (domain: string, seenAt: number) =>
      app.app.threats.record([{ domain, match, source: "feed", seenAt }])[0]!.threatId;
    [second, first] = [sight("exampl-bank.com", 1_000), sight("exarnple-bank.com", 2_000)];
    await knowAbout(app.app, first, phishingFacts, Date.now());
    browser = await openBrowser();
    await browser.signIn(app.url);
  }, browserTimeoutMs);
  afterAll(async () => {
    browser?.close();
    await app?.dispose();
  });

  /** A key that is pressed before the script has run is lost. */
  async function open(id: string): Promise<void> {
    await browser.open(`${app.url}/console/threats/${id}`);
    await arrived(`location.pathname === "/console/threats/${id}"`);
  }
  const arrived = (what: string) => browser.until(`document.readyState === "complete" && (${what})`);

  test(
    "can be decided and left for the next one with keyboard shortcuts, and the decision undone",
    async () => {
      await open(first);
      await browser.press("r");
      // The message about the first one is on the page of the second.
      await arrived(`location.pathname === '/console/threats/${second}'`);
      await arrived(
        "document.querySelector('.note')?.innerText.includes('exarnple-bank.com is now resolved.')",
      );
      expect(app.app.threats.get(first)!.status).toBe("resolved");
      await browser.click(".note button");
      await arrived("document.querySelector('.note')?.innerText.includes('Decision undone')");
      expect(app.app.threats.get(first)!.status).toBe("active");
      await browser.press("j");
      await arrived(`location.pathname === '/console/threats/${second}'`);
      // Typing a note triggers no shortcuts.
      await browser.fill("#text", "r f a j k");
      expect(app.app.threats.get(second)!.status).toBe("active");
      expect(browser.complaints()).toEqual([]);
    },
    browserTimeoutMs,
  );

  test(
    "has an abuse report that one click copies",
    async () => {
      await browser.open(`${app.url}/console/takedowns/new?threat=${first}`);
      await arrived('document.querySelector("textarea")');
      await browser.evaluate("document.querySelector('form details').open = true");
      const button = "document.querySelector('button[aria-label=\"Copy the report\"]')";
      await browser.until(`${button} && !${button}.hidden`);
      await browser.evaluate(
        "navigator.clipboard.writeText = (text) => { window.taken = text; return Promise.resolve(); }",
      );
      await browser.evaluate(`${button}.scrollIntoView({ block: "center", behavior: "instant" })`);
      await browser.click('button[aria-label="Copy the report"]');
      await browser.until(`${button}.textContent === 'Copied'`);
      const shown = await browser.evaluate<string>(`${button}.previousElementSibling.textContent`);
      expect(await browser.evaluate<string>("window.taken")).toBe(shown);
      expect(shown).toContain(
        "is a look-alike of our domain example-bank.com and is hosting a phishing page",
      );
    },
    browserTimeoutMs,
  );
});
