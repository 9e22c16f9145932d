import { eq } from "drizzle-orm";
import { hashKey, shownLength } from "../access/key-format.ts";
import { apiKeys } from "../access/tables.ts";
import type { Database } from "../database/database.ts";
import { placeholders } from "../database/placeholders.ts";
import { protectedDomains } from "../domains/tables.ts";
import type { Instant } from "../lib/clock.ts";
import { createIdFactory } from "../lib/ids.ts";
import { threats } from "../threats/tables.ts";
import { sandboxKeys, type SandboxKey } from "./keys.ts";
import { createRandom } from "./random.ts";
import { makeWorld } from "./world.ts";

/** Writes the known keys and, unless it is to be empty, the seeded threats, without events: nobody has subscribed. */
export function seedDatabase(
  database: Database,
  { seed, start, empty }: { seed: number; start: Instant; empty: boolean },
): void {
  const ids = createIdFactory(() => start, createRandom(seed + 1).fillRandom);
  const { query } = database;
  const insertKey = query
    .insert(apiKeys)
    .values(
      placeholders(
        "id",
        "name",
        "hash",
        "prefix",
        "plan",
        "scopes",
        "domains",
        "origin",
        "createdAt",
        "expiresAt",
        "revokedAt",
      ),
    )
    .prepare();
  database.transaction(() => {
    for (const [name, given] of Object.entries(sandboxKeys)) {
      const { key, plan, scopes, domains, expiresAfterMs, revoked }: SandboxKey = given;
      insertKey.run({
        id: ids.next("apiKey"),
        name: `sandbox ${name}`,
        hash: hashKey(key),
        prefix: key.slice(0, shownLength),
        plan,
        scopes,
        domains,
        origin: "runtime",
        createdAt: start,
        expiresAt: expiresAfterMs === undefined ? null : start + expiresAfterMs,
        revokedAt: revoked === true ? start : null,
      });
    }
    if (!empty) insertThreats(database, makeWorld(start, createRandom(seed)));
  });
}

function insertThreats({ query }: Database, rows: ReturnType<typeof makeWorld>): void {
  const seqs = new Map<string, number>();
  const seqOf = (domain: string) => {
    const known = seqs.get(domain);
    if (known !== undefined) return known;
    const row = query
      .select({ seq: protectedDomains.seq })
      .from(protectedDomains)
      .where(eq(protectedDomains.domain, domain))
      .get();
    if (row === undefined) throw new Error(`not a protected domain: ${domain}`);
    seqs.set(domain, row.seq);
    return row.seq;
  };
  const insert = query
    .insert(threats)
    .values(
      placeholders(
        "id",
        "protectedDomainSeq",
        "domain",
        "type",
        "status",
        "severity",
        "similarity",
        "source",
        "reasons",
        "severityReasons",
        "firstSeen",
        "createdAt",
        "statusChangedAt",
        "ipAddress",
        "registrar",
        "whois",
        "screenshotToken",
      ),
    )
    .prepare();
  for (const { protectedDomain, ...row } of rows)
    insert.run({ ...row, protectedDomainSeq: seqOf(protectedDomain) });
}
