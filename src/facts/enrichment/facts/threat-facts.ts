import type { Instant } from "../../../platform/lib/clock.ts";
import type { ThreatFacts } from "../../../threats/threats/update-facts.ts";
import { severityFactsOf, type Facts } from "./facts.ts";
import { siteStateOf } from "./site-state.ts";

/** Returns the facts that are stored with the threat. */
export function threatFactsOf(facts: Facts, now: Instant): ThreatFacts {
  return {
    ipAddress: facts.existence?.addresses[0] ?? null,
    registrar: facts.registration?.registrar ?? null,
    nameServer: nameServersOf(facts).toSorted()[0] ?? null,
    whois: facts.registration ?? {},
    siteState: siteStateOf(facts, now),
    evidence: severityFactsOf(facts, now),
  };
}

/** Returns the name servers that the zone lists, or if it is not known, those that the registry lists. */
function nameServersOf({ existence, registration }: Facts): string[] {
  const listed = existence?.nameServers ?? [];
  return listed.length > 0 ? listed : (registration?.name_servers ?? []);
}
