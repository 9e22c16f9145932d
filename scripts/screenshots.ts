import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { assetsPath } from "../src/console/kit/paths.ts";
import { createAssets } from "../src/console/shell/assets.ts";
import { createRandom } from "../src/sandbox/world/random.ts";
import { manualClock } from "../test/support/appliance.ts";
import { chromium, openBrowser } from "../test/support/browser.ts";
import { componentsPage } from "../test/support/components-page.tsx";
import { consolePages, sampleConfig, seedSamples } from "../test/support/console-pages.ts";
import { openConsoleApp } from "../test/support/console.ts";
import { bankPage, readmeNow, readmeStart, seedReadme } from "../test/support/readme-samples.ts";
import { startReceiver } from "../test/support/receiver.ts";

const looks = [
  { look: "light", width: 1440, colors: "light" },
  { look: "dark", width: 1440, colors: "dark" },
  { look: "narrow", width: 390, colors: "light" },
] as const;

if (chromium === undefined) {
  console.error("Chromium is not installed");
  process.exit(1);
}
const wanted = process.argv.slice(2);
const browser = await openBrowser();
try {
  if (wanted.includes("--readme")) await takeReadmeScreenshots();
  else if (wanted.includes("--components")) await takeComponentScreenshots();
  else await takePageScreenshots();
} finally {
  await browser.close();
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
    app.app.start();
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

/** Takes screenshots of the top of three pages with a month of sample data. Reproducible. */
async function takeReadmeScreenshots(): Promise<void> {
  const folder = ".github/screenshots";
  mkdirSync(folder, { recursive: true });
  const clock = manualClock(readmeStart);
  const { fillRandom } = createRandom(1);
  const app = openConsoleApp({
    clock,
    fillRandom,
    // The samples contain the results of all lookups.
    scan: "registration_data = false",
    config: "allow_private_networks = true",
  });
  const receiver = startReceiver();
  try {
    await browser.colors("light");
    await browser.size(1280, 800);
    const takeSignInPage = async (copied: boolean) => {
      await browser.open(`data:text/html;base64,${Buffer.from(bankPage(copied)).toString("base64")}`);
      return new Bun.Image(await browser.screenshot("window")).webp({ quality: 80 }).bytes();
    };
    const pages = { own: await takeSignInPage(false), clone: await takeSignInPage(true) };
    const shown = await seedReadme(app.app, clock, receiver.url, pages);
    if (clock.now() !== readmeNow) throw new Error("the sample data does not end at the expected time");
    await browser.signIn(app.url);
    for (const [name, path, height, colors] of [
      ["overview", "/console", 1_000, "light"],
      ["threats", "/console/threats", 804, "dark"],
      ["threat", `/console/threats/${shown}`, 940, "light"],
    ] as const) {
      await browser.colors(colors);
      await browser.size(1280, height);
      await browser.open(`${app.url}${path}`);
      await loadImages();
      const screenshot = new Bun.Image(await browser.screenshot("window"));
      save(`${folder}/${name}.webp`, await screenshot.webp({ lossless: true }).bytes());
    }
  } finally {
    await app.dispose();
    receiver.stop();
  }
}
