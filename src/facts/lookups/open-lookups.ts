import type { Config } from "../../platform/config/config.ts";
import type { Needs } from "../../platform/lib/needs.ts";
import type { AddressRules } from "../../platform/network/addresses.ts";
import type { DnsClient } from "../../platform/network/dns/dns-client.ts";
import { resolveWithDns } from "../../platform/network/dns/resolve-dns.ts";
import { shareLookups } from "../../platform/network/shared-lookups.ts";
import type { Turns } from "../../platform/network/turns.ts";
import { createBrowser } from "./browser/chromium.ts";
import { shareBrowser, chooseChromium, type ChromiumChoice } from "./browser/shared-browser.ts";
import type { LookUpExistence } from "./dns/existence.ts";
import { createLookupMeter } from "./lookup-meter.ts";
import type { Lookups } from "./lookups.ts";
import type { AddressRegistryFor } from "./network/address-registries.ts";
import { createNetworkLookup } from "./network/network-lookup.ts";
import { createPageReader } from "./page/page-reader.ts";
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

interface Machine {
  isRoot: boolean;
  /** Finds a program on the PATH. */
  which: (name: string) => string | null;
}

/** The lookups of the appliance, the one browser, and what counts their results. */
export type OpenedLookups = ReturnType<typeof openLookups>;

/** Assembles the lookups. Nothing is opened before the first one. */
export function openLookups({
  environment: { clock, log, reach = publicReach },
  config,
  dns,
  lookUpExistence,
  machine,
  turns,
  version,
}: {
  environment: Needs<"clock" | "log"> & { reach?: Reach };
  config: Pick<Config, "scan" | "screenshots" | "storage">;
  dns: Pick<DnsClient, "query">;
  lookUpExistence: LookUpExistence;
  machine: Machine;
  turns: Turns;
  version: string;
}) {
  const meter = createLookupMeter(clock.monotonicMs);
  const { ports, rules, rdapServices, whoisServerFor, addressRegistryFor } = reach;
  const resolveHost = shareLookups({ clock, resolveHost: resolveWithDns(dns) });
  const userAgent = `phishwatch/${version}`;
  const shared = { clock, rules, resolveHost, turns, userAgent };
  const registrations = createRegistrationLookup({ ...shared, rdapServices, whoisServerFor });
  const networks = createNetworkLookup({ ...shared, registryFor: addressRegistryFor });
  const pages = createPageReader({ clock, rules, resolveHost, turns, ports });
  const { chromiumArgs: args } = config.screenshots;
  // Screenshots are files next to the database file, and an in-memory database has none.
  const chromium: ChromiumChoice =
    config.storage.path === ":memory:"
      ? { reason: "an in-memory database keeps no screenshots" }
      : chooseChromium({ setting: config.scan.screenshots, args, ...machine });
  const browser =
    "path" in chromium
      ? shareBrowser(
          meter.measureBrowser(createBrowser({ chromium, clock, log, rules, resolveHost, ports })),
          { clock },
        )
      : undefined;
  return {
    /** All lookups except of pages. */
    services: {
      existence: lookUpExistence,
      registration: registrations.lookUpRegistration,
      network: networks.lookUpNetwork,
    },
    /** Reads pages in this thread. */
    pages,
    /** Undefined if no screenshots are taken. */
    browser,
    /** Why no screenshots are taken. */
    noBrowser: "reason" in chromium ? chromium.reason : undefined,
    meter,
    reach,
    close() {
      registrations.close();
      networks.close();
      pages.close();
      browser?.close();
    },
  };
}
