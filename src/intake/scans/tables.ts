import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant, json } from "../../platform/database/columns.ts";
import { scanFailures, scanStatuses, scanTriggers } from "../../platform/vocabulary/scans.ts";

/** Scans with their counts. Counts of a running scan are up to a second old. */
export const scans = sqliteTable(
  "scans",
  {
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    id: text("id").notNull().unique(),
    trigger: text("trigger", { enum: scanTriggers }).notNull(),
    /** Names of the protected domains that the scan is for. */
    protectedDomains: json<string[]>("protected_domains").notNull(),
    status: text("status", { enum: scanStatuses }).notNull(),
    /** Requests the process that runs the scan to end it. */
    cancelRequested: integer("cancel_requested", { mode: "boolean" }).notNull().default(false),
    startedAt: instant("started_at").notNull(),
    /** Null while the scan is running, or if its process ended without closing it. */
    completedAt: instant("completed_at"),
    /** Number of look-alikes to look up. */
    planned: integer("planned").notNull().default(0),
    /** Number of look-alikes that were looked up. */
    candidates: integer("candidates").notNull().default(0),
    /** Number of look-alikes that exist. */
    resolving: integer("resolving").notNull().default(0),
    /** Number of look-alikes whose existence could not be determined. */
    unknown: integer("unknown").notNull().default(0),
    threatsFound: integer("threats_found").notNull().default(0),
    /** Number of threats that were not on record before. */
    threatsCreated: integer("threats_created").notNull().default(0),
    /** Why the scan failed; null if it did not, and in rows that are older than this column. */
    failure: text("failure", { enum: scanFailures }),
    /** The same as text for people. */
    error: text("error"),
  },
  (table) => [
    index("scans_running")
      .on(table.seq)
      .where(sql`${table.status} = 'running'`),
  ],
);

export type Scan = typeof scans.$inferSelect;
export type ScanCounts = Pick<
  Scan,
  "planned" | "candidates" | "resolving" | "unknown" | "threatsFound" | "threatsCreated"
>;
