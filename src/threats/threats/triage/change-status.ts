import { sql } from "drizzle-orm";
import type { Actor } from "../../../access/audit/actor.ts";
import type { CaseSettings } from "../../../platform/config/config.ts";
import type { Needs } from "../../../platform/database/needs.ts";
import { hasValue, statement, value, valuesOf } from "../../../platform/database/statement.ts";
import type { Outbox } from "../../events/outbox.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import type { Status } from "../../../platform/vocabulary/threats.ts";
import { dueAtFor } from "../case/due.ts";
import { changeableColumns, changedNow } from "../store/fields.ts";
import type { Threat } from "../store/queries.ts";
import { threats } from "../store/tables.ts";
import type { History } from "./history.ts";

/** The fields of a threat that a status change and its events need. */
export type ChangeableThreat = Pick<Threat, keyof typeof changeableColumns>;

export type StatusChanger = ReturnType<typeof createStatusChanger>;

/** The only place that changes a status and records the events. Must run within a transaction. */
export function createStatusChanger({
  cases,
  database,
  clock,
  history,
  outbox,
}: Needs<"clock" | "database"> & { cases: CaseSettings; history: History; outbox: Outbox }) {
  const update = statement(database, (query) =>
    query
      .update(threats)
      .set({
        ...valuesOf(threats, "status", "statusChangedAt", "dueAt"),
        ...changedNow,
        decidedAt: sql`case when ${sql.placeholder("isDecision")} then coalesce(${threats.decidedAt}, ${value(threats.statusChangedAt)}) else ${threats.decidedAt} end`,
        reactivations: sql`${threats.reactivations} + (${value(threats.status)} = 'active')`,
      })
      .where(hasValue(threats.seq)),
  );

  /** Returns when the status changed; undefined: the threat already had it. */
  function apply(threat: ChangeableThreat, status: Status, by: Actor): Instant | undefined {
    if (threat.status === status) return undefined;
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
    // While it was closed, a rise in its severity was not announced.
    if (status === "active") outbox.recordEscalation(threat.seq);
    return now;
  }

  return { apply };
}

/**
 * Returns whether a status change decides a threat: a person, or a program of theirs, closes it. Reopening one is not a
 * decision, and neither is what phishwatch or its configuration changes.
 */
function isDecisionBy({ channel }: Actor, status: Status): boolean {
  return status !== "active" && channel !== "system" && channel !== "configuration";
}
