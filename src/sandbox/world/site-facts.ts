import type { Facts } from "../../enrichment/facts/facts.ts";
import { siteTimesAfter } from "../../enrichment/facts/site-state.ts";
import type { Instant } from "../../lib/clock.ts";
import type { Threat } from "../../threats/store/queries.ts";
import { factsAt, type Scene } from "./scenes.ts";

/** States that a site can be put into; the others follow from what was there before. */
export const settableStates = ["up", "parked", "down", "blocked"] as const;
type SettableState = (typeof settableStates)[number];

const scenes: Record<SettableState, Scene> = {
  up: { exists: true, picture: "bank-password" },
  parked: { exists: true, parked: "Sample Parking" },
  down: { exists: true },
  blocked: { exists: false },
};
const sampleAddress = "192.0.2.80";

/** Returns the facts that lookups find when the site of a threat is in a state. */
export function siteFacts(
  threat: Threat,
  { before, wanted, now }: { before: Facts; wanted: SettableState; now: Instant },
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
  const { page: _page, ...others } = { ...before, ...found };
  const registration = { ...before.registration, ...found.registration };
  const status = wanted === "blocked" ? ["client hold"] : [];
  const after: Facts = {
    ...others,
    ...(found.page === undefined ? {} : { page: found.page }),
    registration: { ...registration, status },
    registrationAt: now,
  };
  const site = siteTimesAfter(before, after, now);
  return site === undefined ? after : { ...after, site };
}
