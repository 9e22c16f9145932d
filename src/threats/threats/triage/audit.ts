import type { AuditAction, AuditDetail } from "../../../access/audit/actions.ts";
import type { Actor } from "../../../access/audit/actor.ts";
import type { AuditLog } from "../../../access/audit/audit-log.ts";
import { counted } from "../../../platform/lib/wording.ts";
import type { Threat } from "../store/queries.ts";

/** A decision or a note about threats. */
export interface ThreatDecision {
  by: Actor;
  action: AuditAction;
  /** Ids of the threats that the actor named. */
  ids: readonly string[];
  /** Number of threats that changed. */
  changed: number;
  detail?: AuditDetail;
}

/**
 * Writes decisions and notes of people to the audit log, one entry for each batch. Decisions of API clients and of
 * phishwatch itself are only in each threat's history, because their number would displace all other entries.
 */
export type RecordThreatDecision = (decision: ThreatDecision) => void;

export function createThreatAudit({
  auditLog,
  get,
}: {
  auditLog: Pick<AuditLog, "record">;
  get: (id: string) => Threat | undefined;
}): RecordThreatDecision {
  return ({ by, action, ids, changed, detail }) => {
    if (changed === 0 || (by.channel !== "console" && by.channel !== "command_line")) return;
    const [first = ""] = ids;
    const only = new Set(ids).size === 1 ? get(first) : undefined;
    const subject = only === undefined ? counted(changed, "threat") : `${only.domain} (${only.id})`;
    auditLog.record(by, action, subject, detail);
  };
}
