import { and, desc, eq, gt, isNotNull, sql } from "drizzle-orm";
import type { Database } from "../database/database.ts";
import { placeholders } from "../database/placeholders.ts";
import { relaxedTransaction } from "../database/relaxed.ts";
import type { Instant } from "../lib/clock.ts";
import { lazy } from "../lib/startup.ts";
import { trapCounts, trapHits } from "./tables.ts";
import type { HitClass } from "../vocabulary/traps.ts";

export type Hit = typeof trapHits.$inferSelect;
export type NewHit = Omit<Hit, "seq">;
export type HitCount = Omit<typeof trapCounts.$inferSelect, "trapId">;

/** Visits on record. */
export interface HitStore {
  /** The row that a visit at `since` or later belongs to, when there is one. */
  openRow(trapId: string, visitor: string, since: Instant): { seq: number } | undefined;
  addRepeats(seq: number, count: number, lastAt: Instant): void;
  insert(hit: NewHit): void;
  count(trapId: string, hitClass: HitClass, count: number, lastAt: Instant): void;
  /** Those that raised a threat or were seen again, newest first. */
  ofThreat(threatId: string, limit: number): Hit[];
  /** The threats that the visits that began after `since` belong to. */
  threatsSince(trapId: string, since: Instant): string[];
  /** Whether a visit to this host raised a threat. */
  hasRaised(trapId: string, host: string): boolean;
  /** Newest first. */
  list(trapId: string, page: { limit: number; offset?: number }): Hit[];
  /** How many rows there are of a trap. */
  rows(trapId: string): number;
  get(trapId: string, seq: number): Hit | undefined;
  counts(trapId: string): HitCount[];
  /** Visits (repeats counted where the first stands) in each stretch of `stepMs` from `since` on, those with any. */
  timeline(trapId: string, since: Instant, stepMs: number): { at: Instant; class: HitClass; count: number }[];
  /** All of one trap. Has to run within a transaction. */
  removeOf(trapId: string): void;
  /** Deletes rows of a trap that has too many: those that no event told of first, and of these the oldest. */
  trim(trapId: string): void;
  /** Deletes some rows that ended before then; answers how many. */
  deleteOld(before: Instant): number;
}

export const rowsPerTrapMax = 10_000;
const rowsPerStep = 500;

export function createHitStore(database: Database): HitStore {
  const { query } = database;
  const openRow = lazy(() =>
    query
      .select({ seq: trapHits.seq })
      .from(trapHits)
      .where(
        and(
          eq(trapHits.trapId, sql.placeholder("trapId")),
          eq(trapHits.visitor, sql.placeholder("visitor")),
          gt(trapHits.firstAt, sql.placeholder("since")),
        ),
      )
      .orderBy(desc(trapHits.firstAt))
      .limit(1)
      .prepare(),
  );
  // A flood of forged reports asks at each of them: it has an index of its own.
  const hasRaised = lazy(() =>
    query
      .select({ seq: trapHits.seq })
      .from(trapHits)
      .where(
        and(
          eq(trapHits.trapId, sql.placeholder("trapId")),
          eq(trapHits.host, sql.placeholder("host")),
          isNotNull(trapHits.threatId),
        ),
      )
      .limit(1)
      .prepare(),
  );
  const addRepeats = lazy(() =>
    query
      .update(trapHits)
      .set({
        count: sql`count + ${sql.placeholder("count")}`,
        lastAt: sql`max(last_at, ${sql.placeholder("lastAt")})`,
      })
      .where(eq(trapHits.seq, sql.placeholder("seq")))
      .prepare(),
  );
  const insert = lazy(() =>
    query
      .insert(trapHits)
      .values(
        placeholders(
          "trapId",
          "class",
          "visitor",
          "host",
          "url",
          "referrer",
          "claimedUrl",
          "ipAddress",
          "userAgent",
          "method",
          "headers",
          "firstAt",
          "lastAt",
          "count",
          "eventId",
          "threatId",
        ),
      )
      .prepare(),
  );
  const count = lazy(() =>
    query
      .insert(trapCounts)
      .values(placeholders("trapId", "class", "total", "lastAt"))
      .onConflictDoUpdate({
        target: [trapCounts.trapId, trapCounts.class],
        set: { total: sql`total + excluded.total`, lastAt: sql`max(last_at, excluded.last_at)` },
      })
      .prepare(),
  );

  return {
    openRow: (trapId, visitor, since) => openRow().get({ trapId, visitor, since }),
    addRepeats: (seq, added, lastAt) => void addRepeats().run({ seq, count: added, lastAt }),
    insert: (hit) => void insert().run(hit),
    count: (trapId, hitClass, total, lastAt) => void count().run({ trapId, class: hitClass, total, lastAt }),
    threatsSince: (trapId, since) =>
      query
        .selectDistinct({ threatId: sql<string>`${trapHits.threatId}` })
        .from(trapHits)
        .where(and(eq(trapHits.trapId, trapId), gt(trapHits.firstAt, since), isNotNull(trapHits.threatId)))
        .all()
        .map(({ threatId }) => threatId),
    ofThreat: (threatId, limit) =>
      query
        .select()
        .from(trapHits)
        .where(eq(trapHits.threatId, threatId))
        .orderBy(desc(trapHits.seq))
        .limit(limit)
        .all(),
    hasRaised: (trapId, host) => hasRaised().get({ trapId, host }) !== undefined,
    rows: (trapId) =>
      query
        .select({ total: sql<number>`count(*)` })
        .from(trapHits)
        .where(eq(trapHits.trapId, trapId))
        .get()!.total,
    get: (trapId, seq) =>
      query
        .select()
        .from(trapHits)
        .where(and(eq(trapHits.trapId, trapId), eq(trapHits.seq, seq)))
        .get(),
    list: (trapId, { limit, offset = 0 }) =>
      query
        .select()
        .from(trapHits)
        .where(eq(trapHits.trapId, trapId))
        .orderBy(desc(trapHits.seq))
        .limit(limit)
        .offset(offset)
        .all(),
    counts: (trapId) =>
      query
        .select({ class: trapCounts.class, total: trapCounts.total, lastAt: trapCounts.lastAt })
        .from(trapCounts)
        .where(eq(trapCounts.trapId, trapId))
        .orderBy(desc(trapCounts.total))
        .all(),
    timeline: (trapId, since, stepMs) =>
      query
        .select({
          at: sql<number>`(${trapHits.firstAt} / ${stepMs}) * ${stepMs}`,
          class: trapHits.class,
          count: sql<number>`sum(${trapHits.count})`,
        })
        .from(trapHits)
        .where(and(eq(trapHits.trapId, trapId), gt(trapHits.firstAt, since)))
        .groupBy(sql`1`, trapHits.class)
        .orderBy(sql`1`)
        .all(),
    removeOf(trapId) {
      query.delete(trapHits).where(eq(trapHits.trapId, trapId)).run();
      query.delete(trapCounts).where(eq(trapCounts.trapId, trapId)).run();
    },
    trim(trapId) {
      query
        .delete(trapHits)
        .where(
          sql`${trapHits.seq} in (select seq from ${trapHits} where trap_id = ${trapId}
            order by event_id is null, seq desc limit -1 offset ${rowsPerTrapMax})`,
        )
        .run();
    },
    deleteOld: (before) =>
      // What comes back after a power cut is deleted again.
      relaxedTransaction(
        database,
        () =>
          query
            .delete(trapHits)
            .where(
              sql`${trapHits.seq} in (select seq from ${trapHits} where last_at < ${before} limit ${rowsPerStep})`,
            )
            .returning({ seq: trapHits.seq })
            .all().length,
      ),
  };
}
