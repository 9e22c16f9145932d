import { and, asc, eq, gte, lt, ne, sql } from "drizzle-orm";
import type { Database } from "../../database/database.ts";
import { statement, value, valuesOf } from "../../database/statement.ts";
import type { Clock, Instant } from "../../lib/clock.ts";
import { sourceActivity } from "./tables.ts";

export const dayMs = 86_400_000;
/** Number of days that are kept one by one. */
const daysKept = 400;
/** Day of the rows that contain the counts over all time. */
const totalDay = 0;

/** Where names come from: a source, or another part of phishwatch that finds names, such as `scan`. */
export interface NameOrigin {
  kind: string;
  /** Unique among the origins of its kind. */
  name: string;
}

export interface ActivityCounts {
  /** Names that arrived, including invalid ones. */
  names: number;
  invalid: number;
  /** Names that match at least one protected domain. */
  matched: number;
  /** Threats that were not on record before. */
  created: number;
}

/** Counts of one origin on one day. */
export interface ActivityOfDay extends ActivityCounts, NameOrigin {
  /** Start of the day (UTC). */
  day: Instant;
  /** When names last arrived. */
  lastAt: Instant;
}

/** Counts of one origin since it was first used. */
export type ActivityTotal = Omit<ActivityOfDay, "day">;

/** Counts what arrives from each origin of names, by day (UTC). */
export interface SourceActivity {
  /**
   * Adds to the counts of today. Call it in the transaction that records the threats, once for many names. A negative
   * count takes back what was counted before.
   */
  add(origin: NameOrigin, counts: ActivityCounts): void;
  /** Returns the counts of all origins since the start of a day, oldest day first. */
  since(day: Instant): ActivityOfDay[];
  /** Returns the counts of all origins over all time. They never decrease, except when something is taken back. */
  totals(): ActivityTotal[];
}

export function startOfDay(at: Instant): Instant {
  return Math.floor(at / dayMs) * dayMs;
}

export function createSourceActivity({
  database,
  clock,
}: {
  database: Database;
  clock: Pick<Clock, "now">;
}): SourceActivity {
  const { upsert, deleteOld, findSince, findTotals } = createStatements(database);
  let cleanedOn: Instant | undefined;

  function deleteOldDays(today: Instant): void {
    deleteOld.run({ before: today - daysKept * dayMs });
    // A transaction that fails brings the rows back; the next day deletes them.
    cleanedOn = today;
  }

  return {
    add(origin, counts) {
      if (Object.values(counts).every((count) => count === 0)) return;
      const lastAt = clock.now();
      const day = startOfDay(lastAt);
      if (day !== cleanedOn) deleteOldDays(day);
      const { kind, name } = origin;
      for (const row of [day, totalDay]) upsert.run({ ...counts, kind, name, day: row, lastAt });
    },
    since: (day) => findSince.all({ day: Math.max(day, dayMs) }),
    totals: () => findTotals.all(),
  };
}

function createStatements(database: Database) {
  const table = sourceActivity;
  const { kind, name, day, names, invalid, matched, created, lastAt } = table;
  const counted = { names, invalid, matched, created };
  const sums = Object.fromEntries(
    Object.entries(counted).map(([key, column]) => [
      key,
      sql`max(0, ${column} + ${sql.raw(`excluded."${column.name}"`)})`,
    ]),
  );
  const lastSet = { lastAt: sql`max(${lastAt}, excluded."last_at")` };
  return {
    upsert: statement(database, (query) =>
      query
        .insert(table)
        .values(valuesOf(table, "kind", "name", "day", "names", "invalid", "matched", "created", "lastAt"))
        .onConflictDoUpdate({ target: [day, kind, name], set: { ...sums, ...lastSet } }),
    ),
    deleteOld: statement(database, (query) =>
      query.delete(table).where(and(ne(day, totalDay), lt(day, value(day, "before")))),
    ),
    findSince: statement(database, (query) =>
      query
        .select()
        .from(table)
        .where(gte(day, value(day)))
        .orderBy(asc(day), asc(kind), asc(name)),
    ),
    findTotals: statement(database, (query) =>
      query
        .select({ kind, name, ...counted, lastAt })
        .from(table)
        .where(eq(day, totalDay))
        .orderBy(asc(kind), asc(name)),
    ),
  };
}
