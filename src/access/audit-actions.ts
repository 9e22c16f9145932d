/** What the audit log tells of. New acts are added here; a log may hold ones that a later version forgot. */
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
  "webhook.redeliver",
  "webhook.replay",
  "scan.start",
  "scan.cancel",
  "feed.import",
  "feed.cancel_import",
  "feed.read_again",
  "threat.change_status",
  "beacon.create",
  "beacon.enable",
  "beacon.disable",
  "beacon.remove",
  "token.create",
  "token.enable",
  "token.disable",
  "token.rotate",
  "token.remove",
  "backup.make",
  "backup.restore",
] as const;

export type AuditAction = (typeof auditActions)[number];

/** Further facts of an act, by name. */
export type AuditDetail = Record<string, string | number | boolean | null | readonly string[]>;
