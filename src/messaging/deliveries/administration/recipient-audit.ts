import { recipientAction, type AuditDetail, type RecipientChange } from "../../../access/audit/actions.ts";
import { configurationFile, type Actor } from "../../../access/audit/actor.ts";
import type { AuditLog } from "../../../access/audit/audit-log.ts";
import type { RecipientTraits } from "../channel.ts";
import { subjectOf, type Recipient } from "../recipients.ts";

export type RecipientAudit = ReturnType<typeof createRecipientAudit>;

/** Writes audit entries for changes of recipients, in the caller's transaction. */
export function createRecipientAudit({
  auditLog,
  traits,
}: {
  auditLog: Pick<AuditLog, "record">;
  traits: RecipientTraits;
}) {
  const record = (by: Actor, change: RecipientChange, recipient: Recipient, detail?: AuditDetail) =>
    auditLog.record(by, recipientAction(recipient.channel, change), subjectOf(recipient), detail);

  function changed(by: Actor, before: Recipient, after: Recipient): void {
    const [old, current] = [auditedSettings(before, traits), auditedSettings(after, traits)];
    const names = Object.keys(current).filter(
      (name) => JSON.stringify(old[name]) !== JSON.stringify(current[name]),
    );
    if (names.length > 0) record(by, "change", after, { changed: names, ...traits.describe(after) });
  }

  function switched(by: Actor, before: Recipient, after: Recipient): void {
    if (before.enabled !== after.enabled) record(by, after.enabled ? "enable" : "disable", after);
  }

  return {
    added: (by: Actor, recipient: Recipient) => record(by, "add", recipient, traits.describe(recipient)),
    changed,
    switched,
    removed: (by: Actor, recipient: Recipient) => record(by, "remove", recipient, traits.describe(recipient)),
    /** Records what the configuration file changed. */
    declared(before: Recipient, after: Recipient) {
      if (traits.isRotated?.(before.target, after.target) === true)
        record(configurationFile, "rotate", after);
      changed(configurationFile, before, after);
      switched(configurationFile, before, after);
    },
  };
}

function auditedSettings(
  { channel, target, events, filter, concurrency, ratePerSecond, origin }: Recipient,
  { auditedProperties }: RecipientTraits,
): Record<string, unknown> {
  const properties = new Map(Object.entries(target as object));
  const audited = auditedProperties.map((name) => [name, properties.get(name)]);
  return { channel, ...Object.fromEntries(audited), events, filter, concurrency, ratePerSecond, origin };
}
