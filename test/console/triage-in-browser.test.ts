import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { browserTimeoutMs, chromium, openBrowser, type Browser } from "../support/browser.ts";
import { openConsoleApp, type ConsoleApp } from "../support/console.ts";
import { addThreats } from "../support/console-threats.ts";

describe.skipIf(chromium === undefined)("triage in a browser", () => {
  let app: ConsoleApp;
  let browser: Browser;
  let ids: string[];
  const statuses = () => ids.map((id) => app.app.threats.get(id)!.status);

  beforeAll(async () => {
    app = openConsoleApp({ config: `[[protected_domains]]\ndomain = "example-bank.com"` });
    const minute = 60_000;
    ids = addThreats(
      app.app,
      Date.now(),
      ["a", "b", "c", "d", "e"].map((letter, index) => ({
        domain: `example-bank-${letter}.com`,
        agoMs: (index + 1) * minute,
      })),
    );
    browser = await openBrowser();
    await browser.signIn(app.url);
  }, browserTimeoutMs);
  afterAll(async () => {
    await browser?.close();
    await app?.dispose();
  });

  const arrived = (expression: string) =>
    browser.until(`document.readyState === "complete" && ${expression}`);
  const list = async () => {
    await browser.open(`${app.url}/console/threats`);
    await arrived(`document.querySelectorAll("[data-row]").length > 0`);
  };
  const hereIs = (letter: string) =>
    browser.until(
      `document.activeElement.closest("[data-row]")?.textContent.includes("example-bank-${letter}.com")`,
    );

  test(
    "keyboard shortcuts move through the list, decide and open, but do nothing while typing",
    async () => {
      await list();
      await browser.press("j");
      await hereIs("a");
      await browser.press("j");
      await hereIs("b");
      await browser.press("k");
      await hereIs("a");

      // One threat by shortcut; the next one takes its place.
      await browser.press("r");
      await arrived(`document.body.innerText.includes("1 threat is now resolved.")`);
      expect(statuses()).toEqual(["resolved", "active", "active", "active", "active"]);
      await hereIs("b");

      // Two threats together.
      await browser.press("x");
      await browser.press("j");
      await browser.press("x");
      await browser.press("f");
      await arrived(`document.body.innerText.includes("2 threats are now false positive.")`);
      expect(statuses()).toEqual(["resolved", "false_positive", "false_positive", "active", "active"]);
      await browser.click(".note button");
      await arrived(`document.body.innerText.includes("Decision undone: 2 threats restored.")`);
      expect(statuses()).toEqual(["resolved", "active", "active", "active", "active"]);

      await browser.press("/");
      await browser.until(`document.activeElement.id === "q"`);
      for (const key of ["j", "r", "x"]) await browser.press(key);
      expect(await browser.evaluate<string>(`document.querySelector("#q").value`)).toBe("jrx");
      await browser.press("Escape");
      await browser.press("?");
      await browser.until(`document.querySelector("#keys").matches(":popover-open")`);
      await browser.press("Escape");
      await browser.until(`!document.querySelector("#keys").matches(":popover-open")`);
      expect(statuses()).toEqual(["resolved", "active", "active", "active", "active"]);

      await browser.press("j");
      await browser.press("o");
      await browser.until(`location.pathname === "/console/threats/${ids[1]}"`);
      expect(browser.complaints()).toEqual([]);
    },
    browserTimeoutMs,
  );

  test(
    "selection, decisions, filters and undo work without scripts",
    async () => {
      await browser.script(false);
      try {
        await list();
        expect(await browser.evaluate<boolean>(`document.querySelector("[data-script-only]").hidden`)).toBe(
          true,
        );
        await browser.click(`input[value="${ids[2]}"]`);
        await browser.click(`input[value="${ids[3]}"]`);
        await browser.click(`button[name=status][value=resolved]`);
        await arrived(`document.querySelector(".note button")`);
        expect(statuses().slice(1)).toEqual(["active", "resolved", "resolved", "active"]);
        await browser.click(".note button");
        await arrived(`document.body.innerText.includes("Decision undone: 2 threats restored.")`);
        expect(statuses().slice(1)).toEqual(["active", "active", "active", "active"]);
        await browser.fill("#q", "bank-e");
        await browser.press("Enter");
        await arrived(
          `location.search.includes("q=bank-e") && document.querySelectorAll("[data-row]").length === 1`,
        );
      } finally {
        await browser.script(true);
      }
    },
    browserTimeoutMs,
  );
});
