import { and, asc, count, desc, eq, lte, min, sql, type SQL } from "drizzle-orm";
import type { Database } from "../../../platform/database/database.ts";
import {
  countValue,
  opaqueValue,
  statement,
  value,
  valuesExcept,
  valuesOf,
} from "../../../platform/database/statement.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import { threats } from "../../../threats/threats/store/tables.ts";
import { inspectionPriorities } from "../../../platform/vocabulary/inspections.ts";
import type { Inspection } from "../model/inspection.ts";
import { inspectionCounts, inspections } from "./tables.ts";

export interface QueuedInspection extends Inspection {
  seq: number;
}

type Row = Omit<QueuedInspection, "imitates" | "origin" | "priority"> & {
  imitates: number | null;
  originKind: string;
  originName: string;
  priority: number;
};

/** Returns the inspection of a row of `selectInspections`. */
export function toInspection({ imitates, originKind, originName, priority, ...row }: Row): QueuedInspection {
  return {
    ...row,
    imitates: imitates === null ? null : imitates === 1,
    origin: { kind: originKind, name: originName },
    priority: inspectionPriorities[priority] ?? "feed",
  };
}

function selectInspections(query: Database["query"]) {
  return query
    .select({
      seq: inspections.seq,
      id: inspections.id,
      address: inspections.address,
      host: inspections.host,
      priority: inspections.priority,
      source: inspections.source,
      originKind: inspections.originKind,
      originName: inspections.originName,
      within: inspections.within,
      requestedAt: inspections.requestedAt,
      state: inspections.state,
      dueAt: inspections.dueAt,
      attempts: inspections.attempts,
      startedAt: inspections.startedAt,
      finishedAt: inspections.finishedAt,
      durationMs: inspections.durationMs,
      imitates: inspections.imitates,
      protectedDomain: inspections.protectedDomain,
      score: inspections.score,
      verdicts: inspections.verdicts,
      page: inspections.page,
      reason: inspections.reason,
      threatId: sql<string | null>`(select id from ${threats} where seq = ${inspections.threatSeq})`,
    })
    .from(inspections);
}

const hasSeq = eq(inspections.seq, value(inspections.seq));
const isQueuedAt = and(
  sql`${inspections.state} = 'queued'`,
  eq(inspections.priority, value(inspections.priority)),
);

/** Prepares the statements of the store. */
export function prepareStatements(database: Database) {
  return {
    read: { ...prepareReads(database), ...prepareCounts(database) },
    write: { ...prepareSaves(database), ...prepareMoves(database) },
  };
}

function prepareReads(database: Database) {
  const dueOf = (order: SQL) =>
    statement(database, (query) =>
      selectInspections(query)
        .where(and(isQueuedAt, lte(inspections.dueAt, value(inspections.dueAt, "now"))))
        .orderBy(order)
        .limit(countValue("limit")),
    );
  return {
    byId: statement(database, (query) =>
      selectInspections(query).where(eq(inspections.id, opaqueValue(inspections.id))),
    ),
    within: statement(database, (query) =>
      query.select({ within: inspections.within }).from(inspections).where(hasSeq),
    ),
    ofHost: statement(database, (query) =>
      selectInspections(query)
        .where(eq(inspections.host, opaqueValue(inspections.host)))
        .orderBy(desc(inspections.seq))
        .limit(countValue("limit")),
    ),
    dueOldest: dueOf(asc(inspections.dueAt)),
    dueNewest: dueOf(desc(inspections.dueAt)),
    nextDue: statement(database, (query) =>
      query
        .select({ at: min(inspections.dueAt) })
        .from(inspections)
        .where(isQueuedAt),
    ),
    waiting: statement(database, (query) => query.select({ n: count() }).from(inspections).where(isQueuedAt)),
    oldestWaiting: statement(database, (query) =>
      query
        .select({ at: inspections.requestedAt })
        .from(inspections)
        .where(eq(inspections.state, "queued"))
        .orderBy(asc(inspections.seq))
        .limit(1),
    ),
    oldestOfFeeds: statement(database, (query) =>
      query
        .select({ seq: inspections.seq })
        .from(inspections)
        .where(isQueuedAt)
        .orderBy(asc(inspections.dueAt))
        .limit(1),
    ),
    lastInspected: statement(database, (query) =>
      query
        .select({ at: sql<Instant | null>`max(${inspections.finishedAt})` })
        .from(inspections)
        .where(
          and(
            eq(inspections.host, opaqueValue(inspections.host)),
            sql`${inspections.state} in ('done', 'failed')`,
          ),
        ),
    ),
  };
}

function prepareCounts(database: Database) {
  return {
    count: statement(database, (query) =>
      query
        .select({ count: inspectionCounts.count })
        .from(inspectionCounts)
        .where(
          and(
            eq(inspectionCounts.day, value(inspectionCounts.day)),
            eq(inspectionCounts.name, value(inspectionCounts.name)),
          ),
        ),
    ),
    counts: statement(database, (query) =>
      query
        .select({ name: inspectionCounts.name, count: inspectionCounts.count })
        .from(inspectionCounts)
        .where(eq(inspectionCounts.day, value(inspectionCounts.day))),
    ),
    running: statement(database, (query) =>
      query
        .select({ seq: inspections.seq, attempts: inspections.attempts })
        .from(inspections)
        .where(eq(inspections.state, "running")),
    ),
    threatSeq: statement(database, (query) =>
      query
        .select({ seq: threats.seq })
        .from(threats)
        .where(eq(threats.id, opaqueValue(threats.id))),
    ),
  };
}

/** Writes of what is known. */
function prepareSaves(database: Database) {
  return {
    insert: statement(database, (query) =>
      query.insert(inspections).values(valuesExcept(inspections, "seq", "threatSeq")),
    ),
    save: statement(database, (query) =>
      query
        .update(inspections)
        .set(
          valuesOf(
            inspections,
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
          ),
        )
        .where(hasSeq),
    ),
    count: statement(database, (query) =>
      query
        .insert(inspectionCounts)
        .values(valuesOf(inspectionCounts, "day", "name", "count"))
        .onConflictDoUpdate({
          target: [inspectionCounts.day, inspectionCounts.name],
          set: { count: sql`${inspectionCounts.count} + excluded.count` },
        }),
    ),
  };
}

/** Writes that move a row within the queue, or link it. */
function prepareMoves(database: Database) {
  return {
    linkThreat: statement(database, (query) =>
      query
        .update(inspections)
        .set(valuesOf(inspections, "threatSeq"))
        .where(eq(inspections.id, opaqueValue(inspections.id))),
    ),
    readmit: statement(database, (query) =>
      query
        .update(inspections)
        .set(valuesOf(inspections, "priority", "reason", "within"))
        .where(hasSeq),
    ),
    hasten: statement(database, (query) =>
      query
        .update(inspections)
        .set(valuesOf(inspections, "priority", "requestedAt", "dueAt", "reason"))
        .where(hasSeq),
    ),
    postpone: statement(database, (query) =>
      query
        .update(inspections)
        .set(valuesOf(inspections, "dueAt", "reason"))
        .where(hasSeq),
    ),
    start: statement(database, (query) =>
      query
        .update(inspections)
        .set({
          ...valuesOf(inspections, "startedAt"),
          state: "running",
          reason: null,
          attempts: sql`${inspections.attempts} + 1`,
        })
        .where(hasSeq),
    ),
    putBack: statement(database, (query) =>
      query
        .update(inspections)
        .set({ state: "queued", attempts: sql`max(0, ${inspections.attempts} - 1)` })
        .where(hasSeq),
    ),
    requeue: statement(database, (query) =>
      query
        .update(inspections)
        .set({ ...valuesOf(inspections, "dueAt", "reason"), state: "queued" })
        .where(hasSeq),
    ),
    drop: statement(database, (query) =>
      query
        .update(inspections)
        .set({ ...valuesOf(inspections, "finishedAt", "reason"), state: "skipped" })
        .where(hasSeq),
    ),
  };
}
