import type { Config } from "../../platform/config/config.ts";
import type { ProtectedDomains } from "../../threats/domains/domains.ts";
import type { Yielder } from "../../platform/lib/yielder.ts";
import type { LookUpExistence } from "../lookups/dns/existence.ts";
import type { OpenedLookups } from "../lookups/open-lookups.ts";
import type { Turns } from "../../platform/network/turns.ts";
import type { StartWorker } from "../../platform/vocabulary/threads.ts";
import { createInspections, type Inspections, type InspectionsDependencies } from "./inspections.ts";
import type { Inspector } from "./model/inspector.ts";
import { createBrands, type Brands } from "./originals/brands.ts";
import { openOriginals, type Originals } from "./originals/open-originals.ts";
import { createOriginalStore } from "./originals/store.ts";
import type { Clock } from "../../platform/lib/clock.ts";
import { systemResolvers } from "../../platform/network/dns/system-resolvers.ts";
import type { ScreenshotKind } from "../../platform/vocabulary/inspections.ts";
import type { BrandSource } from "./model/verdict.ts";
import { createBrandFeed, type BrandFeed } from "./inspector/brand-feed.ts";
import type { ThreadSettings } from "./inspector/messages.ts";
import type { PageInspector } from "./inspector/page-inspector.ts";
import { createThreadInspector } from "./inspector/thread-inspector.ts";

/** Services that find pages that imitate a protected brand. */
export interface Inspection {
  /** Looks of the protected brands, to compare pages with. */
  brands: Brands;
  inspections: Inspections;
  inspector: Inspector;
  originals: Originals;
  /** Starts what is queued, also by an earlier run, and captures originals on schedule. */
  start(): void;
  /** Aborts what is running. */
  stop(): Promise<void>;
  /** Ends the thread and the browser, for a command that inspects without starting anything. */
  close(): Promise<void>;
}

/** Replaces DNS and the web, for a sandbox. Inspections then do not depend on `lookups.enabled`. */
export interface ReplacedInspection {
  inspector: Inspector;
  lookUpExistence: LookUpExistence;
}

export type InspectionDependencies = Omit<InspectionsDependencies, "config" | "domains" | "inspector"> & {
  config: InspectionsDependencies["config"] & Pick<Config, "scan" | "screenshots" | "storage">;
  domains: ProtectedDomains;
  lookups: OpenedLookups;
  replaced: ReplacedInspection | undefined;
  startWorker: StartWorker | undefined;
  turns: Turns;
  yielder: () => Yielder;
};

/** Constructs the inspection. Nothing is loaded or started before the first page. */
export function openInspection(dependencies: InspectionDependencies): Inspection {
  const store = createOriginalStore(dependencies.database);
  const brands = createBrands({ ...dependencies, store });
  const { config, replaced } = dependencies;
  const inspector = replaced?.inspector ?? openInspector({ ...dependencies, brands });
  const originals = openOriginals({ ...dependencies, brands, inspector, store });
  const inspections = createInspections({
    ...dependencies,
    ...(replaced === undefined
      ? { inspector }
      : { ...replaced, config: { ...config, lookups: { enabled: true } } }),
  });
  return {
    brands,
    inspections,
    inspector,
    originals,
    start() {
      originals.start();
      inspections.start();
    },
    async stop() {
      await Promise.all([inspections.stop(), originals.stop()]);
      await inspector.close();
    },
    async close() {
      await inspector.close();
      dependencies.lookups.close();
    },
  };
}

interface InspectorDependencies {
  brands: BrandSource;
  clock: Clock;
  config: Pick<Config, "scan" | "screenshots">;
  lookups: Pick<OpenedLookups, "browser" | "pages" | "reach">;
  startWorker: StartWorker | undefined;
  turns: Turns;
}

/**
 * Opens the inspector. Nothing is loaded or started before the first inspection. Screenshots of
 * suspicious pages are reduced to what `screenshots.keep` permits.
 * @param startWorker starts the thread that inspects; without it, this thread does, between other work
 */
export function openInspector(dependencies: InspectorDependencies): Inspector {
  const { brands, clock, config, lookups, startWorker } = dependencies;
  const { browser, reach } = lookups;
  const limited = (inspector: Inspector) => limitScreenshots(inspector, () => config.screenshots.keep);
  if (startWorker === undefined) return limited(createLazyInspector(dependencies));
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
      return { ...result, screenshot: await keptScreenshot(result.screenshot, keep()) };
    },
  };
}

/** Loads the comparisons with the first inspection: their tables take some milliseconds. */
function createLazyInspector({ brands, clock, lookups, turns }: InspectorDependencies): Inspector {
  const { browser, pages } = lookups;
  let inspector: Promise<{ opened: PageInspector; feed: BrandFeed }> | undefined;
  const open = async () => {
    const { createPageInspector } = await import("./inspector/page-inspector.ts");
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

/** Width in pixels of a blurred screenshot: text and faces are unreadable, and the layout is visible. */
const blurredWidth = 48;
/** Width of its enlargement for display. */
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
