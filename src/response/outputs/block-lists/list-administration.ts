import {
  createEntryAdministration,
  type EntryAdministration,
} from "../../../access/entries/administration.ts";
import type { AuditDetail } from "../../../access/audit/actions.ts";
import type { Actor } from "../../../access/audit/actor.ts";
import type { Needs } from "../../../access/audit/needs.ts";
import type { Database } from "../../../platform/database/database.ts";
import type { Clock } from "../../../platform/lib/clock.ts";
import { formatDuration } from "../../../platform/lib/durations.ts";
import { badRequest, FieldError } from "../../../platform/lib/errors.ts";
import { randomText } from "../../../platform/lib/ids.ts";
import { jsonFields } from "../../../platform/lib/key-names.ts";
import { listsMax, validateList } from "./list-rules.ts";
import { defaultFilter, type DeclaredList, type List, type ListFilter } from "./list.ts";
import type { ListStore } from "./list-store.ts";

/**
 * Administers the lists. One that is added without a token gets a generated one, and without a filter, the defaults of
 * the configuration file.
 */
export interface ListAdministration extends EntryAdministration<
  List,
  { name: string; token?: string; enabled?: boolean } & Partial<ListFilter>,
  Partial<ListFilter>
> {
  /** Replaces the token. The addresses with the current one end at once. @throws PublicError like `change` */
  rotate(idOrName: string, options: { by: Actor; token?: string }): List;
  /** Returns the removed list. @throws PublicError like `change` */
  remove(idOrName: string, options: { by: Actor }): List;
  /**
   * Makes the lists match the configuration file. Lists that are no longer declared are disabled.
   * @throws StartError for a declaration that is not valid
   */
  reconcile(declared: readonly DeclaredList[]): void;
}

const tokenBytes = 24;

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
  const lists = createEntryAdministration<List, Omit<DeclaredList, "name">, DeclaredList>({
    auditLog,
    database,
    kind: {
      noun: "list",
      configKey: "lists",
      store: {
        ...store,
        insert(given, state) {
          const { name } = given;
          const settings = validateList(given);
          if (store.byName(name) !== undefined)
            throw new FieldError("name", `a list named ${name} exists already; choose another name`);
          if (store.list().length >= listsMax)
            throw badRequest(`there can be at most ${listsMax} lists; remove one first`);
          return store.insert({
            ...settings,
            ...state,
            name,
            id: ids.nextWithPrefix("lst"),
            digest: "",
            names: 0,
            contentChangedAt: clock.now(),
          });
        },
        change: (list, settings) => store.update(list, validateList({ ...list, ...settings })),
      },
      settingsOf: (declared) => declared,
      audit: {
        action: (change) => `list.${change}`,
        describe: filterDetail,
        isRotated: (before, after) => before.token !== after.token,
      },
    },
  });

  return {
    ...lists,
    add: ({ token = randomText(fillRandom, tokenBytes), ...given }, options) =>
      lists.add({ ...defaultFilter, ...given, token }, options),
    rotate: (key, { by, token = randomText(fillRandom, tokenBytes) }) => lists.change(key, { token }, { by }),
    remove: (key, { by }) =>
      database.transaction(() => {
        const list = lists.removable(key);
        store.delete(list);
        lists.recordRemoval(by, list);
        return list;
      }),
  };
}

/** Returns what the audit log shows: everything but the token. */
function filterDetail(list: List): AuditDetail {
  return {
    ...jsonFields(list, "statuses minSeverity verifiedOnly protectedDomains"),
    max_age: list.maxAgeMs === null ? null : formatDuration(list.maxAgeMs),
    origin: list.origin,
  };
}
