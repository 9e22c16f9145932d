import { eq } from "drizzle-orm";
import type { Database } from "../../platform/database/database.ts";
import type { Facts } from "../../facts/enrichment/facts/facts.ts";
import type { Lookups } from "../../facts/lookups/lookups.ts";
import { enrichments } from "../../facts/enrichment/tables.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import { threats } from "../../threats/threats/store/tables.ts";
import { sampleNetworkOf } from "../world/networks.ts";
import { factsOfArrival } from "./arrivals.ts";

const noPage = "the demonstration has no page of this name";
const noRegistration = "the demonstration has no registration data of this name";

/**
 * Returns lookups that find the facts on record again, so that a check of a sample threat works without a network.
 *
 * @param dependencies.lookUpExistence looks up names that are not among the samples
 */
export function createSampleLookups({
  database,
  lookUpExistence,
  now,
}: {
  database: () => Pick<Database, "query">;
  lookUpExistence: Lookups["existence"];
  now: () => Instant;
}): Lookups {
  function factsOf(name: string): Facts | undefined {
    const known = database()
      .query.select({ facts: enrichments.facts })
      .from(enrichments)
      .innerJoin(threats, eq(enrichments.threatSeq, threats.seq))
      .where(eq(threats.domain, name))
      .get()?.facts;
    return known?.existence === undefined ? (factsOfArrival(name, now()) ?? known) : known;
  }

  return {
    async existence(name, options) {
      const facts = factsOf(name);
      if (facts?.existence !== undefined) return facts.existence;
      const reason = facts?.unknown.existence;
      if (reason === undefined) return lookUpExistence(name, options);
      return {
        exists: "unknown",
        reason,
        addresses: [],
        mailServers: [],
        nameServers: [],
        wildcard: false,
      };
    },
    async registration(name) {
      const facts = factsOf(name);
      return facts?.registration === undefined
        ? { ok: false, reason: facts?.unknown.registration ?? noRegistration }
        : { ok: true, registration: facts.registration, raw: JSON.stringify(facts.registration) };
    },
    async network(address) {
      return { ok: true, network: sampleNetworkOf(address) };
    },
    async page({ name }) {
      const facts = factsOf(name);
      return facts?.page === undefined
        ? { ok: false, reason: facts?.unknown.page ?? noPage }
        : { ok: true, page: facts.page };
    },
  };
}
