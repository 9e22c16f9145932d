import { eq } from "drizzle-orm";
import { subjectOf } from "../../../src/access/keys/audit.ts";
import { apiKeys } from "../../../src/access/keys/tables.ts";
import { dayMs, startOfDay, toIsoTime } from "../../../src/platform/lib/clock.ts";
import { protectedDomains } from "../../../src/threats/domains/tables.ts";
import type { Scope } from "../../../src/platform/vocabulary/keys.ts";
import { analyst, timer } from "../world/decisions.ts";
import { insertAll, type Draft } from "./draft.ts";
import samples from "./samples.json" with { type: "json" };

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** A backup is made every night. */
const backupMs = hourMs + 12_000;
const backupDays = 14;
/** The installation is a little older than its oldest threat. */
const installedDays = 92;

/** Adds API keys, sign-ins, and the age of the protected domains. */
export function addPeople(draft: Draft): void {
  const { changes, database, domainSeqs, idAt, random, start } = draft;
  const installedAt = start - installedDays * dayMs;
  for (const seq of domainSeqs.values())
    database.query
      .update(protectedDomains)
      .set({ createdAt: installedAt, updatedAt: installedAt })
      .where(eq(protectedDomains.seq, seq))
      .run();
  const keys = samples.apiKeys.map(({ days, name, revokedDays, scopes, usedMs }) => {
    const createdAt = startOfDay(start) - days * dayMs + 9 * hourMs;
    const hash = Buffer.alloc(32);
    // Nobody knows a key with this hash.
    random.fillRandom(hash);
    return {
      id: idAt(createdAt).next("apiKey"),
      name,
      hash,
      prefix: `pw_${hash.toString("hex").slice(0, 5)}`,
      plan: "pro" as const,
      scopes: scopes as Scope[],
      domains: [],
      origin: "runtime" as const,
      createdAt,
      expiresAt: null,
      revokedAt: revokedDays === null ? null : createdAt + (days - revokedDays) * dayMs,
      lastUsedAt: start - usedMs,
    };
  });
  insertAll(database, apiKeys, keys);
  for (const key of keys) {
    const detail = { plan: key.plan, scopes: key.scopes, domains: key.domains, expires_at: null };
    changes.push({ at: key.createdAt, by: analyst, action: "key.create", subject: subjectOf(key), detail });
    if (key.revokedAt !== null)
      changes.push({ at: key.revokedAt, by: analyst, action: "key.revoke", subject: subjectOf(key) });
  }
  for (let day = startOfDay(start) - backupDays * dayMs; day + backupMs < start; day += dayMs)
    changes.push({
      at: day + backupMs,
      by: timer,
      action: "backup.make",
      subject: `phishwatch-${toIsoTime(day).slice(0, 10)}.db`,
    });
  for (let day = startOfDay(start) - installedDays * dayMs; day < start; day += dayMs) {
    const weekday = new Date(day).getUTCDay();
    const at = day + 6 * hourMs + random.below(50) * minuteMs;
    if (weekday === 0 || weekday === 6 || at >= start) continue;
    changes.push({ at, by: analyst, action: "console.sign_in", subject: null });
  }
}
