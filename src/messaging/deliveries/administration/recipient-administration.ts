import { configurationFile, type Actor } from "../../../access/audit/actor.ts";
import type { Needs } from "../../../access/audit/needs.ts";
import {
  applyDeclared,
  isDeclared,
  isUndeclared,
  requireEditable,
} from "../../../platform/config/declared.ts";
import { notFound } from "../../../platform/lib/errors.ts";
import type { IdFactory } from "../../../platform/lib/ids.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import type { RecipientTraits } from "../channel.ts";
import { type Recipient, type Recipients, type RecipientSettings, subjectOf } from "../recipients.ts";
import { isDisabledForFailing } from "../rules/recipient-state.ts";
import { recipientAction, type AuditDetail, type RecipientChange } from "../../../access/audit/actions.ts";
import type { AuditLog } from "../../../access/audit/audit-log.ts";

/**
 * Administers the recipients of one channel, or of several that have the same traits. Every change is recorded in the
 * audit log, and takes effect at once: in a running server even if another process makes it.
 */
export interface RecipientAdministration {
  /** Returns the recipients, sorted by name. */
  list(): Recipient[];
  find(idOrName: string): Recipient | undefined;
  /** Like `find`. @throws PublicError `not_found` */
  get(idOrName: string): Recipient;
  /** Like `get`. @throws PublicError `bad_request` for a recipient that the configuration file declares */
  editable(idOrName: string): Recipient;
  /** @throws PublicError `bad_request` with what to change */
  add(recipient: NewRecipientSettings, options: { by: Actor }): Recipient;
  /** @throws PublicError like `editable`, and `bad_request` with what to change */
  change(idOrName: string, settings: Partial<RecipientSettings>, options: { by: Actor }): Recipient;
  /** Stops deliveries, also to a declared recipient, until it is enabled. Pending deliveries stay queued. */
  disable(idOrName: string, options: { by: Actor }): Recipient;
  enable(idOrName: string, options: { by: Actor }): Recipient;
  /** Removes a recipient, its deliveries and its dependents. @throws PublicError like `editable` */
  remove(idOrName: string, options: { by: Actor }): Promise<void>;
  /**
   * Makes the recipients match the configuration file. Recipients that are no longer declared are disabled.
   * @throws StartError for a declaration that is not valid
   */
  reconcile(declared: readonly DeclaredRecipient[]): void;
}

interface NewRecipientSettings extends RecipientSettings {
  name: string;
  /** Kind of its channel. */
  channel: string;
  enabled: boolean;
}

/** Objects that belong to a recipient, and are removed before it, with audit entries of their own. */
export interface Dependents {
  /** Called in the transaction that begins a removal. @throws PublicError if they cannot be removed here */
  checkRemovable(recipientSeq: number): void;
  remove(recipientSeq: number, options: { by: Actor }): Promise<void>;
}

/** A recipient that the configuration file declares. */
export interface DeclaredRecipient extends Omit<RecipientSettings, "target"> {
  name: string;
  /** Kind of its channel. */
  channel: string;
  /** @param present target of the recipient that exists under this name, of which a channel may keep a part */
  target(present: unknown): unknown;
}

const enabledState = {
  enabled: true,
  disabledReason: null,
  consecutiveFailures: 0,
  failingSince: null,
  lastFailure: null,
};

export function createRecipientAdministration({
  auditLog,
  clock,
  database,
  dependents = [],
  ids,
  kinds,
  recipients,
  traits,
}: Needs<"auditLog" | "clock" | "database" | "ids"> & {
  dependents?: readonly Dependents[];
  /** Kinds of the channels. */
  kinds: readonly string[];
  recipients: Recipients;
  traits: RecipientTraits;
}): RecipientAdministration {
  const audit = createRecipientAudit({ auditLog, traits });
  const disabledState = (disabledReason: Recipient["disabledReason"]) => ({
    enabled: false,
    disabledReason,
    disabledAt: clock.now(),
  });
  const { editable, find, get, list } = createReads({ kinds, noun: traits.noun, recipients });
  const declarations = createDeclarations({ audit, disabledState, find, ids, list, recipients, traits });

  return {
    list,
    find,
    get,
    editable,

    add: ({ enabled, ...settings }, { by }) =>
      database.transaction(() => {
        const id = ids.nextWithPrefix(traits.idPrefix);
        const state = enabled ? { enabled } : disabledState("operator");
        const added = recipients.insert({ ...settings, id, origin: "runtime", ...state });
        audit.added(by, added);
        return added;
      }),

    change: (key, settings, { by }) =>
      database.transaction(() => {
        const before = editable(key);
        const after = recipients.change(before, settings);
        audit.changed(by, before, after);
        return after;
      }),

    disable: (key, { by }) =>
      database.transaction(() => {
        const before = get(key);
        if (!before.enabled) return before;
        const after = recipients.update(before, disabledState("operator"));
        audit.switched(by, before, after);
        return after;
      }),

    enable: (key, { by }) =>
      database.transaction(() => {
        const before = get(key);
        if (isUndeclared(before)) requireEditable(before);
        if (before.enabled) return before;
        const after = recipients.update(before, enabledState);
        audit.switched(by, before, after);
        return after;
      }),

    async remove(key, { by }) {
      const recipient = await database.write(() => {
        const found = get(key);
        // A recipient that is no longer declared belongs to nobody, so it can be removed here.
        if (isDeclared(found)) requireEditable(found);
        for (const { checkRemovable } of dependents) checkRemovable(found.seq);
        recipients.update(found, disabledState("operator"));
        return found;
      });
      for (const one of dependents) await one.remove(recipient.seq, { by });
      // The deliveries are deleted in several transactions, the recipient and its audit entry in the last one.
      await recipients.remove(recipient, () => audit.removed(by, recipient));
    },

    reconcile: (declared) =>
      database.transaction(() => {
        for (const one of declared) applyDeclared(traits.configKey, one.name, () => declarations.apply(one));
        declarations.disableOthers(new Set(declared.map(({ name }) => name)));
      }),
  };
}

/** Reads the recipients of several channels as one list. */
function createReads({
  kinds,
  noun,
  recipients,
}: {
  kinds: readonly string[];
  noun: string;
  recipients: Recipients;
}) {
  const list = () => recipients.listAll().filter(({ channel }) => kinds.includes(channel));

  function find(key: string): Recipient | undefined {
    for (const kind of kinds) {
      const recipient = recipients.find(kind, key);
      if (recipient !== undefined) return recipient;
    }
    return undefined;
  }

  function get(key: string): Recipient {
    const recipient = find(key);
    if (recipient === undefined) throw notFound(`There is no ${noun} ${visible(key, 100)}.`);
    return recipient;
  }

  function editable(key: string): Recipient {
    const recipient = get(key);
    requireEditable(recipient);
    return recipient;
  }

  return { editable, find, get, list };
}

/** Applies declarations of the configuration file, in the caller's transaction. */
function createDeclarations({
  audit,
  disabledState,
  find,
  ids,
  list,
  recipients,
  traits,
}: {
  audit: RecipientAudit;
  disabledState: (reason: Recipient["disabledReason"]) => Partial<Recipient>;
  find: (name: string) => Recipient | undefined;
  ids: IdFactory;
  list: () => Recipient[];
  recipients: Recipients;
  traits: RecipientTraits;
}) {
  return {
    apply({ name, channel, target, ...settings }: DeclaredRecipient): void {
      const before = find(name);
      if (before === undefined) {
        const id = ids.nextWithPrefix(traits.idPrefix);
        const created = { ...settings, id, name, channel, target: target(undefined) };
        return audit.added(
          configurationFile,
          recipients.insert({ ...created, origin: "file", enabled: true }),
        );
      }
      const moved = recipients.update(before, { channel });
      const changed = recipients.change(moved, { ...settings, target: target(before.target) });
      // A recipient that was disabled for failing stays disabled until its address changes or someone enables it. One
      // that a person paused stays paused, whatever the file says.
      const staysDisabled =
        (before.disabledReason === "operator" && before.origin === "file") ||
        (isDisabledForFailing(before.disabledReason) &&
          before.channel === channel &&
          traits.addressOf(before.target) === traits.addressOf(changed.target));
      const state = before.enabled || staysDisabled ? {} : enabledState;
      audit.declared(before, recipients.update(changed, { origin: "file", ...state }));
    },

    /** Disables the recipients that the file declared earlier and no longer does. */
    disableOthers(declared: ReadonlySet<string>): void {
      for (const recipient of list()) {
        const isGone = recipient.origin === "file" && !declared.has(recipient.name);
        if (!isGone || recipient.disabledReason === "undeclared") continue;
        audit.declared(recipient, recipients.update(recipient, disabledState("undeclared")));
      }
    },
  };
}

type RecipientAudit = ReturnType<typeof createRecipientAudit>;

/** Writes audit entries for changes of recipients, in the caller's transaction. */
function createRecipientAudit({
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
