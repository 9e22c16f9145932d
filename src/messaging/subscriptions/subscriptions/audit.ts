import type { AuditDetail } from "../../../access/audit/actions.ts";
import type { Actor } from "../../../access/audit/actor.ts";
import { configurationFile } from "../../../access/audit/actor.ts";
import type { AuditLog } from "../../../access/audit/audit-log.ts";
import { subjectOf } from "../../deliveries/recipients.ts";
import { timeOfDay } from "./rules.ts";
import { rulesOf, type Subscription } from "./store.ts";

type SubscriptionChange = "add" | "change" | "enable" | "disable" | "remove";

export type SubscriptionAudit = ReturnType<typeof createSubscriptionAudit>;

/** Records changes of subscriptions in the audit log, in the caller's transaction. */
export function createSubscriptionAudit(auditLog: Pick<AuditLog, "record">) {
  const record = (by: Actor, change: SubscriptionChange, one: Subscription, detail?: AuditDetail) =>
    auditLog.record(by, `subscription.${change}`, subjectOf(one), detail);

  function changed(by: Actor, before: Subscription, after: Subscription): void {
    const [old, current] = [auditedOf(before), auditedOf(after)];
    const names = Object.keys(current).filter(
      (name) => JSON.stringify(old[name]) !== JSON.stringify(current[name]),
    );
    if (names.length > 0) record(by, "change", after, { changed: names, ...describe(after) });
  }

  function switched(by: Actor, before: Subscription, after: Subscription): void {
    if (before.enabled !== after.enabled) record(by, after.enabled ? "enable" : "disable", after);
  }

  return {
    added: (by: Actor, one: Subscription) => record(by, "add", one, describe(one)),
    changed,
    switched,
    removed: (by: Actor, one: Subscription) => record(by, "remove", one, describe(one)),
    declared(before: Subscription, after: Subscription) {
      changed(configurationFile, before, after);
      switched(configurationFile, before, after);
    },
  };
}

function auditedOf(one: Subscription): Record<string, unknown> {
  return { ...rulesOf(one), channel: one.channel.id, origin: one.origin };
}

function describe({ channel, events, digest, at }: Subscription): AuditDetail {
  return { channel: channel.name, events, digest: digest === "daily" ? `daily at ${timeOfDay(at)}` : digest };
}
