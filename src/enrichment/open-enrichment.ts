import { dirname, join } from "node:path";
import { createSettings } from "../access/settings/settings.ts";
import type { Config } from "../config/config.ts";
import type { Database } from "../database/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { LookUpExistence } from "../lookups/dns/existence.ts";
import {
  browserUserAgent,
  chooseChromium,
  createBrowser,
  type ChromiumChoice,
} from "../lookups/page/chromium.ts";
import type { AddressRegistryFor } from "../lookups/network/address-registries.ts";
import { createNetworkLookup } from "../lookups/network/network-lookup.ts";
import { createPageLookup } from "../lookups/page/page-lookup.ts";
import { createScreenshotFiles, type ScreenshotFiles } from "../lookups/page/screenshot-files.ts";
import type { RdapServices } from "../lookups/registration/rdap-services.ts";
import { createRegistrationLookup } from "../lookups/registration/registration-lookup.ts";
import type { WhoisServerFor } from "../lookups/registration/whois-servers.ts";
import type { AddressRules } from "../network/addresses.ts";
import type { DnsClient } from "../network/dns/dns-client.ts";
import { resolveWithDns } from "../network/dns/resolve-dns.ts";
import { shareLookups } from "../network/shared-lookups.ts";
import type { Turns } from "../network/turns.ts";
import type { Threats } from "../threats/threats.ts";
import { createDueCounts } from "./due-counts.ts";
import { createSiteStateBackfill } from "./facts/backfill-site-states.ts";
import { createEnrichment, type Enrichment } from "./enrichment.ts";
import { createOriginals } from "./facts/originals.ts";
import { createLookupMeter, type LookupMeter } from "../lookups/lookup-meter.ts";
import type { Lookups } from "../lookups/lookups.ts";

/** Destinations that lookups may connect to, and what replaces them. Only the sandbox and tests change the default. */
export interface Reach {
  rules: AddressRules;
  /** Ports of web pages. */
  ports?: { http: number; https: number };
  rdapServices?: RdapServices;
  whoisServerFor?: WhoisServerFor;
  addressRegistryFor?: AddressRegistryFor;
  /** Default: the folder next to the database file. */
  screenshotFiles?: ScreenshotFiles;
  /** Replaces the lookups, given the lookup in DNS. */
  lookups?: (lookUpExistence: LookUpExistence) => Lookups;
}

/** Attackers choose names, redirects and pages, so private networks are never connected to. */
const publicReach: Reach = { rules: { allowPrivateNetworks: false } };

/** The enrichment, with its numbers for monitoring. */
export interface OpenedEnrichment extends Enrichment {
  meter: Pick<LookupMeter, "totals" | "registrationFailures">;
  dueCounts: ReturnType<typeof createDueCounts>;
}

/** Assembles the enrichment and its lookups. Nothing is opened before the first lookup. */
export function openEnrichment({
  clock,
  config,
  database,
  dns,
  isRoot,
  log,
  lookUpExistence,
  reach = publicReach,
  threats,
  turns,
  version,
  which,
}: {
  clock: Clock;
  config: Pick<Config, "scan" | "lookups" | "screenshots" | "storage" | "detection">;
  database: Database;
  dns: Pick<DnsClient, "query">;
  isRoot: boolean;
  log: Log;
  lookUpExistence: LookUpExistence;
  reach?: Reach | undefined;
  threats: Threats;
  turns: Turns;
  version: string;
  /** Finds a program on the PATH. */
  which: (name: string) => string | null;
}): OpenedEnrichment {
  const meter = createLookupMeter(clock.monotonicMs);
  const { lookups, ports, rules, screenshotFiles, addressRegistryFor, ...services } = reach;
  const resolveHost = shareLookups({ clock, resolveHost: resolveWithDns(dns) });
  const userAgent = `phishwatch/${version}`;
  const shared = { clock, rules, resolveHost, turns };
  const registrations = createRegistrationLookup({ ...shared, ...services, userAgent });
  const networks = createNetworkLookup({
    ...shared,
    userAgent,
    ...(addressRegistryFor === undefined ? {} : { registryFor: addressRegistryFor }),
  });
  const pages = createPageLookup({
    ...shared,
    userAgent: browserUserAgent,
    ...(ports === undefined ? {} : { ports }),
  });
  const chromium = chromiumOf({ config, which, isRoot });
  const { path } = config.storage;
  const enabledLookups = {
    get names() {
      return config.lookups.enabled;
    },
    get registration() {
      return config.lookups.enabled && config.scan.registrationData;
    },
  };
  const measured = meter.measure(
    lookups?.(lookUpExistence) ?? {
      existence: lookUpExistence,
      registration: registrations.lookUpRegistration,
      network: networks.lookUpNetwork,
      page: pages.lookUpPage,
    },
  );
  const enrichment = createEnrichment({
    enabledLookups,
    browser:
      "path" in chromium
        ? meter.measureBrowser(createBrowser({ chromium, clock, log, rules, resolveHost, ports }))
        : undefined,
    noBrowser: "reason" in chromium ? chromium.reason : undefined,
    clock,
    database,
    log,
    lookups: measured,
    onStop() {
      registrations.close();
      networks.close();
      pages.close();
    },
    screenshotFiles:
      screenshotFiles ??
      createScreenshotFiles(path === ":memory:" ? null : join(dirname(path), "screenshots")),
    detection: config.detection,
    threats,
  });
  return {
    ...withBackground(enrichment, { clock, database, enabledLookups, log, lookups: measured }),
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

function chromiumOf({
  config,
  which,
  isRoot,
}: {
  config: Pick<Config, "scan" | "screenshots" | "storage">;
  which: (name: string) => string | null;
  isRoot: boolean;
}): ChromiumChoice {
  // Screenshots are files next to the database file, and an in-memory database has none.
  if (config.storage.path === ":memory:") return { reason: "an in-memory database keeps no screenshots" };
  return chooseChromium({
    setting: config.scan.screenshots,
    args: config.screenshots.chromiumArgs,
    which,
    isRoot,
  });
}
