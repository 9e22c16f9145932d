import { hashKey, shownLength } from "../../access/keys/key-format.ts";
import { apiKeys } from "../../access/keys/tables.ts";
import type { Database } from "../../platform/database/database.ts";
import { protectedDomains } from "../../threats/domains/tables.ts";
import { siteStateSince } from "../../facts/enrichment/facts/site-state.ts";
import { threatFactsOf } from "../../facts/enrichment/facts/fact-changes.ts";
import type { CaseSettings } from "../../platform/config/config.ts";
import { dayMs, type Instant } from "../../platform/lib/clock.ts";
import { createIdFactory, type IdFactory } from "../../platform/lib/ids.ts";
import { dueAtFor } from "../../threats/threats/case/due.ts";
import { threats } from "../../threats/threats/store/tables.ts";
import { insertAll, writeChanges, type Draft, type StoredThreat } from "./draft.ts";
import { sandboxKeys, type SandboxKey } from "../world/samples.ts";
import { createRandom } from "../world/random.ts";
import { makeWorld, type WorldThreat } from "../world/world.ts";
import { addDeliveries } from "./deliveries.ts";
import { addPeople } from "./people.ts";
import { addSources } from "./sources.ts";
import { addThreatHistory } from "./threats.ts";
import { addTraps } from "./traps.ts";

/** Due times that the sample threats of the last days were recorded with; none were configured before. */
const sampleCases: CaseSettings = { dueMs: { high: dayMs, medium: 3 * dayMs, low: 14 * dayMs } };
const dueDaysMax = 7;

/** Writes the sample threats with their history, unless `empty`, and the public keys, except for a demonstration. */
export function seedDatabase(
  database: Database,
  {
    empty,
    isDemonstration,
    seed,
    start,
  }: { empty: boolean; isDemonstration: boolean; seed: number; start: Instant },
): void {
  const ids = createIdFactory(() => start, createRandom(seed + 1).fillRandom);
  const { query } = database;
  const keys = Object.entries(sandboxKeys).map(([name, given]) => {
    const { key, plan, scopes, domains, expiresAfterMs, revoked }: SandboxKey = given;
    return {
      id: ids.next("apiKey"),
      name: `sandbox ${name}`,
      hash: hashKey(key),
      prefix: key.slice(0, shownLength),
      plan,
      scopes: [...scopes],
      domains: [...domains],
      origin: "runtime" as const,
      createdAt: start,
      expiresAt: expiresAfterMs === undefined ? null : start + expiresAfterMs,
      revokedAt: revoked === true ? start : null,
    };
  });
  database.transaction(() => {
    if (!isDemonstration) query.insert(apiKeys).values(keys).run();
    if (empty) return;
    const { domain, seq } = protectedDomains;
    const seqs = new Map(
      query
        .select({ domain, seq })
        .from(protectedDomains)
        .all()
        .map((row) => [row.domain, row.seq]),
    );
    const stored = storeThreats(
      database,
      makeWorld(start, createRandom(seed), { isCaughtUp: isDemonstration }),
      { seqs, start },
    );
    writeHistory({ database, domainSeqs: seqs, random: createRandom(seed + 2), start, threats: stored });
  });
}

/** @param seqs `seq` of each protected domain */
function storeThreats(
  database: Database,
  world: readonly WorldThreat[],
  { seqs, start }: { seqs: ReadonlyMap<string, number>; start: Instant },
): StoredThreat[] {
  const rows = world.map((threat) => {
    const { checks, decisions, protectedDomain, ...row } = threat;
    const protectedDomainSeq = seqs.get(protectedDomain);
    if (protectedDomainSeq === undefined) throw new Error(`not a protected domain: ${protectedDomain}`);
    const last = checks.at(-1);
    const facts = last && threatFactsOf(last.facts, last.at);
    const siteState = facts?.siteState ?? null;
    const hasDueTime = row.status === "active" && start - row.statusChangedAt < dueDaysMax * dayMs;
    return {
      ...row,
      protectedDomainSeq,
      decidedAt: decisions.find(({ after }) => after !== "active")?.at ?? null,
      nameServer: facts?.nameServer ?? null,
      siteState,
      siteStateAt: siteState && (siteStateSince(last!.facts, siteState) ?? row.createdAt),
      dueAt: hasDueTime ? dueAtFor(sampleCases, row.severity, row.statusChangedAt) : null,
      cloneSeenAt: row.type === "cloned_site" ? row.firstSeen : null,
      reactivations: decisions.filter(({ after }) => after === "active").length,
      changedAt: Math.max(row.statusChangedAt, last?.at ?? 0),
    };
  });
  insertAll(database, threats, rows);
  const seqOf = new Map(
    database.query
      .select({ id: threats.id, seq: threats.seq })
      .from(threats)
      .all()
      .map(({ id, seq }) => [id, seq]),
  );
  return world.map((threat) => ({ ...threat, seq: seqOf.get(threat.id)! }));
}

/**
 * Writes what a team and its systems did with the sample threats: checks, decisions, scans, imports, visits, events,
 * deliveries and messages. Must run in the transaction that stores the threats.
 */
function writeHistory(given: Pick<Draft, "database" | "domainSeqs" | "random" | "start" | "threats">): void {
  let now = given.start;
  const ids = createIdFactory(() => now, given.random.fillRandom);
  const draft: Draft = {
    ...given,
    events: [],
    changes: [],
    afterEvents: [],
    idAt(at: Instant): IdFactory {
      now = at;
      return ids;
    },
  };
  addPeople(draft);
  addThreatHistory(draft);
  addSources(draft);
  addTraps(draft);
  addDeliveries(draft);
  writeChanges(draft);
}
