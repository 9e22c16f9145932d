import { visible } from "../../../../platform/lib/safe-text.ts";
import { inWords } from "../../kit/labels.ts";

/** Objects of actions, as they are called in a sentence. */
const nouns: Record<string, string> = {
  account: "user",
  backup: "backup",
  beacon: "beacon",
  channel: "channel",
  domain: "protected domain",
  feed: "feed",
  key: "API key",
  list: "block list",
  scan: "scan",
  source: "source",
  subscription: "subscription",
  threat: "threat",
  token: "honeytoken",
  view: "view",
  webhook: "webhook endpoint",
};

/** Past tense of the actions: `created` in "created API key SIEM". */
const verbs: Record<string, string> = {
  add: "added",
  cancel: "cancelled",
  change: "changed",
  create: "created",
  delete: "deleted",
  disable: "disabled",
  enable: "enabled",
  make: "made",
  pause: "paused",
  redeliver: "sent again to",
  remove: "removed",
  rename: "renamed",
  replay: "replayed events to",
  restore: "restored",
  resume: "resumed",
  revoke: "revoked",
  rotate: "rotated the secret of",
  start: "started",
  test: "tested",
};

/** Actions that do not consist of a verb and an object. */
const sentences: Record<string, string> = {
  "account.add_codes": "turned on the one-time codes of",
  "account.change_password": "changed the password of",
  "account.change_role": "changed the role of",
  "account.choose_password": "chose a password with a link for",
  "account.end_sessions": "ended sessions of",
  "account.invite": "invited",
  "account.remove_codes": "removed the one-time codes of",
  "account.renew_recovery_codes": "created new recovery codes of",
  "account.reset": "created a link for a new password of",
  "account.set_password": "set the password of",
  "account.use_recovery_code": "used a recovery code of",
  "account.withdraw_invitation": "withdrew the invitation of",
  "config.reload": "applied the changed configuration file",
  "console.sign_in": "signed in",
  "console.sign_out": "signed out",
  "console.sign_out_everywhere": "signed out everywhere",
  "feed.cancel_import": "cancelled import",
  "feed.import": "imported",
  "feed.read_again": "read again",
  "inspection.request": "requested an inspection of",
  "logo.add": "added a logo of",
  "logo.remove": "deleted a logo of",
  "original.accept": "accepted a version of an original page of",
  "original.add": "added an original page of",
  "original.dismiss": "dismissed a suggestion for",
  "original.reject": "rejected a version of an original page of",
  "original.remove": "removed an original page of",
  "retention.delete": "deleted old data as configured in",
  "retention.restore": "restored the deleted name",
  "threat.assign": "assigned",
  "takedown.bounced": "recorded the bounced email of report",
  "takedown.close": "closed report",
  "takedown.postpone": "postponed the follow-up of report",
  "takedown.report": "recorded report",
  "takedown.response": "recorded a response to report",
  "takedown.send_again": "sent again report",
  "threat.change_status": "decided on",
  "threat.note": "added a note to",
  "threat.set_due": "set the due time of",
  "threat.undo_change": "undid a decision",
  "webhook.end_rotation": "ended the rotation of the secret of",
};

/** Describes an action for a sentence that its object completes. An action of an earlier version is shown as it is. */
export function auditWords(action: string): string {
  const sentence = sentences[action];
  if (sentence !== undefined) return sentence;
  const [object = "", done = ""] = action.split(".");
  const [noun, verb] = [nouns[object], verbs[done]];
  if (noun === undefined || verb === undefined) return visible(inWords(action).replace(".", ": "), 100);
  return `${verb} ${noun}`;
}
