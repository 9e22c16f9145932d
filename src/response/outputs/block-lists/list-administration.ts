import { createEntryAdministration } from "../../../access/entries/administration.ts";
import type { AuditDetail } from "../../../access/audit/actions.ts";
import type { ByActor } from "../../../access/audit/actor.ts";
import type { Needs } from "../../../access/audit/needs.ts";
import { formatDuration } from "../../../platform/lib/durations.ts";
import { badRequest, FieldError } from "../../../platform/lib/errors.ts";
import { randomText } from "../../../platform/lib/ids.ts";
import { jsonFields } from "../../../platform/lib/key-names.ts";
import { listsMax, validateList } from "./list-rules.ts";
import { defaultFilter, type DeclaredList, type List, type ListFilter } from "./list.ts";
import type { ListStore } from "./list-store.ts";

const tokenBytes = 24;

/**
 * Administers the lists. One that is added without a token gets a generated one, and without a filter, the defaults of
 * the configuration file.
 */
export function createListAdministration({
  auditLog,
  clock,
  database,
  fillRandom,
  ids,
  store,
}: Needs<"auditLog" | "clock" | "database" | "fillRandom" | "ids"> & { store: ListStore }) {
  const newToken = () => randomText(fillRandom, tokenBytes);
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
    /** @throws PublicError `bad_request` with what to change */
    add: (
      {
        token = newToken(),
        ...given
      }: { name: string; token?: string; enabled?: boolean } & Partial<ListFilter>,
      options: ByActor,
    ) => lists.add({ ...defaultFilter, ...given, token }, options),
    /** Replaces the token. The addresses with the current one end at once. @throws PublicError like `change` */
    rotate: (key: string, { by, token = newToken() }: ByActor & { token?: string }) =>
      lists.change(key, { token }, { by }),
    /** Returns the removed list. @throws PublicError like `change` */
    remove: (key: string, { by }: ByActor) =>
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
