import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { createBrandFeed } from "../../../src/facts/inspection/inspector/brand-feed.ts";
import { openInspector } from "../../../src/facts/inspection/open-inspection.ts";
import { createThreadInspector } from "../../../src/facts/inspection/inspector/thread-inspector.ts";
import type { Brand } from "../../../src/facts/inspection/model/verdict.ts";
import type { Inspector } from "../../../src/facts/inspection/model/inspector.ts";
import { readScreenshot } from "../../../src/facts/inspection/comparison/screenshot.ts";
import { systemClock } from "../../../src/platform/lib/clock.ts";
import type { Browser } from "../../../src/facts/lookups/browser/chromium.ts";
import { createPageReader } from "../../../src/facts/lookups/page/page-reader.ts";
import { createTurns } from "../../../src/platform/network/turns.ts";
import { webpOf } from "../../support/pictures.ts";
import { until } from "../../support/until.ts";

const rows = Array.from(
  { length: 12 },
  (_, index) => `<p class="row r${index}">Account service ${index}</p>`,
);
const original = `<!doctype html><html lang="en"><title>Example Bank: sign in</title>
<header class="top"><img class="logo" alt="Example Bank" src="data:image/svg+xml,%3Csvg%3E%3Cpath d='M1 2'/%3E%3C/svg%3E"></header>
<h1 class="title">Sign in to Example Bank</h1><form action="/session" method="post"><label>Customer number<input name="user"></label>
<label>Password<input type="password" name="pin"></label><button class="go">Sign in</button></form>${rows.join("")}`;

/** Requests that are answered only when the test says so. */
const held: (() => void)[] = [];
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  async fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname === "/favicon.ico") return new Response(null, { status: 404 });
    if (pathname === "/held") await new Promise<void>((resolve) => void held.push(resolve));
    if (pathname === "/frame") return page('<title>Welcome</title><iframe src="/copy"></iframe>');
    if (pathname === "/button") return page('<p>Check your browser</p><a href="/copy">Continue</a>');
    if (pathname === "/script") return page("<script>go(atob(address))</script>");
    if (pathname === "/news")
      return page('<p>Example Bank has new fees</p><a href="https://www.example-bank.com/">more</a>');
    if (pathname === "/cloaked" && !/iPhone/.test(request.headers.get("user-agent")!))
      return page("<title>Garden</title><p>Roses and trees, and how to water them.</p>");
    if (pathname === "/garden")
      return page("<title>Garden</title><p>Roses and trees, and how to water them.</p>");
    return page(original);
  },
});
const page = (html: string) => new Response(html, { headers: { "content-type": "text/html" } });
const at = (path: string) => `http://127.0.0.1:${server.port}${path}`;
const closing: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  await Promise.all(closing.map((close) => close()));
  await server.stop(true);
});

const signal = new AbortController().signal;
const rules = { allowPrivateNetworks: true };

/** The brand with the page at /session as its original, on another host. */
async function exampleBank(): Promise<Brand> {
  const result = await inspectorHere([]).inspect({ address: at("/original"), browser: "never" }, signal);
  if (!result.ok) throw new Error(result.reason);
  const address = "https://www.example-bank.com/login";
  return {
    protectedDomain: "example-bank.com",
    names: ["example-bank", "Example Bank"],
    allow: [],
    originals: [{ address, fingerprint: { ...result.fingerprint, address } }],
    logos: [],
  };
}

const sourceOf = (brands: readonly Brand[]) => ({ read: async () => brands, onChange: () => {} });

function inspectorHere(brands: readonly Brand[], browser?: Browser, source = sourceOf(brands)): Inspector {
  const turns = createTurns();
  const pages = createPageReader({
    clock: systemClock,
    rules,
    resolveHost: async () => ["127.0.0.1"],
    turns,
  });
  const lookups = { browser, pages, reach: { rules } };
  const config = {
    scan: { resolvers: [], queriesPerSecond: 10 },
    screenshots: { keep: "full" },
  } as never;
  const opened = openInspector({
    brands: source,
    clock: systemClock,
    config,
    lookups,
    startWorker: undefined,
    turns,
  });
  closing.push(() => opened.close());
  return opened;
}

function inspectorInThread(brands: readonly Brand[], { idleMs = 60_000 } = {}) {
  const threads: Worker[] = [];
  const opened = createThreadInspector({
    brands: sourceOf(brands),
    browser: undefined,
    clock: systemClock,
    idleMs,
    settings: () => ({ rules, ports: undefined, resolvers: [], queriesPerSecond: 10, hasBrowser: false }),
    startWorker: (task) => {
      const path = join(import.meta.dir, "../../../src/main.ts");
      threads.push(new Worker(path, { workerData: { task, lists: {} } }));
      return threads.at(-1)!;
    },
  });
  closing.push(() => opened.close());
  return { opened, threads };
}

describe("the inspector", () => {
  test("compares with the brands as they are after the last change, also if those before it were read more slowly", async () => {
    const reads = [0, 1].map(() => Promise.withResolvers<Brand[]>());
    const passed: (readonly Brand[])[] = [];
    let read = 0;
    const feed = createBrandFeed({
      brands: { read: () => reads[read++]!.promise },
      pass: (brands) => void passed.push(brands),
    });
    const before = feed.ready();
    feed.forget();
    const after = feed.ready();
    const changed: Brand[] = [];
    reads[1]!.resolve(changed);
    await Promise.race([after, Promise.resolve()]);
    reads[0]!.resolve([]);
    await Promise.all([before, after]);
    expect(passed).toHaveLength(2);
    expect(passed.at(-1)).toBe(changed);
  });

  test("finds the brand that a page imitates, and nothing on a page about something else, in either thread", async () => {
    const brand = await exampleBank();
    const other: Brand = { ...brand, protectedDomain: "other.example", names: ["Other"], originals: [] };
    for (const inspector of [inspectorHere([other, brand]), inspectorInThread([other, brand]).opened]) {
      const copy = await inspector.inspect({ address: at("/copy"), browser: "if_needed" }, signal);
      expect(copy).toMatchObject({
        ok: true,
        page: {
          asksForPassword: true,
          namesBrand: true,
          imitation: { protectedDomain: "example-bank.com", imitates: true },
        },
      });
      expect(copy).not.toHaveProperty("view");
      const harmless = await inspector.inspect(
        { address: at("/garden"), browser: "never", withView: true },
        signal,
      );
      expect(harmless).toMatchObject({ ok: true, verdicts: [], view: { title: "Garden", headings: [] } });
      const limited = {
        address: at("/copy"),
        browser: "never",
        protectedDomains: ["other.example"],
      } as const;
      expect(await inspector.inspect(limited, signal)).toMatchObject({
        ok: true,
        page: { namesBrand: false },
      });
    }
  });

  test("reads the page that a frame or a button leads to, unless it is the brand's own", async () => {
    const brand = await exampleBank();
    const inspector = inspectorHere([brand]);
    for (const path of ["/frame", "/button"])
      expect(await inspector.inspect({ address: at(path), browser: "never" }, signal)).toMatchObject({
        page: {
          firstUrl: at(path),
          redirects: [at("/copy")],
          finalUrl: at("/copy"),
          imitation: { imitates: true },
        },
      });
    const news = await inspector.inspect({ address: at("/news"), browser: "never" }, signal);
    expect(news).toMatchObject({ ok: true, page: { finalUrl: at("/news"), redirects: [] } });
    expect(news).not.toHaveProperty("page.imitation.imitates", true);
  });

  test("does not blame a page whose scripts lead to the brand's own page for the looks of that page", async () => {
    const brand = await exampleBank();
    const webp = await webpOf(64, 40, (x, y) => (x * y) % 256);
    const { hash } = await readScreenshot({ screenshot: webp, brands: [] });
    const [login] = brand.originals;
    const seen: Brand = {
      ...brand,
      originals: [{ ...login!, fingerprint: { ...login!.fingerprint, screenshot: hash! } }],
    };
    const endingAt = (url: string): Browser => ({
      takeScreenshot: async () => ({ ok: true, url, html: original, webp }),
      close() {},
    });
    const target = { address: at("/script"), browser: "if_needed" } as const;
    const own = await inspectorHere([seen], endingAt(login!.address)).inspect(target, signal);
    expect(own).toMatchObject({
      ok: true,
      page: { redirectsToProtected: true, finalUrl: login!.address, imitation: { imitates: false } },
      screenshot: webp,
    });
    const stays = await inspectorHere([seen], endingAt(at("/script"))).inspect(target, signal);
    expect(stays).toMatchObject({ ok: true, page: { from: "browser", imitation: { imitates: true } } });
  });

  test("reads the brands again after they could not be read", async () => {
    const brand = await exampleBank();
    let isBusy = true;
    const read = async () => {
      if (isBusy) throw new Error("database is locked");
      return [brand];
    };
    const inspector = inspectorHere([], undefined, { read, onChange: () => {} });
    const target = { address: at("/copy"), browser: "never" } as const;
    await expect(inspector.inspect(target, signal)).rejects.toThrow("database is locked");
    isBusy = false;
    expect(await inspector.inspect(target, signal)).toMatchObject({
      page: { imitation: { imitates: true } },
    });
  });

  test("recognizes a copy that is shown to phones only, while all others are shown a harmless page", async () => {
    const inspector = inspectorHere([await exampleBank()]);
    const target = { address: at("/cloaked"), browser: "never" } as const;
    expect(await inspector.inspect(target, signal)).toMatchObject({
      ok: true,
      page: { shownTo: "iphone", imitation: { imitates: true } },
    });
  });

  test("says why a page cannot be opened", async () => {
    const { opened } = inspectorInThread([]);
    const closed = { address: "http://127.0.0.1:1025/", browser: "never" } as const;
    expect(await opened.inspect(closed, signal)).toEqual({ ok: false, reason: expect.any(String) });
    const invalid = { address: "http://", browser: "never" } as const;
    expect(await opened.inspect(invalid, signal)).toEqual({
      ok: false,
      reason: "the address is not a valid URL",
    });
  });

  test("replaces a thread that fails, and repeats its inspections once", async () => {
    const { opened, threads } = inspectorInThread([]);
    const first = opened.inspect({ address: at("/held"), browser: "never" }, signal);
    await until(() => held.length === 1, "the page is requested");
    await threads[0]!.terminate();
    await until(() => held.length === 2, "the page is requested again");
    held.splice(0).forEach((release) => release());
    expect(await first).toMatchObject({ ok: true });
    expect(threads.length).toBe(2);

    const second = opened.inspect({ address: at("/held"), browser: "never" }, signal);
    for (const thread of [1, 2]) {
      await until(() => held.length === thread, "the page is requested");
      await threads[thread]!.terminate();
    }
    expect(await second).toEqual({
      ok: false,
      reason: expect.stringContaining("thread that inspects pages failed"),
    });
    held.splice(0).forEach((release) => release());
    expect(await opened.inspect({ address: at("/garden"), browser: "never" }, signal)).toMatchObject({
      ok: true,
    });
  });

  test("gives up an inspection at once, and ends its thread when it is idle", async () => {
    const { opened, threads } = inspectorInThread([], { idleMs: 1 });
    const giveUp = new AbortController();
    const inspection = opened.inspect({ address: at("/held"), browser: "never" }, giveUp.signal);
    await until(() => held.length === 1, "the page is requested");
    const ended = new Promise((resolve) => void threads[0]!.once("exit", resolve));
    giveUp.abort(new Error("stopped"));
    await expect(inspection).rejects.toThrow("stopped");
    await ended;
    held.splice(0).forEach((release) => release());
    expect(await opened.inspect({ address: at("/garden"), browser: "never" }, signal)).toMatchObject({
      ok: true,
    });
    expect(threads.length).toBe(2);
  });
});
