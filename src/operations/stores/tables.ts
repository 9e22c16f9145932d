import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "../../platform/database/columns.ts";

/** Size of each store on each of the last days, from which its growth is computed. */
export const storeSizes = sqliteTable(
  "store_sizes",
  {
    /** Beginning of the day, UTC. */
    day: instant("day").notNull(),
    store: text("store").notNull(),
    bytes: integer("bytes").notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.store] })],
);
