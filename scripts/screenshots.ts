import { mkdirSync, writeFileSync } from "node:fs";
import { chromium, openBrowser } from "../test/support/browser.ts";
import { consolePages, sampleConfig, seedSamples } from "../test/support/console-pages.ts";
import { openConsoleApp } from "../test/support/console.ts";

const folder = "dist/screenshots";
const looks = [
  { look: "light", width: 1280, colours: "light" },
  { look: "dark", width: 1280, colours: "dark" },
  { look: "narrow", width: 360, colours: "light" },
] as const;

if (chromium === undefined) {
  console.error("there is no Chromium on this machine");
  process.exit(1);
}
const wanted = process.argv.slice(2);
const pages = consolePages.filter(
  ({ name }) => wanted.length === 0 || wanted.some((text) => name.includes(text)),
);
mkdirSync(folder, { recursive: true });
const app = openConsoleApp({ config: sampleConfig });
const samples = await seedSamples(app.app);
const browser = await openBrowser();
try {
  let signedIn = false;
  for (const { name, path, signedOut } of pages.toSorted(
    (a, b) => Number(b.signedOut ?? false) - Number(a.signedOut ?? false),
  )) {
    if (signedOut !== true && !signedIn) await browser.signIn(app.url);
    signedIn ||= signedOut !== true;
    for (const { look, width, colours } of looks) {
      await browser.colours(colours);
      await browser.size(width);
      await browser.open(`${app.url}${path(samples)}`);
      writeFileSync(`${folder}/${name}.${look}.png`, await browser.picture());
      console.log(`${folder}/${name}.${look}.png`);
    }
  }
} finally {
  await browser.close();
  await app.dispose();
}
