import { and, asc, gt, gte, lt, max, sql, sum } from "drizzle-orm";
import type { Database } from "../../database/database.ts";
import { statement, value, valuesOf } from "../../database/statement.ts";
import type { Clock, Instant } from "../../lib/clock.ts";
import { sourceActivity } from "./tables.ts";

export const dayMs = 86_400_000;
/** Number of days that are kept one by one. */
const daysKept = 400;

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

  /** Adds the days that are too old to the sum of deleted days. */
  function forgetOldDays(today: Instant): void {
    const before = today - daysKept * dayMs;
    for (const row of deleteOld.all({ before })) upsert.run({ ...row, day: 0 });
    // A transaction that fails brings the rows back; the next day deletes them.
    cleanedOn = today;
  }

  return {
    add(origin, counts) {
      if (Object.values(counts).every((count) => count === 0)) return;
      const lastAt = clock.now();
      const day = startOfDay(lastAt);
      if (day !== cleanedOn) forgetOldDays(day);
      upsert.run({ ...counts, kind: origin.kind, name: origin.name, day, lastAt });
    },
    since: (day) => findSince.all({ day }),
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
      query
        .delete(table)
        .where(and(gt(day, 0), lt(day, value(day, "before"))))
        .returning(),
    ),
    findSince: statement(database, (query) =>
      query
        .select()
        .from(table)
        .where(gte(day, value(day)))
        .orderBy(asc(day)),
    ),
    findTotals: statement(database, (query) =>
      query
        .select({
          kind,
          name,
          names: sum(names).mapWith(Number),
          invalid: sum(invalid).mapWith(Number),
          matched: sum(matched).mapWith(Number),
          created: sum(created).mapWith(Number),
          lastAt: max(lastAt).mapWith(Number),
        })
        .from(table)
        .groupBy(kind, name)
        .orderBy(asc(kind), asc(name)),
    ),
  };
}
