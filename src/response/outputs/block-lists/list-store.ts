import { asc, eq } from "drizzle-orm";
import { differs } from "../../../access/entries/administration.ts";
import type { Needs } from "../../../platform/database/needs.ts";
import { hasValue, statement } from "../../../platform/database/statement.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import type { List } from "./list.ts";
import { nextChange } from "./serial.ts";
import { lists } from "./tables.ts";

/** Fields that a change of a list may set. */
type ListChange = Partial<Omit<List, "seq" | "id" | "name" | "createdAt" | "updatedAt">>;

/** The rows of the lists. Writes belong into the caller's transaction. */
export type ListStore = ReturnType<typeof createListStore>;

export function createListStore({ clock, database }: Needs<"clock" | "database">) {
  const { query } = database;
  const all = statement(database, (q) => q.select().from(lists).orderBy(asc(lists.name)));
  const byName = statement(database, (q) => q.select().from(lists).where(hasValue(lists.name)));
  const byId = statement(database, (q) => q.select().from(lists).where(hasValue(lists.id)));
  const bySeq = statement(database, (q) => q.select().from(lists).where(hasValue(lists.seq)));

  return {
    /** Returns the lists, sorted by name. */
    list: (): List[] => all.all(),
    byName: (name: string): List | undefined => byName.get({ name }),
    find: (key: string): List | undefined => byName.get({ name: key }) ?? byId.get({ id: key }),
    insert(list: Omit<typeof lists.$inferInsert, "seq" | "createdAt" | "updatedAt">): List {
      const now = clock.now();
      return query
        .insert(lists)
        .values({ ...list, createdAt: now, updatedAt: now })
        .returning()
        .get();
    },
    update(list: List, change: ListChange): List {
      if (!differs(list, change)) return list;
      return query
        .update(lists)
        .set({ ...change, updatedAt: clock.now() })
        .where(eq(lists.seq, list.seq))
        .returning()
        .get();
    },
    delete: ({ seq }: List) => void query.delete(lists).where(eq(lists.seq, seq)).run(),
    /**
     * Stores the digest of the present content, unless it is stored already, and returns the time of the change.
     * Undefined: the list was removed.
     * @param content.after time of the last change that was published, which may not be stored
     */
    publish(
      seq: number,
      { digest, names, after }: { digest: string; names: number; after: Instant },
    ): Instant | undefined {
      const list = bySeq.get({ seq });
      if (list === undefined) return undefined;
      if (list.digest === digest && list.contentChangedAt >= after) return list.contentChangedAt;
      const contentChangedAt = nextChange(Math.max(list.contentChangedAt, after), clock.now());
      query.update(lists).set({ digest, names, contentChangedAt }).where(eq(lists.seq, seq)).run();
      return contentChangedAt;
    },
    /** Stores the last download. */
    fetched: (seq: number, { at, by }: { at: Instant; by: string | null }) =>
      void query.update(lists).set({ fetchedAt: at, fetchedBy: by }).where(eq(lists.seq, seq)).run(),
  };
}
