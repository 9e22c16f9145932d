import { desc, eq, gte, lt, sql } from "drizzle-orm";
import type { Actor } from "../access/audit/actor.ts";
import type { AuditLog } from "../access/audit/audit-log.ts";
import type { Database } from "../database/database.ts";
import { placeholders } from "../database/placeholders.ts";
import { protectedDomains } from "../domains/tables.ts";
import type { Clock, Instant } from "../lib/clock.ts";
import { badRequest } from "../lib/errors.ts";
import type { RecordThreatDecision } from "./audit.ts";
import { changeableColumns, type StatusChanger } from "./change-status.ts";
import { threats, triageActs, triageSteps } from "./tables.ts";
import type { Status } from "../vocabulary/threats.ts";

/** How many threats one act may concern. */
export const triageThreatsMax = 1_000;
export const undoableMs = 24 * 3_600_000;
const recentActsMax = 10;

/** What became of a decision about several threats. */
export interface TriageAct {
  /** To undo it by; undefined: nothing changed. */
  act: number | undefined;
  changed: number;
  /** Had that status already. */
  unchanged: number;
  /** There is no such threat. */
  unknown: number;
}

/** `changed_since`: threats that somebody has decided on anew meanwhile, which are left as they are. */
export type UndoOutcome =
  | { outcome: "undone"; restored: number; changedSince: number }
  | { outcome: "undone_before" | "too_late" | "not_found" };

export interface RecentAct {
  act: number;
  at: Instant;
  status: Status;
  threats: number;
  undone: boolean;
}

/** Decisions on several threats together, each of which can be undone as a whole for a day. */
export interface Triage {
  /**
   * Moves the threats to `status`, with their events, in one transaction.
   * @throws PublicError `bad_request` for more than `triageThreatsMax`.
   */
  change(ids: readonly string[], status: Status, options: { by: Actor }): TriageAct;
  /**
   * Gives each threat of an act the status that it had before, with events, in one transaction. A threat
   * whose status has been changed since is left alone, and so is every threat the second time.
   */
  undo(act: number, options: { by: Actor }): UndoOutcome;
  /** Acts that can be undone, or were a short while ago; newest first, ten at most. */
  recent(): RecentAct[];
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
  const { query } = database;
  const findThreat = query
    .select({ ...changeableColumns, statusChangedAt: threats.statusChangedAt })
    .from(threats)
    .innerJoin(protectedDomains, eq(threats.protectedDomainSeq, protectedDomains.seq));
  const byId = findThreat.where(eq(threats.id, sql.placeholder("id"))).prepare();
  const insertStep = query
    .insert(triageSteps)
    .values(placeholders("actSeq", "threatSeq", "previousStatus", "changedAt"))
    .prepare();

  const recent = query
    .select({
      act: triageActs.seq,
      at: triageActs.at,
      status: triageActs.status,
      undoneAt: triageActs.undoneAt,
      threats: sql<number>`(select count(*) from ${triageSteps} where act_seq = ${triageActs.seq})`,
    })
    .from(triageActs)
    .where(gte(triageActs.at, sql.placeholder("from")))
    .orderBy(desc(triageActs.seq))
    .limit(recentActsMax)
    .prepare();

  function newAct(status: Status): number {
    query
      .delete(triageActs)
      .where(lt(triageActs.at, clock.now() - undoableMs))
      .run();
    return query
      .insert(triageActs)
      .values({ at: clock.now(), status })
      .returning({ seq: triageActs.seq })
      .get().seq;
  }

  function change(ids: readonly string[], status: Status, by: Actor): TriageAct {
    const distinct = [...new Set(ids)];
    if (distinct.length > triageThreatsMax)
      throw badRequest(`at most ${triageThreatsMax} threats can be changed at once`);
    const result: TriageAct = { act: undefined, changed: 0, unchanged: 0, unknown: 0 };
    for (const id of distinct) {
      const threat = byId.get({ id });
      if (threat === undefined) result.unknown += 1;
      else if (!statusChanger.apply(threat, status, by)) result.unchanged += 1;
      else {
        result.changed += 1;
        result.act ??= newAct(status);
        // The time that was written, for the clock moves on from one to the next.
        const { statusChangedAt: changedAt } = byId.get({ id })!;
        insertStep.run({
          actSeq: result.act,
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
    const act = query.select().from(triageActs).where(eq(triageActs.seq, seq)).get();
    if (act === undefined) return { outcome: "not_found" };
    if (act.undoneAt !== null) return { outcome: "undone_before" };
    if (act.at < clock.now() - undoableMs) return { outcome: "too_late" };
    query.update(triageActs).set({ undoneAt: clock.now() }).where(eq(triageActs.seq, seq)).run();
    const steps = query
      .select({
        id: threats.id,
        previousStatus: triageSteps.previousStatus,
        changedAt: triageSteps.changedAt,
      })
      .from(triageSteps)
      .innerJoin(threats, eq(triageSteps.threatSeq, threats.seq))
      .where(eq(triageSteps.actSeq, seq))
      .orderBy(triageSteps.threatSeq)
      .all();
    let restored = 0;
    for (const { id, previousStatus, changedAt } of steps) {
      const threat = byId.get({ id })!;
      if (threat.status !== act.status || threat.statusChangedAt !== changedAt) continue;
      statusChanger.apply(threat, previousStatus, by);
      restored += 1;
    }
    const changedSince = steps.length - restored;
    auditLog.record(by, "threat.undo_change", null, { threats: restored, changed_since: changedSince });
    return { outcome: "undone", restored, changedSince };
  }

  return {
    change: (ids, status, { by }) => database.transaction(() => change(ids, status, by)),
    undo: (act, { by }) => database.transaction(() => undo(act, by)),
    recent: () =>
      recent
        .all({ from: clock.now() - undoableMs })
        .map(({ undoneAt, ...act }) => ({ ...act, undone: undoneAt !== null })),
  };
}
