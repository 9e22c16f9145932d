import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createRandom } from "../src/sandbox/world/random.ts";
import { manualClock } from "../test/support/appliance.ts";
import { chromium, openBrowser } from "../test/support/browser.ts";
import { consolePages, sampleConfig, seedSamples } from "../test/support/console-pages.ts";
import { openConsoleApp } from "../test/support/console.ts";
import { bankPage, readmeNow, readmeStart, seedReadme } from "../test/support/readme-samples.ts";
import { startReceiver } from "../test/support/receiver.ts";

const looks = [
  { look: "light", width: 1280, colors: "light" },
  { look: "dark", width: 1280, colors: "dark" },
  { look: "narrow", width: 360, colors: "light" },
] as const;

if (chromium === undefined) {
  console.error("there is no Chromium on this machine");
  process.exit(1);
}
const wanted = process.argv.slice(2);
const browser = await openBrowser();
try {
  if (wanted.includes("--readme")) await takeForReadme();
  else await takeAll();
} finally {
  await browser.close();
}

function keep(path: string, picture: Uint8Array): void {
  writeFileSync(path, picture);
  console.log(`${path} ${Math.ceil(picture.length / 1_000)} kB`);
}

/** Every page in every look, whole, with hostile samples among the others. */
async function takeAll(): Promise<void> {
  const folder = "dist/screenshots";
  mkdirSync(folder, { recursive: true });
  const pages = consolePages.filter(
    ({ name }) => wanted.length === 0 || wanted.some((text) => name.includes(text)),
  );
  // Runs as in use, but asks no registry and delivers nothing: the samples' receivers are made up.
  const app = openConsoleApp({ config: sampleConfig, scan: "registration_data = false" });
  try {
    mkdirSync(join(app.folder, "feeds/newly-registered"), { recursive: true });
    app.app.start();
    await app.app.deliveries.dispatcher.stop(0);
    const samples = await seedSamples(app.app);
    // Reads what it did before.
    for (const feed of app.app.feeds.sources) {
      await feed.stop();
      feed.start();
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
        keep(`${folder}/${name}.${look}.png`, await browser.picture());
      }
    }
  } finally {
    await app.dispose();
  }
}

/** The first screenful of three pages, with what a team may have after a month; the same at each run. */
async function takeForReadme(): Promise<void> {
  const folder = ".github/pictures";
  mkdirSync(folder, { recursive: true });
  const clock = manualClock(readmeStart);
  const { fillRandom } = createRandom(1);
  const app = openConsoleApp({
    clock,
    fillRandom,
    // Nothing is looked up: the samples say what was found.
    scan: "registration_data = false",
    config: "allow_private_networks = true",
  });
  const receiver = startReceiver();
  try {
    await browser.colors("light");
    await browser.size(1280, 800);
    const capture = async (copied: boolean) => {
      await browser.open(`data:text/html;base64,${Buffer.from(bankPage(copied)).toString("base64")}`);
      return new Bun.Image(await browser.picture("window")).webp({ quality: 80 }).bytes();
    };
    const pages = { own: await capture(false), clone: await capture(true) };
    const shown = await seedReadme(app.app, clock, receiver.url, pages);
    if (clock.now() !== readmeNow) throw new Error("the seeded month has another end");
    await browser.signIn(app.url);
    for (const [name, path, height, colors] of [
      ["overview", "/console", 1_000, "light"],
      ["threats", "/console/threats", 804, "dark"],
      ["threat", `/console/threats/${shown}`, 990, "light"],
    ] as const) {
      await browser.colors(colors);
      await browser.size(1280, height);
      await browser.open(`${app.url}${path}`);
      const picture = new Bun.Image(await browser.picture("window"));
      keep(`${folder}/${name}.webp`, await picture.webp({ lossless: true }).bytes());
    }
  } finally {
    await app.dispose();
    receiver.stop();
  }
}
