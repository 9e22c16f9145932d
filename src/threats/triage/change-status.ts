import { eq, sql } from "drizzle-orm";
import type { Actor } from "../../access/audit/actor.ts";
import type { CaseSettings } from "../../config/config.ts";
import type { Database } from "../../database/database.ts";
import { opaqueValue, statement, value, valuesOf } from "../../database/statement.ts";
import { protectedDomains } from "../../domains/tables.ts";
import type { Outbox } from "../../events/outbox.ts";
import type { Clock } from "../../lib/clock.ts";
import type { DecisionOutcome, Severity, Status, ThreatType } from "../../vocabulary/threats.ts";
import { dueAtFor } from "../case/due.ts";
import { changeableColumns, changedNow } from "../store/fields.ts";
import { threats } from "../store/tables.ts";
import type { History } from "./history.ts";

/** Outcome for one threat; `status` is its present status, absent if the caller may not see it. */
export type StatusChange =
  | { id: string; outcome: Extract<DecisionOutcome, "updated" | "unchanged">; status: Status }
  | { id: string; outcome: Extract<DecisionOutcome, "not_found" | "forbidden"> };

/** The fields of a threat that a status change and its events need. */
export interface ChangeableThreat {
  seq: number;
  id: string;
  domain: string;
  protectedDomain: string;
  type: ThreatType;
  severity: Severity;
  similarity: number;
  status: Status;
}

export interface StatusChangeOptions {
  /** Actor that decides; recorded in the threat's history. */
  by: Actor;
  /** Protected domains that the caller has access to; empty or absent: all. */
  within?: readonly string[] | undefined;
}

export interface StatusChanger {
  byId(id: string, status: Status, options: StatusChangeOptions): StatusChange;
  /** Returns whether anything changed. */
  apply(threat: ChangeableThreat, status: Status, by: Actor): boolean;
}

/** The only place that changes a status and records the events. Must run within a transaction. */
export function createStatusChanger({
  cases,
  database,
  clock,
  history,
  outbox,
}: {
  cases: CaseSettings;
  database: Database;
  clock: Clock;
  history: History;
  outbox: Outbox;
}): StatusChanger {
  const find = statement(database, (query) =>
    query
      .select(changeableColumns)
      .from(threats)
      .innerJoin(protectedDomains, eq(threats.protectedDomainSeq, protectedDomains.seq))
      .where(eq(threats.id, opaqueValue(threats.id))),
  );
  const update = statement(database, (query) =>
    query
      .update(threats)
      .set({
        ...valuesOf(threats, "status", "statusChangedAt", "dueAt"),
        ...changedNow,
        decidedAt: sql`case when ${sql.placeholder("isDecision")} then coalesce(${threats.decidedAt}, ${value(threats.statusChangedAt)}) else ${threats.decidedAt} end`,
        reactivations: sql`${threats.reactivations} + (${value(threats.status)} = 'active')`,
      })
      .where(eq(threats.seq, value(threats.seq))),
  );

  function apply(threat: ChangeableThreat, status: Status, by: Actor): boolean {
    if (threat.status === status) return false;
    const now = clock.now();
    const isDecision = isDecisionBy(by, status) ? 1 : 0;
    const dueAt = status === "active" ? dueAtFor(cases, threat.severity, now) : null;
    update.run({ status, statusChangedAt: now, changedAt: now, dueAt, isDecision, seq: threat.seq });
    history.record(threat.seq, [{ field: "status", before: threat.status, after: status }], by);
    const data = {
      threat: {
        id: threat.id,
        domain: threat.domain,
        protected_domain: threat.protectedDomain,
        type: threat.type,
        severity: threat.severity,
        similarity: threat.similarity,
        status,
      },
      previous_status: threat.status,
    };
    outbox.record("threat.updated", data);
    if (status === "resolved") outbox.record("threat.resolved", data);
    // While it was closed, a rise in its severity was announced to nobody.
    if (status === "active") outbox.recordEscalation(threat.seq);
    return true;
  }

  return {
    apply,
    byId(id, status, { by, within = [] }) {
      const threat = find.get({ id });
      if (threat === undefined) return { id, outcome: "not_found" };
      if (within.length > 0 && !within.includes(threat.protectedDomain)) return { id, outcome: "forbidden" };
      return { id, outcome: apply(threat, status, by) ? "updated" : "unchanged", status };
    },
  };
}

/**
 * Returns whether a status change decides a threat: a person, or a program of theirs, closes it. Reopening one is not a
 * decision, and neither is what phishwatch or its configuration changes.
 */
function isDecisionBy({ channel }: Actor, status: Status): boolean {
  return status !== "active" && channel !== "system" && channel !== "configuration";
}
