import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "../../../platform/database/columns.ts";
import { protectedDomains } from "../../../threats/domains/tables.ts";

const archiveCheckStates = ["running", "completed", "failed"] as const;

/** Checks of protected domains against the names in the archive: one row for each domain, about its latest check. */
export const archiveChecks = sqliteTable("archive_checks", {
  protectedDomainSeq: integer("protected_domain_seq")
    .primaryKey()
    .references(() => protectedDomains.seq, { onDelete: "cascade" }),
  /** `widenings` of the protected domain when the check began: with another number, a new check is due. */
  widenings: integer("widenings").notNull(),
  state: text("state", { enum: archiveCheckStates }).notNull(),
  /** Where the check resumes in the archive; null: at its start. */
  position: text("position"),
  /** Names in the archive when the check began. */
  namesTotal: integer("names_total").notNull(),
  namesChecked: integer("names_checked").notNull(),
  /** Threats that were found, including those on record. */
  found: integer("found").notNull(),
  /** Threats that were not on record before. */
  created: integer("created").notNull(),
  startedAt: instant("started_at").notNull(),
  completedAt: instant("completed_at"),
  /** Why the latest attempt failed; it is retried. */
  error: text("error"),
});

export type ArchiveCheck = typeof archiveChecks.$inferSelect;
