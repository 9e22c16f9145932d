import { channelTypes } from "../../platform/vocabulary/channels.ts";
import type { TrapAuditAction } from "../../platform/vocabulary/traps.ts";
import actions from "./actions.json" with { type: "json" };

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
type RecipientChange = (typeof recipientChanges)[number];
type RecipientAction = `${string}.${RecipientChange}`;

/** @param channel kind of the recipient's channel */
export function recipientAction(channel: string, change: RecipientChange): RecipientAction {
  const types: readonly string[] = channelTypes;
  // For the reader of the log, channels for people are one kind of object, independent of the service.
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
export const auditActions = Object.keys(actions) as AuditAction[];

/** How each action is called in a sentence that its object completes: `created API key` in "created API key SIEM". */
export const auditActionWords: Partial<Record<string, string>> = actions;

export type AuditAction = keyof typeof actions | TrapAuditAction | RecipientAction;

/** Further facts about an action, by name. */
export type AuditDetail = Record<string, string | number | boolean | null | readonly string[]>;
