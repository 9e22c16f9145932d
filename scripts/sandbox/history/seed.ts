import { hashKey, shownLength } from "../../../src/access/keys/key-format.ts";
import { apiKeys } from "../../../src/access/keys/tables.ts";
import type { Database } from "../../../src/platform/database/database.ts";
import { protectedDomains } from "../../../src/threats/domains/tables.ts";
import { siteStateSince } from "../../../src/facts/enrichment/facts/site-state.ts";
import { threatFactsOf } from "../../../src/facts/enrichment/facts/fact-changes.ts";
import type { CaseSettings } from "../../../src/platform/config/config.ts";
import { dayMs, type Instant } from "../../../src/platform/lib/clock.ts";
import { createIdFactory, type IdFactory } from "../../../src/platform/lib/ids.ts";
import { dueAtFor } from "../../../src/threats/threats/case/due.ts";
import { threats } from "../../../src/threats/threats/store/tables.ts";
import { insertAll, writeChanges, type Draft, type StoredThreat } from "./draft.ts";
import { sandboxKeys, type SandboxKey } from "../../../src/sandbox/world/samples.ts";
import { createRandom } from "../../../src/sandbox/world/random.ts";
import { makeWorld, type WorldThreat } from "../world/world.ts";
import { addDeliveries } from "./deliveries.ts";
import { addPeople } from "./people.ts";
import { connectRecipients } from "./recipients.ts";
import { addSources } from "./sources.ts";
import { addThreatHistory } from "./threats.ts";
import { addTraps } from "./traps.ts";

/** Due times that the sample threats of the last days were recorded with; none were configured before. */
const sampleCases: CaseSettings = { dueMs: { high: dayMs, medium: 3 * dayMs, low: 14 * dayMs } };
const dueDaysMax = 7;

/** Writes the public keys of a sandbox. */
export function addPublicKeys(database: Database, seed: number, start: Instant): void {
  const ids = createIdFactory(() => start, createRandom(seed + 1).fillRandom);
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
  database.query.insert(apiKeys).values(keys).run();
}

/** Writes the sample threats with their history. */
export function addSamples(
  database: Database,
  { isDemonstration = false, seed, start }: { isDemonstration?: boolean; seed: number; start: Instant },
): void {
  const { domain, seq } = protectedDomains;
  const seqs = new Map(
    database.query
      .select({ domain, seq })
      .from(protectedDomains)
      .all()
      .map((row) => [row.domain, row.seq]),
  );
  const world = makeWorld(start, createRandom(seed), { isCaughtUp: isDemonstration });
  const stored = storeThreats(database, world, { seqs, start });
  writeHistory({ database, domainSeqs: seqs, random: createRandom(seed + 2), start, threats: stored });
  if (isDemonstration) connectRecipients(database);
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
