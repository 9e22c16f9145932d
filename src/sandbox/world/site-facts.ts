import type { Facts, SiteTimes } from "../../facts/enrichment/facts/facts.ts";
import { siteTimesAfter } from "../../facts/enrichment/facts/site-state.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import type { Threat } from "../../threats/threats/store/queries.ts";
import type { SiteState } from "../../platform/vocabulary/site.ts";
import { factsAt, type Scene } from "./scenes.ts";

const page: Scene = { exists: true, picture: "bank-password" };
const scenes: Record<SiteState, Scene> = {
  unregistered: { exists: false },
  registered: { exists: true },
  parked: { exists: true, parked: "Sample Parking" },
  up: page,
  blocked: { exists: false },
  down: { exists: true },
  back: page,
};
const sampleAddress = "192.0.2.80";

/** Returns the facts that lookups find when the site of a threat is in a state. */
export function siteFacts(
  threat: Threat,
  { before, wanted, now }: { before: Facts; wanted: SiteState; now: Instant },
): Facts {
  const { createdAt, domain, firstSeen, ipAddress, protectedDomain, whois } = threat;
  const subject = {
    domain,
    protectedDomain,
    ipAddress: ipAddress ?? sampleAddress,
    whois,
    certifiedAt: firstSeen,
  };
  const found = factsAt(scenes[wanted], subject, { at: now, createdAt, before });
  const { page: _page, registration: _registration, site: _site, ...others } = { ...before, ...found };
  const registration = {
    ...before.registration,
    ...found.registration,
    status: wanted === "blocked" ? ["client hold"] : [],
  };
  const after: Facts = {
    ...others,
    ...(found.page === undefined ? {} : { page: found.page }),
    ...(wanted === "unregistered" ? {} : { registration, registrationAt: now }),
  };
  const site = siteTimes(before, after, { wanted, now, createdAt });
  return site === undefined ? after : { ...after, site };
}

/** Returns the times of a site, with a past that its state needs. */
function siteTimes(
  before: Facts,
  after: Facts,
  { wanted, now, createdAt }: { wanted: SiteState; now: Instant; createdAt: Instant },
): SiteTimes | undefined {
  if (wanted === "unregistered" || wanted === "registered") return undefined;
  if (wanted !== "down" && wanted !== "back") return siteTimesAfter(before, after, now);
  const { site = { upAt: createdAt } } = before;
  const { upAt, downAt = now } = site;
  return siteTimesAfter({ ...before, site: wanted === "down" ? site : { upAt, downAt } }, after, now);
}
