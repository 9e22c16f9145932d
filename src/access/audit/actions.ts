import { channelTypes } from "../../platform/vocabulary/channels.ts";
import { trapAuditActions } from "../../platform/vocabulary/traps.ts";

/** Changes of recipients of events, which are recorded in the same way for every delivery channel. */
const recipientChanges = [
  "add",
  "change",
  "rotate",
  "enable",
  "disable",
  "remove",
  "redeliver",
  "replay",
] as const;
export type RecipientChange = (typeof recipientChanges)[number];
type RecipientAction = `${string}.${RecipientChange}`;

/** @param channel kind of the recipient's channel */
export function recipientAction(channel: string, change: RecipientChange): RecipientAction {
  const types: readonly string[] = channelTypes;
  // For the reader of the log, channels for people are one kind of object, whatever service shows the messages.
  return `${types.includes(channel) ? "channel" : channel}.${change}`;
}

/** @param channel kind of the recipients' channel */
export function recipientActions(channel: string): RecipientAction[] {
  return recipientChanges.map((change) => recipientAction(channel, change));
}

/**
 * Actions in the audit log, except those on recipients of further channels. A log may contain actions of earlier
 * versions that are no longer in this list.
 */
export const auditActions = [
  "console.sign_in",
  "console.sign_out",
  "console.sign_out_everywhere",
  "account.invite",
  "account.add",
  "account.change_role",
  "account.disable",
  "account.enable",
  "account.reset",
  "account.withdraw_invitation",
  "account.choose_password",
  "account.change_password",
  "account.set_password",
  "account.add_codes",
  "account.remove_codes",
  "account.use_recovery_code",
  "account.renew_recovery_codes",
  "account.end_sessions",
  "key.create",
  "key.change",
  "key.revoke",
  "domain.add",
  "domain.change",
  "domain.remove",
  "original.add",
  "original.remove",
  "original.accept",
  "original.reject",
  "original.dismiss",
  "logo.add",
  "logo.remove",
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
  "channel.add",
  "channel.change",
  "channel.enable",
  "channel.disable",
  "channel.remove",
  "channel.test",
  "channel.redeliver",
  "channel.replay",
  "subscription.add",
  "subscription.change",
  "subscription.enable",
  "subscription.disable",
  "subscription.remove",
  "list.add",
  "list.change",
  "list.rotate",
  "list.enable",
  "list.disable",
  "list.remove",
  "scan.start",
  "scan.cancel",
  "feed.import",
  "feed.cancel_import",
  "feed.read_again",
  "source.pause",
  "source.resume",
  "inspection.request",
  "threat.change_status",
  "threat.undo_change",
  "threat.note",
  "takedown.report",
  "takedown.response",
  "takedown.bounced",
  "takedown.send_again",
  "takedown.postpone",
  "takedown.close",
  "threat.assign",
  "threat.set_due",
  "view.add",
  "view.rename",
  "view.remove",
  ...trapAuditActions,
  "backup.make",
  "backup.restore",
  "config.reload",
  "retention.delete",
  "retention.restore",
] as const;

export type AuditAction = (typeof auditActions)[number] | RecipientAction;

/** Further facts about an action, by name. */
export type AuditDetail = Record<string, string | number | boolean | null | readonly string[]>;
