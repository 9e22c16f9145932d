import { and, eq } from "drizzle-orm";
import { describeActor, type Actor } from "../../../access/audit/actor.ts";
import type { AuditLog } from "../../../access/audit/audit-log.ts";
import type { Needs } from "../../../access/audit/needs.ts";
import type { Database } from "../../../platform/database/database.ts";
import { hasValue, opaqueValue, statement, valuesOf } from "../../../platform/database/statement.ts";
import { protectedDomains } from "../../domains/tables.ts";
import { badRequest } from "../../../platform/lib/errors.ts";
import type { DecisionOutcome, Status } from "../../../platform/vocabulary/threats.ts";
import { changeableColumns } from "../store/fields.ts";
import { threats } from "../store/tables.ts";
import type { RecordThreatDecision } from "./audit.ts";
import { createBatches, triageThreatsMax, type Batches } from "./batches.ts";
import type { StatusChanger } from "./change-status.ts";
import { createOtherDecisions, type OtherDecisions, type PresentDecision } from "./other-decisions.ts";
import { createRecentDecisions, type RecentDecisions } from "./recent-decisions.ts";

/** Outcome for one threat; `status` is its present status, absent if the caller may not see it. */
export type StatusChange =
  | { id: string; outcome: Extract<DecisionOutcome, "updated" | "unchanged">; status: Status }
  | { id: string; outcome: Extract<DecisionOutcome, "not_found" | "forbidden"> };

export interface StatusChangeOptions {
  /** Actor that decides; recorded in the threat's history. */
  by: Actor;
  /** Protected domains that the caller has access to; empty or absent: all. */
  within?: readonly string[] | undefined;
}

export interface DecisionOptions {
  by: Actor;
  /**
   * The mark of the page that the reader decides on: a threat that others have decided differently since keeps
   * that decision. Absent: the last decision wins.
   */
  seen?: number | undefined;
  /** Whether the reader was shown decisions of others and replaces them; recorded in the audit log. */
  anyway?: boolean | undefined;
}

/** Result of a batch decision. */
export interface BatchResult {
  /** Number of the batch, to undo it; undefined: nothing changed. */
  batch: number | undefined;
  changed: number;
  /** Threats that already had the status. */
  unchanged: number;
  /** Somebody else who had already given one of them that status. */
  decidedBefore: PresentDecision | undefined;
  /** Ids that no threat has. */
  unknown: number;
  /** Threats that keep a decision of others, which the reader had not seen. */
  kept: PresentDecision[];
  /** The mark of what this result describes. */
  mark: number;
}

/** `changedSince`: threats whose status someone has changed since; they keep it. */
export type UndoOutcome =
  | { outcome: "undone"; restored: number; changedSince: PresentDecision[] }
  | { outcome: "undone_before" | "too_late" | "not_found" };

/** Decisions on one threat or several at once, each of which can be undone for a day. */
export interface Triage extends RecentDecisions {
  /** Returns what a page carries, so that a decision on it does not replace one that it does not show. */
  mark(): number;
  /**
   * Changes the status of the threats, with their events, in one transaction.
   * @throws PublicError `bad_request` for more than `triageThreatsMax`.
   */
  change(ids: readonly string[], status: Status, options: DecisionOptions): BatchResult;
  /** Changes the status of any number of threats, as `Threats.changeStatus` describes. */
  changeStatus(ids: readonly string[], status: Status, options: StatusChangeOptions): StatusChange[];
  /**
   * Restores the status that each threat of a batch had before, with events, in one transaction. Threats whose
   * status has changed since are skipped, and so are all threats the second time. Anyone may undo any decision.
   */
  undo(batch: number, options: { by: Actor }): UndoOutcome;
}

export function createTriage({
  database,
  clock,
  auditLog,
  recordDecision,
  statusChanger,
}: Needs<"auditLog" | "clock" | "database"> & {
  recordDecision: RecordThreatDecision;
  statusChanger: StatusChanger;
}): Triage {
  const batches = createBatches({ database, clock });
  const others = createOtherDecisions(database);
  const statements = createStatements(database);
  const { findThreat } = statements;
  const undo = createUndo({ auditLog, batches, others, statusChanger, ...statements });

  /** Changes threats one by one. What phishwatch itself changes is no decision that people undo. */
  function startDecision(status: Status, by: Actor) {
    const batch = by.channel === "system" ? undefined : batches.begin(status, by);
    return {
      batch: () => batch?.seq(),
      apply(threat: NonNullable<ReturnType<typeof findThreat.get>>): boolean {
        const changedAt = statusChanger.apply(threat, status, by);
        if (changedAt === undefined) return false;
        const { dueAt: previousDueAt, seq: threatSeq, status: previousStatus } = threat;
        batch?.add({ threatSeq, previousStatus, previousDueAt, changedAt });
        return true;
      },
    };
  }

  function change(
    ids: readonly string[],
    status: Status,
    { by, seen, anyway = false }: DecisionOptions,
  ): BatchResult {
    const distinct = [...new Set(ids)];
    if (distinct.length > triageThreatsMax)
      throw badRequest(`at most ${triageThreatsMax} threats can be changed at once`);
    const decision = startDecision(status, by);
    const kept: PresentDecision[] = [];
    const counts = { changed: 0, unchanged: 0, unknown: 0 };
    let decidedBefore: PresentDecision | undefined;
    for (const id of distinct) {
      const threat = findThreat.get({ id });
      if (threat === undefined) counts.unknown += 1;
      else if (threat.status === status) {
        counts.unchanged += 1;
        decidedBefore ??= others.ofOthers(threat, by);
      } else {
        const other = seen === undefined ? undefined : others.ofOthers(threat, by, seen);
        if (other !== undefined) kept.push(other);
        else if (decision.apply(threat)) counts.changed += 1;
      }
    }
    const detail = {
      status,
      ...(kept.length > 0 ? { kept: kept.length } : {}),
      ...(anyway ? { despite_others: true } : {}),
    };
    recordDecision({ by, action: "threat.change_status", ids, changed: counts.changed, detail });
    return { batch: decision.batch(), ...counts, decidedBefore, kept, mark: others.mark() };
  }

  function changeStatus(
    ids: readonly string[],
    status: Status,
    { by, within = [] }: StatusChangeOptions,
  ): StatusChange[] {
    const decision = startDecision(status, by);
    const changes = [...new Set(ids)].map((id): StatusChange => {
      const threat = findThreat.get({ id });
      if (threat === undefined) return { id, outcome: "not_found" };
      if (within.length > 0 && !within.includes(threat.protectedDomain)) return { id, outcome: "forbidden" };
      return { id, outcome: decision.apply(threat) ? "updated" : "unchanged", status };
    });
    const changed = changes.filter(({ outcome }) => outcome === "updated").length;
    recordDecision({ by, action: "threat.change_status", ids, changed, detail: { status } });
    return changes;
  }

  return {
    mark: others.mark,
    change: (ids, status, options) => database.transaction(() => change(ids, status, options)),
    changeStatus: (ids, status, options) => database.transaction(() => changeStatus(ids, status, options)),
    undo: (batch, { by }) => database.transaction(() => undo(batch, by)),
    ...createRecentDecisions({ database, since: batches.since }),
  };
}

/** Returns a function that undoes a batch. */
function createUndo({
  auditLog,
  batches,
  others,
  statusChanger,
  findThreat,
  clearDecidedAt,
  restoreDueTime,
}: {
  auditLog: Pick<AuditLog, "record">;
  batches: Batches;
  others: OtherDecisions;
  statusChanger: StatusChanger;
} & ReturnType<typeof createStatements>): (seq: number, by: Actor) => UndoOutcome {
  return (seq, by) => {
    const batch = batches.find(seq);
    if (batch === undefined) return { outcome: "not_found" };
    if (batch.undoneAt !== null) return { outcome: "undone_before" };
    if (batch.at < batches.since()) return { outcome: "too_late" };
    batches.setUndone(seq, by);
    const changedSince: PresentDecision[] = [];
    let restored = 0;
    for (const { id, previousStatus, previousDueAt, changedAt } of batches.steps(seq)) {
      const threat = findThreat.get({ id })!;
      if (threat.status !== batch.status || threat.statusChangedAt !== changedAt) {
        const latest = others.latest(threat);
        if (latest !== undefined) changedSince.push(latest);
        continue;
      }
      statusChanger.apply(threat, previousStatus, by);
      restoreDueTime.run({ seq: threat.seq, dueAt: previousDueAt });
      // A decision that was a mistake is not the first one.
      clearDecidedAt.run({ seq: threat.seq, decidedAt: changedAt });
      restored += 1;
    }
    const { channel, actorName: name } = batch;
    const decidedBy = channel === null ? "unknown" : describeActor({ channel, name, address: null });
    const detail = { threats: restored, changed_since: changedSince.length, decided_by: decidedBy };
    auditLog.record(by, "threat.undo_change", null, detail);
    return { outcome: "undone", restored, changedSince };
  };
}

function createStatements(database: Database) {
  return {
    findThreat: statement(database, (query) =>
      query
        .select({ ...changeableColumns, statusChangedAt: threats.statusChangedAt, dueAt: threats.dueAt })
        .from(threats)
        .innerJoin(protectedDomains, eq(threats.protectedDomainSeq, protectedDomains.seq))
        .where(eq(threats.id, opaqueValue(threats.id))),
    ),
    restoreDueTime: statement(database, (query) =>
      query.update(threats).set(valuesOf(threats, "dueAt")).where(hasValue(threats.seq)),
    ),
    clearDecidedAt: statement(database, (query) =>
      query
        .update(threats)
        .set({ decidedAt: null })
        .where(and(hasValue(threats.seq), hasValue(threats.decidedAt))),
    ),
  };
}
