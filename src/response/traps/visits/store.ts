import { and, desc, eq, gt, isNotNull, lte, sql, type SQL } from "drizzle-orm";
import { type Database, relaxedTransaction } from "../../../platform/database/database.ts";
import {
  columnsOf,
  hasValue,
  statement,
  value,
  valuesExcept,
  valuesOf,
} from "../../../platform/database/statement.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import type { VisitClass } from "../../../platform/vocabulary/traps.ts";
import { trapVisits, trapVisitTotals } from "./tables.ts";

/** All visits of one visitor to one trap within `traps.repeat_after`. */
export type TrapVisit = typeof trapVisits.$inferSelect;
export type NewVisit = Omit<TrapVisit, "seq">;
export type VisitTotal = Omit<typeof trapVisitTotals.$inferSelect, "trapId">;

/** Visits to traps in the database. */
export type VisitStore = ReturnType<typeof createVisitStore>;

export const rowsPerTrapMax = 10_000;
const deletedPerBatch = 500;

export function createVisitStore(database: Database) {
  return { ...createReads(database), ...createWrites(database) };
}

function createReads({ query }: Database) {
  const newest = (where: SQL | undefined) =>
    query.select().from(trapVisits).where(where).orderBy(desc(trapVisits.seq));

  return {
    /** Visits of one trap, newest first. */
    list: (trapId: string, { limit, offset = 0 }: { limit: number; offset?: number }): TrapVisit[] =>
      newest(eq(trapVisits.trapId, trapId)).limit(limit).offset(offset).all(),
    countRows: (trapId: string) =>
      query
        .select({ total: sql<number>`count(*)` })
        .from(trapVisits)
        .where(eq(trapVisits.trapId, trapId))
        .get()!.total,
    get: (trapId: string, seq: number): TrapVisit | undefined =>
      newest(and(eq(trapVisits.trapId, trapId), eq(trapVisits.seq, seq))).get(),

    /** Number of visits by class, the most frequent class first. */
    totals: (trapId: string): VisitTotal[] =>
      query
        .select(columnsOf(trapVisitTotals, "class total lastAt"))
        .from(trapVisitTotals)
        .where(eq(trapVisitTotals.trapId, trapId))
        .orderBy(desc(trapVisitTotals.total))
        .all(),

    /**
     * Number of visits by class in each interval of `stepMs` from `since` on, without empty intervals. Repeats count
     * in the interval of the first visit.
     */
    timeline: (trapId: string, since: Instant, stepMs: number) =>
      query
        .select({
          at: sql<number>`(${trapVisits.firstAt} / ${stepMs}) * ${stepMs}`,
          class: trapVisits.class,
          count: sql<number>`sum(${trapVisits.count})`,
        })
        .from(trapVisits)
        .where(and(eq(trapVisits.trapId, trapId), gt(trapVisits.firstAt, since)))
        .groupBy(sql`1`, trapVisits.class)
        .orderBy(sql`1`)
        .all(),

    /** Visits that led to a threat or to one that was known, newest first. */
    ofThreat: (threatId: string, limit: number): TrapVisit[] =>
      newest(eq(trapVisits.threatId, threatId)).limit(limit).all(),
  };
}

function createWrites(database: Database) {
  const { query } = database;
  const prepared = prepareWrites(database);

  return {
    /** The visitor's newest row that began after `after` and not later than `latest`. */
    findOpen: (trapId: string, visitor: string, after: Instant, latest: Instant) =>
      prepared.findOpen.get({ trapId, visitor, after, latest }),
    addRepeats: (seq: number, count: number, lastAt: Instant) =>
      prepared.addRepeats.run({ seq, count, lastAt }),
    insert: (visit: NewVisit) => prepared.insert.run(visit),
    addToTotal: (trapId: string, visitClass: VisitClass, total: number, lastAt: Instant) =>
      prepared.addToTotal.run({ trapId, class: visitClass, total, lastAt }),

    /** Threats that visits led to which began after `after` and not later than `latest`. */
    threatsBetween: (trapId: string, after: Instant, latest: Instant) =>
      query
        .selectDistinct({ threatId: sql<string>`${trapVisits.threatId}` })
        .from(trapVisits)
        .where(
          and(
            eq(trapVisits.trapId, trapId),
            gt(trapVisits.firstAt, after),
            lte(trapVisits.firstAt, latest),
            isNotNull(trapVisits.threatId),
          ),
        )
        .all()
        .map(({ threatId }) => threatId),

    /** Whether a visit on this host led to a threat. */
    hasThreat: (trapId: string, host: string) => prepared.hasThreat.get({ trapId, host }) !== undefined,

    /** Deletes the visits of a trap. Must run within a transaction. */
    deleteOfTrap(trapId: string) {
      query.delete(trapVisits).where(eq(trapVisits.trapId, trapId)).run();
      query.delete(trapVisitTotals).where(eq(trapVisitTotals.trapId, trapId)).run();
    },

    /** Deletes rows of a trap that has too many: those without an event first, and of these the oldest first. */
    trim(trapId: string) {
      query
        .delete(trapVisits)
        .where(
          sql`${trapVisits.seq} in (select seq from ${trapVisits} where trap_id = ${trapId}
            order by event_id is null, seq desc limit -1 offset ${rowsPerTrapMax})`,
        )
        .run();
    },

    /** Deletes a batch of rows that ended before `before`; returns the number of deleted rows. */
    deleteOld: (before: Instant) =>
      // Rows that a power cut restores are deleted again.
      relaxedTransaction(
        database,
        () =>
          query
            .delete(trapVisits)
            .where(
              sql`${trapVisits.seq} in (select seq from ${trapVisits} where last_at < ${before} limit ${deletedPerBatch})`,
            )
            .returning({ seq: trapVisits.seq })
            .all().length,
      ),
  };
}

function prepareWrites(database: Database) {
  const isOfTrap = hasValue(trapVisits.trapId);
  return {
    findOpen: statement(database, (query) =>
      query
        .select({ seq: trapVisits.seq })
        .from(trapVisits)
        .where(
          and(
            isOfTrap,
            hasValue(trapVisits.visitor),
            gt(trapVisits.firstAt, value(trapVisits.firstAt, "after")),
            // A later one was recorded before the clock was set back, and would hide new visits until that time.
            lte(trapVisits.firstAt, value(trapVisits.firstAt, "latest")),
          ),
        )
        .orderBy(desc(trapVisits.firstAt))
        .limit(1),
    ),
    // Runs on every visit of a flood of forged reports, so it has its own index.
    hasThreat: statement(database, (query) =>
      query
        .select({ seq: trapVisits.seq })
        .from(trapVisits)
        .where(and(isOfTrap, hasValue(trapVisits.host), isNotNull(trapVisits.threatId)))
        .limit(1),
    ),
    addRepeats: statement(database, (query) =>
      query
        .update(trapVisits)
        .set({
          count: sql`count + ${value(trapVisits.count)}`,
          lastAt: sql`max(last_at, ${value(trapVisits.lastAt)})`,
        })
        .where(hasValue(trapVisits.seq)),
    ),
    insert: statement(database, (query) => query.insert(trapVisits).values(valuesExcept(trapVisits, "seq"))),
    addToTotal: statement(database, (query) =>
      query
        .insert(trapVisitTotals)
        .values(valuesOf(trapVisitTotals, "trapId", "class", "total", "lastAt"))
        .onConflictDoUpdate({
          target: [trapVisitTotals.trapId, trapVisitTotals.class],
          set: { total: sql`total + excluded.total`, lastAt: sql`max(last_at, excluded.last_at)` },
        }),
    ),
  };
}
