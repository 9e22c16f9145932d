import { and, asc, eq, lt } from "drizzle-orm";
import type { Actor } from "../../access/audit/actor.ts";
import type { AuditLog } from "../../access/audit/audit-log.ts";
import type { Database } from "../../database/database.ts";
import { statement, value, valuesOf } from "../../database/statement.ts";
import { protectedDomains } from "../../domains/tables.ts";
import type { Clock } from "../../lib/clock.ts";
import { badRequest } from "../../lib/errors.ts";
import type { Status } from "../../vocabulary/threats.ts";
import { changeableColumns } from "../store/fields.ts";
import { threats, triageBatches, triageSteps } from "../store/tables.ts";
import type { RecordThreatDecision } from "./audit.ts";
import { createRecentDecisions, type RecentDecisions } from "./recent-decisions.ts";
import type { StatusChanger } from "./change-status.ts";

/** Maximum number of threats in one batch. */
export const triageThreatsMax = 1_000;
/** How long a batch can be undone. */
export const undoableMs = 24 * 3_600_000;

/** Result of a batch decision. */
export interface BatchResult {
  /** Number of the batch, to undo it; undefined: nothing changed. */
  batch: number | undefined;
  changed: number;
  /** Threats that already had the status. */
  unchanged: number;
  /** Ids that no threat has. */
  unknown: number;
}

/** `changedSince`: threats whose status someone has changed since; they keep it. */
export type UndoOutcome =
  | { outcome: "undone"; restored: number; changedSince: number }
  | { outcome: "undone_before" | "too_late" | "not_found" };

/** Decisions on one threat or several at once, each of which can be undone for a day. */
export interface Triage extends RecentDecisions {
  /**
   * Changes the status of the threats, with their events, in one transaction.
   * @throws PublicError `bad_request` for more than `triageThreatsMax`.
   */
  change(ids: readonly string[], status: Status, options: { by: Actor }): BatchResult;
  /**
   * Restores the status that each threat of a batch had before, with events, in one transaction. Threats whose
   * status has changed since are skipped, and so are all threats the second time.
   */
  undo(batch: number, options: { by: Actor }): UndoOutcome;
}

export function createTriage({
  database,
  clock,
  auditLog,
  recordDecision,
  statusChanger,
}: {
  database: Database;
  clock: Clock;
  auditLog: Pick<AuditLog, "record">;
  recordDecision: RecordThreatDecision;
  statusChanger: StatusChanger;
}): Triage {
  const statements = createStatements(database);

  function createBatch(status: Status, { channel, name, address }: Actor): number {
    statements.deleteOld.run({ before: clock.now() - undoableMs });
    return statements.insertBatch.get({
      at: clock.now(),
      status,
      channel,
      actorName: name,
      actorAddress: address,
    })!.seq;
  }

  function change(ids: readonly string[], status: Status, by: Actor): BatchResult {
    const distinct = [...new Set(ids)];
    if (distinct.length > triageThreatsMax)
      throw badRequest(`at most ${triageThreatsMax} threats can be changed at once`);
    const result: BatchResult = { batch: undefined, changed: 0, unchanged: 0, unknown: 0 };
    for (const id of distinct) {
      const threat = statements.findThreat.get({ id });
      if (threat === undefined) result.unknown += 1;
      else if (!statusChanger.apply(threat, status, by)) result.unchanged += 1;
      else {
        result.changed += 1;
        result.batch ??= createBatch(status, by);
        // Read back, because the clock may have moved on since it was written.
        const { statusChangedAt: changedAt } = statements.findThreat.get({ id })!;
        statements.insertStep.run({
          batchSeq: result.batch,
          threatSeq: threat.seq,
          previousStatus: threat.status,
          changedAt,
        });
      }
    }
    recordDecision({ by, action: "threat.change_status", ids, changed: result.changed, detail: { status } });
    return result;
  }

  function undo(seq: number, by: Actor): UndoOutcome {
    const batch = statements.findBatch.get({ seq });
    if (batch === undefined) return { outcome: "not_found" };
    if (batch.undoneAt !== null) return { outcome: "undone_before" };
    if (batch.at < clock.now() - undoableMs) return { outcome: "too_late" };
    statements.setUndone.run({ seq, undoneAt: clock.now() });
    const steps = statements.stepsOf.all({ batchSeq: seq });
    let restored = 0;
    for (const { id, previousStatus, changedAt } of steps) {
      const threat = statements.findThreat.get({ id })!;
      if (threat.status !== batch.status || threat.statusChangedAt !== changedAt) continue;
      statusChanger.apply(threat, previousStatus, by);
      // A decision that was a mistake is not the first one.
      statements.clearDecidedAt.run({ seq: threat.seq, decidedAt: changedAt });
      restored += 1;
    }
    const changedSince = steps.length - restored;
    auditLog.record(by, "threat.undo_change", null, { threats: restored, changed_since: changedSince });
    return { outcome: "undone", restored, changedSince };
  }

  return {
    change: (ids, status, { by }) => database.transaction(() => change(ids, status, by)),
    undo: (batch, { by }) => database.transaction(() => undo(batch, by)),
    ...createRecentDecisions({ database, since: () => clock.now() - undoableMs }),
  };
}

function createStatements(database: Database) {
  return {
    findThreat: statement(database, (query) =>
      query
        .select({ ...changeableColumns, statusChangedAt: threats.statusChangedAt })
        .from(threats)
        .innerJoin(protectedDomains, eq(threats.protectedDomainSeq, protectedDomains.seq))
        .where(eq(threats.id, value(threats.id))),
    ),
    deleteOld: statement(database, (query) =>
      query.delete(triageBatches).where(lt(triageBatches.at, value(triageBatches.at, "before"))),
    ),
    insertBatch: statement(database, (query) =>
      query
        .insert(triageBatches)
        .values(valuesOf(triageBatches, "at", "status", "channel", "actorName", "actorAddress"))
        .returning({ seq: triageBatches.seq }),
    ),
    findBatch: statement(database, (query) =>
      query
        .select()
        .from(triageBatches)
        .where(eq(triageBatches.seq, value(triageBatches.seq))),
    ),
    setUndone: statement(database, (query) =>
      query
        .update(triageBatches)
        .set(valuesOf(triageBatches, "undoneAt"))
        .where(eq(triageBatches.seq, value(triageBatches.seq))),
    ),
    insertStep: statement(database, (query) =>
      query
        .insert(triageSteps)
        .values(valuesOf(triageSteps, "batchSeq", "threatSeq", "previousStatus", "changedAt")),
    ),
    clearDecidedAt: statement(database, (query) =>
      query
        .update(threats)
        .set({ decidedAt: null })
        .where(and(eq(threats.seq, value(threats.seq)), eq(threats.decidedAt, value(threats.decidedAt)))),
    ),
    stepsOf: statement(database, (query) =>
      query
        .select({
          id: threats.id,
          previousStatus: triageSteps.previousStatus,
          changedAt: triageSteps.changedAt,
        })
        .from(triageSteps)
        .innerJoin(threats, eq(triageSteps.threatSeq, threats.seq))
        .where(eq(triageSteps.batchSeq, value(triageSteps.batchSeq)))
        .orderBy(asc(triageSteps.threatSeq)),
    ),
  };
}
