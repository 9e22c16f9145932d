import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "../../../platform/database/columns.ts";

/** Progress of each file of each feed, so that reading resumes after a restart and no file is read twice. */
export const feedFiles = sqliteTable(
  "feed_files",
  {
    feed: text("feed").notNull(),
    path: text("path").notNull(),
    /** Size and modification time identify the version of the file that was read. */
    bytes: integer("bytes").notNull(),
    modifiedAt: instant("modified_at").notNull(),
    /** Offset in the (decompressed) text at which reading resumes: all matches before it are recorded. */
    position: integer("position").notNull(),
    /** Number of lines before `position`. */
    lines: integer("lines").notNull(),
    /** Detects whether a file that grew was appended to; null if unknown: the file is then read from its start. */
    fingerprint: text("fingerprint"),
    invalid: integer("invalid").notNull(),
    matched: integer("matched").notNull(),
    created: integer("created").notNull(),
    startedAt: instant("started_at").notNull(),
    /** When the last line was read; null while the file is unfinished. */
    completedAt: instant("completed_at"),
    /** Why the file could not be read to its end. It is retried when it changes. */
    error: text("error"),
  },
  (table) => [primaryKey({ columns: [table.feed, table.path] })],
);

export type FeedFile = typeof feedFiles.$inferSelect;
