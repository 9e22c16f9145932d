import { blob, integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "../../../platform/database/columns.ts";

/** Progress in each certificate log that is or was followed. Written in the transaction that records its threats. */
export const certificateLogs = sqliteTable("certificate_logs", {
  /** Base64 of the SHA-256 hash of the log's public key. */
  logId: text("log_id").primaryKey(),
  description: text("description").notNull(),
  operator: text("operator").notNull(),
  protocol: text("protocol", { enum: ["static", "rfc6962"] }).notNull(),
  url: text("url").notNull(),
  /** Index of the next entry: everything before it is processed or skipped. */
  position: integer("position").notNull(),
  /** Compact range of the entries before `position`; null while entries are read that cannot be verified. */
  range: blob("range", { mode: "buffer" }),
  /** Compact range of the entries that agree with a signed tree head; null if there are none. */
  verifiedRange: blob("verified_range", { mode: "buffer" }),
  /** The latest tree head whose signature was verified. */
  headSize: integer("head_size").notNull(),
  headRoot: blob("head_root", { mode: "buffer" }).notNull(),
  headAt: instant("head_at").notNull(),
  /** Tree whose entries were not all read when it was seen, and a time before which they were not published. */
  backlogSize: integer("backlog_size"),
  backlogSince: instant("backlog_since"),
  /** Entries before this index are read however old they are (`first_start = "beginning"`). */
  exemptBefore: integer("exempt_before").notNull(),
  entries: integer("entries").notNull(),
  names: integer("names").notNull(),
  matched: integer("matched").notNull(),
  created: integer("created").notNull(),
  /** Entries that were older than `catch_up`. */
  skipped: integer("skipped").notNull(),
  /** Entries in which no certificate could be read. */
  malformed: integer("malformed").notNull(),
  /** Bytes of the responses with entries, as transferred. */
  bytes: integer("bytes").notNull(),
  /** Averages over about a minute before `progressAt`. */
  entriesPerSecond: real("entries_per_second").notNull(),
  bytesPerSecond: real("bytes_per_second").notNull(),
  /** Time that the log gave to the entry before `position`; null: none was read. */
  lastEntryAt: instant("last_entry_at"),
  errors: integer("errors").notNull(),
  error: text("error"),
  errorAt: instant("error_at"),
  /** Why the log is not followed at present: what it serves contradicts what it signed. */
  mismatch: text("mismatch"),
  startedAt: instant("started_at").notNull(),
  progressAt: instant("progress_at").notNull(),
});

export type CertificateLogRow = typeof certificateLogs.$inferSelect;

/** The latest version of each log list. */
export const certificateLogLists = sqliteTable("certificate_log_lists", {
  /** Setting `certificate_logs.log_list`. */
  setting: text("setting").primaryKey(),
  /** Address or path from which it was loaded. */
  origin: text("origin").notNull(),
  /** The list as it was received. */
  text: text("text").notNull(),
  etag: text("etag"),
  lastModified: text("last_modified"),
  /** When the list was last fetched, or found unchanged. */
  fetchedAt: instant("fetched_at").notNull(),
});

/** Last failure of each log of which nothing could be read yet, so that it has no row above. */
export const certificateLogFailures = sqliteTable("certificate_log_failures", {
  logId: text("log_id").primaryKey(),
  errors: integer("errors").notNull(),
  error: text("error").notNull(),
  errorAt: instant("error_at").notNull(),
});

export type CertificateLogFailure = typeof certificateLogFailures.$inferSelect;
