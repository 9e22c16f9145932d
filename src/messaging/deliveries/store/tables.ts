import { sql } from "drizzle-orm";
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { instant, json, origins } from "../../../platform/database/columns.ts";
import type { EventFilter } from "../../../threats/events/event-filter.ts";
import { events } from "../../../threats/events/tables.ts";
import { deliveryStatuses } from "../../../platform/vocabulary/channels.ts";
import type { EventType } from "../../../platform/vocabulary/events.ts";
import { disabledReasons, type LastFailure } from "../rules/recipient-state.ts";

/** Receivers of events on all channels. */
export const recipients = sqliteTable("recipients", {
  seq: integer("seq").primaryKey({ autoIncrement: true }),
  id: text("id").notNull().unique(),
  name: text("name").notNull().unique(),
  /** Kind of its channel. */
  channel: text("channel").notNull(),
  /** Where and how messages are sent, in the channel's own form. Holds secrets, which signing needs. */
  target: json<unknown>("target").notNull(),
  /** Event types to send; empty for all. */
  events: json<EventType[]>("events").notNull(),
  /** Filter of the events to send; null for all. */
  filter: json<EventFilter>("filter"),
  /** Maximum number of concurrent attempts; null for the default. */
  concurrency: integer("concurrency"),
  /** Maximum number of attempts started per second; null for no limit. */
  ratePerSecond: real("rate_per_second"),
  origin: text("origin", { enum: origins }).notNull(),
  enabled: integer("enabled", { mode: "boolean" }).notNull(),
  disabledReason: text("disabled_reason", { enum: disabledReasons }),
  /** Start of the last period without deliveries. Kept when the recipient is enabled, to replay what it missed. */
  disabledAt: instant("disabled_at"),
  /** Failed attempts since the last success, and the time of the first of them. */
  consecutiveFailures: integer("consecutive_failures").notNull(),
  failingSince: instant("failing_since"),
  /** Null after a success. */
  lastFailure: json<LastFailure>("last_failure"),
  /**
   * Set while the breaker holds the deliveries: time of the next probe. With no consecutive failures, the recipient
   * has recovered and the schedule of its deliveries is being restarted.
   */
  nextProbeAt: instant("next_probe_at"),
  createdAt: instant("created_at").notNull(),
  updatedAt: instant("updated_at").notNull(),
});

/** One event for one recipient. */
export const deliveries = sqliteTable(
  "deliveries",
  {
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    id: text("id").notNull().unique(),
    eventSeq: integer("event_seq")
      .notNull()
      .references(() => events.seq, { onDelete: "cascade" }),
    recipientSeq: integer("recipient_seq")
      .notNull()
      .references(() => recipients.seq, { onDelete: "cascade" }),
    status: text("status", { enum: deliveryStatuses }).notNull(),
    /** Attempts since the delivery was created or last redelivered, which select the next retry delay. */
    attempts: integer("attempts").notNull(),
    /** Time of the next attempt; null once the delivery succeeded or failed. */
    nextAttemptAt: instant("next_attempt_at"),
    createdAt: instant("created_at").notNull(),
    completedAt: instant("completed_at"),
  },
  (table) => [
    uniqueIndex("deliveries_pair").on(table.eventSeq, table.recipientSeq),
    index("deliveries_due")
      .on(table.recipientSeq, table.nextAttemptAt)
      .where(sql`${table.status} = 'pending'`),
    index("deliveries_endpoint").on(table.recipientSeq, table.status),
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
    phases: json<Readonly<Record<string, number>>>("phases").notNull(),
    address: text("address"),
    statusCode: integer("status_code"),
    /** One of the channel's failure codes; null on success. */
    failure: text("failure"),
    /** Readable reason of the failure; null on success. */
    error: text("error"),
    /** Start of the response, escaped for display. */
    response: text("answer").notNull(),
  },
  (table) => [index("delivery_attempts_delivery").on(table.deliverySeq)],
);

/** Attempts at each recipient by hour, so that a chart reads 24 rows instead of all attempts. */
export const deliveryHours = sqliteTable(
  "delivery_hours",
  {
    recipientSeq: integer("recipient_seq")
      .notNull()
      .references(() => recipients.seq, { onDelete: "cascade" }),
    /** Start of the hour. */
    hour: instant("hour").notNull(),
    delivered: integer("delivered").notNull(),
    failed: integer("failed").notNull(),
    /** Sum of the durations of the attempts that succeeded. */
    deliveredMs: integer("delivered_ms").notNull(),
  },
  (table) => [primaryKey({ columns: [table.recipientSeq, table.hour] })],
);

/**
 * Threats about which a recipient was sent something because a filter matched: one that matches a second time is not
 * announced again. Without row ids (see the migration), which halves its size.
 */
export const announcements = sqliteTable(
  "announcements",
  {
    recipientSeq: integer("recipient_seq")
      .notNull()
      .references(() => recipients.seq, { onDelete: "cascade" }),
    /** The subscription whose filter matched; 0: the recipient's own filter. */
    subscriptionSeq: integer("subscription_seq").notNull(),
    threatSeq: integer("threat_seq").notNull(),
  },
  (table) => [primaryKey({ columns: [table.recipientSeq, table.subscriptionSeq, table.threatSeq] })],
);
