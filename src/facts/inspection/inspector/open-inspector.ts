import type { Config } from "../../../platform/config/config.ts";
import type { Clock } from "../../../platform/lib/clock.ts";
import type { OpenedLookups } from "../../lookups/open-lookups.ts";
import { systemResolvers } from "../../../platform/network/dns/system-resolvers.ts";
import type { Turns } from "../../../platform/network/turns.ts";
import type { ScreenshotKind } from "../../../platform/vocabulary/inspections.ts";
import type { StartWorker } from "../../../platform/vocabulary/threads.ts";
import type { BrandSource } from "../model/verdict.ts";
import type { Inspector } from "../model/inspector.ts";
import { createBrandFeed, type BrandFeed } from "./brand-feed.ts";
import type { ThreadSettings } from "./messages.ts";
import type { PageInspector } from "./page-inspector.ts";
import { createThreadInspector } from "./thread-inspector.ts";

interface InspectorDependencies {
  brands: BrandSource;
  clock: Clock;
  config: Pick<Config, "scan" | "screenshots">;
  lookups: Pick<OpenedLookups, "browser" | "pages" | "reach">;
  startWorker: StartWorker | undefined;
  turns: Turns;
}

/**
 * Opens the inspector. Nothing is loaded or started before the first inspection. Of the screenshots of suspicious pages,
 * it returns only what `screenshots.keep` leaves.
 * @param startWorker starts the thread that inspects; without it, this thread does, between other work
 */
export function openInspector(dependencies: InspectorDependencies): Inspector {
  const { brands, clock, config, lookups, startWorker, turns } = dependencies;
  const { browser, pages, reach } = lookups;
  const limited = (inspector: Inspector) => limitScreenshots(inspector, () => config.screenshots.keep);
  if (startWorker === undefined)
    return limited(createLazyInspector({ brands, clock, lookups: { browser, pages }, turns }));
  const settings = (): ThreadSettings => ({
    rules: { ...reach.rules },
    ports: reach.ports,
    resolvers: config.scan.resolvers.length > 0 ? config.scan.resolvers : systemResolvers(),
    queriesPerSecond: config.scan.queriesPerSecond,
    hasBrowser: browser !== undefined,
  });
  return limited(createThreadInspector({ brands, browser, clock, settings, startWorker }));
}

function limitScreenshots(inspector: Inspector, keep: () => ScreenshotKind): Inspector {
  return {
    ...inspector,
    async inspect(target, signal) {
      const result = await inspector.inspect(target, signal);
      if (!result.ok || result.screenshot === undefined || target.isOwn === true) return result;
      const { screenshot, ...rest } = result;
      const kept = await keptScreenshot(screenshot, keep());
      return { ...rest, ...(kept === undefined ? {} : { screenshot: kept }) };
    },
  };
}

/** Loads the comparisons with the first inspection: their tables take some milliseconds. */
function createLazyInspector({
  brands,
  clock,
  lookups: { browser, pages },
  turns,
}: {
  brands: BrandSource;
  clock: Clock;
  lookups: Pick<OpenedLookups, "browser" | "pages">;
  turns: Turns;
}): Inspector {
  let inspector: Promise<{ opened: PageInspector; feed: BrandFeed }> | undefined;
  const open = async () => {
    const { createPageInspector } = await import("./page-inspector.ts");
    const opened = createPageInspector({ clock, reader: pages, render: browser?.takeScreenshot, turns });
    const feed = createBrandFeed({ brands, pass: opened.setBrands });
    brands.onChange(feed.forget);
    return { opened, feed };
  };
  return {
    async inspect(target, signal) {
      const { feed, opened } = await (inspector ??= open());
      await feed.ready();
      return opened.inspect(target, signal);
    },
    async close() {
      await (await inspector)?.opened.close();
    },
  };
}

/** Width in pixels of what is left: no text can be read and nobody recognized, but the layout can be seen. */
const blurredWidth = 48;
/** Width to which that is enlarged, so that it can be shown. */
const shownWidth = 640;
const pixelsMax = 16_000_000;
const quality = 60;

/**
 * Returns what may be kept of a screenshot (WebP); undefined for nothing. What blurring removes cannot be restored: the
 * result contains 48 pixels for each row of the screenshot.
 * @throws if the bytes are not an image.
 */
export async function keptScreenshot(
  screenshot: Uint8Array,
  keep: ScreenshotKind,
): Promise<Uint8Array | undefined> {
  if (keep === "full") return screenshot;
  if (keep === "fingerprints") return undefined;
  const small = await new Bun.Image(screenshot as Uint8Array<ArrayBuffer>, { maxPixels: pixelsMax })
    .resize(blurredWidth, undefined, { filter: "box" })
    .png()
    .bytes();
  return new Bun.Image(small).resize(shownWidth, undefined, { filter: "bilinear" }).webp({ quality }).bytes();
}
