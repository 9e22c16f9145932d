import { sql } from "drizzle-orm";
import { blob, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant, json } from "../database/columns.ts";
import { threats } from "../threats/tables.ts";
import type { Facts } from "./facts/facts.ts";

/**
 * One row for each threat: what is known of it, and when it is looked at next. The queue is in the rows: work
 * that ends without a result, by a crash for instance, is simply due still.
 */
export const enrichments = sqliteTable(
  "enrichments",
  {
    threatSeq: integer("threat_seq")
      .primaryKey()
      .references(() => threats.seq, { onDelete: "cascade" }),
    /** See `ranks`: asked for, never looked at by severity, watched. */
    rank: integer("rank").notNull(),
    dueAt: instant("due_at").notNull(),
    step: integer("step").notNull(),
    failures: integer("failures").notNull(),
    /** The last look that found out something; null: none yet. */
    lookedAt: instant("looked_at"),
    facts: json<Facts>("facts").notNull(),
    /** Both null: no screenshot is wanted. */
    screenshotRank: integer("screenshot_rank"),
    screenshotDueAt: instant("screenshot_due_at"),
    screenshotFailures: integer("screenshot_failures").notNull(),
    /**
     * The last label of the name, by which its registry is known: each has a queue of its own. All three null:
     * no registration data is wanted.
     */
    registrationSuffix: text("registration_suffix"),
    registrationRank: integer("registration_rank"),
    registrationDueAt: instant("registration_due_at"),
    registrationFailures: integer("registration_failures").notNull().default(0),
  },
  (table) => [
    index("enrichments_due").on(table.rank, table.dueAt),
    index("enrichments_screenshot_due")
      .on(table.screenshotRank, table.screenshotDueAt)
      .where(sql`${table.screenshotRank} is not null`),
    index("enrichments_registration_due")
      .on(table.registrationSuffix, table.registrationRank, table.registrationDueAt)
      .where(sql`${table.registrationSuffix} is not null`),
  ],
);

/**
 * The last answer about each threat's registration as it came, for evidence. Apart from the facts, which are
 * read a hundred times as often.
 */
export const registrationAnswers = sqliteTable("registration_answers", {
  threatSeq: integer("threat_seq")
    .primaryKey()
    .references(() => threats.seq, { onDelete: "cascade" }),
  at: instant("at").notNull(),
  /** The start of the text, as `rawLengthMax` says; Zstandard (RFC 8878), which makes a third of it. */
  answer: blob("answer", { mode: "buffer" }).notNull(),
});
