/**
 * Takes the screenshots of the sample data with Chromium, and lists what the page lookup finds on each page. Writes
 * both to src/sandbox/. Takes other pictures than before only if the pages or the fonts have changed.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { grayPixels } from "../src/facts/lookups/page/gray-pixels.ts";
import { readPage } from "../src/facts/lookups/page/page-content.ts";
import { asksFor, parkedAs } from "../src/facts/lookups/page/page-indicators.ts";
import { hashSide, perceptualHash, visualSimilarity } from "../src/facts/lookups/page/perceptual-hash.ts";
import { createTurns } from "../src/platform/network/turns.ts";
import type { Picture } from "../src/sandbox/pictures/pictures.ts";
import { openBrowser } from "../test/support/browser.ts";
import { demoPages } from "./demo/pages.ts";

/** Twelve of these fit into the executable. */
const bytesMax = 15_000;
const qualities = [80, 70, 60, 50, 40, 30];

const folder = join(import.meta.dir, "../src/sandbox");
mkdirSync(join(folder, "screenshots"), { recursive: true });
const browser = await openBrowser();
const pictures: Record<string, Picture> = {};
try {
  await browser.colors("light");
  await browser.size(1280, 800);
  for (const [name, { html, original }] of Object.entries(demoPages)) {
    await browser.open(`data:text/html;base64,${Buffer.from(html).toString("base64")}`);
    const webp = await shrink(await browser.screenshot("window"));
    writeFileSync(join(folder, "screenshots", `${name}.webp`), webp);
    const content = await readPage([html], createTurns());
    const hash = perceptualHash(await grayPixels(webp, hashSide));
    const originalHash = original === undefined ? undefined : pictures[original]?.hash;
    if (hash !== undefined && Object.values(pictures).some((other) => other.hash === hash))
      throw new Error(`${name} looks exactly like another page, so that its hash does not identify it`);
    const parked = parkedAs(content, []);
    pictures[name] = {
      title: content.title,
      asksForPassword: asksFor("password", content),
      asksForCard: asksFor("card", content),
      ...(parked === undefined ? {} : { parked }),
      ...(hash === undefined ? {} : { hash }),
    };
    const similarity =
      hash === undefined || originalHash === undefined
        ? ""
        : ` ${visualSimilarity(hash, originalHash).toFixed(2)}`;
    console.log(`${name} ${webp.length} bytes${similarity}`);
  }
} finally {
  browser.close();
}
writeFileSync(join(folder, "pictures/pictures.json"), `${JSON.stringify(pictures, null, 2)}\n`);

async function shrink(png: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  for (const quality of qualities) {
    const webp = await new Bun.Image(png).webp({ quality }).bytes();
    if (webp.length <= bytesMax) return webp;
  }
  throw new Error("the screenshot does not become small enough");
}
