import { dirname, join } from "node:path";
import { createSettings } from "../access/settings/settings.ts";
import type { Config } from "../config/config.ts";
import type { Database } from "../database/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { LookupMeter } from "../lookups/lookup-meter.ts";
import type { Lookups } from "../lookups/lookups.ts";
import type { OpenedLookups } from "../lookups/open-lookups.ts";
import { createScreenshotFiles } from "../lookups/page/screenshot-files.ts";
import type { Threats } from "../threats/threats.ts";
import { createDueCounts } from "./due-counts.ts";
import { createSiteStateBackfill } from "./facts/backfill-site-states.ts";
import { createEnrichment, type Enrichment } from "./enrichment.ts";
import { createOriginals } from "./facts/originals.ts";

/** The enrichment, with its numbers for monitoring. */
export interface OpenedEnrichment extends Enrichment {
  meter: Pick<LookupMeter, "totals" | "registrationFailures">;
  dueCounts: ReturnType<typeof createDueCounts>;
}

/** Assembles the enrichment. */
export function openEnrichment({
  clock,
  config,
  database,
  log,
  opened,
  threats,
}: {
  clock: Clock;
  config: Pick<Config, "scan" | "lookups" | "storage" | "detection">;
  database: Database;
  log: Log;
  opened: OpenedLookups;
  threats: Threats;
}): OpenedEnrichment {
  const { browser, lookups, meter, noBrowser, reach } = opened;
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
    browser,
    noBrowser,
    clock,
    database,
    log,
    lookups,
    onStop: opened.close,
    screenshotFiles:
      reach.screenshotFiles ??
      createScreenshotFiles(path === ":memory:" ? null : join(dirname(path), "screenshots")),
    detection: config.detection,
    threats,
  });
  return {
    ...withBackground(enrichment, { clock, database, enabledLookups, log, lookups }),
    meter,
    dueCounts: createDueCounts(database),
  };
}

/** Adds the site states of threats of earlier versions, and the protected domains' own sites, to the background work. */
function withBackground(
  enrichment: Enrichment,
  shared: {
    clock: Clock;
    database: Database;
    enabledLookups: { names: boolean };
    log: Log;
    lookups: Lookups;
  },
): Enrichment {
  const settings = createSettings(shared);
  const backfill = createSiteStateBackfill({ ...shared, settings });
  const originals = createOriginals({ ...shared, settings });
  return {
    ...enrichment,
    start() {
      backfill.start();
      originals.start();
      enrichment.start();
    },
    async stop() {
      await Promise.all([backfill.stop(), originals.stop(), enrichment.stop()]);
    },
  };
}
