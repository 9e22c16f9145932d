import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { and, desc, eq, sql } from "drizzle-orm";
import { enrichments } from "../src/facts/enrichment/tables.ts";
import { openDatabase } from "../src/platform/database/database.ts";
import { assetsPath } from "../src/web/console/kit/paths.ts";
import { createAssets } from "../src/web/console/shell/assets.ts";
import { systemClock } from "../src/platform/lib/clock.ts";
import { createLog } from "../src/platform/lib/log.ts";
import { startDemonstration } from "../src/sandbox/demonstration.ts";
import { demonstrationSeed } from "../src/sandbox/world/samples.ts";
import { readImage } from "../src/sandbox/images.ts";
import { threats } from "../src/threats/threats/store/tables.ts";
import { chromium, openBrowser } from "../test/support/browser.ts";
import { componentsPage } from "../test/support/components-page.tsx";
import { consolePages, sampleConfig, seedSamples } from "../test/support/console-pages.ts";
import { consolePassword, openConsoleApp } from "../test/support/console.ts";
import { until } from "../test/support/until.ts";

const looks = [
  { look: "light", width: 1440, colors: "light" },
  { look: "dark", width: 1440, colors: "dark" },
  { look: "narrow", width: 390, colors: "light" },
  { look: "narrow-dark", width: 390, colors: "dark" },
] as const;

/** A Thursday in the morning, at which the demonstration stands still. */
const demonstrationStart = Date.UTC(2026, 2, 12, 9, 40);

/** Time since its start at which it stands still, once its feed is read. */
const demonstrationMs = 60_000;

if (chromium === undefined) {
  console.error("Chromium is not installed");
  process.exit(1);
}
const wanted = process.argv.slice(2);
const browser = await openBrowser();
try {
  if (wanted.includes("--readme")) await takeReadmeScreenshots();
  else if (wanted.includes("--demo")) await takeDemonstrationScreenshots();
  else if (wanted.includes("--components")) await takeComponentScreenshots();
  else await takePageScreenshots();
} finally {
  browser.close();
}

function save(path: string, screenshot: Uint8Array): void {
  writeFileSync(path, screenshot);
  console.log(`${path} ${Math.ceil(screenshot.length / 1_000)} kB`);
}

/** Loads and decodes all images of the page, including those that would load when scrolled into view. */
async function loadImages(): Promise<void> {
  await browser.evaluate(`Promise.all(Array.from(document.images, (image) => {
    image.loading = "eager";
    return image.decode();
  })).then(() => true)`);
}

/** Takes full-page screenshots of the wanted pages in every look. The sample data includes hostile input. */
async function takePageScreenshots(): Promise<void> {
  const folder = "dist/screenshots";
  mkdirSync(folder, { recursive: true });
  const pages = consolePages.filter(
    ({ name }) => wanted.length === 0 || wanted.some((text) => name.includes(text)),
  );
  if (pages.length === 0) throw new Error(`no page is called ${wanted.join(" or ")}`);
  // Runs as in production, but without registration lookups and deliveries: the receivers of the samples do not exist.
  const app = openConsoleApp({ config: sampleConfig, scan: "registration_data = false" });
  try {
    mkdirSync(join(app.folder, "feeds/newly-registered"), { recursive: true });
    await app.app.start();
    await app.app.deliveries.dispatcher.stop(0);
    const samples = await seedSamples(app.app);
    // Restart the sources, so that they load the history that the samples added.
    for (const source of app.app.sources.filter(({ declaredAs }) => declaredAs !== null)) {
      await source.stop();
      source.start();
    }
    let signedIn = false;
    for (const { name, path, signedOut } of pages.toSorted(
      (a, b) => Number(b.signedOut ?? false) - Number(a.signedOut ?? false),
    )) {
      if (signedOut !== true && !signedIn) await browser.signIn(app.url);
      signedIn ||= signedOut !== true;
      for (const { look, width, colors } of looks) {
        await browser.colors(colors);
        await browser.size(width);
        await browser.open(`${app.url}${path(samples)}`);
        await loadImages();
        save(`${folder}/${name}.${look}.png`, await browser.screenshot());
      }
    }
  } finally {
    await app.dispose();
  }
}

/** Takes full-page screenshots of all components in every state, in every look. */
async function takeComponentScreenshots(): Promise<void> {
  const folder = "dist/screenshots";
  mkdirSync(folder, { recursive: true });
  const assets = createAssets();
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname.startsWith(`${assetsPath}/`))
        return (
          assets.respond(pathname.slice(assetsPath.length + 1), null, {}) ?? new Response("", { status: 404 })
        );
      return new Response(componentsPage(assets), {
        headers: { "content-type": "text/html; charset=utf-8" },
      });
    },
  });
  try {
    for (const { look, width, colors } of looks) {
      await browser.colors(colors);
      await browser.size(width);
      await browser.open(server.url.href);
      save(`${folder}/components.${look}.png`, await browser.screenshot());
    }
  } finally {
    await server.stop(true);
  }
}

/** Opens the demonstration at a time that stands still, and calls `take` with its address and its newest copied page. */
async function withDemonstration(take: (url: string, threatId: string) => Promise<void>): Promise<void> {
  const openedAt = performance.now();
  let standsStill = false;
  const image = readImage("demonstration", { seed: demonstrationSeed, start: demonstrationStart });
  const database = openDatabase(":memory:", { image });
  const shown = database.query
    .select({ id: threats.id })
    .from(threats)
    .innerJoin(enrichments, eq(enrichments.threatSeq, threats.seq))
    .where(
      and(
        eq(threats.status, "active"),
        eq(threats.severity, "high"),
        sql`${enrichments.facts} ->> '$.page.asksForPassword'`,
      ),
    )
    .orderBy(desc(threats.seq))
    .get()!;
  database.close();
  const sandbox = await startDemonstration({
    log: createLog({ level: "error", format: "json", clock: systemClock, write: console.error }),
    realNow: systemClock.now,
    monotonicMs: () => (standsStill ? demonstrationMs : performance.now() - openedAt),
    password: consolePassword,
    pid: process.pid,
    port: 0,
    start: demonstrationStart,
  });
  try {
    await browser.signIn(sandbox.ready.url);
    const isRead = `fetch("/console").then(async (page) => !(await page.text()).includes("nothing read"))`;
    await until(() => browser.evaluate<boolean>(isRead), "the feed was read");
    standsStill = true;
    await take(sandbox.ready.url, shown.id);
  } finally {
    sandbox.stop();
  }
}

/** Takes screenshots of the top of three pages of the demonstration. Reproducible. */
async function takeReadmeScreenshots(): Promise<void> {
  const folder = ".github/screenshots";
  mkdirSync(folder, { recursive: true });
  await withDemonstration(async (url, threatId) => {
    for (const [name, path, height, colors] of [
      ["overview", "/console", 1_000, "light"],
      ["threats", "/console/threats", 804, "dark"],
      ["threat", `/console/threats/${threatId}`, 940, "light"],
    ] as const) {
      await browser.colors(colors);
      await browser.size(1280, height);
      await browser.open(`${url}${path}`);
      await loadImages();
      const screenshot = new Bun.Image(await browser.screenshot("window"));
      save(`${folder}/${name}.webp`, await screenshot.webp({ quality: 90 }).bytes());
    }
  });
}

/** Takes full-page screenshots of the main pages of the demonstration in every look. */
async function takeDemonstrationScreenshots(): Promise<void> {
  const folder = "dist/screenshots";
  mkdirSync(folder, { recursive: true });
  await withDemonstration(async (url, threatId) => {
    const paths = [
      "",
      "/threats",
      "/threats?look=gallery",
      `/threats/${threatId}`,
      "/decisions",
      "/domains",
      "/domains/example-bank.com",
      "/scans",
      "/sources",
      "/beacons",
      "/honeytokens",
      "/settings/webhooks",
      "/settings/webhooks/deliveries",
      "/settings/notifications",
      "/settings/keys",
      "/settings/audit",
    ];
    for (const path of paths) {
      const name = `demo${path.replace(threatId, "one").replace(/\W+/g, "-")}`;
      for (const { look, width, colors } of looks) {
        await browser.colors(colors);
        await browser.size(width);
        await browser.open(`${url}/console${path}`);
        await loadImages();
        save(`${folder}/${name}.${look}.png`, await browser.screenshot());
      }
    }
  });
}
