import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { chooseChromium } from "../../../src/facts/lookups/browser/shared-browser.ts";
import { createPageInspector } from "../../../src/facts/inspection/inspector/page-inspector.ts";
import { createPageReader } from "../../../src/facts/lookups/page/page-reader.ts";
import { createTurns } from "../../../src/platform/network/turns.ts";
import {
  createBrowser,
  screenshotBytesMax,
  type Browser,
} from "../../../src/facts/lookups/browser/chromium.ts";
import { systemClock } from "../../../src/platform/lib/clock.ts";
import { createLog } from "../../../src/platform/lib/log.ts";
import { temporaryFolder } from "../../support/appliance.ts";
import { findChromium } from "../../support/chromium.ts";
import { openEnrichment, plainPage } from "../../support/enrichment.ts";
import { until } from "../../support/until.ts";

const path = findChromium();
const log = createLog({ level: "error", format: "json", clock: systemClock, write: () => {} });
const withChromium = path === undefined ? describe.skip : describe;
// Chromium starts within a second on an idle machine, and takes several on a busy one.
const slowMs = 60_000;

/** Starts a site of several hosts on one loopback port, which records every request. */
function startSite(pages: Record<string, string | (() => Response)>) {
  const hits: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch(request) {
      const { pathname } = new URL(request.url);
      const host = (request.headers.get("host") ?? "").replace(/:.*/, "");
      hits.push(host + pathname);
      const page = pages[host + pathname] ?? pages[pathname];
      if (page === undefined) return new Response("no", { status: 404 });
      return typeof page === "string"
        ? new Response(page, { headers: { "content-type": "text/html" } })
        : page();
    },
  });
  return { hits, port: server.port!, stop: () => server.stop(true) };
}

const signIn = (brand: string, color: string) =>
  `<title>${brand}</title><body style="margin:0;font:20px sans-serif"><div style="height:120px;background:${color}"></div>
   <form style="margin:80px;width:400px;height:300px;background:#ccd"><h1>${brand}</h1><input type=password></form></body>`;

describe("chooseChromium", () => {
  const which = (name: string) => (name === "chromium" || name === "/opt/chromium" ? name : null);
  const given = { setting: "auto" as const, args: [], which, isRoot: false };

  test("Chromium is found on the PATH or at the configured path", () => {
    expect(chooseChromium(given)).toEqual({ path: "chromium", args: [] });
    expect(chooseChromium({ ...given, setting: { path: "/opt/chromium" } })).toMatchObject({
      path: "/opt/chromium",
    });
  });

  test("the reason is reported if there is no Chromium", () => {
    expect(chooseChromium({ ...given, setting: "off" })).toEqual({ reason: "screenshots are disabled" });
    expect(chooseChromium({ ...given, which: () => null })).toEqual({ reason: "Chromium was not found" });
    expect(chooseChromium({ ...given, setting: { path: "/none" } })).toEqual({
      reason: "program /none was not found",
    });
  });

  test("root is rejected with advice unless the arguments disable the sandbox", () => {
    const rejected = chooseChromium({ ...given, isRoot: true });
    expect(rejected).toEqual({ reason: expect.stringContaining("screenshots.chromium_args") });
    expect(chooseChromium({ ...given, isRoot: true, args: ["--no-sandbox"] })).toMatchObject({
      path: "chromium",
    });
  });
});

withChromium("a screenshot", () => {
  let site: ReturnType<typeof startSite>;
  let browsers: Browser[];
  let profiles: ReturnType<typeof temporaryFolder>;
  const signal = new AbortController().signal;
  beforeEach(() => {
    browsers = [];
    profiles = temporaryFolder();
  });
  afterEach(async () => {
    for (const browser of browsers) browser.close();
    await site.stop();
    profiles.dispose();
  });

  function openBrowser({ allowPrivateNetworks = true, timeoutMs = 15_000 } = {}): Browser {
    const made = createBrowser({
      chromium: { path: path!, args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] },
      clock: systemClock,
      log,
      rules: { allowPrivateNetworks },
      resolveHost: async () => ["127.0.0.1"],
      profileFolder: profiles.path,
      timeoutMs,
    });
    browsers.push(made);
    return made;
  }

  test(
    "a screenshot is a WebP image of at most 1 MiB, and its browser profile is deleted",
    async () => {
      site = startSite({
        "/": `<title>Please wait</title><body><!--${"x".repeat(2 ** 20)}--><script>
          Object.defineProperty(Element.prototype, "outerHTML", { get: () => "<p>nothing</p>" });
          const parts = ["Example Bank", "password", "Customer number"];
          document.body.append(Object.assign(document.createElement("h1"), { textContent: parts[0] }));
          const root = document.body.appendChild(document.createElement("div")).attachShadow({ mode: "open" });
          const form = root.appendChild(document.createElement("form"));
          form.appendChild(Object.assign(document.createElement("input"), { type: parts[1] }));
          const frame = document.body.appendChild(document.createElement("iframe"));
          frame.contentDocument.body.append(parts[2]);
        </script>`,
      });
      const result = await openBrowser().takeScreenshot(`http://examp1e-bank.com:${site.port}/`, signal);
      if (!result.ok) throw new Error(result.reason);
      expect(result.webp.length).toBeLessThan(screenshotBytesMax);
      expect(await new Bun.Image(result.webp as Uint8Array<ArrayBuffer>).metadata()).toMatchObject({
        format: "webp",
        width: 1280,
      });
      expect(readdirSync(profiles.path)).toEqual([]);
      // Shadow roots and frames are read, too, but no comments, with functions that the page cannot replace.
      for (const shown of ["<h1>Example Bank</h1>", '<input type="password">', "Customer number"])
        expect(result.html).toContain(shown);
    },
    slowMs,
  );

  test("a screenshot that is given up before the browser starts opens no page", async () => {
    site = startSite({ "/": "<p>Example Bank</p>" });
    const given = new AbortController();
    const taken = openBrowser().takeScreenshot(`http://examp1e-bank.com:${site.port}/`, given.signal);
    given.abort(new Error("given up"));
    await expect(taken).rejects.toThrow("given up");
    expect(site.hits).toEqual([]);
  });

  test(
    "a page whose scripts show its content is inspected as a browser renders it",
    async () => {
      const name = "document.createElement";
      site = startSite({
        "/": `<title>Example Bank</title><body><script>
          document.body.append(Object.assign(${name}("input"), { type: ["pass", "word"].join("") }));
        </script>`,
      });
      const turns = createTurns();
      const rules = { allowPrivateNetworks: true };
      const reader = createPageReader({
        clock: systemClock,
        rules,
        resolveHost: async () => ["127.0.0.1"],
        turns,
      });
      const inspector = createPageInspector({
        clock: systemClock,
        reader,
        render: openBrowser().takeScreenshot,
        turns,
      });
      const target = { address: `http://examp1e-bank.com:${site.port}/` };
      const sent = await inspector.inspect({ ...target, browser: "never" }, signal);
      expect(sent).toMatchObject({ ok: true, page: { asksForPassword: false, unseen: expect.any(String) } });
      const rendered = await inspector.inspect({ ...target, browser: "if_needed" }, signal);
      expect(rendered).toMatchObject({
        ok: true,
        page: { asksForPassword: true, from: "browser" },
        screenshot: expect.any(Uint8Array),
      });
      await inspector.close();
    },
    slowMs,
  );

  test(
    "the browser reaches no private network by page, redirect or embedded content",
    async () => {
      site = startSite({ "/": "secret" });
      const guarded = openBrowser({ allowPrivateNetworks: false });
      for (const url of [`http://127.0.0.1:${site.port}/`, `http://inside.example:${site.port}/`]) {
        const result = await guarded.takeScreenshot(url, signal);
        expect(result).toEqual({ ok: false, reason: expect.stringContaining("loopback") });
      }
      expect(site.hits).toEqual([]);
    },
    slowMs,
  );

  test(
    "the browser does not reach a metadata service that a page embeds or redirects to",
    async () => {
      const trap = startSite({ "/": "secret" });
      site = startSite({
        "/": `<img src="http://169.254.169.254/latest"><iframe src="http://169.254.169.254/"></iframe>
        <script>new WebSocket("ws://169.254.169.254/"); fetch("http://[::ffff:169.254.169.254]/").catch(() => {})</script>`,
        "/redirect": () => Response.redirect("http://169.254.169.254/latest/meta-data/"),
        "/file": () => new Response(null, { status: 302, headers: { location: "file:///etc/passwd" } }),
      });
      const guarded = openBrowser();
      const base = `http://examp1e-bank.com:${site.port}`;
      expect((await guarded.takeScreenshot(`${base}/`, signal)).ok).toBe(true);
      expect(site.hits).toContain("examp1e-bank.com/");
      const redirected = await guarded.takeScreenshot(`${base}/redirect`, signal);
      expect(redirected.ok).toBe(false);
      expect((await guarded.takeScreenshot(`${base}/file`, signal)).ok).toBe(false);
      await trap.stop();
    },
    slowMs,
  );

  test(
    "endless pages, endless dialogs and downloads do not block the browser",
    async () => {
      site = startSite({
        "/endless": () =>
          new Response(new ReadableStream({ start: (controller) => controller.enqueue("<h1>wait</h1>") }), {
            headers: { "content-type": "text/html" },
          }),
        "/busy": "<script>for (;;) {}</script>",
        "/alerts": `<h1>alerts</h1><script>for (let i = 0; i < 5; i++) alert("your computer has a virus")</script>`,
        "/file": () =>
          new Response("MZ", {
            headers: {
              "content-disposition": "attachment; filename=x.exe",
              "content-type": "application/octet-stream",
            },
          }),
      });
      const base = `http://examp1e-bank.com:${site.port}`;
      // Most of it is for loading, and the rest for the start of the browser and the screenshot.
      const patient = openBrowser({ timeoutMs: 12_000 });
      const isTaken = async (page: string) => (await patient.takeScreenshot(base + page, signal)).ok;
      // Keeps one core busy until then.
      const hasty = openBrowser({ timeoutMs: 3_000 });
      expect((await hasty.takeScreenshot(`${base}/busy`, signal)).ok).toBe(false);
      expect(await isTaken("/file")).toBe(false);
      expect(await isTaken("/alerts")).toBe(true);
      expect(await isTaken("/endless")).toBe(true);
    },
    slowMs,
  );

  test(
    "a screenshot is kept, compared with the original, and raises the severity of a copy",
    async () => {
      site = startSite({
        "examp1e-bank.com/": signIn("Example Bank", "#036"),
        "example-bank.com/": signIn("Example Bank", "#036"),
        "example-bamk.com/": `<body style="background:#fff"><h1>A bakery</h1><div style="float:right;width:600px;height:700px;background:#a31"></div>`,
      });
      const real = openBrowser();
      const opened = openEnrichment({
        // The original page is at the default port, which a test cannot use.
        browser: {
          ...real,
          takeScreenshot: (url, given) =>
            real.takeScreenshot(url.replace(/^https?:\/\/([^/:]+).*/, `http://$1:${site.port}/`), given),
        },
      });
      const copy = opened.sight("examp1e-bank.com", { similarity: 0.8 });
      opened.world.page = { ok: true, page: { ...plainPage, finalUrl: "http://examp1e-bank.com/" } };
      opened.enrichment().start();
      await opened.pass(1_000);
      const taken = (id: string) => opened.enrichment().factsOf(id)?.facts.screenshot;
      await until(
        () => (opened.clock.advance(1_000), taken(copy) !== undefined),
        "the screenshot of the copy is taken",
        30_000,
      );
      expect(taken(copy)!.visualSimilarity).toBe(1);
      expect(opened.threats.get(copy)).toMatchObject({ severity: "high" });
      expect(opened.threats.get(copy)!.severityReasons).toContainEqual({
        code: "looks_like_original",
        params: {},
      });
      expect((await opened.screenshotFiles.read(copy))!.length).toBeGreaterThan(1_000);

      const other = opened.sight("example-bamk.com", { similarity: 0.8 });
      expect(await opened.screenshotFiles.read(other)).toBeUndefined();
      opened.world.page = { ok: true, page: { ...plainPage, finalUrl: "http://example-bamk.com/" } };
      await until(
        () => (opened.clock.advance(1_000), taken(other) !== undefined),
        "the screenshot of the other page is taken",
        30_000,
      );
      expect(taken(other)!.visualSimilarity!).toBeLessThan(0.75);
      expect(opened.threats.get(other)!.severity).toBe("low");
      await opened.dispose();
    },
    slowMs,
  );
});
