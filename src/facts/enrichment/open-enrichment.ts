import { dirname, join } from "node:path";
import { createSettings } from "../../access/settings/settings.ts";
import type { Config } from "../../platform/config/config.ts";
import type { Needs } from "../../platform/database/needs.ts";
import type { Inspector } from "../inspection/model/inspector.ts";
import type { Originals } from "../inspection/originals/open-originals.ts";
import type { LookupMeter } from "../lookups/lookup-meter.ts";
import type { LookUpPage } from "../lookups/lookups.ts";
import type { OpenedLookups } from "../lookups/open-lookups.ts";
import type { PageResult } from "../lookups/page/page-lookup.ts";
import { createScreenshotFiles } from "../lookups/page/screenshot-files.ts";
import type { Threats } from "../../threats/threats/threats.ts";
import { createDueCounts } from "./queues.ts";
import {
  type BackfillDependencies,
  createSeverityBackfill,
  createSiteStateBackfill,
} from "./facts/backfill.ts";
import { createEnrichment, type Enrichment } from "./enrichment.ts";
import { createOriginalMarks } from "./facts/originals.ts";

/** The enrichment, with its numbers for monitoring. */
export interface OpenedEnrichment extends Enrichment {
  meter: Pick<LookupMeter, "totals" | "registrationFailures">;
  dueCounts: ReturnType<typeof createDueCounts>;
}

interface EnrichmentDependencies extends Needs<"clock" | "database" | "log"> {
  config: Pick<Config, "scan" | "lookups" | "screenshots" | "storage" | "detection">;
  inspection: { inspector: Inspector; originals: Originals };
  lookups: OpenedLookups;
  threats: Threats;
}

/** Assembles the enrichment. */
export function openEnrichment(dependencies: EnrichmentDependencies): OpenedEnrichment {
  const { clock, config, database, inspection, log, lookups: opened, threats } = dependencies;
  const { browser, meter, noBrowser, reach, services } = opened;
  const lookups = meter.measure(
    reach.lookups?.(services.existence) ?? { ...services, page: pagesOf(inspection.inspector) },
  );
  const { path } = config.storage;
  const enabledLookups = {
    get names() {
      return config.lookups.enabled;
    },
    get registration() {
      return config.lookups.enabled && config.scan.registrationData;
    },
  };
  const enrichment = createEnrichment({
    enabledLookups,
    inspector: browser === undefined ? undefined : inspection.inspector,
    noBrowser,
    clock,
    database,
    log,
    lookups,
    onStop: opened.close,
    originals: inspection.originals,
    screenshotFiles:
      reach.screenshotFiles ??
      createScreenshotFiles(path === ":memory:" ? null : join(dirname(path), "screenshots")),
    screenshots: {
      get keep() {
        return config.screenshots.keep;
      },
    },
    detection: config.detection,
    threats,
  });
  const settings = createSettings({ clock, database });
  const { existence } = lookups;
  inspection.originals.onHome(createOriginalMarks({ database, existence, settings }));
  return {
    ...withBackfills(enrichment, { clock, database, log, settings }),
    meter,
    dueCounts: createDueCounts(database),
  };
}

/**
 * Looks up pages, and compares them with the protected domain. In place of a page that was removed or has no content, the
 * home page is looked up.
 */
function pagesOf(inspector: Inspector): LookUpPage {
  return async ({ name, address, protectedDomain, brandNames }, { isUrgent = false, signal }) => {
    const inspect = async (url: string): Promise<PageResult> => {
      const target = {
        address: url,
        protectedDomains: [protectedDomain],
        brandNames,
        browser: "never",
        isUrgent,
      } as const;
      const result = await inspector.inspect(target, signal);
      return result.ok ? { ok: true, page: result.page } : result;
    };
    const found = await inspect(address);
    const hasContent = found.ok && found.page.status < 400 && found.page.unseen === undefined;
    if (address === name || hasContent) return found;
    const home = await inspect(name);
    return home.ok ? home : found;
  };
}

/** Adds the site states and severities of threats of earlier versions to the background work. */
function withBackfills(enrichment: Enrichment, shared: BackfillDependencies): Enrichment {
  const siteStates = createSiteStateBackfill(shared);
  const severities = createSeverityBackfill(shared);
  return {
    ...enrichment,
    start() {
      siteStates.start();
      severities.start();
      enrichment.start();
    },
    async stop() {
      await Promise.all([siteStates.stop(), severities.stop(), enrichment.stop()]);
    },
  };
}
