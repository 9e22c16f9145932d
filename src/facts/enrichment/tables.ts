import { sql } from "drizzle-orm";
import { blob, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant, json } from "../../platform/database/columns.ts";
import { threats } from "../../threats/threats/store/tables.ts";
import type { Facts } from "./facts/facts.ts";

/**
 * One row for each threat: its facts, and when it is checked next. The queue is in the rows, so work that ends without
 * a result, for example by a crash, simply stays due.
 */
export const enrichments = sqliteTable(
  "enrichments",
  {
    threatSeq: integer("threat_seq")
      .primaryKey()
      .references(() => threats.seq, { onDelete: "cascade" }),
    /** See `ranks`: requested, new (by severity), or checked before. */
    rank: integer("rank").notNull(),
    dueAt: instant("due_at").notNull(),
    step: integer("step").notNull(),
    failures: integer("failures").notNull(),
    /** Time of the last check that determined anything; null if there was none. */
    checkedAt: instant("looked_at"),
    facts: json<Facts>("facts").notNull(),
    /** Rank and due time are null if no screenshot is wanted. */
    screenshotRank: integer("screenshot_rank"),
    screenshotDueAt: instant("screenshot_due_at"),
    screenshotFailures: integer("screenshot_failures").notNull(),
    /**
     * Last label of the name, which identifies its registry: each registry has a queue of its own. Suffix, rank and due
     * time are null if no registration data is wanted.
     */
    registrationSuffix: text("registration_suffix"),
    registrationRank: integer("registration_rank"),
    registrationDueAt: instant("registration_due_at"),
    registrationFailures: integer("registration_failures").notNull().default(0),
    /** Null if the networks of the addresses are not wanted. */
    networkRank: integer("network_rank"),
    networkDueAt: instant("network_due_at"),
    networkFailures: integer("network_failures").notNull().default(0),
  },
  (table) => [
    index("enrichments_network_due")
      .on(table.networkRank, table.networkDueAt)
      .where(sql`${table.networkRank} is not null`),
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
 * The latest raw response about each threat's registration, as evidence. Kept apart from the facts, which are read a
 * hundred times as often.
 */
export const registrationResponses = sqliteTable("registration_responses", {
  threatSeq: integer("threat_seq")
    .primaryKey()
    .references(() => threats.seq, { onDelete: "cascade" }),
  at: instant("at").notNull(),
  /** Start of the text, up to `rawLengthMax`, compressed with Zstandard (RFC 8878) to about a third. */
  response: blob("answer", { mode: "buffer" }).notNull(),
});
