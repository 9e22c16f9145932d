import { applyDeclared, isDeclared, isUndeclared, requireEditable } from "../../platform/config/declared.ts";
import type { Database } from "../../platform/database/database.ts";
import { notFound } from "../../platform/lib/errors.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import type { AuditAction, AuditDetail } from "../audit/actions.ts";
import { configurationFile, type Actor, type ByActor } from "../audit/actor.ts";
import type { Needs } from "../audit/needs.ts";

/** An entry that the configuration file declares, or that was added at run time: a block list, a channel. */
export interface Entry {
  id: string;
  name: string;
  origin: "file" | "runtime";
  enabled: boolean;
  /** `operator`: a person disabled it; `undeclared`: the file no longer declares it. */
  disabledReason: string | null;
}

/**
 * Administers the entries of one kind. Every change is recorded in the audit log, and takes effect at once: in a running
 * server even if another process makes it.
 */
export interface EntryAdministration<E extends Entry, New, Change> {
  /** Returns the entries, sorted by name. */
  list(): E[];
  find(idOrName: string): E | undefined;
  /** Like `find`. @throws PublicError `not_found` */
  get(idOrName: string): E;
  /** @throws PublicError `bad_request` with what to change */
  add(entry: New, options: ByActor): E;
  /** @throws PublicError `bad_request`, also for an entry that the configuration file declares */
  change(idOrName: string, settings: Change, options: ByActor): E;
  enable(idOrName: string, options: ByActor): E;
  /** Also disables a declared entry, until it is enabled. */
  disable(idOrName: string, options: ByActor): E;
}

/** The rows of the entries of one kind, and their rules. Its writes belong to the caller's transaction. */
interface EntryStore<E extends Entry, Settings> {
  /** Returns the entries, sorted by name. */
  list(): E[];
  find(idOrName: string): E | undefined;
  /** @throws PublicError `bad_request` with what to change */
  insert(settings: Settings & { name: string }, state: EntryState<E>): E;
  /** @throws PublicError `bad_request` with what to change */
  change(entry: E, settings: Partial<Settings>): E;
  /** Writes values that need no validation. A call that changes nothing writes nothing. */
  update(entry: E, values: Partial<E>): E;
}

type EntryState<E extends Entry> = Pick<E, "origin" | "enabled"> & Partial<E>;

/** Rows, rules and audit entries of one kind of entries: everything that others do not share. */
interface EntryKind<E extends Entry, Settings, Declared extends { name: string }> {
  /** Name of one entry in messages, in lowercase. */
  noun: string;
  /** Key of the configuration file under which entries are declared. */
  configKey: string;
  store: EntryStore<E, Settings>;
  /** Returns the settings of a declaration. @param present the entry that exists under its name */
  settingsOf(declared: Declared, present: E | undefined): Settings;
  audit: {
    action(change: EntryChange, entry: E): AuditAction;
    /** Returns details of an entry, without what may be secret. */
    describe(entry: E): AuditDetail;
    /** Returns the values whose changes are named, without secrets. Default: what `describe` returns. */
    compared?(entry: E): Record<string, unknown>;
    /** Returns whether the secret was replaced, which is recorded as a rotation. */
    isRotated?(before: E, after: E): boolean;
  };
  /** Values of an entry that is enabled or disabled, beyond the state itself. */
  enabledValues?: Partial<E>;
  disabledValues?(entry: E | undefined): Partial<E>;
  /** Returns whether an entry stays disabled although the file declares it. One that a person disabled always does. */
  staysDisabled?(before: E, after: E): boolean;
}

type EntryChange = "add" | "change" | "rotate" | "enable" | "disable" | "remove";

/** Returns the subject of audit entries about an entry. */
export function subjectOf({ id, name }: Pick<Entry, "id" | "name">): string {
  return `${name} (${id})`;
}

/** Returns whether the values differ from those of an entry, so that a write would change something. */
export function differs<E extends object>(entry: E, values: Partial<E>): boolean {
  const before = new Map<string, unknown>(Object.entries(entry));
  return Object.entries(values).some(
    ([name, after]) => JSON.stringify(after) !== JSON.stringify(before.get(name)),
  );
}

/** Returns a copy without the properties that are undefined. */
export function definedOf<T extends object>(
  settings: T,
): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as T;
}

export function createEntryAdministration<E extends Entry, Settings, Declared extends { name: string }>({
  auditLog,
  database,
  kind,
}: Needs<"auditLog"> & {
  database: Pick<Database, "transaction">;
  kind: EntryKind<E, Settings, Declared>;
}) {
  const { store } = kind;
  const { editable, get, removable } = createReads(kind);
  const audit = createAudit(auditLog, kind.audit);
  const { declare, disabledState, enabledState, insert, switchTo } = createChanges(kind, audit);
  // The type of a transaction's result must be known to be no promise.
  const inTransaction = (work: () => E) => database.transaction<Entry>(work) as E;

  return {
    list: store.list,
    find: store.find,
    get,
    editable,
    removable,

    add: ({ enabled = true, ...settings }: Settings & { name: string; enabled?: boolean }, { by }: ByActor) =>
      inTransaction(() => {
        const state = enabled ? enabledState : disabledState("operator");
        return insert(by, settings as unknown as Settings & { name: string }, {
          ...state,
          origin: "runtime",
        });
      }),

    change: (key: string, settings: Partial<Settings>, { by }: ByActor) =>
      inTransaction(() => {
        const before = editable(key);
        const after = store.change(before, settings);
        audit.recordChanges(by, before, after);
        return after;
      }),

    enable: (key: string, { by }: ByActor) =>
      inTransaction(() => {
        const before = get(key);
        if (isUndeclared(before)) requireEditable(before);
        return switchTo(by, before, enabledState);
      }),

    disable: (key: string, { by }: ByActor) =>
      inTransaction(() => {
        const before = get(key);
        return switchTo(by, before, disabledState("operator", before));
      }),

    /** Disables an entry that is being removed in several transactions. No entry of its own in the audit log. */
    retire: (entry: E): E => store.update(entry, disabledState("operator", entry)),
    /** Records a removal, in the caller's transaction. */
    recordRemoval: (by: Actor, entry: E) => audit.record(by, "remove", entry, kind.audit.describe(entry)),

    /**
     * Makes the entries match the configuration file. Entries that are no longer declared are disabled.
     * @throws StartError for a declaration that is not valid
     */
    reconcile: (declared: readonly Declared[]) =>
      database.transaction(() => {
        for (const one of declared) applyDeclared(kind.configKey, one.name, () => declare(one));
        const names = new Set(declared.map(({ name }) => name));
        for (const entry of store.list()) {
          if (entry.origin !== "file" || names.has(entry.name) || isUndeclared(entry)) continue;
          const undeclared = store.update(entry, disabledState("undeclared", entry));
          audit.recordChanges(configurationFile, entry, undeclared);
        }
      }),
  };
}

/** Returns those methods of an administration that return entries, with its entries in another form. */
export function convertEntries<E extends Entry, Other>(
  { list, find, get, enable, disable }: ReadAndSwitch<E>,
  convert: (entry: E) => Other,
) {
  return {
    list: () => list().map(convert),
    find(key: string): Other | undefined {
      const entry = find(key);
      return entry === undefined ? undefined : convert(entry);
    },
    get: (key: string) => convert(get(key)),
    enable: (key: string, options: ByActor) => convert(enable(key, options)),
    disable: (key: string, options: ByActor) => convert(disable(key, options)),
  };
}

type ReadAndSwitch<E extends Entry> = Pick<
  EntryAdministration<E, never, never>,
  "list" | "find" | "get" | "enable" | "disable"
>;

/** Makes changes and records them, in the caller's transaction. */
function createChanges<E extends Entry, Settings, Declared extends { name: string }>(
  kind: EntryKind<E, Settings, Declared>,
  { record, recordChanges }: ReturnType<typeof createAudit<E>>,
) {
  const { store } = kind;
  // Every kind of entry has these columns.
  const enabledState = { enabled: true, disabledReason: null, ...kind.enabledValues } as EntryState<E>;
  const disabledState = (reason: "operator" | "undeclared", entry?: E) =>
    ({ enabled: false, disabledReason: reason, ...kind.disabledValues?.(entry) }) as EntryState<E>;

  function insert(by: Actor, settings: Settings & { name: string }, state: EntryState<E>): E {
    const added = store.insert(settings, state);
    record(by, "add", added, kind.audit.describe(added));
    return added;
  }

  function switchTo(by: Actor, before: E, state: EntryState<E>): E {
    if (before.enabled === state.enabled) return before;
    const after = store.update(before, state);
    recordChanges(by, before, after);
    return after;
  }

  function declare(declared: Declared): void {
    const before = store.find(declared.name);
    const settings = kind.settingsOf(declared, before);
    if (before === undefined) {
      const { name } = declared;
      return void insert(configurationFile, { ...settings, name }, { ...enabledState, origin: "file" });
    }
    const changed = store.change(before, settings);
    // The file does not enable an entry that a person disabled.
    const staysDisabled =
      (before.origin === "file" && before.disabledReason === "operator") ||
      kind.staysDisabled?.(before, changed) === true;
    const state = before.enabled || staysDisabled ? {} : enabledState;
    const after = store.update(changed, { ...state, origin: "file" } as Partial<E>);
    recordChanges(configurationFile, before, after);
  }

  return { declare, disabledState, enabledState, insert, switchTo };
}

/** Finds entries, and requires that they can be changed. */
function createReads<E extends Entry>({
  noun,
  store,
}: {
  noun: string;
  store: Pick<EntryStore<E, never>, "find">;
}) {
  function get(key: string): E {
    const entry = store.find(key);
    if (entry === undefined) throw notFound(`There is no ${noun} ${visible(key, 100)}.`);
    return entry;
  }

  /** Like `get`. @throws PublicError `bad_request` for an entry that the configuration file declares or declared */
  function editable(key: string): E {
    const entry = get(key);
    requireEditable(entry);
    return entry;
  }

  /** Like `editable`, but also returns an entry that is no longer declared: nothing else can remove it. */
  function removable(key: string): E {
    const entry = get(key);
    if (isDeclared(entry)) requireEditable(entry);
    return entry;
  }

  return { get, editable, removable };
}

/** Records changes in the audit log, in the caller's transaction. */
function createAudit<E extends Entry>(
  auditLog: Needs<"auditLog">["auditLog"],
  { action, compared, describe, isRotated }: EntryKind<E, unknown, never>["audit"],
) {
  const record = (by: Actor, change: EntryChange, entry: E, detail?: AuditDetail) =>
    auditLog.record(by, action(change, entry), subjectOf(entry), detail);

  return {
    record,

    /** Records a new secret, other changes of settings, and a change of the state apart. */
    recordChanges(by: Actor, before: E, after: E): void {
      if (isRotated?.(before, after) === true) record(by, "rotate", after);
      const valuesOf = compared ?? describe;
      const [old, current] = [valuesOf(before), valuesOf(after)];
      const changed = Object.keys(current).filter(
        (name) => JSON.stringify(old[name]) !== JSON.stringify(current[name]),
      );
      if (changed.length > 0) record(by, "change", after, { changed, ...describe(after) });
      if (before.enabled !== after.enabled) record(by, after.enabled ? "enable" : "disable", after);
    },
  };
}
