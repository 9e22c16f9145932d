import { trapAuditActions } from "../../vocabulary/traps.ts";

/** Actions in the audit log. A log may contain actions of earlier versions that are no longer in this list. */
export const auditActions = [
  "console.sign_in",
  "console.sign_in_failed",
  "console.sign_out",
  "console.sign_out_everywhere",
  "key.create",
  "key.change",
  "key.revoke",
  "domain.add",
  "domain.change",
  "domain.remove",
  "webhook.add",
  "webhook.change",
  "webhook.rotate",
  "webhook.end_rotation",
  "webhook.enable",
  "webhook.disable",
  "webhook.remove",
  "webhook.test",
  "webhook.redeliver",
  "webhook.replay",
  "scan.start",
  "scan.cancel",
  "feed.import",
  "feed.cancel_import",
  "feed.read_again",
  "threat.change_status",
  "threat.undo_change",
  "threat.note",
  ...trapAuditActions,
  "backup.make",
  "backup.restore",
] as const;

export type AuditAction = (typeof auditActions)[number];

/** Further facts about an action, by name. */
export type AuditDetail = Record<string, string | number | boolean | null | readonly string[]>;
