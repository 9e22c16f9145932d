import { eq, sql } from "drizzle-orm";
import type { Actor } from "../access/audit/actor.ts";
import type { Database } from "../database/database.ts";
import { opaque } from "../database/placeholders.ts";
import { protectedDomains } from "../domains/tables.ts";
import type { Outbox } from "../events/outbox.ts";
import type { Clock } from "../lib/clock.ts";
import type { History } from "./history.ts";
import { threats } from "./tables.ts";
import type { Severity, Status, ThreatType } from "../vocabulary/threats.ts";

/** What became of one threat; `status` is the one it has now, absent when the caller may not know. */
export type StatusChange =
  | { id: string; outcome: "updated" | "unchanged"; status: Status }
  | { id: string; outcome: "not_found" | "forbidden" };

/** What a change of status has to know of a threat. */
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

/** The columns of a `ChangeableThreat`. */
export const changeableColumns = {
  seq: threats.seq,
  id: threats.id,
  domain: threats.domain,
  protectedDomain: protectedDomains.domain,
  type: threats.type,
  severity: threats.severity,
  similarity: threats.similarity,
  status: threats.status,
};

export interface StatusChangeOptions {
  /** Who decides; the threat's history keeps it. */
  by: Actor;
  /** Protected domains that the caller may touch; empty or absent: all. */
  within?: readonly string[] | undefined;
}

export interface StatusChanger {
  byId(id: string, status: Status, options: StatusChangeOptions): StatusChange;
  /** Answers whether anything changed. */
  apply(threat: ChangeableThreat, status: Status, by: Actor): boolean;
}

/** The one place where a status changes and its events are written; has to run within a transaction. */
export function createStatusChanger({
  database,
  clock,
  history,
  outbox,
}: {
  database: Database;
  clock: Clock;
  history: History;
  outbox: Outbox;
}): StatusChanger {
  const find = database.query
    .select(changeableColumns)
    .from(threats)
    .innerJoin(protectedDomains, eq(threats.protectedDomainSeq, protectedDomains.seq))
    .where(eq(threats.id, opaque("id")))
    .prepare();
  const update = database.query
    .update(threats)
    .set({
      status: sql`${sql.placeholder("status")}`,
      statusChangedAt: sql`${sql.placeholder("statusChangedAt")}`,
    })
    .where(eq(threats.seq, sql.placeholder("seq")))
    .prepare();

  function apply(threat: ChangeableThreat, status: Status, by: Actor): boolean {
    if (threat.status === status) return false;
    update.run({ status, statusChangedAt: clock.now(), seq: threat.seq });
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
