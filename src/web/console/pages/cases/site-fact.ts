import { hostingOf, type Facts } from "../../../../facts/enrichment/facts/facts.ts";
import type { SiteState } from "../../../../platform/vocabulary/site.ts";

/** Returns the fact that the state of a site follows from, as a sentence. It contains text of strangers. */
export function siteFactOf(
  state: SiteState | null,
  { facts, looksUp }: { facts: Facts | undefined; looksUp: boolean },
): string {
  if (state === null) {
    if (!looksUp) return "Not determined: lookups are off (lookups.enabled).";
    const reason = facts?.unknown.existence;
    return reason === undefined
      ? "Not determined yet: the first check is due."
      : `Not determined: ${reason}.`;
  }
  const { existence, page } = facts ?? {};
  const isPresent = existence?.exists === "yes";
  switch (state) {
    case "unregistered":
      return "The name is not in DNS, and no registration is known.";
    case "registered":
      if (isPresent) return "The name is in DNS, but serves no page of its own.";
      return "The name is registered, but not in DNS.";
    case "parked":
      return `A parking service shows its page: ${(facts && hostingOf(facts).parked) ?? page?.parked ?? "unknown"}.`;
    case "blocked":
      return blockingFact(facts);
    case "down":
      if (existence?.exists === "no") return "The name is no longer in DNS.";
      return page === undefined ? "Its page is gone." : `The page responds with HTTP ${page.status}.`;
    default:
      if (page === undefined) return "A visitor was shown a copy of your page (beacon).";
      return `The page responds with HTTP ${page.status}: ${page.title || page.finalUrl}`;
  }
}

function blockingFact(facts: Facts | undefined): string {
  const sinkhole = facts && hostingOf(facts).sinkholed;
  if (sinkhole !== undefined) return `The name is in a sinkhole: ${sinkhole}.`;
  if (facts?.page?.parked === "suspended") return "The hosting provider suspended the site.";
  return `The registration has the status ${(facts?.registration?.status ?? []).join(", ")}.`;
}
