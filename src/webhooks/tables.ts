import { sql } from "drizzle-orm";
import { index, integer, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { instant, json, origins } from "../database/columns.ts";
import { events } from "../events/tables.ts";
import type { EventType } from "../vocabulary/events.ts";
import type { Phases } from "../network/http/http-client.ts";
import { deliveryStatuses } from "../vocabulary/deliveries.ts";

/** Why an endpoint is disabled: a person did it, it left the file, or it did nothing but fail for too long. */
const disabledReasons = ["operator", "undeclared", "failing"] as const;

export const webhookEndpoints = sqliteTable("webhook_endpoints", {
  seq: integer("seq").primaryKey({ autoIncrement: true }),
  id: text("id").notNull().unique(),
  name: text("name").notNull().unique(),
  url: text("url").notNull(),
  /** Event types it is sent; empty: all. */
  events: json<EventType[]>("events").notNull(),
  /** Kept as it is: signing needs it. */
  secret: text("secret").notNull(),
  /** The secret before the present one, which signs too until `previousSecretUntil`. */
  previousSecret: text("previous_secret"),
  previousSecretUntil: instant("previous_secret_until"),
  /** Sent along with every request. */
  headers: json<Record<string, string>>("headers").notNull(),
  /** Requests under way at most; null: as set for all endpoints. */
  concurrency: integer("concurrency"),
  /** Attempts started in a second at most; null: no limit. */
  ratePerSecond: real("rate_per_second"),
  /** Paths of PEM files: authorities trusted beside the usual ones, and what we show for mutual TLS. */
  caFile: text("ca_file"),
  clientCertFile: text("client_cert_file"),
  clientKeyFile: text("client_key_file"),
  origin: text("origin", { enum: origins }).notNull(),
  enabled: integer("enabled", { mode: "boolean" }).notNull(),
  disabledReason: text("disabled_reason", { enum: disabledReasons }),
  /** Since when it has missed events; kept when it is enabled again, so that they can be replayed. */
  disabledAt: instant("disabled_at"),
  /** Attempts failed in a row, and when the first of them was. */
  consecutiveFailures: integer("consecutive_failures").notNull(),
  failingSince: instant("failing_since"),
  createdAt: instant("created_at").notNull(),
  updatedAt: instant("updated_at").notNull(),
});

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
    /** Attempts made since the delivery was made or last asked for again: the retry schedule counts these. */
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
    index("deliveries_endpoint").on(table.endpointSeq, table.status),
  ],
);

const failureClasses = [
  "dns",
  "refused_address",
  "connect",
  "tls",
  "timeout",
  "protocol",
  "redirect",
  "status",
] as const;
export type FailureClass = (typeof failureClasses)[number];

export const deliveryAttempts = sqliteTable(
  "delivery_attempts",
  {
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    deliverySeq: integer("delivery_seq")
      .notNull()
      .references(() => deliveries.seq, { onDelete: "cascade" }),
    startedAt: instant("started_at").notNull(),
    durationMs: integer("duration_ms").notNull(),
    /** Durations of its parts in milliseconds, rounded to a tenth. */
    phases: json<Phases>("phases").notNull(),
    /** Where the connection went; null when there was none. */
    address: text("address"),
    /** HTTP status of the answer; null when there was none. */
    statusCode: integer("status_code"),
    failure: text("failure", { enum: failureClasses }),
    /** What went wrong, in words; null on success. */
    error: text("error"),
    /** The first KiB of the answer, made safe to show. */
    answer: text("answer").notNull(),
  },
  (table) => [index("delivery_attempts_delivery").on(table.deliverySeq)],
);
