import type { Needs } from "../../../access/audit/needs.ts";
import { equalInConstantTime } from "../../../access/console/password.ts";
import type { ProtectedDomains } from "../../../threats/domains/domains.ts";
import { dayMs, type Timer } from "../../../platform/lib/clock.ts";
import { logDropped } from "../../../platform/lib/log.ts";
import type { BlockListFormat } from "../../../platform/vocabulary/lists.ts";
import { createListAdministration } from "./list-administration.ts";
import type { List, ListContent } from "./list.ts";
import { createListFetches } from "./list-fetches.ts";
import { createListFiles, type ListFile } from "./list-files.ts";
import { createListContents } from "./list-contents.ts";
import { createListStore } from "./list-store.ts";

/** The block lists. Every change is recorded in the audit log. */
export interface Lists extends ReturnType<typeof createListAdministration> {
  /** Returns the present content of a list. */
  content(list: List): Promise<ListContent>;
  /** Returns a list as it is published. */
  file(list: List, format: BlockListFormat): Promise<ListFile>;
  /**
   * Returns the enabled list at an address. Takes the same time for every wrong address, so that callers do not learn
   * which lists exist.
   */
  at(address: { name: string; token: string }): List | undefined;
  /** Notes a download. It is stored about once a minute. @param by the client's IP address */
  noteFetch(list: List, by: string | undefined): void;
  /** Reads the lists that are in use soon afterward, so that the first download need not wait for it. */
  start(): void;
  /** Stores what `noteFetch` noted. */
  stop(): Promise<void>;
}

/** The server has started by then, and its first requests are over. */
const readAfterMs = 10_000;
/** A list that was not downloaded for this long is not in use. */
const unusedAfterMs = dayMs;
const noToken = "no list has this token, because it contains spaces";

export function createLists({
  auditLog,
  clock,
  database,
  domains,
  fillRandom,
  ids,
  log,
  version,
  yielder,
}: Needs<"auditLog" | "clock" | "database" | "fillRandom" | "ids" | "log" | "yielder"> & {
  domains: Pick<ProtectedDomains, "list" | "onChange">;
  /** Version of the program. */
  version: string;
}): Lists {
  const store = createListStore({ clock, database });
  const fetches = createListFetches({ clock, database, log, store });
  const contents = createListContents({ clock, database, domains, log, store, version, yielder });
  const fileOf = createListFiles({ yielder });
  const administration = createListAdministration({
    auditLog,
    clock,
    database,
    fillRandom,
    ids,
    store,
  });
  let timer: Timer | undefined;

  async function readListsInUse(): Promise<void> {
    for (const list of store.list()) {
      const isInUse = list.fetchedAt !== null && clock.now() - list.fetchedAt < unusedAfterMs;
      if (list.enabled && isInUse && timer !== undefined) await contents.content(list);
    }
  }

  return {
    ...administration,
    list: () => administration.list().map(fetches.withLast),
    find(key) {
      const found = administration.find(key);
      return found === undefined ? undefined : fetches.withLast(found);
    },
    get: (key) => fetches.withLast(administration.get(key)),
    remove(key, options) {
      const removed = administration.remove(key, options);
      contents.forget(removed);
      return removed;
    },
    content: (list) => contents.content(list),
    file: async (list, format) => fileOf(list, await contents.content(list), format),
    at({ name, token }) {
      const list = store.byName(name);
      const isRight = equalInConstantTime(token, list?.token ?? noToken);
      return isRight && list?.enabled === true ? list : undefined;
    },
    noteFetch: fetches.note,
    start() {
      if (!database.isShared) return;
      timer = clock.after(readAfterMs, () => {
        readListsInUse().catch((error: unknown) => logDropped(log, error, "list.not_read_ahead"));
      });
    },
    async stop() {
      timer?.cancel();
      timer = undefined;
      await fetches.stop();
    },
  };
}
