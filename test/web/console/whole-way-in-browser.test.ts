import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import {
  browserTimeoutMs,
  chromium,
  expectAccessible,
  openBrowser,
  type Browser,
} from "../../support/browser.ts";
import { consolePassword, openConsoleApp, type ConsoleApp } from "../../support/console.ts";
import { startReceiver, type Receiver } from "../../support/receiver.ts";
import { until } from "../../support/until.ts";

/** Ways to operate a page. Elements are identified by their text or by the name of a field. */
interface Hand {
  /** Follows a link or presses a button. */
  press(words: string): Promise<void>;
  /** Checks a checkbox or selects a radio button. */
  tick(field: string): Promise<void>;
  write(field: string, text: string): Promise<void>;
  /** Opens the menu of further actions. */
  openMenu(): Promise<void>;
  /** Resolves the first threat of the list. */
  resolveFirst(): Promise<void>;
}

/** Own words of a link or button, without the count beside them. */
const byWords = (words: string) =>
  `[...document.querySelectorAll("a, button")].find((one) => [one.textContent, one.firstElementChild?.nextSibling?.data].some((text) => text?.trim() === ${JSON.stringify(words)}))`;
const menuOfPage = `document.querySelector("main summary[aria-label='More actions']")`;
const byField = (field: string) => `document.querySelector(${JSON.stringify(field)})`;

/** Tab, Enter, the space bar, and the keys of the list. */
function keyboard(browser: Browser): Hand {
  async function reach(element: string): Promise<void> {
    await browser.until(element);
    for (let stops = 0; stops < 150; stops++) {
      if (await browser.evaluate<boolean>(`document.activeElement === ${element}`)) return;
      await browser.press("Tab");
    }
    throw new Error(`the Tab key does not reach ${element}`);
  }
  return {
    async press(words) {
      await reach(byWords(words));
      await browser.press("Enter");
    },
    async tick(field) {
      const one = byField(field);
      await browser.until(one);
      if (!(await browser.evaluate<boolean>(`${one}.type === "radio"`))) {
        await reach(one);
        return browser.press("Space");
      }
      // Tab moves to the selected radio button of a group, and the arrow keys move within the group.
      await reach(`document.querySelector("input:checked[name=" + ${one}.name + "]")`);
      while (!(await browser.evaluate<boolean>(`${one}.checked`))) await browser.press("ArrowDown");
    },
    async write(field, text) {
      await reach(byField(field));
      await browser.fill(field, text);
    },
    async openMenu() {
      await reach(menuOfPage);
      await browser.press("Enter");
    },
    async resolveFirst() {
      await browser.until(`document.querySelector("[data-row]")`);
      await browser.press("j");
      await browser.press("r");
    },
  };
}

/** Touch on a small screen, where the navigation is behind a menu. */
function finger(browser: Browser): Hand {
  async function touch(element: string): Promise<void> {
    await browser.until(element);
    await browser.evaluate(
      `document.querySelector("[data-meant]")?.removeAttribute("data-meant"), ${element}.setAttribute("data-meant", "")`,
    );
    if (!(await browser.evaluate<boolean>(`${element}.checkVisibility()`)))
      await browser.click("button[popovertarget=menu]");
    // The center of a link that wraps over two lines may be outside of it.
    await browser.evaluate(`void (${element}.style.display = "inline-block")`);
    await browser.click("[data-meant]");
  }
  return {
    press: (words) => touch(byWords(words)),
    tick: (field) => touch(byField(field)),
    write: (field, text) => browser.fill(field, text),
    openMenu: () => touch(menuOfPage),
    async resolveFirst() {
      await touch(`document.querySelector("[data-row] input[name=id]")`);
      await touch(`document.querySelector("button[name=status][value=resolved]")`);
    },
  };
}

describe.skipIf(chromium === undefined)("the whole way", () => {
  let app: ConsoleApp;
  let browser: Browser;
  let receiver: Receiver;
  beforeAll(async () => void (browser = await openBrowser()), browserTimeoutMs);
  afterAll(() => browser?.close());
  beforeEach(async () => {
    app = openConsoleApp({ config: `[[protected_domains]]\ndomain = "example-bank.com"` });
    await app.app.start();
    receiver = startReceiver();
  });
  afterEach(async () => {
    await receiver.stop();
    await app.dispose();
  });

  const types = () => receiver.received.map(({ body }) => (JSON.parse(body) as { type: string }).type);

  test.each([
    { how: "with the keyboard only, wide and in light mode", width: 1280, scheme: "light", script: true },
    { how: "without scripts, at 360 px in dark mode", width: 360, scheme: "dark", script: false },
  ] as const)(
    "a user can sign in, create a key, add and test an endpoint, triage a threat, undo and replay $how",
    async ({ width, scheme, script }) => {
      const hand = script ? keyboard(browser) : finger(browser);
      const arrives = async (path: RegExp) => {
        await browser.until(`${path}.test(location.pathname) && document.readyState === "complete"`);
        expect(await browser.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
      };
      const reads = (words: string) => browser.until(`document.body.innerText.includes("${words}")`);
      await browser.size(width);
      await browser.colors(scheme);
      await browser.script(script);
      await browser.open(`${app.url}/console`);

      await arrives(/sign-in$/);
      await hand.write("#password", consolePassword);
      await browser.press("Enter");
      await arrives(/console$/);

      await hand.press("API keys");
      await arrives(/settings.keys$/);
      await hand.press("Create API key");
      await arrives(/keys.create$/);
      await hand.write("#name", "feeder");
      await hand.tick("input[value='candidates:write']");
      await hand.press("Create API key");
      await arrives(/key_.*made$/);
      const key = await browser.evaluate<string>(`document.querySelector(".secret code").innerText`);
      const call = (path: string, init: RequestInit = {}) =>
        fetch(`${app.url}/v1/${path}`, {
          ...init,
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        });
      expect((await call("threats")).status).toBe(200);

      await hand.press("Webhook endpoints");
      await arrives(/settings.webhooks$/);
      await hand.press("Add webhook endpoint");
      await arrives(/webhooks.add$/);
      await hand.write("#url", receiver.url);
      await hand.press("Add endpoint");
      await arrives(/whk_[^/]*$/);
      await reads("Test delivered: status 200");
      await hand.press("Send test event");
      await until(() => types().length === 2, "the second test arrives");
      expect(types()).toEqual(["webhook.ping", "webhook.ping"]);
      await arrives(/whk_[^/]*$/);
      await reads("Test delivered: status 200");

      const submitted = await call("candidates", {
        method: "POST",
        body: JSON.stringify({ domains: ["examp1e-bank.com", "unrelated.org"] }),
      });
      expect(await submitted.json()).toMatchObject({ meta: { matched: 1, created: 1 } });
      await until(() => types().length === 3, "the new threat is delivered");

      await hand.press("Threats");
      await arrives(/threats$/);
      await reads("examp1e-bank.com");
      await expectAccessible(browser, "the list of threats", script ? "layout" : "all");
      await hand.resolveFirst();
      await reads("1 threat is now resolved.");
      await hand.press("Undo");
      await reads("Decision undone: 1 threat restored.");
      const delivered = ["threat.created", "threat.updated", "threat.resolved", "threat.updated"];
      await until(() => types().length === 6, "decision and undo are delivered");
      expect(types().slice(2)).toEqual(delivered);
      const threats = (await (await call("threats")).json()) as { data: unknown[] };
      expect(threats.data).toMatchObject([{ domain: "examp1e-bank.com", status: "active" }]);

      await hand.press("Webhook endpoints");
      await arrives(/settings.webhooks$/);
      await hand.press("127.0.0.1");
      await arrives(/whk_[^/]*$/);
      await hand.openMenu();
      await hand.press("Replay events");
      await arrives(/replay$/);
      await hand.tick("input[name=which][value=all]");
      await hand.press("Count");
      await reads("4 deliveries");
      expect(receiver.received.length).toBe(6);
      await hand.press("Send all 4");
      await arrives(/deliveries$/);
      await until(() => types().length === 10, "all are sent again");
      const [first, again] = [receiver.eventIds().slice(2, 6), receiver.eventIds().slice(6)];
      expect(again.toSorted()).toEqual(first.toSorted());
      expect(browser.complaints().filter((line) => !line.includes("ERR_BLOCKED_BY_CLIENT"))).toEqual([]);

      const { list } = app.app.auditLog;
      expect(list({}, { limit: 99, offset: 0 }).map(({ action }) => action)).toEqual([
        "webhook.replay",
        "threat.undo_change",
        "threat.change_status",
        "webhook.test",
        "webhook.add",
        "key.create",
        "console.sign_in",
        "domain.add",
      ]);
    },
    browserTimeoutMs,
  );
});
