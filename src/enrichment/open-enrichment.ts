import { dirname, join } from "node:path";
import type { Config } from "../config/config.ts";
import type { Database } from "../database/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { AddressRules } from "../network/addresses.ts";
import type { DnsClient } from "../network/dns/dns-client.ts";
import { resolveWithDns } from "../network/dns/resolve-dns.ts";
import type { Threats } from "../threats/threats.ts";
import {
  browserUserAgent,
  chooseChromium,
  createCamera,
  type ChromiumChoice,
} from "../lookups/page/chromium.ts";
import { createEnrichment, type Enrichment } from "./enrichment.ts";
import type { LookUpExistence } from "../lookups/dns/existence.ts";
import { createPageFetcher } from "../lookups/page/page-lookup.ts";
import { createPictures } from "../lookups/page/screenshot-files.ts";
import { createRegistrationLookup } from "../lookups/registration/registration-lookup.ts";
import type { RdapServices } from "../lookups/registration/rdap-services.ts";
import type { WhoisServerFor } from "../lookups/registration/whois-servers.ts";

/** Where enrichment goes. Only a test says anything else than the default. */
export interface Reach {
  rules: AddressRules;
  /** Of web pages. */
  ports?: { http: number; https: number };
  rdapServices?: RdapServices;
  whoisServerFor?: WhoisServerFor;
}

/** Names, redirects and pages are chosen by attackers: nothing of one's own network is ever connected to. */
const publicReach: Reach = { rules: { allowPrivateNetworks: false } };

/** The parts of this subject, put together. Nothing is opened before something is looked up. */
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
  version,
  which,
}: {
  clock: Clock;
  config: Pick<Config, "scan" | "screenshots" | "storage" | "detection">;
  database: Database;
  dns: Pick<DnsClient, "query">;
  isRoot: boolean;
  log: Log;
  lookUpExistence: LookUpExistence;
  reach?: Reach | undefined;
  threats: Threats;
  version: string;
  /** Finds a program on the path. */
  which: (name: string) => string | null;
}): Enrichment {
  const { ports, rules, ...services } = reach;
  const resolveHost = resolveWithDns(dns);
  const userAgent = `phishwatch/${version}`;
  const shared = { clock, rules, resolveHost };
  const registrations = createRegistrationLookup({ ...shared, ...services, userAgent });
  const pages = createPageFetcher({
    ...shared,
    userAgent: browserUserAgent,
    ...(ports === undefined ? {} : { ports }),
  });
  const chromium = chromiumOf({ config, which, isRoot });
  const { path } = config.storage;
  return createEnrichment({
    abilities: { names: config.scan.schedule !== null, registration: config.scan.registrationData },
    camera:
      "path" in chromium ? createCamera({ chromium, clock, log, rules, resolveHost, ports }) : undefined,
    noCamera: "reason" in chromium ? chromium.reason : undefined,
    clock,
    database,
    log,
    lookUps: {
      existence: lookUpExistence,
      registration: registrations.lookUpRegistration,
      page: pages.fetchPage,
    },
    onStop() {
      registrations.close();
      pages.close();
    },
    pictures: createPictures(path === ":memory:" ? null : join(dirname(path), "screenshots")),
    reactivate: config.detection.reactivate,
    threats,
  });
}

function chromiumOf({
  config,
  ...surroundings
}: {
  config: Pick<Config, "scan" | "screenshots" | "storage">;
  which: (name: string) => string | null;
  isRoot: boolean;
}): ChromiumChoice {
  // Pictures are files beside the database, and here there is no beside.
  if (config.storage.path === ":memory:") return { reason: "nothing is kept, so no pages are captured" };
  return chooseChromium({
    setting: config.scan.screenshots,
    args: config.screenshots.chromiumArgs,
    ...surroundings,
  });
}
