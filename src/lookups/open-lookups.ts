import type { Config } from "../config/config.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { AddressRules } from "../network/addresses.ts";
import type { DnsClient } from "../network/dns/dns-client.ts";
import { resolveWithDns } from "../network/dns/resolve-dns.ts";
import type { ResolveHost } from "../network/resolve.ts";
import { shareLookups } from "../network/shared-lookups.ts";
import type { Turns } from "../network/turns.ts";
import { chooseChromium, createBrowser, type Browser, type ChromiumChoice } from "./browser/chromium.ts";
import type { LookUpExistence } from "./dns/existence.ts";
import { createLookupMeter, type LookupMeter } from "./lookup-meter.ts";
import type { LookUpPage, Lookups } from "./lookups.ts";
import type { AddressRegistryFor } from "./network/address-registries.ts";
import { createNetworkLookup } from "./network/network-lookup.ts";
import { createPageReader, type PageReader } from "./page/page-reader.ts";
import type { ScreenshotFiles } from "./page/screenshot-files.ts";
import type { RdapServices } from "./registration/rdap-services.ts";
import { createRegistrationLookup } from "./registration/registration-lookup.ts";
import type { WhoisServerFor } from "./registration/whois-servers.ts";

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

/** The lookups of the appliance, the one browser, and what counts their results. */
export interface OpenedLookups {
  lookups: Lookups;
  pages: PageReader;
  /** Undefined if no screenshots are taken. */
  browser: Browser | undefined;
  /** Why no screenshots are taken. */
  noBrowser: string | undefined;
  meter: LookupMeter;
  resolveHost: ResolveHost;
  reach: Reach;
  close(): void;
}

/** Assembles the lookups. Nothing is opened before the first one. */
export function openLookups({
  clock,
  config,
  dns,
  isRoot,
  log,
  lookUpExistence,
  reach = publicReach,
  turns,
  version,
  which,
}: {
  clock: Clock;
  config: Pick<Config, "scan" | "screenshots" | "storage">;
  dns: Pick<DnsClient, "query">;
  isRoot: boolean;
  log: Log;
  lookUpExistence: LookUpExistence;
  reach?: Reach | undefined;
  turns: Turns;
  version: string;
  /** Finds a program on the PATH. */
  which: (name: string) => string | null;
}): OpenedLookups {
  const meter = createLookupMeter(clock.monotonicMs);
  const { ports, rules, rdapServices, whoisServerFor, addressRegistryFor } = reach;
  const resolveHost = shareLookups({ clock, resolveHost: resolveWithDns(dns) });
  const userAgent = `phishwatch/${version}`;
  const shared = { clock, rules, resolveHost, turns, userAgent };
  const registrations = createRegistrationLookup({
    ...shared,
    ...(rdapServices === undefined ? {} : { rdapServices }),
    ...(whoisServerFor === undefined ? {} : { whoisServerFor }),
  });
  const networks = createNetworkLookup({
    ...shared,
    ...(addressRegistryFor === undefined ? {} : { registryFor: addressRegistryFor }),
  });
  const pages = createPageReader({
    clock,
    rules,
    resolveHost,
    turns,
    ...(ports === undefined ? {} : { ports }),
  });
  const chromium = chromiumOf({ config, which, isRoot });
  const browser =
    "path" in chromium
      ? meter.measureBrowser(createBrowser({ chromium, clock, log, rules, resolveHost, ports }))
      : undefined;
  const lookups = meter.measure(
    reach.lookups?.(lookUpExistence) ?? {
      existence: lookUpExistence,
      registration: registrations.lookUpRegistration,
      network: networks.lookUpNetwork,
      page: homePages(pages),
    },
  );
  return {
    lookups,
    pages,
    browser,
    noBrowser: "reason" in chromium ? chromium.reason : undefined,
    meter,
    resolveHost,
    reach,
    close() {
      registrations.close();
      networks.close();
      pages.close();
      browser?.close();
    },
  };
}

function homePages(pages: PageReader): LookUpPage {
  return async ({ name, protectedDomain, brandNames, signal }) => {
    const read = await pages.read({
      address: name,
      protectedDomains: [protectedDomain],
      brandNames,
      signal,
    });
    return read.ok ? { ok: true, page: read.page } : read;
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
