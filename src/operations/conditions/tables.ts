import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "../../platform/database/columns.ts";
import type { SystemEventType } from "../../platform/vocabulary/events.ts";

/** Conditions that hold, and the last known versions of what is news when it changes. */
export const systemConditions = sqliteTable("system_conditions", {
  key: text("key").primaryKey(),
  type: text("type").$type<SystemEventType>().notNull(),
  since: instant("since").notNull(),
  /** When its beginning was sent; null: it may still pass. */
  sentAt: instant("sent_at"),
  /** Last known version; null for a condition. */
  version: text("version"),
});

export type StoredCondition = typeof systemConditions.$inferSelect;
