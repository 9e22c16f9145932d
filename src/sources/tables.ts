import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "../database/columns.ts";

/** How far each file of each feed was read, so that a restart goes on there and no file is read twice. */
export const feedFiles = sqliteTable(
  "feed_files",
  {
    feed: text("feed").notNull(),
    path: text("path").notNull(),
    /** Size and modification time tell whether the file is still the one that was read. */
    bytes: integer("bytes").notNull(),
    modifiedAt: instant("modified_at").notNull(),
    /** Lines that were read and whose matches are recorded. */
    lines: integer("lines").notNull(),
    invalid: integer("invalid").notNull(),
    matched: integer("matched").notNull(),
    startedAt: instant("started_at").notNull(),
    /** When its last line was read; null: not finished. */
    completedAt: instant("completed_at"),
    error: text("error"),
  },
  (table) => [primaryKey({ columns: [table.feed, table.path] })],
);
