import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "../../platform/database/columns.ts";

/** Settings of the retention of the main data, named as in the configuration. */
export const retentionRules = ["false_positives", "resolved", "screenshots", "audit"] as const;
export type RetentionRule = (typeof retentionRules)[number];

/** Settings of the retention that were seen, so that neither a restart nor a reload shortens or renews their notice. */
export const retentionNotices = sqliteTable("retention_notices", {
  rule: text("rule", { enum: retentionRules }).primaryKey(),
  /** Age of the setting, in milliseconds. */
  ageMs: integer("age_ms").notNull(),
  /** When the setting was first seen, or became shorter. */
  since: instant("since").notNull(),
  /** Age that was in effect before, and is during the notice; null: none. */
  previousAgeMs: integer("previous_age_ms"),
  /** Number of deletions that the audit log does not contain yet. */
  unrecorded: integer("unrecorded").notNull().default(0),
});
