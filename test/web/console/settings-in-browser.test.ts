import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  browserTimeoutMs,
  chromium,
  expectAccessible,
  openBrowser,
  type Browser,
} from "../../support/browser.ts";
import { openConsoleApp, type ConsoleApp } from "../../support/console.ts";
import { startReceiver, type Receiver } from "../../support/receiver.ts";
import { until } from "../../support/until.ts";

describe.skipIf(chromium === undefined)("a person in a browser", () => {
  let opened: ConsoleApp;
  let browser: Browser;
  let receiver: Receiver;
  let status = 200;
  /** Delays the receiver's response. */
  let gate = Promise.resolve();
  beforeAll(async () => {
    opened = openConsoleApp();
    opened.app.domains.add(
      { domain: "example-bank.com" },
      { by: { channel: "system", name: null, address: null } },
    );
    await opened.app.start();
    receiver = startReceiver(async () => {
      await gate;
      return new Response("we are closed", { status });
    });
    browser = await openBrowser();
    await browser.signIn(opened.url);
  }, browserTimeoutMs);
  afterAll(async () => {
    browser?.close();
    await receiver.stop();
    await opened.dispose();
  });

  const follow = (text: string) =>
    browser.evaluate(
      `[...document.querySelectorAll("a, button")].find((one) => one.innerText.trim() === ${JSON.stringify(text)}).click()`,
    );
  const arrives = (path: string) =>
    browser.until(`location.pathname.match(${path}) && document.readyState === "complete"`, path);

  test(
    "a key is created under Settings → API keys → Create API key and can be copied once",
    async () => {
      await follow("API keys");
      await arrives("/settings.keys$/");
      await follow("Create API key");
      await arrives("/keys.create$/");
      await browser.fill("#name", "from a browser");
      await browser.click("main form button[type=submit]");
      await arrives("/key_.*made$/");
      const key = await browser.evaluate<string>(`document.querySelector(".secret code").innerText`);
      expect(opened.app.keys.authenticate(key)).toMatchObject({ name: "from a browser" });
      await expectAccessible(browser, "a key that was made");
      await browser.evaluate(
        `void (navigator.clipboard.writeText = async (text) => { window.copied = text; })`,
      );
      await browser.click(".secret button[data-copy]");
      await browser.until(`window.copied === ${JSON.stringify(key)}`, "the key is copied");
      expect(browser.complaints()).toEqual([]);
    },
    browserTimeoutMs,
  );

  test(
    "an endpoint is added and tested under Integrations → Webhook endpoints, and a failed delivery is explained and sent again",
    async () => {
      await follow("Webhook endpoints");
      await arrives("/settings.webhooks$/");
      await follow("Add webhook endpoint");
      await arrives("/webhooks.add$/");
      await browser.fill("#url", receiver.url);
      await browser.click("main form button[type=submit]");
      await arrives("/whk_[^/]*$/");
      expect(await browser.text()).toMatch(/Test delivered: status 200/);
      await expectAccessible(browser, "a webhook that was added");

      status = 500;
      const match = {
        protectedDomain: "example-bank.com",
        type: "typosquatting" as const,
        similarity: 0.95,
        reasons: [],
      };
      opened.app.threats.record([{ domain: "examp1e-bank.com", match, source: "scan", seenAt: Date.now() }]);
      const { log } = opened.app.deliveries;
      const latest = () => log.list({}, 1)[0];
      await until(
        () => latest() !== undefined && log.attempts(latest()!.id).length > 0,
        "the first attempt is recorded",
      );
      await follow("Webhook endpoints");
      await arrives("/settings.webhooks$/");
      expect(await browser.text()).toContain("Failing");
      await follow("Delivery log");
      await arrives("/deliveries$/");
      await follow("examp1e-bank.com");
      await arrives("/dlv_[^/]*$/");
      expect(await browser.text()).toContain("a status other than 200 to 299");
      expect(await browser.text()).toContain("we are closed");

      status = 200;
      const opens = Promise.withResolvers<void>();
      gate = opens.promise;
      await follow("Send again");
      await browser.until(`document.querySelector("#state").innerText.includes("Next attempt")`, "it waits");
      opens.resolve();
      // The page refreshes without a reload.
      await browser.until(
        `document.querySelector("#state").innerText.includes("At attempt 2")`,
        "it is seen to be delivered",
      );
      expect(await browser.evaluate(`document.querySelector("#state").dataset.refresh`)).toBeUndefined();
      expect(browser.complaints()).toEqual([]);
    },
    browserTimeoutMs,
  );

  test(
    "a key can be created without scripts, and the navigation works at 360 px",
    async () => {
      await browser.script(false);
      await browser.size(360);
      await browser.open(`${opened.url}/console/settings/keys/create`);
      await browser.fill("#name", "without script");
      await browser.press("Enter");
      await arrives("/key_.*made$/");
      expect(opened.app.keys.list().at(-1)!.name).toBe("without script");
      expect(await browser.evaluate(`document.querySelector(".secret button").checkVisibility()`)).toBe(
        false,
      );
      expect(await browser.evaluate(`document.querySelector("#menu").checkVisibility()`)).toBe(false);
      await browser.click("button[popovertarget=menu]");
      await browser.until(`document.querySelector("#menu").checkVisibility()`, "the menu opens");
      await browser.script(true);
    },
    browserTimeoutMs,
  );
});
