import { and, asc, count, desc, eq, getTableColumns, lte, min, sql, type SQL } from "drizzle-orm";
import type { SQLiteUpdateSetSource } from "drizzle-orm/sqlite-core";
import type { Database } from "../../../platform/database/database.ts";
import {
  countValue,
  hasValue,
  opaqueValue,
  statement,
  value,
  valuesExcept,
  valuesOf,
} from "../../../platform/database/statement.ts";
import { startOfDay, type Instant } from "../../../platform/lib/clock.ts";
import { inspectionPriorities, type InspectionPriority } from "../../../platform/vocabulary/inspections.ts";
import { threats } from "../../../threats/threats/store/tables.ts";
import type { Inspection, InspectionTotals } from "../model/inspection.ts";
import { inspectionCounts, inspections } from "../model/tables.ts";

type Row = typeof inspections.$inferSelect;

export interface QueuedInspection extends Inspection {
  seq: number;
}

/** Columns that an attempt changes. */
const outcomeColumns = [
  "state",
  "dueAt",
  "finishedAt",
  "durationMs",
  "imitates",
  "protectedDomain",
  "score",
  "verdicts",
  "page",
  "reason",
  "threatSeq",
] as const;
export type Outcome = Pick<Row, (typeof outcomeColumns)[number]>;

/** Number of the latest inspections of a host that are compared with a request. */
const ofHostMax = 50;
/** Day of the rows that contain the counts over all time. */
const totalDay = 0;

const minuteMs = 60_000;

/**
 * Returns the delay after an attempt during which the process ended: none after the first one, then 1, 4, 16 and 64 minutes.
 * Otherwise, a process that ends again and again, for any reason, would soon give up what it was inspecting.
 */
function interruptedDelayMs(attempts: number): number {
  return attempts < 2 ? 0 : minuteMs * 4 ** Math.min(attempts - 2, 3);
}

export type CountName = keyof InspectionTotals;

/** Rows of the queue. Its queries read only the rows that they return, however many wait. */
export type InspectionStore = ReturnType<typeof createInspectionStore>;

export function createInspectionStore(database: Database) {
  const read = prepareReads(database);
  const write = prepareWrites(database);
  const startedSince = database.prepare<{ n: number }, [Instant, Instant, Instant]>(
    `select count(*) as n from inspections
     where (state = 'running' or finished_at > ?) and started_at > ? and started_at <= ?`,
  );

  return {
    ...createCounts(database),
    insert({ origin, ...row }: Omit<Inspection, "threatId">): QueuedInspection {
      write.insert.run({ ...row, originKind: origin.kind, originName: origin.name });
      return toInspection(read.byId.get({ id: row.id })!);
    },
    get(id: string): QueuedInspection | undefined {
      const row = read.byId.get({ id });
      return row && toInspection(row);
    },
    /** Returns the latest rows of a host, newest first. */
    ofHost: (host: string): QueuedInspection[] =>
      read.ofHost.all({ host, limit: ofHostMax }).map(toInspection),
    /** Returns due rows, the longest due first; of feeds, the latest first. */
    due(priority: InspectionPriority, now: Instant, limit: number): QueuedInspection[] {
      const query = priority === "feed" ? read.dueNewest : read.dueOldest;
      return query.all({ priority, now, limit }).map(toInspection);
    },
    /** Returns when the next row is due; undefined if none waits. */
    nextDueAt(): Instant | undefined {
      const times = inspectionPriorities.flatMap((priority) => read.nextDue.get({ priority })?.at ?? []);
      return times.length === 0 ? undefined : Math.min(...times);
    },
    waiting(): Record<InspectionPriority, number> {
      // One query for all of them would not read the index only.
      const of = (priority: InspectionPriority) => read.waiting.get({ priority })!.n;
      return { person: of("person"), submission: of("submission"), feed: of("feed") };
    },
    oldestWaitingAt: (): Instant | undefined => read.oldestWaiting.get()?.at,
    /** Returns the protected domains that its threats are recorded of; null: all. */
    withinOf: (seq: number): string[] | null => read.within.get({ seq })?.within ?? null,
    /** Saves what a further request changes. */
    readmit: (row: Pick<QueuedInspection, "priority" | "reason" | "seq" | "within">) =>
      write.readmit.run(row),
    /** Makes a row that waits due, as if a person had just requested it. */
    hasten(row: QueuedInspection, now: Instant): QueuedInspection {
      const hastened = { ...row, priority: "person", requestedAt: now, dueAt: now, reason: null } as const;
      write.hasten.run(hastened);
      return hastened;
    },
    postpone: (seq: number, dueAt: Instant, reason: string) => write.postpone.run({ seq, dueAt, reason }),
    start: (seq: number, now: Instant) => write.start.run({ seq, startedAt: now }),
    save: (seq: number, outcome: Outcome) => write.save.run({ seq, ...outcome }),
    /** Queues rows that are marked as running and are not, for example after a process was killed. @param present seqs that are running */
    requeueOthers(now: Instant, present: ReadonlySet<number>): void {
      for (const { seq, attempts } of read.running.all())
        if (!present.has(seq))
          write.requeue.run({
            seq,
            dueAt: now + interruptedDelayMs(attempts),
            reason: "phishwatch ended meanwhile",
          });
    },
    /** Returns how many rows were started since then, without rows that wait again. */
    startedSince: (since: Instant, now: Instant): number => startedSince.get(since, since, now)!.n,
    /** Queues a row that was running, as if it had not been started. */
    putBack: (seq: number) => write.putBack.run({ seq }),
    /** Queues a row again after an attempt that an internal error ended. */
    requeue: (seq: number, dueAt: Instant, reason: string) => write.requeue.run({ seq, dueAt, reason }),
    /** Ends the oldest row of feeds that waits. Returns whether there was one. */
    dropOldest(now: Instant, reason: string): boolean {
      const oldest = read.oldestDue.get({ priority: "feed" });
      if (oldest === undefined) return false;
      write.drop.run({ seq: oldest.seq, finishedAt: now, reason });
      return true;
    },
    /** Returns when the latest inspection of a host ended; undefined if none has. */
    lastInspectedAt: (host: string): Instant | undefined => read.lastInspected.get({ host })?.at ?? undefined,
    threatSeqOf: (threatId: string): number | undefined => read.threatSeq.get({ id: threatId })?.seq,
    linkThreat(id: string, threatId: string): void {
      const threatSeq = read.threatSeq.get({ id: threatId })?.seq;
      if (threatSeq !== undefined) write.linkThreat.run({ id, threatSeq });
    },
  };
}

type Selected = Omit<Row, "threatSeq"> & Pick<Inspection, "threatId">;

/** Returns the inspection of a row of `selectInspections`. */
function toInspection({ originKind, originName, ...row }: Selected): QueuedInspection {
  return { ...row, origin: { kind: originKind, name: originName } };
}

function selectInspections(query: Database["query"]) {
  const { threatSeq, ...columns } = getTableColumns(inspections);
  const threatId = sql<string | null>`(select id from ${threats} where seq = ${threatSeq})`;
  return query.select({ ...columns, threatId }).from(inspections);
}

const hasSeq = hasValue(inspections.seq);
const isQueuedAt = and(sql`${inspections.state} = 'queued'`, hasValue(inspections.priority));

function prepareReads(database: Database) {
  const { dueAt, finishedAt, host, id, seq, state, within } = inspections;
  const dueOf = (order: SQL) =>
    statement(database, (query) =>
      selectInspections(query)
        .where(and(isQueuedAt, lte(dueAt, value(dueAt, "now"))))
        .orderBy(order)
        .limit(countValue("limit")),
    );
  return {
    byId: statement(database, (query) => selectInspections(query).where(eq(id, opaqueValue(id)))),
    within: statement(database, (query) => query.select({ within }).from(inspections).where(hasSeq)),
    ofHost: statement(database, (query) =>
      selectInspections(query)
        .where(eq(host, opaqueValue(host)))
        .orderBy(desc(seq))
        .limit(countValue("limit")),
    ),
    dueOldest: dueOf(asc(dueAt)),
    dueNewest: dueOf(desc(dueAt)),
    nextDue: statement(database, (query) =>
      query
        .select({ at: min(dueAt) })
        .from(inspections)
        .where(isQueuedAt),
    ),
    waiting: statement(database, (query) => query.select({ n: count() }).from(inspections).where(isQueuedAt)),
    oldestWaiting: statement(database, (query) =>
      query
        .select({ at: inspections.requestedAt })
        .from(inspections)
        .where(eq(state, "queued"))
        .orderBy(asc(seq))
        .limit(1),
    ),
    oldestDue: statement(database, (query) =>
      query.select({ seq }).from(inspections).where(isQueuedAt).orderBy(asc(dueAt)).limit(1),
    ),
    lastInspected: statement(database, (query) =>
      query
        .select({ at: sql<Instant | null>`max(${finishedAt})` })
        .from(inspections)
        .where(and(eq(host, opaqueValue(host)), sql`${state} in ('done', 'failed')`)),
    ),
    running: statement(database, (query) =>
      query.select({ seq, attempts: inspections.attempts }).from(inspections).where(eq(state, "running")),
    ),
    threatSeq: statement(database, (query) =>
      query
        .select({ seq: threats.seq })
        .from(threats)
        .where(eq(threats.id, opaqueValue(threats.id))),
    ),
  };
}

function prepareWrites(database: Database) {
  /** Changes the given columns of a row, and gives others a fixed value. */
  const update = (names: readonly (keyof Row)[], fixed: SQLiteUpdateSetSource<typeof inspections> = {}) =>
    statement(database, (query) =>
      query
        .update(inspections)
        .set({ ...valuesOf(inspections, ...names), ...fixed })
        .where(hasSeq),
    );
  const { attempts } = inspections;
  return {
    insert: statement(database, (query) =>
      query.insert(inspections).values(valuesExcept(inspections, "seq", "threatSeq")),
    ),
    save: update(outcomeColumns),
    readmit: update(["priority", "reason", "within"]),
    hasten: update(["priority", "requestedAt", "dueAt", "reason"]),
    postpone: update(["dueAt", "reason"]),
    start: update(["startedAt"], { state: "running", reason: null, attempts: sql`${attempts} + 1` }),
    putBack: update([], { state: "queued", attempts: sql`max(0, ${attempts} - 1)` }),
    requeue: update(["dueAt", "reason"], { state: "queued" }),
    drop: update(["finishedAt", "reason"], { state: "skipped" }),
    linkThreat: statement(database, (query) =>
      query
        .update(inspections)
        .set(valuesOf(inspections, "threatSeq"))
        .where(eq(inspections.id, opaqueValue(inspections.id))),
    ),
  };
}

/** Counts inspections and what became of them, by day and over all time. */
function createCounts(database: Database) {
  const { count: counted, day, name } = inspectionCounts;
  const ofDay = eq(day, value(day));
  const selectOne = statement(database, (query) =>
    query
      .select({ count: counted })
      .from(inspectionCounts)
      .where(and(ofDay, eq(name, value(name)))),
  );
  const selectDay = statement(database, (query) =>
    query.select({ name, count: counted }).from(inspectionCounts).where(ofDay),
  );
  const increase = statement(database, (query) =>
    query
      .insert(inspectionCounts)
      .values(valuesOf(inspectionCounts, "day", "name", "count"))
      .onConflictDoUpdate({ target: [day, name], set: { count: sql`${counted} + excluded.count` } }),
  );
  const countToday = (now: Instant, counter: CountName): number =>
    selectOne.get({ day: startOfDay(now), name: counter })?.count ?? 0;

  return {
    add(now: Instant, counter: CountName, amount: number): void {
      for (const at of [startOfDay(now), totalDay]) increase.run({ day: at, name: counter, count: amount });
    },
    /** Removes a start from the budget of the day. The count over all time never decreases. */
    giveBackStart(now: Instant): void {
      if (countToday(now, "started") > 0) increase.run({ day: startOfDay(now), name: "started", count: -1 });
    },
    countToday,
    totals(): InspectionTotals {
      const counts = new Map(selectDay.all({ day: totalDay }).map((row) => [row.name, row.count]));
      const of = (counter: CountName) => counts.get(counter) ?? 0;
      return {
        started: of("started"),
        imitation: of("imitation"),
        harmless: of("harmless"),
        failed: of("failed"),
        skipped: of("skipped"),
        dropped: of("dropped"),
        durationMs: of("durationMs"),
      };
    },
  };
}
