import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { actorChannels } from "../../../access/audit/actor.ts";
import { instant, json } from "../../../platform/database/columns.ts";
import { importStates, listFormats } from "../../../platform/vocabulary/lists.ts";
import { threatSources } from "../../../platform/vocabulary/threats.ts";
import type { Interpretation } from "../entries/interpretation.ts";
import type { InvalidName } from "../tally.ts";

/** One row for each list that was imported in the console or by command line, with its counts. */
export const listImports = sqliteTable("list_imports", {
  seq: integer("seq").primaryKey({ autoIncrement: true }),
  /** File name as uploaded; null for names that were typed in. */
  name: text("name"),
  channel: text("channel", { enum: actorChannels }).notNull().default("console"),
  /** How the names were found, as the threats record it. */
  source: text("source", { enum: threatSources }).notNull().default("feed"),
  format: text("format", { enum: listFormats }).notNull(),
  column: text("column").notNull(),
  /** The process that reads the list, if it is not the server: see `import-store.ts`. */
  process: text("process"),
  state: text("state", { enum: importStates }).notNull(),
  /** Size of the upload, before decompression; null if the client did not send it. */
  bytesTotal: integer("bytes_total"),
  /** Bytes read so far. */
  bytes: integer("bytes").notNull().default(0),
  /** Lines processed: the matches of all of them are recorded. */
  lines: integer("lines").notNull().default(0),
  received: integer("received").notNull().default(0),
  invalid: integer("invalid").notNull().default(0),
  /** The first few invalid names. */
  firstInvalid: json<InvalidName[]>("first_invalid").notNull(),
  /** How the first lines were read: of a file, only those that are no plain host names. */
  interpreted: json<readonly Interpretation[]>("interpreted").notNull().default([]),
  matched: integer("matched").notNull().default(0),
  /** Threats that were not on record before. */
  created: integer("created").notNull().default(0),
  startedAt: instant("started_at").notNull(),
  completedAt: instant("completed_at"),
  /** Why the list was not read to its end. */
  error: text("error"),
});

export type ListImport = typeof listImports.$inferSelect;
