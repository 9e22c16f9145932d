import { dayMs, toIsoTime, type Instant } from "../../../platform/lib/clock.ts";
import type { Existence } from "../../lookups/dns/existence.ts";
import type { Network } from "../../lookups/network/address-range.ts";
import type { ScreenshotKind } from "../../../platform/vocabulary/inspections.ts";
import type { Page } from "../../lookups/page/page-lookup.ts";
import { isPhishingPage } from "../../../threats/threats/severity/phishing-page.ts";
import type { SeverityFacts } from "../../../threats/threats/severity/severity.ts";
import type { Registration } from "../../../platform/vocabulary/site.ts";
import type { RenderedPage } from "./rendered-page.ts";

/** Facts about a suspicious domain. A fact that is absent was never determined; `unknown` says why, if it was tried. */
export interface Facts {
  /** The last definite result from DNS. */
  existence?: KnownExistence;
  registration?: Registration;
  registrationAt?: Instant;
  /** Networks of the addresses that DNS listed at the time of the last lookup. Absent before the first one. */
  networks?: HostNetwork[];
  networksAt?: Instant;
  /** The last page that was fetched. Absent again after several checks in a row without a page. */
  page?: Page;
  pageAt?: Instant;
  /** Present if `page` contains what only a browser showed. */
  rendered?: RenderedPage;
  /** Number of checks in a row that got no page. */
  pageFailures?: number;
  screenshot?: Screenshot;
  /** Absent if the name was never seen in use, or only before this field existed. */
  site?: SiteTimes;
  /** Marks of the site that it has no longer, such as the address of a site that was taken down. */
  former?: FormerMarks;
  /** Why the last attempt to determine a fact failed, as text for people. */
  unknown: Partial<Record<"existence" | "registration" | "networks" | "page" | "screenshot", string>>;
}

export type KnownExistence = Omit<Existence, "exists" | "reason"> & { exists: "yes" | "no" };

/** A network with the addresses of the name that belong to it. */
export interface HostNetwork extends Network {
  addresses: string[];
  /** When a server was queried for it. */
  at: Instant;
}

/** Returns who holds a network, or its range. */
export function networkName({ organization, name, first, last }: Network): string {
  return organization ?? name ?? `${first} to ${last}`;
}

export interface Screenshot {
  at: Instant;
  /** Perceptual hash, 16 hexadecimal digits; absent if the page is blank. */
  hash?: string;
  /** 0 to 1; absent if there is no screenshot of an original to compare with. */
  visualSimilarity?: number;
  /** Address of the original page that it resembles most; absent in facts that are older than this field. */
  original?: string;
  /** Whether the browser ended up at the protected domain; absent in facts that are older than this field. */
  atOriginal?: boolean;
  /** Rest that the setting left of it; absent: the whole screenshot. */
  kept?: Exclude<ScreenshotKind, "full">;
  /** When the retention deleted the file; what was learned from it stays. */
  deletedAt?: Instant;
}

/** Kinds of marks that sites of one maker have in common. */
export const markKinds = [
  "addresses",
  "nameServers",
  "certificates",
  "structure",
  "favicon",
  "screenshot",
] as const;
export type MarkKind = (typeof markKinds)[number];

/** Marks that a name was last seen with. Each part is absent as long as the name has one. */
export type FormerMarks = Partial<Record<MarkKind, FormerMark>> & {
  /** Registration of a name that was deleted. */
  registration?: Pick<Registration, "registrar" | "registrar_iana_id" | "created_at">;
};

export interface FormerMark {
  values: string[];
  /** Time of the check that no longer found them. */
  until: Instant;
}

/** When the site at a name was first seen in use, and when it went down and came back for the last time. */
export interface SiteTimes {
  upAt: Instant;
  downAt?: Instant;
  /** Never earlier than `downAt`. */
  backAt?: Instant;
}

/** Maximum number of addresses of a name whose networks are looked up. */
const hostAddressesMax = 4;

export const nothingKnown: Facts = { unknown: {} };

export function parkedWith(facts: Facts): string | undefined {
  return hostingOf(facts).parked ?? facts.page?.parked;
}

/**
 * Returns who holds the name according to DNS. A zone's owner chooses the name servers that the zone lists, so if the
 * registry lists entirely different ones, the claim to be parked or sinkholed is ignored.
 */
export function hostingOf({ existence, registration }: Facts): { parked?: string; sinkholed?: string } {
  const listed = existence?.nameServers ?? [];
  const registered = registration?.name_servers ?? [];
  const contradicted =
    listed.length > 0 && registered.length > 0 && !listed.some((server) => registered.includes(server));
  if (existence === undefined || contradicted) return {};
  return { parked: existence.parked, sinkholed: existence.sinkholed };
}

/** Returns whether the host serves a page of its own. A form that asks for secrets counts with any status. */
export function hasPage({ page }: Facts): boolean {
  if (page === undefined) return false;
  if (page.asksForPassword || page.asksForCard) return true;
  return page.status < 400 && (page.unseen === undefined || page.redirectsToProtected);
}

/** Returns whether the page poses as the protected brand and asks for secrets. */
export function showsPhishingPage(facts: Facts): boolean {
  const { page, screenshot } = facts;
  if (page === undefined || !hasPage(facts)) return false;
  return isPhishingPage({ ...page, visualSimilarity: similarityOf(screenshot) });
}

/** Returns how much the page looks like the original; the screenshot of a browser that was led there shows the original itself. */
function similarityOf(screenshot: Screenshot | undefined): number | undefined {
  return screenshot?.atOriginal === true ? undefined : screenshot?.visualSimilarity;
}

/** Returns whether a browser has shown a page that we could not read. */
function wasSeenByBrowser({ page, pageAt, screenshot }: Facts): boolean {
  return page?.unseen !== undefined && screenshot !== undefined && screenshot.at >= (pageAt ?? 0);
}

/** Returns the addresses whose networks say who hosts the site. */
export function hostAddressesOf({ existence }: Facts): string[] {
  return existence?.exists === "yes" ? existence.addresses.slice(0, hostAddressesMax) : [];
}

/** Excludes Null MX (RFC 7505), which declares that there is none. */
export function mailServersOf({ existence }: Facts): string[] {
  return (existence?.mailServers ?? []).filter((server) => server !== "" && server !== ".");
}

/** Returns the facts that determine the severity. */
export function severityFactsOf(facts: Facts, now: Instant): SeverityFacts {
  const { existence, page, registration, screenshot } = facts;
  const mail = mailServersOf(facts).length > 0;
  const known = existence?.exists === "yes";
  return {
    exists: existence?.exists ?? "unknown",
    reachable: known ? mail || existence.addresses.length > 0 : undefined,
    mail: known ? mail : undefined,
    parked: parkedWith(facts),
    sinkholed: hostingOf(facts).sinkholed,
    registeredDays: daysSince(registration?.created_at, now),
    registeredOn: dayOf(registration?.created_at, now),
    page:
      page === undefined || !(hasPage(facts) || wasSeenByBrowser(facts))
        ? undefined
        : {
            asksForPassword: page.asksForPassword,
            asksForCard: page.asksForCard,
            namesBrand: page.namesBrand,
            // A site that redirects us but not a browser has something to hide.
            redirectsToProtected: page.redirectsToProtected && screenshot?.atOriginal !== false,
            visualSimilarity: similarityOf(screenshot),
            imitation: page.imitation,
          },
    isDown: facts.site && facts.site.downAt !== undefined && facts.site.backAt === undefined,
  };
}

function dayOf(isoTime: string | undefined, now: Instant): string | undefined {
  return daysSince(isoTime, now) === undefined ? undefined : toIsoTime(Date.parse(isoTime!)).slice(0, 10);
}

function daysSince(isoTime: string | undefined, now: Instant): number | undefined {
  const at = isoTime === undefined ? Number.NaN : Date.parse(isoTime);
  return Number.isNaN(at) || at > now ? undefined : Math.floor((now - at) / dayMs);
}
