import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { instant, json, origins } from "../database/columns.ts";
import { events } from "../events/tables.ts";
import type { EventType } from "../events/types.ts";

export const webhookEndpoints = sqliteTable("webhook_endpoints", {
  seq: integer("seq").primaryKey({ autoIncrement: true }),
  id: text("id").notNull().unique(),
  name: text("name").notNull().unique(),
  url: text("url").notNull(),
  /** Event types it is sent; empty: all. */
  events: json<EventType[]>("events").notNull(),
  /** Kept as it is: signing needs it. */
  secret: text("secret").notNull(),
  origin: text("origin", { enum: origins }).notNull(),
  enabled: integer("enabled", { mode: "boolean" }).notNull(),
  createdAt: instant("created_at").notNull(),
  updatedAt: instant("updated_at").notNull(),
});

export const deliveryStatuses = ["pending", "succeeded", "failed"] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** One event on its way to one endpoint. */
export const deliveries = sqliteTable(
  "deliveries",
  {
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    id: text("id").notNull().unique(),
    eventSeq: integer("event_seq")
      .notNull()
      .references(() => events.seq, { onDelete: "cascade" }),
    endpointSeq: integer("endpoint_seq")
      .notNull()
      .references(() => webhookEndpoints.seq, { onDelete: "cascade" }),
    status: text("status", { enum: deliveryStatuses }).notNull(),
    /** Attempts made so far. */
    attempts: integer("attempts").notNull(),
    /** When the next attempt is due; null once it is over. */
    nextAttemptAt: instant("next_attempt_at"),
    createdAt: instant("created_at").notNull(),
    completedAt: instant("completed_at"),
  },
  (table) => [
    uniqueIndex("deliveries_pair").on(table.eventSeq, table.endpointSeq),
    index("deliveries_due")
      .on(table.endpointSeq, table.nextAttemptAt)
      .where(sql`${table.status} = 'pending'`),
    index("deliveries_created_at").on(table.createdAt),
  ],
);

export const deliveryAttempts = sqliteTable(
  "delivery_attempts",
  {
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    deliverySeq: integer("delivery_seq")
      .notNull()
      .references(() => deliveries.seq, { onDelete: "cascade" }),
    startedAt: instant("started_at").notNull(),
    durationMs: integer("duration_ms").notNull(),
    /** HTTP status of the answer; null when there was none. */
    statusCode: integer("status_code"),
    /** What went wrong, in words; null on success. */
    error: text("error"),
    /** The first KiB of the answer, made safe to show. */
    answer: text("answer").notNull(),
  },
  (table) => [index("delivery_attempts_delivery").on(table.deliverySeq)],
);
