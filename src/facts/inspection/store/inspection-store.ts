import type { Database } from "../../../platform/database/database.ts";
import { startOfDay, type Instant } from "../../../platform/lib/clock.ts";
import { inspectionPriorities, type InspectionPriority } from "../../../platform/vocabulary/inspections.ts";
import type { Inspection, InspectionTotals } from "../model/inspection.ts";
import { prepareStatements, toInspection, type QueuedInspection } from "./statements.ts";

/** Number of the latest inspections of a host that are compared with a request. */
const ofHostMax = 50;
/** Day of the rows that contain the counts over all time. */
const totalDay = 0;

const minuteMs = 60_000;

/**
 * Returns the delay after an attempt during which the process ended: none after the first one, then 1, 4, 16 and 64 minutes.
 * Otherwise, a process that ends again and again, for whatever reason, would soon give up what it was inspecting.
 */
function interruptedDelayMs(attempts: number): number {
  return attempts < 2 ? 0 : minuteMs * 4 ** Math.min(attempts - 2, 3);
}

/** The part of a row that an attempt changes. */
export type Outcome = Pick<
  Inspection,
  "state" | "dueAt" | "imitates" | "protectedDomain" | "score" | "verdicts" | "page" | "reason"
> & { finishedAt: Instant | null; durationMs: number | null; threatSeq: number | null };

export type CountName = keyof InspectionTotals;

/** Rows of the queue. Its queries read only the rows that they return, however many wait. */
export type InspectionStore = ReturnType<typeof createInspectionStore>;

export function createInspectionStore(database: Database) {
  const { read, write } = prepareStatements(database);
  const startedSince = database.prepare<{ n: number }, [Instant, Instant, Instant]>(
    `select count(*) as n from inspections
     where (state = 'running' or finished_at > ?) and started_at > ? and started_at <= ?`,
  );
  const priorityOf = (priority: InspectionPriority) => inspectionPriorities.indexOf(priority);

  return {
    ...createCounts(read, write),
    insert(row: Omit<Inspection, "threatId">): QueuedInspection {
      const { origin, priority, ...columns } = row;
      write.insert.run({
        ...columns,
        imitates: imitatesOf(row),
        priority: priorityOf(priority),
        originKind: origin.kind,
        originName: origin.name,
      });
      return toInspection(read.byId.get({ id: row.id })!);
    },
    get(id: string): QueuedInspection | undefined {
      const row = read.byId.get({ id });
      return row && toInspection(row);
    },
    /** Returns the latest rows of a host, newest first. */
    ofHost: (host: string): QueuedInspection[] =>
      read.ofHost.all({ host, limit: ofHostMax }).map(toInspection),
    /** Returns rows that are due, in the order in which they became due; those of feeds in reverse. */
    due(priority: InspectionPriority, now: Instant, limit: number): QueuedInspection[] {
      const query = priority === "feed" ? read.dueNewest : read.dueOldest;
      return query.all({ priority: priorityOf(priority), now, limit }).map(toInspection);
    },
    /** Returns when the next row is due; undefined if none waits. */
    nextDueAt(): Instant | undefined {
      const times = inspectionPriorities.flatMap((priority) => {
        const at = read.nextDue.get({ priority: priorityOf(priority) })?.at;
        return at === null || at === undefined ? [] : [at];
      });
      return times.length === 0 ? undefined : Math.min(...times);
    },
    waiting(): Record<InspectionPriority, number> {
      // One query for all of them would not read the index only.
      const of = (priority: InspectionPriority) => read.waiting.get({ priority: priorityOf(priority) })!.n;
      return { person: of("person"), submission: of("submission"), feed: of("feed") };
    },
    oldestWaitingAt: (): Instant | undefined => read.oldestWaiting.get()?.at,
    /** Returns the protected domains of which its threats are recorded; null: all. */
    withinOf: (seq: number): string[] | null => read.within.get({ seq })?.within ?? null,
    /** Saves what a further request changes. */
    readmit: ({
      priority,
      reason,
      seq,
      within,
    }: Pick<QueuedInspection, "priority" | "reason" | "seq" | "within">) =>
      write.readmit.run({ seq, priority: priorityOf(priority), reason, within }),
    /** Makes a row that waits due, as if a person had just requested it. */
    hasten(row: QueuedInspection, now: Instant): QueuedInspection {
      const hastened = { priority: "person", requestedAt: now, dueAt: now, reason: null } as const;
      write.hasten.run({ ...hastened, seq: row.seq, priority: priorityOf("person") });
      return { ...row, ...hastened };
    },
    postpone: (seq: number, dueAt: Instant, reason: string) => write.postpone.run({ seq, dueAt, reason }),
    start: (seq: number, now: Instant) => write.start.run({ seq, startedAt: now }),
    save: (seq: number, outcome: Outcome) =>
      write.save.run({ seq, ...outcome, imitates: imitatesOf(outcome) }),
    /** Queues what is marked as running and is not, such as when a process was killed. @param present seqs that are running */
    requeueOthers(now: Instant, present: ReadonlySet<number>): void {
      for (const { seq, attempts } of read.running.all())
        if (!present.has(seq))
          write.requeue.run({
            seq,
            dueAt: now + interruptedDelayMs(attempts),
            reason: "phishwatch ended meanwhile",
          });
    },
    /** Returns how many rows were started since then, except those that wait again. */
    startedSince: (since: Instant, now: Instant): number => startedSince.get(since, since, now)!.n,
    /** Queues a row that was running, as if it had not been started. */
    putBack: (seq: number) => write.putBack.run({ seq }),
    /** Queues a row again after an attempt that an internal error ended. */
    requeue: (seq: number, dueAt: Instant, reason: string) => write.requeue.run({ seq, dueAt, reason }),
    /** Ends the oldest row of feeds that waits. Returns whether there was one. */
    dropOldest(now: Instant, reason: string): boolean {
      const oldest = read.oldestOfFeeds.get({ priority: priorityOf("feed") });
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

type Statements = ReturnType<typeof prepareStatements>;

/** Counts inspections and what became of them, by day and over all time. */
function createCounts(read: Statements["read"], write: Statements["write"]) {
  return {
    add(now: Instant, name: CountName, amount: number): void {
      for (const day of [startOfDay(now), totalDay]) write.count.run({ day, name, count: amount });
    },
    /** Removes a start from the budget of the day. The count over all time never decreases. */
    giveBackStart(now: Instant): void {
      const day = startOfDay(now);
      const used = read.count.get({ day, name: "started" })?.count ?? 0;
      if (used > 0) write.count.run({ day, name: "started", count: -1 });
    },
    countToday: (now: Instant, name: CountName): number =>
      read.count.get({ day: startOfDay(now), name })?.count ?? 0,
    totals: (): InspectionTotals => totalsOf(read.counts.all({ day: totalDay })),
  };
}

function totalsOf(rows: readonly { name: string; count: number }[]): InspectionTotals {
  const counts = new Map(rows.map(({ count, name }) => [name, count]));
  const of = (name: CountName) => counts.get(name) ?? 0;
  return {
    started: of("started"),
    imitation: of("imitation"),
    harmless: of("harmless"),
    failed: of("failed"),
    skipped: of("skipped"),
    dropped: of("dropped"),
    durationMs: of("durationMs"),
  };
}

function imitatesOf({ imitates }: Pick<Inspection, "imitates">): number | null {
  return imitates === null ? null : Number(imitates);
}
