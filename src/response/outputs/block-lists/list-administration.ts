import type { AuditDetail } from "../../../access/audit/actions.ts";
import { configurationFile, type Actor } from "../../../access/audit/actor.ts";
import type { Needs } from "../../../access/audit/needs.ts";
import {
  applyDeclared,
  isDeclared,
  isUndeclared,
  requireEditable,
} from "../../../platform/config/declared.ts";
import type { Database } from "../../../platform/database/database.ts";
import type { Clock } from "../../../platform/lib/clock.ts";
import { formatDuration } from "../../../platform/lib/durations.ts";
import { badRequest, FieldError, notFound } from "../../../platform/lib/errors.ts";
import { randomText } from "../../../platform/lib/ids.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import { listsMax, validateList } from "./list-rules.ts";
import { defaultFilter, type DeclaredList, type List, type ListFilter } from "./list.ts";
import type { ListChange, ListStore } from "./list-store.ts";

/** Administers the lists. A change takes effect at once: in a running server even if another process makes it. */
export interface ListAdministration {
  /** Returns the lists, sorted by name. */
  list(): List[];
  find(idOrName: string): List | undefined;
  /** Like `find`. @throws PublicError `not_found` */
  get(idOrName: string): List;
  /**
   * @param given without a token, one is generated; without a filter, the defaults of the configuration file apply
   * @throws PublicError `bad_request` with what to change
   */
  add(
    given: { name: string; token?: string; enabled?: boolean } & Partial<ListFilter>,
    options: { by: Actor },
  ): List;
  /** @throws PublicError `bad_request`, also for a list that the configuration file declares */
  change(idOrName: string, filter: Partial<ListFilter>, options: { by: Actor }): List;
  /** Replaces the token. The addresses with the current one end at once. @throws PublicError like `change` */
  rotate(idOrName: string, options: { by: Actor; token?: string }): List;
  enable(idOrName: string, options: { by: Actor }): List;
  /** Ends the addresses of a list, also of a declared one, until it is enabled. */
  disable(idOrName: string, options: { by: Actor }): List;
  /** Returns the removed list. @throws PublicError like `change` */
  remove(idOrName: string, options: { by: Actor }): List;
  /**
   * Makes the lists match the configuration file. Lists that are no longer declared are disabled.
   * @throws StartError for a declaration that is not valid
   */
  reconcile(declared: readonly DeclaredList[]): void;
}

const tokenBytes = 24;
const enabledState = { enabled: true, disabledReason: null };
const disabledState = (disabledReason: List["disabledReason"]) => ({ enabled: false, disabledReason });

export function createListAdministration({
  auditLog,
  clock,
  database,
  fillRandom,
  ids,
  store,
}: Needs<"auditLog" | "fillRandom" | "ids"> & {
  clock: Pick<Clock, "now">;
  database: Pick<Database, "transaction">;
  store: ListStore;
}): ListAdministration {
  const { declare, insert, record, switchTo, update } = createListChanges({ auditLog, clock, ids, store });
  const find = (key: string) => store.byName(key) ?? store.byId(key);

  function get(key: string): List {
    const list = find(key);
    if (list === undefined) throw notFound(`There is no list ${visible(key, 100)}.`);
    return list;
  }

  function editable(key: string): List {
    const list = get(key);
    requireEditable(list);
    return list;
  }

  return {
    list: store.all,
    find,
    get,

    add: ({ enabled = true, token = randomText(fillRandom, tokenBytes), ...given }, { by }) =>
      database.transaction(() => {
        const declared = validateList({ ...defaultFilter, ...given, token });
        if (store.byName(declared.name) !== undefined)
          throw new FieldError("name", `a list named ${declared.name} exists already; choose another name`);
        return insert(by, declared, "runtime", enabled);
      }),

    change: (key, filter, { by }) =>
      database.transaction(() => {
        const before = editable(key);
        return update(by, before, validateList({ ...before, ...filter }), before.origin);
      }),

    rotate: (key, { by, token = randomText(fillRandom, tokenBytes) }) =>
      database.transaction(() => {
        const before = editable(key);
        return update(by, before, validateList({ ...before, token }), before.origin);
      }),

    enable: (key, { by }) =>
      database.transaction(() => {
        const before = get(key);
        if (isUndeclared(before)) requireEditable(before);
        return switchTo(by, before, enabledState);
      }),
    disable: (key, { by }) => database.transaction(() => switchTo(by, get(key), disabledState("operator"))),

    remove: (key, { by }) =>
      database.transaction(() => {
        const list = get(key);
        // A list that is no longer declared belongs to nobody, so it can be removed here.
        if (isDeclared(list)) requireEditable(list);
        store.delete(list);
        return record(by, "remove", list, filterDetail(list));
      }),

    reconcile: (declared) =>
      database.transaction(() => {
        for (const one of declared) applyDeclared("lists", one.name, () => declare(validateList(one)));
        const names = new Set(declared.map(({ name }) => name));
        for (const list of store.all()) {
          if (list.origin !== "file" || names.has(list.name) || list.disabledReason === "undeclared")
            continue;
          const undeclared = store.update(list, disabledState("undeclared"));
          if (list.enabled) record(configurationFile, "disable", undeclared);
        }
      }),
  };
}

/** Makes changes and records them, in the caller's transaction. */
function createListChanges({
  auditLog,
  clock,
  ids,
  store,
}: Needs<"auditLog" | "ids"> & { clock: Pick<Clock, "now">; store: ListStore }) {
  function record(by: Actor, change: ListAction, list: List, detail?: AuditDetail): List {
    auditLog.record(by, `list.${change}`, `${list.name} (${list.id})`, detail);
    return list;
  }

  function insert(by: Actor, declared: DeclaredList, origin: List["origin"], enabled: boolean): List {
    if (store.all().length >= listsMax)
      throw badRequest(`there can be at most ${listsMax} lists; remove one first`);
    const state = enabled ? enabledState : disabledState("operator");
    const added = store.insert({
      ...columnsOf(declared),
      ...state,
      name: declared.name,
      id: ids.nextWithPrefix("lst"),
      origin,
      digest: "",
      names: 0,
      contentChangedAt: clock.now(),
    });
    return record(by, "add", added, filterDetail(added));
  }

  function switchTo(by: Actor, before: List, state: Pick<List, "enabled" | "disabledReason">): List {
    if (before.enabled === state.enabled) return before;
    return record(by, state.enabled ? "enable" : "disable", store.update(before, state));
  }

  /** Updates a list, and records a new token and other changes apart. */
  function update(by: Actor, before: List, declared: DeclaredList, origin: List["origin"]): List {
    const after = store.update(before, { ...columnsOf(declared), origin });
    if (after.token !== before.token) record(by, "rotate", after);
    const [old, current] = [filterDetail(before), filterDetail(after)];
    const changed = Object.keys(current).filter(
      (name) => JSON.stringify(old[name]) !== JSON.stringify(current[name]),
    );
    if (changed.length > 0) record(by, "change", after, { changed, ...current });
    return after;
  }

  function declare(declared: DeclaredList): void {
    const before = store.byName(declared.name);
    if (before === undefined) return void insert(configurationFile, declared, "file", true);
    const after = update(configurationFile, before, declared, "file");
    // A list that a person disabled stays disabled, whatever the file says.
    const staysDisabled = before.origin === "file" && before.disabledReason === "operator";
    if (!staysDisabled) switchTo(configurationFile, after, enabledState);
  }

  return { declare, insert, record, switchTo, update };
}

type ListAction = "add" | "change" | "rotate" | "enable" | "disable" | "remove";

function columnsOf({ token, statuses, minSeverity, verifiedOnly, protectedDomains, maxAgeMs }: DeclaredList) {
  return {
    token,
    statuses: [...statuses],
    minSeverity,
    verifiedOnly,
    protectedDomains: [...protectedDomains],
    maxAgeMs,
  } satisfies ListChange;
}

/** Returns what the audit log shows: everything but the token. */
function filterDetail({
  statuses,
  minSeverity,
  verifiedOnly,
  protectedDomains,
  maxAgeMs,
  origin,
}: List): AuditDetail {
  return {
    statuses,
    min_severity: minSeverity,
    verified_only: verifiedOnly,
    protected_domains: protectedDomains,
    max_age: maxAgeMs === null ? null : formatDuration(maxAgeMs),
    origin,
  };
}
