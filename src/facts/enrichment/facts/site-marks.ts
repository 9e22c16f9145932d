import type { Instant } from "../../../platform/lib/clock.ts";
import {
  hasPage,
  hostingOf,
  markKinds,
  parkedWith,
  type Facts,
  type FormerMarks,
  type MarkKind,
} from "./facts.ts";

/** Values of each kind; empty if the name has none of its own. */
export type SiteMarks = Record<MarkKind, string[]>;

const valuesMax = 8;
const valueCharactersMax = 300;

/**
 * Returns the present marks of a site. Parking services and sinkholes have none, and neither has a page of the protected
 * domain to which a name redirects.
 */
export function siteMarksOf(facts: Facts): SiteMarks {
  const { existence, page, registration, screenshot } = facts;
  if (parkedWith(facts) !== undefined || hostingOf(facts).sinkholed !== undefined) return noMarks();
  const listed = existence?.nameServers ?? [];
  const servers = listed.length > 0 ? listed : (registration?.name_servers ?? []);
  const { fault, identity, namesHash } = page?.certificate ?? {};
  const isOwnPage = page !== undefined && hasPage(facts) && !page.redirectsToProtected;
  return {
    addresses: bounded(existence?.addresses ?? []),
    nameServers: bounded([[...new Set(servers.map((server) => server.toLowerCase()))].toSorted().join(" ")]),
    certificates: bounded([
      identity,
      fault === undefined && namesHash !== undefined ? `names ${namesHash}` : undefined,
    ]),
    structure: bounded(isOwnPage ? [page.structureHash] : []),
    favicon: bounded(isOwnPage ? [page.faviconHash] : []),
    screenshot: bounded(isOwnPage && !isOriginal(screenshot) ? [screenshot?.hash] : []),
  };
}

/** Returns the former marks after a check that changed the facts from `before` to `after`; undefined without any. */
export function formerMarksAfter(before: Facts, after: Facts, now: Instant): FormerMarks | undefined {
  const past = siteMarksOf(before);
  const present = siteMarksOf(after);
  const former: FormerMarks = {};
  for (const kind of markKinds) {
    if (present[kind].length > 0) continue;
    const mark = past[kind].length > 0 ? { values: past[kind], until: now } : before.former?.[kind];
    if (mark !== undefined) former[kind] = mark;
  }
  const registration = after.registration === undefined ? formerRegistration(before) : undefined;
  if (registration !== undefined) former.registration = registration;
  return Object.keys(former).length === 0 ? undefined : former;
}

function formerRegistration({ former, registration }: Facts): FormerMarks["registration"] {
  if (registration === undefined) return former?.registration;
  const { created_at, registrar, registrar_iana_id } = registration;
  return { created_at, registrar, registrar_iana_id };
}

/** Returns whether a screenshot shows the original, or looks exactly like it. */
function isOriginal(screenshot: Facts["screenshot"]): boolean {
  return screenshot?.atOriginal === true || screenshot?.visualSimilarity === 1;
}

function noMarks(): SiteMarks {
  return { addresses: [], nameServers: [], certificates: [], structure: [], favicon: [], screenshot: [] };
}

function bounded(values: readonly (string | undefined)[]): string[] {
  return values
    .filter((value) => value !== undefined && value !== "")
    .slice(0, valuesMax)
    .map((value) => value!.slice(0, valueCharactersMax));
}
