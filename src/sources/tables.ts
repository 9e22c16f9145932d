import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant, json } from "../database/columns.ts";
import type { InvalidName } from "./candidates.ts";
import { listFormats } from "../vocabulary/lists.ts";

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

const importStates = ["running", "completed", "failed", "cancelled"] as const;
export type ImportState = (typeof importStates)[number];

/** Lists that people handed over in the console, with what was in them. */
export const listImports = sqliteTable("list_imports", {
  seq: integer("seq").primaryKey({ autoIncrement: true }),
  /** Of the file as its owner has it; null: names that were typed in. */
  name: text("name"),
  format: text("format", { enum: listFormats }).notNull(),
  column: text("column").notNull(),
  state: text("state", { enum: importStates }).notNull(),
  /** As it was sent, maybe packed; null: not said. */
  bytesTotal: integer("bytes_total"),
  /** Those that were read. */
  bytes: integer("bytes").notNull().default(0),
  /** Lines that were dealt with: the matches of all of them are recorded. */
  lines: integer("lines").notNull().default(0),
  received: integer("received").notNull().default(0),
  invalid: integer("invalid").notNull().default(0),
  /** The first few of the invalid ones. */
  firstInvalid: json<InvalidName[]>("first_invalid").notNull(),
  matched: integer("matched").notNull().default(0),
  /** Threats that were not on record before. */
  created: integer("created").notNull().default(0),
  startedAt: instant("started_at").notNull(),
  completedAt: instant("completed_at"),
  /** Why it was not read to its end. */
  error: text("error"),
});

export type ListImport = typeof listImports.$inferSelect;
