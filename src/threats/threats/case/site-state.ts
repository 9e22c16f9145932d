import { dayMs, type Instant } from "../../../platform/lib/clock.ts";
import type { Presence, SiteState } from "../../../platform/vocabulary/site.ts";

/**
 * How long a copy that a visitor was shown (a beacon reported it) outweighs lookups that got no such page: a site can
 * hide its page from them.
 */
const copyProofDays = 7;

/** Returns the state of a site of which a visitor was just shown a page. */
export function stateOfShownSite(before: SiteState | null): SiteState {
  if (before === "down" || before === "blocked") return "back";
  return before === "back" ? "back" : "up";
}

/**
 * Returns the state of a site after lookups.
 * @param found state according to the lookups; null: not determined
 */
export function siteStateAfter(
  before: { siteState: SiteState | null; cloneSeenAt: Instant | null },
  { found, exists, now }: { found: SiteState | null; exists: Presence; now: Instant },
): SiteState | null {
  const { siteState, cloneSeenAt } = before;
  const state = found ?? siteState;
  if (cloneSeenAt === null || state === "up" || state === "back" || state === "blocked") return state;
  const isProven = now - cloneSeenAt <= copyProofDays * dayMs && exists !== "no";
  if (isProven) return siteState === "back" ? "back" : "up";
  // The facts know nothing of the page that only visitors were shown.
  return state === "registered" || state === "unregistered" ? "down" : state;
}
