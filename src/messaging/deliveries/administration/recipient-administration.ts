import {
  createEntryAdministration,
  type EntryAdministration,
} from "../../../access/entries/administration.ts";
import { recipientAction } from "../../../access/audit/actions.ts";
import type { Actor } from "../../../access/audit/actor.ts";
import type { Needs } from "../../../access/audit/needs.ts";
import type { RecipientTraits } from "../channel.ts";
import type { Recipient, Recipients, RecipientSettings } from "../recipients.ts";
import { isDisabledForFailing } from "../rules/recipient-state.ts";

/**
 * Administers the recipients of one channel, or of several that have the same traits. Disabling one stops deliveries;
 * pending deliveries stay queued.
 */
export interface RecipientAdministration extends EntryAdministration<
  Recipient,
  NewRecipientSettings,
  Partial<RecipientSettings>
> {
  /** Like `get`. @throws PublicError `bad_request` for a recipient that the configuration file declares */
  editable(idOrName: string): Recipient;
  /** Removes a recipient, its deliveries and its dependents. @throws PublicError like `editable` */
  remove(idOrName: string, options: { by: Actor }): Promise<void>;
  /**
   * Makes the recipients match the configuration file. Recipients that are no longer declared are disabled.
   * @throws StartError for a declaration that is not valid
   */
  reconcile(declared: readonly DeclaredRecipient[]): void;
}

interface SettingsInChannel extends RecipientSettings {
  /** Kind of its channel. */
  channel: string;
}

interface NewRecipientSettings extends SettingsInChannel {
  name: string;
  enabled: boolean;
}

/** Objects that belong to a recipient, and are removed before it, with audit entries of their own. */
export interface Dependents {
  /** Called in the transaction that begins a removal. @throws PublicError if they cannot be removed here */
  checkRemovable(recipientSeq: number): void;
  remove(recipientSeq: number, options: { by: Actor }): Promise<void>;
}

/** A recipient that the configuration file declares. */
export interface DeclaredRecipient extends Omit<SettingsInChannel, "target"> {
  name: string;
  /** @param present target of the recipient that exists under this name, of which a channel may keep a part */
  target(present: unknown): unknown;
}

interface RecipientAdministrationDependencies extends Needs<"auditLog" | "clock" | "database" | "ids"> {
  dependents?: readonly Dependents[];
  /** Kinds of the channels. */
  kinds: readonly string[];
  recipients: Recipients;
  traits: RecipientTraits;
}

export function createRecipientAdministration(
  dependencies: RecipientAdministrationDependencies,
): RecipientAdministration {
  const { auditLog, clock, database, dependents = [], ids, kinds, recipients, traits } = dependencies;
  const entries = createEntryAdministration<Recipient, SettingsInChannel, DeclaredRecipient>({
    auditLog,
    database,
    kind: {
      noun: traits.noun,
      configKey: traits.configKey,
      store: {
        // The recipients of several channels are one list.
        list: () => recipients.listAll().filter(({ channel }) => kinds.includes(channel)),
        find(key) {
          for (const kind of kinds) {
            const recipient = recipients.find(kind, key);
            if (recipient !== undefined) return recipient;
          }
          return undefined;
        },
        insert: (settings, state) =>
          recipients.insert({ ...settings, ...state, id: ids.nextWithPrefix(traits.idPrefix) }),
        change: (before, { channel = before.channel, ...settings }) =>
          recipients.change(recipients.update(before, { channel }), settings),
        update: recipients.update,
      },
      settingsOf: ({ target, ...settings }, present) => ({ ...settings, target: target(present?.target) }),
      enabledValues: { consecutiveFailures: 0, failingSince: null, lastFailure: null },
      disabledValues: () => ({ disabledAt: clock.now() }),
      // One that was disabled for failing stays disabled until its address changes or someone enables it.
      staysDisabled: (before, after) =>
        isDisabledForFailing(before.disabledReason) &&
        before.channel === after.channel &&
        traits.addressOf(before.target) === traits.addressOf(after.target),
      audit: {
        action: (change, { channel }) => recipientAction(channel, change),
        describe: traits.describe,
        compared: (recipient) => auditedSettings(recipient, traits),
        isRotated: (before, after) => traits.isRotated?.(before.target, after.target) === true,
      },
    },
  });

  return {
    ...entries,
    async remove(key, { by }) {
      const recipient = await database.write(() => {
        const found = entries.removable(key);
        for (const { checkRemovable } of dependents) checkRemovable(found.seq);
        return entries.retire(found);
      });
      for (const one of dependents) await one.remove(recipient.seq, { by });
      // The deliveries are deleted in several transactions, the recipient and its audit entry in the last one.
      await recipients.remove(recipient, () => entries.recordRemoval(by, recipient));
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
