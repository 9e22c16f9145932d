import { and, eq, gte, lt, ne, sql } from "drizzle-orm";
import type { Database } from "../../../platform/database/database.ts";
import type { Needs } from "../../../platform/database/needs.ts";
import { statement, value, valuesExcept } from "../../../platform/database/statement.ts";
import { dayMs, startOfDay, type Clock, type Instant, type Timer } from "../../../platform/lib/clock.ts";
import { logDropped } from "../../../platform/lib/log.ts";
import { sumOf } from "../../../platform/lib/sums.ts";
import { sourceActivity } from "./tables.ts";

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

/** How long counts may wait to be written. */
const deferredMsMax = 5_000;

/** Counts what arrives from each origin of names, by day (UTC). */
export type SourceActivity = ReturnType<typeof createSourceActivity>;

export function createSourceActivity({
  database,
  clock,
  log,
}: Needs<"database" | "log"> & { clock: Pick<Clock, "after" | "now"> }) {
  const { upsert, deleteOld, findSince, findTotals } = createStatements(database);
  let cleanedOn: Instant | undefined;
  /** By day, kind and name. */
  const deferred = new Map<string, ActivityOfDay>();
  let timer: Timer | undefined;

  function deleteOldDays(today: Instant): void {
    deleteOld.run({ before: today - daysKept * dayMs });
    // A transaction that fails brings the rows back; the next day deletes them.
    cleanedOn = today;
  }

  function write({ day, ...counts }: ActivityOfDay): void {
    if (day !== cleanedOn) deleteOldDays(day);
    for (const row of [day, totalDay]) upsert.run({ ...counts, day: row });
  }

  /** Never rejects: what could not be written waits for the next time. */
  async function flush(): Promise<void> {
    timer = undefined;
    const waiting = [...deferred.values()];
    if (waiting.length === 0) return;
    deferred.clear();
    try {
      await database.write(() => waiting.forEach(write), { patient: true, relaxed: true });
    } catch (error) {
      for (const counted of waiting) addTo(deferred, counted);
      logDropped(log, error, "source.counts_not_written");
    }
  }

  return {
    /**
     * Adds to the counts of today. Call it in the transaction that records the threats, once for many names. A negative
     * count takes back what was counted before.
     */
    add(origin: NameOrigin, counts: ActivityCounts): void {
      if (isNothing(counts)) return;
      const lastAt = clock.now();
      write({ ...counts, ...nameOf(origin), day: startOfDay(lastAt), lastAt });
    },
    /**
     * Adds to the counts of today, and writes them within seconds: for names that change nothing else, so that the
     * caller need not wait for the database. If the process is killed before, these counts are lost.
     */
    defer(origin: NameOrigin, counts: ActivityCounts): void {
      if (isNothing(counts)) return;
      const lastAt = clock.now();
      addTo(deferred, { ...counts, ...nameOf(origin), day: startOfDay(lastAt), lastAt });
      timer ??= clock.after(deferredMsMax, () => void flush());
    },
    /** Returns the counts of all origins since the start of a day, oldest day first. */
    since(day: Instant): ActivityOfDay[] {
      const waiting = [...deferred.values()].filter((one) => one.day >= day);
      return merged([...findSince.all({ day: Math.max(day, dayMs) }), ...waiting]);
    },
    /** Returns the counts of all origins over all time. They never decrease, except when something is taken back. */
    totals: (): ActivityTotal[] =>
      merged([...findTotals.all(), ...[...deferred.values()].map((row) => ({ ...row, day: totalDay }))]).map(
        ({ day: _day, ...total }) => total,
      ),
    /** Writes what was deferred. */
    async stop() {
      timer?.cancel();
      await flush();
    },
  };
}

function isNothing(counts: ActivityCounts): boolean {
  return Object.values(counts).every((count) => count === 0);
}

function nameOf({ kind, name }: NameOrigin): NameOrigin {
  return { kind, name };
}

/** Adds up rows of the same day and origin. Returns them by day, kind and name. */
function merged(rows: readonly ActivityOfDay[]): ActivityOfDay[] {
  const sums = new Map<string, ActivityOfDay>();
  for (const row of rows) addTo(sums, row);
  return [...sums.values()].sort(
    (a, b) => a.day - b.day || compareText(a.kind, b.kind) || compareText(a.name, b.name),
  );
}

function addTo(sums: Map<string, ActivityOfDay>, row: ActivityOfDay): void {
  const key = JSON.stringify([row.day, row.kind, row.name]);
  const before = sums.get(key);
  const lastAt = Math.max(before?.lastAt ?? row.lastAt, row.lastAt);
  const counts = sumOf([before ?? row, row], "names", "invalid", "matched", "created");
  sums.set(key, before === undefined ? row : { ...before, ...counts, lastAt });
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
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
        .values(valuesExcept(table))
        .onConflictDoUpdate({ target: [day, kind, name], set: { ...sums, ...lastSet } }),
    ),
    deleteOld: statement(database, (query) =>
      query.delete(table).where(and(ne(day, totalDay), lt(day, value(day, "before")))),
    ),
    findSince: statement(database, (query) =>
      query
        .select()
        .from(table)
        .where(gte(day, value(day))),
    ),
    findTotals: statement(database, (query) => query.select().from(table).where(eq(day, totalDay))),
  };
}
