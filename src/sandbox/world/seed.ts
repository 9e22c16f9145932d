import { hashKey, shownLength } from "../../access/keys/key-format.ts";
import { apiKeys } from "../../access/keys/tables.ts";
import type { Database } from "../../database/database.ts";
import { protectedDomains } from "../../domains/tables.ts";
import { nothingKnown } from "../../enrichment/facts/facts.ts";
import { intervalsMs, rankOf, ranks } from "../../enrichment/plan.ts";
import { enrichments } from "../../enrichment/tables.ts";
import type { Instant } from "../../lib/clock.ts";
import { createIdFactory } from "../../lib/ids.ts";
import { threats } from "../../threats/store/tables.ts";
import { sandboxKeys, type SandboxKey } from "./keys.ts";
import { createRandom } from "./random.ts";
import { makeWorld } from "./world.ts";

/** Writes the public keys and, unless `empty`, the sample threats. It records no events, because nothing subscribes yet. */
export function seedDatabase(
  database: Database,
  { seed, start, empty }: { seed: number; start: Instant; empty: boolean },
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
    query.insert(apiKeys).values(keys).run();
    if (empty) return;
    const { domain, seq } = protectedDomains;
    const seqs = new Map(
      query
        .select({ domain, seq })
        .from(protectedDomains)
        .all()
        .map((row) => [row.domain, row.seq]),
    );
    const rows = makeWorld(start, createRandom(seed)).map(({ protectedDomain, known, ...row }) => {
      const protectedDomainSeq = seqs.get(protectedDomain);
      if (protectedDomainSeq === undefined) throw new Error(`not a protected domain: ${protectedDomain}`);
      const changedAt = Math.max(row.statusChangedAt, known?.checkedAt ?? 0);
      return { known, row: { ...row, protectedDomainSeq, changedAt } };
    });
    const inserted = query
      .insert(threats)
      .values(rows.map(({ row }) => row))
      .returning({ seq: threats.seq })
      .all();
    const facts = rows.map(({ known, row }, index) => ({
      threatSeq: inserted[index]!.seq,
      rank: known === undefined ? rankOf(row.severity) : ranks.recheck,
      dueAt: known === undefined ? start : known.checkedAt + intervalsMs.at(-1)!,
      step: 0,
      failures: 0,
      checkedAt: known?.checkedAt ?? null,
      facts: known?.facts ?? nothingKnown,
      screenshotFailures: 0,
    }));
    query.insert(enrichments).values(facts).run();
  });
}
