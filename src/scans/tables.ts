import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant, json } from "../database/columns.ts";
import { scanStatuses, scanTriggers } from "../vocabulary/scans.ts";

/** Every scan with its counts; while one runs they lag behind by a second. */
export const scans = sqliteTable(
  "scans",
  {
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    id: text("id").notNull().unique(),
    trigger: text("trigger", { enum: scanTriggers }).notNull(),
    /** Names of the protected domains whose look-alikes are looked for. */
    protectedDomains: json<string[]>("protected_domains").notNull(),
    status: text("status", { enum: scanStatuses }).notNull(),
    /** Somebody asked the process that runs it to end it. */
    cancelRequested: integer("cancel_requested", { mode: "boolean" }).notNull().default(false),
    startedAt: instant("started_at").notNull(),
    /** Null: it runs, or its process ended without closing it. */
    completedAt: instant("completed_at"),
    /** Look-alikes that there are to look up. */
    planned: integer("planned").notNull().default(0),
    /** Look-alikes that were looked up. */
    candidates: integer("candidates").notNull().default(0),
    /** Those that exist. */
    resolving: integer("resolving").notNull().default(0),
    /** Those of which nobody could say whether they exist. */
    unknown: integer("unknown").notNull().default(0),
    threatsFound: integer("threats_found").notNull().default(0),
    /** Those that were not on record before. */
    threatsCreated: integer("threats_created").notNull().default(0),
    /** Why it failed. */
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
