import { sql } from "drizzle-orm";
import { customType, index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant, json } from "../../../platform/database/columns.ts";
import { threats } from "../../../threats/threats/store/tables.ts";
import {
  inspectionPriorities,
  inspectionStates,
  type InspectionPriority,
} from "../../../platform/vocabulary/inspections.ts";
import { threatSources } from "../../../platform/vocabulary/threats.ts";
import type { Page } from "../../lookups/page/page-lookup.ts";
import type { Verdict } from "./verdict.ts";

/** The part of a page's facts that is kept of every inspection. Texts are safe to show. */
export type InspectedPage = Pick<
  Page,
  | "finalUrl"
  | "framedBy"
  | "redirects"
  | "status"
  | "title"
  | "asksForPassword"
  | "asksForCard"
  | "unseen"
  | "parked"
  | "from"
  | "shownTo"
>;

/** Stored as its index in `inspectionPriorities`. */
const priority = customType<{ data: InspectionPriority; driverData: number }>({
  dataType: () => "integer",
  toDriver: (value) => inspectionPriorities.indexOf(value),
  fromDriver: (stored) => inspectionPriorities[stored] ?? "feed",
});

/** Stored as 1, 0 or null: drizzle's own stores 0 in place of null. */
const optionalFlag = customType<{ data: boolean; driverData: number | null }>({
  dataType: () => "integer",
  toDriver: (value: boolean | null) => (value === null ? null : Number(value)),
  fromDriver: (stored) => stored === 1,
});

/**
 * One row for each request to inspect an address. The queue is in the rows: what a killed process was inspecting is
 * queued again at the next start.
 */
export const inspections = sqliteTable(
  "inspections",
  {
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    /** TypeID with the prefix `ins`. */
    id: text("id").notNull().unique(),
    /** URL (HTTP or HTTPS), or a host name, whose home page is opened. Untrusted. */
    address: text("address").notNull(),
    /** Host of the address, in A-label form. */
    host: text("host").notNull(),
    priority: priority("priority").notNull(),
    /** How the address was found, as a threat records it. */
    source: text("source", { enum: threatSources }).notNull(),
    originKind: text("origin_kind").notNull(),
    originName: text("origin_name").notNull(),
    /** Threats are recorded of these protected domains only, since its requesters see no others; null: all. */
    within: json<string[]>("within"),
    requestedAt: instant("requested_at").notNull(),
    state: text("state", { enum: inspectionStates }).notNull(),
    /** While it is queued: when it starts at the earliest. */
    dueAt: instant("due_at").notNull(),
    /** Number of times that it was started. */
    attempts: integer("attempts").notNull().default(0),
    startedAt: instant("started_at"),
    finishedAt: instant("finished_at"),
    /** Time that the last attempt took; null: none has ended. */
    durationMs: integer("duration_ms"),
    /** Whether the page imitates a protected brand; null: it was not compared. */
    imitates: optionalFlag("imitates"),
    /** Protected domain with the highest score; null: nothing on the page refers to any. */
    protectedDomain: text("protected_domain"),
    /** Score for it, 0 to 1. */
    score: real("score"),
    /** The highest verdicts first; empty if there is nothing to compare. */
    verdicts: json<Verdict[]>("verdicts").notNull(),
    page: json<InspectedPage>("page"),
    /** Why it waits, failed or was skipped, as a phrase for people: "the name does not exist in DNS". */
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
