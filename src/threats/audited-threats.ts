import type { Actor } from "../access/audit/actor.ts";
import type { AuditAction, AuditDetail } from "../access/audit/actions.ts";
import type { AuditLog } from "../access/audit/audit-log.ts";
import type { Database } from "../database/database.ts";
import { lazy } from "../lib/startup.ts";
import { counted } from "../lib/wording.ts";
import type { Notes } from "./notes.ts";
import type { Threats } from "./threats.ts";
import type { Triage } from "./triage.ts";

/**
 * The threats, for those who administer them: decisions, their undoing and notes are written to the audit log, one
 * entry an act. What programs decide by the API is in the history of each threat alone: there are so many of these
 * that they would push the acts of people out.
 */
export function auditThreats({
  threats,
  auditLog,
  database,
}: {
  threats: Threats;
  auditLog: AuditLog;
  database: Database;
}): Threats {
  function record(
    by: Actor,
    action: AuditAction,
    ids: readonly string[],
    changed: number,
    detail: AuditDetail = {},
  ): void {
    if (changed === 0 || (by.channel !== "console" && by.channel !== "command_line")) return;
    const only = new Set(ids).size === 1 ? threats.get(ids[0]!) : undefined;
    const subject = only === undefined ? counted(changed, "threat") : `${only.domain} (${only.id})`;
    auditLog.record(by, action, subject, detail);
  }

  const triage = lazy((): Triage => {
    const { change, undo, recent } = threats.triage;
    return {
      change: (ids, status, by) =>
        database.transaction(() => {
          const done = change(ids, status, by);
          record(by, "threat.change_status", ids, done.changed, { status });
          return done;
        }),
      undo: (act, by) =>
        database.transaction(() => {
          const result = undo(act, by);
          if (result.outcome === "undone")
            auditLog.record(by, "threat.undo_change", null, {
              threats: result.restored,
              changed_since: result.changedSince,
            });
          return result;
        }),
      recent,
    };
  });
  const notes = lazy((): Notes => ({
    ...threats.notes,
    add: (id, text, by) =>
      database.transaction(() => {
        const note = threats.notes.add(id, text, by);
        record(by, "threat.note", [id], 1);
        return note;
      }),
  }));

  const { record: recordSightings, list, get, detail, updateFacts, history, totals } = threats;
  return {
    record: recordSightings,
    list,
    get,
    detail,
    updateFacts,
    history,
    totals,
    changeStatus: (ids, status, options) =>
      database.transaction(() => {
        const changes = threats.changeStatus(ids, status, options);
        const changed = changes.filter(({ outcome }) => outcome === "updated").length;
        record(options.by, "threat.change_status", ids, changed, { status });
        return changes;
      }),
    // Made when first needed, like what they stand for.
    get triage() {
      return triage();
    },
    get notes() {
      return notes();
    },
    get neighbours() {
      return threats.neighbours;
    },
  };
}
