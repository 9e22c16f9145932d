import { sql } from "drizzle-orm";
import { index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant, json } from "../../../platform/database/columns.ts";
import { threats } from "../../../threats/threats/store/tables.ts";
import { inspectionStates } from "../../../platform/vocabulary/inspections.ts";
import { threatSources } from "../../../platform/vocabulary/threats.ts";
import type { InspectedPage } from "../model/inspection.ts";
import type { Verdict } from "../model/verdict.ts";

/**
 * One row for each request to inspect an address. The queue is in the rows: what a killed process was inspecting is
 * queued again at the next start.
 */
export const inspections = sqliteTable(
  "inspections",
  {
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    id: text("id").notNull().unique(),
    address: text("address").notNull(),
    host: text("host").notNull(),
    /** Index in `inspectionPriorities`. */
    priority: integer("priority").notNull(),
    source: text("source", { enum: threatSources }).notNull(),
    originKind: text("origin_kind").notNull(),
    originName: text("origin_name").notNull(),
    /** Protected domains of which threats are recorded; null: all. */
    within: json<string[]>("within"),
    requestedAt: instant("requested_at").notNull(),
    state: text("state", { enum: inspectionStates }).notNull(),
    dueAt: instant("due_at").notNull(),
    attempts: integer("attempts").notNull().default(0),
    startedAt: instant("started_at"),
    finishedAt: instant("finished_at"),
    durationMs: integer("duration_ms"),
    /** 1 or 0; null: it was not compared. */
    imitates: integer("imitates"),
    protectedDomain: text("protected_domain"),
    score: real("score"),
    verdicts: json<Verdict[]>("verdicts").notNull(),
    page: json<InspectedPage>("page"),
    reason: text("reason"),
    threatSeq: integer("threat_seq").references(() => threats.seq, { onDelete: "set null" }),
  },
  (table) => [
    index("inspections_due")
      .on(table.priority, table.dueAt)
      .where(sql`${table.state} = 'queued'`),
    index("inspections_host").on(table.host),
    index("inspections_state").on(table.state),
    index("inspections_finished")
      .on(table.finishedAt)
      .where(sql`${table.finishedAt} is not null`),
    index("inspections_imitates")
      .on(table.imitates)
      .where(sql`${table.imitates} is not null`),
    index("inspections_source").on(table.source),
    index("inspections_domain")
      .on(table.protectedDomain)
      .where(sql`${table.protectedDomain} is not null`),
    index("inspections_threat")
      .on(table.threatSeq)
      .where(sql`${table.threatSeq} is not null`),
  ],
);

/** Counts by day (UTC) and name, such as `started` or `imitation`. Day 0 has the counts over all time. */
export const inspectionCounts = sqliteTable(
  "inspection_counts",
  {
    day: instant("day").notNull(),
    name: text("name").notNull(),
    count: integer("count").notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.name] })],
);
