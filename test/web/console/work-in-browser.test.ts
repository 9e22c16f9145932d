import { afterAll, afterEach, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { browserTimeoutMs, chromium, openBrowser, type Browser } from "../../support/browser.ts";
import { tester } from "../../support/console-pages.ts";
import { seedCampaign } from "../../support/console-campaign-samples.ts";
import { addThreats } from "../../support/console-threats.ts";
import { openConsoleApp, type ConsoleApp } from "../../support/console.ts";
import { startDnsServer, type DnsServer } from "../../support/dns-server.ts";

describe.skipIf(chromium === undefined)("in a browser", () => {
  let dns: DnsServer;
  let app: ConsoleApp;
  let browser: Browser;
  beforeAll(async () => {
    dns = await startDnsServer({});
    app = openConsoleApp({
      scan: `resolvers = ["127.0.0.1:${dns.server.port}"]\nqueries_per_second = 50`,
      config: `[[protected_domains]]\ndomain = "example-bank.com"`,
    });
    browser = await openBrowser();
    await browser.signIn(app.url);
  }, browserTimeoutMs);
  afterAll(async () => {
    browser?.close();
    await app?.dispose();
    dns?.stop();
  });

  let endLists: (() => void) | undefined;
  afterEach(() => endLists?.());

  /** Keeps lists from ending after their last byte, so that no machine is too fast for a test. Returns what ends them. */
  function holdLists(): () => void {
    const held = Promise.withResolvers<void>();
    const begin = app.app.imports.begin.bind(app.app.imports);
    const hold = () => new TransformStream<Uint8Array, Uint8Array>({ flush: () => held.promise });
    const spy = spyOn(app.app.imports, "begin").mockImplementation((list, options) =>
      begin({ ...list, content: list.content.pipeThrough(hold()) }, options),
    );
    endLists = () => {
      spy.mockRestore();
      held.resolve();
    };
    return endLists;
  }

  /** Waits for the page's script, which handles dropped files and may run after the page is shown. */
  async function openFeeds(): Promise<void> {
    await browser.open(`${app.url}/console/sources`);
    await browser.until("document.readyState === 'complete'");
  }

  /** Drops a file with this number of names onto the page. */
  const drop = (name: string, names: number) =>
    browser.evaluate(`(() => {
      const lines = ["example-bank-${name}.com"];
      for (let i = 0; i < ${names}; i++) lines.push("unrelated-" + i + ".org");
      const dragged = new DataTransfer();
      dragged.items.add(new File([lines.join("\\n")], "${name}.txt"));
      for (const type of ["dragover", "drop"])
        document.body.dispatchEvent(new DragEvent(type, { dataTransfer: dragged, bubbles: true, cancelable: true }));
    })()`);
  const panel = "(document.querySelector('#import-panel')?.innerText ?? '')";

  test(
    "a campaign is one row of the list that the keyboard moves over, expands, selects, decides and restores",
    async () => {
      const hour = 3_600_000;
      const { campaign } = await seedCampaign(app.app, "dns.example");
      const [newest, oldest] = addThreats(app.app, Date.now(), [
        { domain: "example-bank-a.org", agoMs: 1 },
        { domain: "example-bank-z.dev", agoMs: 99 * hour },
      ]) as [string, string];
      // The engine finds no more campaigns than that one.
      await app.app.campaigns.catchUp();
      const group = `campaign-${campaign}`;
      const active = () => app.app.threats.totals().find(({ status }) => status === "active")?.total ?? 0;
      const ids = () =>
        browser.evaluate<string[]>(
          `[...document.querySelectorAll("[data-row]")].map((row) => row.dataset.id)`,
        );
      /** Waits until a row has the focus and the panel shows a threat. */
      const here = (row: string, shown: string | null) =>
        browser.until(
          `document.activeElement?.closest("[data-row]")?.dataset.id === ${JSON.stringify(row)} &&
           (document.getElementById("panel")?.dataset.id ?? null) === ${JSON.stringify(shown)}`,
          `${row} has the focus, and the panel shows ${shown}`,
        );
      const says = (text: string) =>
        browser.until(`document.querySelector(".toasts")?.innerText.includes("${text}")`, text);
      const press = async (...keys: string[]) => {
        for (const key of keys) await browser.press(key);
      };
      const list = async (query = "") => {
        await browser.open(`${app.url}/console/threats${query}`);
        await browser.until(`document.readyState === "complete" && document.querySelector("[data-row]")`);
      };
      await list();
      expect(await ids()).toEqual([newest, group, oldest]);
      expect(await browser.text()).toContain("1 campaign and 2 threats without one");

      // A campaign has no panel; the next threat has one again.
      await press("j", "o");
      await here(newest, newest);
      await press("j");
      await here(group, null);
      await press("j");
      await here(oldest, oldest);
      await press("k", "k");
      await here(newest, newest);
      await press("Escape", "j");
      await here(group, null);

      await press("e", "x");
      await browser.until(`document.querySelector("[data-selected]").innerText === "14 selected"`);
      const members = (await ids()).slice(2, -1);
      expect(members).toHaveLength(14);
      await browser.click("[data-select-all]");
      await browser.until(`document.querySelector("[data-selected]").innerText === "16 selected"`);
      await browser.click("[data-select-all]");
      await browser.evaluate(`document.querySelector("[data-group] a.go").focus()`);
      await press("j", "m");
      await says("1 threat is now assigned to admin.");
      await here(members[0]!, null);
      await press("r");
      await says("1 threat is now resolved.");
      await here(members[1]!, null);
      await press("k", "k", "e");
      await browser.until(
        `document.querySelectorAll("[data-row]").length === 3`,
        "the campaign is collapsed",
      );
      await here(group, null);
      await press("f");
      await says("13 threats are now false positive.");
      await here(oldest, null);
      expect(active()).toBe(2);
      await press("u");
      await says("Decision undone: 13 threats restored.");
      await here(group, null);
      expect(active()).toBe(15);

      // Next in the panel goes into the campaign, and the address opens the list there.
      await browser.click(`[data-id="${newest}"] a.go`);
      await here(newest, newest);
      await browser.click("#panel a[data-key=j]");
      await here(members[1]!, members[1]!);
      await list(`?open=${members[5]}`);
      await browser.until(`document.querySelector(".row.member.open")?.dataset.id === "${members[5]}"`);
      await press("k");
      await here(members[4]!, members[4]!);
      await browser.click("#panel a[data-key=k]");
      await here(members[3]!, members[3]!);
      expect(browser.complaints()).toEqual([]);

      await browser.script(false);
      try {
        await list();
        await browser.click("a.expand");
        await browser.until(
          `location.search.includes("campaign=${campaign}") && document.querySelectorAll("[data-row]").length === 13`,
        );
        // The choice of a list without groups is kept for the account.
        await list();
        await browser.click("button[name=grouping][value=none]");
        await browser.until(`document.querySelectorAll("[data-row]").length === 15`);
      } finally {
        await browser.script(true);
      }
    },
    browserTimeoutMs,
  );

  test(
    "a file dropped on the page is imported with live progress, and its page opens at the end",
    async () => {
      const end = holdLists();
      await openFeeds();
      await drop("dropped", 200_000);
      await browser.until(`/Checking[^]*[1-9][\\d,]* names in/.test(${panel})`, "the progress is shown");
      expect(await browser.evaluate<string>("location.pathname")).toBe("/console/sources");
      end();
      await browser.until(
        "/^\\/console\\/imports\\/\\d+$/.test(location.pathname)",
        "the import's page opens",
      );
      await browser.until(
        `/Finished[^]*200,001 names[^]*New threats\\s+1/.test(${panel})`,
        "its counts are shown",
      );
      expect(browser.complaints()).toEqual([]);
    },
    browserTimeoutMs,
  );

  test(
    "an import can be cancelled from the page that shows its progress, and keeps its results",
    async () => {
      holdLists();
      await openFeeds();
      await drop("cancelled", 200_000);
      await browser.until(`/Checking[^]*Matched\\s+1 name/.test(${panel})`, "the import is running");
      // A live update that arrives between press and release must not replace the button.
      await browser.hold("#import-panel form button", async () => {
        const updates =
          "performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/panel')).length";
        const before = await browser.evaluate<number>(updates);
        await browser.until(`${updates} >= ${before + 2}`, "the panel was fetched twice");
      });
      await browser.until(
        "/^\\/console\\/imports\\/\\d+$/.test(location.pathname)",
        "the import's page opens",
      );
      await browser.until(`/Cancelled[^]*are recorded\\./.test(${panel})`, "it has finished");
      expect(app.app.imports.list(1)[0]).toMatchObject({ state: "cancelled", created: 1 });
    },
    browserTimeoutMs,
  );

  test(
    "a second file is rejected with the reason while an import runs, even a large one",
    async () => {
      const silent = new ReadableStream<Uint8Array>();
      const list = { name: "slow", content: silent, bytesTotal: null, format: "lines", column: "" } as const;
      const { import: running, ended } = await app.app.imports.begin(list, { by: tester });
      await openFeeds();
      await drop("second", 500_000);
      await browser.until(
        "document.querySelector('[data-upload-error]').innerText.startsWith('Another list is being imported')",
        "the file is rejected",
      );
      await app.app.imports.cancel(running.seq, { by: tester });
      await ended;
    },
    browserTimeoutMs,
  );

  test(
    "an unreadable file is rejected at once with the reason, before most of it is sent",
    async () => {
      await openFeeds();
      await browser.evaluate(`(() => {
        const dragged = new DataTransfer();
        dragged.items.add(new File(["BZh", new Uint8Array(60_000_000)], "archive.bz2"));
        document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: dragged, bubbles: true, cancelable: true }));
      })()`);
      await browser.until(
        `/Failed[^]*is compressed with bzip2; decompress it/.test(${panel})`,
        "its page shows the reason",
      );
      expect(app.app.imports.list(1)[0]!.bytes).toBeLessThan(30_000_000);
    },
    browserTimeoutMs,
  );

  test(
    "a scan shows live progress and can be cancelled",
    async () => {
      await browser.open(`${app.url}/console/scans`);
      await browser.click("form[action='/console/scans/start'] button");
      const shown = "(document.querySelector('#scan-panel')?.innerText ?? '')";
      await browser.until(`/Running[^]*\\d+ a second, .* left/.test(${shown})`, "its speed is shown");
      const value = "document.querySelector('#scan-panel progress')?.value";
      const before = await browser.evaluate<number>(value);
      await browser.until(`${value} > ${before}`, "the bar moves");
      await browser.click("#scan-panel form button");
      await browser.until(`/cancelled/.test(${shown})`, "it has finished");
      expect(app.app.scans.list(1)[0]).toMatchObject({ status: "cancelled", trigger: "console" });
      expect(browser.complaints()).toEqual([]);
    },
    browserTimeoutMs,
  );
});
