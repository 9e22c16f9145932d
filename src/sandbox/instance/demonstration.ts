import { eq, sql } from "drizzle-orm";
import type { App } from "../../app/app.ts";
import type { Facts } from "../../facts/enrichment/facts/facts.ts";
import { enrichments } from "../../facts/enrichment/tables.ts";
import type { Lookups } from "../../facts/lookups/lookups.ts";
import { certificateLogsOrigin } from "../../intake/sources/certificate-logs/batch-recorder.ts";
import { recipients } from "../../messaging/deliveries/store/tables.ts";
import type { Database } from "../../platform/database/database.ts";
import { dayMs, toIsoTime, type Clock, type Instant } from "../../platform/lib/clock.ts";
import { logDropped, type Log } from "../../platform/lib/log.ts";
import { threats } from "../../threats/threats/store/tables.ts";
import { demonstrationUrl } from "../world/samples.ts";
import { sampleNetworkOf } from "../world/scenes.ts";
import samples from "./demonstration.json" with { type: "json" };

const minuteMs = 60_000;

/** Look-alikes that are logged during the demonstration, with the minutes after its start. */
const { arrivals } = samples;

/** Lets the recipients of a demonstration receive messages at its address. */
export function connectRecipients({ query }: Pick<Database, "query">, publicUrl: string): void {
  const target = sql`replace(${recipients.target}, ${demonstrationUrl}, ${publicUrl})`;
  query.update(recipients).set({ target }).run();
}

/** Lets the certificate logs show new look-alikes, so that pages say that something has arrived. */
export function scheduleArrivals(
  { candidates }: Pick<App, "candidates">,
  { clock, log }: { clock: Clock; log: Log },
): void {
  for (const { minutes, name } of arrivals)
    clock.after(minutes * minuteMs, () => {
      candidates
        .submit([name], { source: "certificate_transparency", origin: certificateLogsOrigin })
        .catch((error: unknown) => logDropped(log, error, "sandbox.arrival_not_recorded"));
    });
}

/** Returns the facts of a name that has just arrived: registered yesterday, with a mail server. */
function factsOfArrival(name: string, now: Instant): Facts | undefined {
  if (!arrivals.some((arrival) => arrival.name === name)) return undefined;
  const nameServers = ["ns1.quicknames-dns.example", "ns2.quicknames-dns.example"];
  const createdAt = now - dayMs;
  return {
    existence: {
      exists: "yes",
      addresses: ["203.0.113.77"],
      mailServers: [`mx1.${name}`],
      nameServers,
      wildcard: false,
    },
    registration: {
      source: "rdap",
      registrar: "Quick Names LLC",
      registrar_iana_id: "9990",
      created_at: toIsoTime(createdAt),
      expires_at: toIsoTime(createdAt + 365 * dayMs),
      name_servers: nameServers,
      abuse_email: "abuse@quick.example",
      fetched_at: toIsoTime(now),
    },
    unknown: { page: "the server refuses the connection" },
  };
}

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
