import { dayMs, type Instant } from "../../../platform/lib/clock.ts";
import type { SiteState } from "../../../platform/vocabulary/site.ts";
import { hasPage, hostingOf, parkedWith, type Facts, type SiteTimes } from "./facts.ts";

/** How long a site that came back is shown as such. After that it is simply up. */
const backDaysMax = 30;
/** Statuses of a registry or registrar that take a name out of DNS, in any spelling (RFC 8056). */
const blockingStatus = /^(client|server)\s*hold$/i;
/** Mark of the page of a hosting provider (`lookups/page/data/parking-markers.txt`). */
const suspendedMarker = "suspended";

/** Returns the state of the site as far as lookups have found out; null if nothing is known about the name. */
export function siteStateOf(facts: Facts, now: Instant): SiteState | null {
  const { existence, registration, site } = facts;
  if (existence === undefined) return registration === undefined ? null : "registered";
  if (isBlocked(facts)) return "blocked";
  if (isInUse(facts)) {
    const isBack = site?.backAt !== undefined && now - site.backAt <= backDaysMax * dayMs;
    return isBack ? "back" : "up";
  }
  if (parkedWith(facts) !== undefined) return "parked";
  if (site !== undefined) return "down";
  return existence.exists === "yes" || registration !== undefined ? "registered" : "unregistered";
}

/** Returns since when a site has been in a state, as far as its facts say. */
export function siteStateSince({ site }: Facts, state: SiteState): Instant | undefined {
  if (state === "up") return site?.backAt ?? site?.upAt;
  if (state === "back") return site?.backAt;
  return state === "down" ? site?.downAt : undefined;
}

/** Returns the times of a site after a check that changed its facts from `before` to `after`. */
export function siteTimesAfter(before: Facts, after: Facts, now: Instant): SiteTimes | undefined {
  // Facts may be older than these times.
  const site = before.site ?? (isInUse(before) ? { upAt: before.pageAt ?? now } : undefined);
  const wasUp = site !== undefined && (site.downAt === undefined || site.backAt !== undefined);
  if (isInUse(after)) {
    if (site === undefined) return { upAt: now };
    return wasUp ? site : { ...site, backAt: now };
  }
  return wasUp && isGone(after) ? { upAt: site.upAt, downAt: now } : site;
}

/** Returns whether the name serves a page of its own, as opposed to one of a parking service or a sinkhole. */
function isInUse(facts: Facts): boolean {
  return !isBlocked(facts) && parkedWith(facts) === undefined && hasPage(facts);
}

function isBlocked(facts: Facts): boolean {
  if (hostingOf(facts).sinkholed !== undefined || facts.page?.parked === suspendedMarker) return true;
  return facts.existence?.exists === "no" && (facts.registration?.status ?? []).some(isBlockingStatus);
}

function isBlockingStatus(status: string): boolean {
  return blockingStatus.test(status.trim());
}

/** Returns whether the page is certainly gone. An error of the server may be an outage. */
function isGone(facts: Facts): boolean {
  return isBlocked(facts) || parkedWith(facts) !== undefined || (facts.page?.status ?? 404) < 500;
}
