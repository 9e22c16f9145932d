import { integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { instant } from "../../platform/database/columns.ts";

/** Views of the list of threats that people saved under a name. */
export const savedViews = sqliteTable(
  "saved_views",
  {
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    name: text("name").notNull(),
    /** The name in lower case: two views must not differ by nothing else. */
    foldedName: text("folded_name").notNull(),
    /** Parameters of the list's URL, in canonical order. Its readers validate it: a filter can become invalid. */
    query: text("query").notNull(),
    /** Place among the views, ascending. */
    position: integer("position").notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [uniqueIndex("saved_views_name").on(table.foldedName)],
);
