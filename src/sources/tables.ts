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
    /** Where in its (decompressed) text reading goes on: the matches of all before it are recorded. */
    position: integer("position").notNull(),
    /** Lines before `position`. */
    lines: integer("lines").notNull(),
    /** Tells whether a file that grew was appended to; null where that is not known: it is read anew. */
    fingerprint: text("fingerprint"),
    invalid: integer("invalid").notNull(),
    matched: integer("matched").notNull(),
    created: integer("created").notNull(),
    startedAt: instant("started_at").notNull(),
    /** When its last line was read; null: not finished. */
    completedAt: instant("completed_at"),
    /** Why it could not be read to its end; it is tried again when it has changed. */
    error: text("error"),
  },
  (table) => [primaryKey({ columns: [table.feed, table.path] })],
);

export type FeedFile = typeof feedFiles.$inferSelect;
