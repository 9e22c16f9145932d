import { systemClock } from "../../src/platform/lib/clock.ts";
import { createLog } from "../../src/platform/lib/log.ts";
import { createBrowser } from "../../src/facts/lookups/browser/chromium.ts";
import { shareBrowser } from "../../src/facts/lookups/browser/shared-browser.ts";
import { serveSites } from "../../test/facts/inspection/sites/site-server.ts";
import type { ProtectedBrand, Site } from "../../test/facts/inspection/sites/sites.ts";
import { findChromium } from "../../test/support/chromium.ts";

const log = createLog({
  level: "error",
  format: "pretty",
  clock: systemClock,
  write: (line) => void process.stderr.write(line),
});

/** Opens Chromium as the product does, for sites on loopback. */
export function openEvaluationBrowser({
  ports,
  resolveHost,
}: Pick<ReturnType<typeof serveSites>, "ports" | "resolveHost">) {
  const path = findChromium();
  if (path === undefined) throw new Error("Chromium was not found: install it, or leave out --browser");
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const browser = createBrowser({
    chromium: { path, args },
    clock: systemClock,
    log,
    rules: { allowPrivateNetworks: true },
    resolveHost,
    ports,
  });
  const shared = shareBrowser(browser, { clock: systemClock, perMinuteMax: Number.POSITIVE_INFINITY });
  return { render: shared.takeScreenshot, close: () => shared.close() };
}

/** Returns a picture of the sign-in page of each brand, as the author of a kit takes it: another size and quality. */
export async function takeScreenshots({
  sites,
  brands,
}: {
  sites: readonly Site[];
  brands: readonly ProtectedBrand[];
}): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
  const server = serveSites(sites);
  const browser = openEvaluationBrowser(server);
  const taken = new Map<string, Uint8Array<ArrayBuffer>>();
  try {
    for (const [index, { protectedDomain, pages }] of brands.entries()) {
      const shot = await browser.render(pages[1]!, new AbortController().signal, {});
      if (!shot.ok) continue;
      const width = [1280, 1366, 1100, 1440, 1024][index % 5]!;
      const image = new Bun.Image(shot.webp as Uint8Array<ArrayBuffer>).resize(width);
      taken.set(
        protectedDomain,
        (await (
          index % 2 === 0 ? image.jpeg({ quality: 70 }) : image.png()
        ).bytes()) as Uint8Array<ArrayBuffer>,
      );
    }
    return taken;
  } finally {
    browser.close();
    await server.stop();
  }
}
