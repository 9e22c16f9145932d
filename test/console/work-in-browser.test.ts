import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { browserTimeoutMs, chromium, openBrowser, type Browser } from "../support/browser.ts";
import { tester } from "../support/console-pages.ts";
import { openConsoleApp, type ConsoleApp } from "../support/console.ts";
import { startDnsServer, type DnsServer } from "../support/dns-server.ts";

describe.skipIf(chromium === undefined)("in a browser", () => {
  let dns: DnsServer;
  let app: ConsoleApp;
  let browser: Browser;
  beforeAll(async () => {
    dns = await startDnsServer({});
    app = openConsoleApp({
      scan: `resolvers = ["127.0.0.1:${dns.server.port}"]\nqueries_per_second = 200`,
      config: `[[protected_domains]]\ndomain = "example-bank.com"`,
    });
    browser = await openBrowser();
    await browser.signIn(app.url);
  }, browserTimeoutMs);
  afterAll(async () => {
    await browser?.close();
    await app?.dispose();
    dns?.stop();
  });

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
    "a file dropped on the page is imported with live progress, and its page opens at the end",
    async () => {
      await openFeeds();
      // Records what a person sees, across the change of pages.
      await browser.evaluate(`setInterval(() => {
        const shown = /Checking[^]*?([1-9][\\d,]*) names in/.exec(${panel})?.[1];
        if (shown) sessionStorage.setItem("shown " + shown, "");
      }, 20) && undefined`);
      await drop("dropped", 3_000_000);
      await browser.until(
        "/^\\/console\\/imports\\/\\d+$/.test(location.pathname)",
        "the import's page opens",
      );
      await browser.until(
        `/Finished[^]*3,000,001 names[^]*New threats\\s+1/.test(${panel})`,
        "its counts are shown",
      );
      const shown = await browser.evaluate<number>(
        "Object.keys(sessionStorage).filter((key) => key.startsWith('shown ')).length",
      );
      expect(shown).toBeGreaterThan(0);
      expect(browser.complaints()).toEqual([]);
    },
    browserTimeoutMs,
  );

  test(
    "an import can be cancelled from the page that shows its progress, and keeps its results",
    async () => {
      await openFeeds();
      await drop("cancelled", 4_000_000);
      await browser.until(`/Checking[^]*New threats\\s+1/.test(${panel})`, "the import is running");
      await browser.click("#import-panel form button");
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
      await drop("second", 1_000_000);
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
        dragged.items.add(new File(["BZh", new Uint8Array(200_000_000)], "archive.bz2"));
        document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: dragged, bubbles: true, cancelable: true }));
      })()`);
      await browser.until(
        `/Failed[^]*is compressed with bzip2; decompress it/.test(${panel})`,
        "its page shows the reason",
      );
      expect(app.app.imports.list(1)[0]!.bytes).toBeLessThan(100_000_000);
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
