import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant, json, origins } from "../../../platform/database/columns.ts";
import { recipients } from "../../deliveries/store/tables.ts";
import type { EventFilter } from "../../../threats/events/event-filter.ts";
import { digests, type Weekday } from "../../../platform/vocabulary/channels.ts";
import { noticeTypes, type NoticeType } from "../../../platform/vocabulary/events.ts";

/** A person disabled the subscription, or the configuration file no longer declares it. */
const disabledReasons = ["operator", "undeclared"] as const;

/** Events that channels are sent, and when. */
export const subscriptions = sqliteTable(
  "subscriptions",
  {
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    id: text("id").notNull().unique(),
    name: text("name").notNull().unique(),
    /** The channel that is sent the messages. */
    recipientSeq: integer("recipient_seq")
      .notNull()
      .references(() => recipients.seq, { onDelete: "cascade" }),
    events: json<NoticeType[]>("events").notNull(),
    filter: json<EventFilter>("filter").notNull(),
    digest: text("digest", { enum: digests }).notNull(),
    /** Time of a daily digest, in minutes since midnight. */
    at: integer("at").notNull(),
    /** Days on which messages are sent; empty: every day. */
    weekdays: json<Weekday[]>("weekdays").notNull(),
    /** IANA name of the time zone of the times. */
    timeZone: text("time_zone").notNull(),
    /** In minutes since midnight. */
    quietHours: json<{ from: number; to: number }>("quiet_hours"),
    origin: text("origin", { enum: origins }).notNull(),
    enabled: integer("enabled", { mode: "boolean" }).notNull(),
    disabledReason: text("disabled_reason", { enum: disabledReasons }),
    /** `seq` of the last queued change that is done with, whether or not its row is deleted already. */
    consumedSeq: integer("consumed_seq").notNull().default(0),
    /** Limit of messages; see `timing/due.ts`. */
    limitedUntil: instant("limited_until").notNull().default(0),
    lastMessageAt: instant("last_message_at"),
    createdAt: instant("created_at").notNull(),
    updatedAt: instant("updated_at").notNull(),
  },
  (table) => [index("subscriptions_recipient").on(table.recipientSeq)],
);

/** Changes that wait for the next message of a subscription. Written in the transaction of the fan-out. */
export const queuedChanges = sqliteTable(
  "queued_changes",
  {
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    subscriptionSeq: integer("subscription_seq")
      .notNull()
      .references(() => subscriptions.seq, { onDelete: "cascade" }),
    type: text("type", { enum: noticeTypes }).notNull(),
    /** Whether the filter matches only now: the threat's severity rose, or it was verified. */
    late: integer("late", { mode: "boolean" }).notNull(),
    /** Null: about no threat. Its present state is read when the message is composed. */
    threatSeq: integer("threat_seq"),
    /** Content as JSON; null for a threat. */
    data: text("data"),
    at: instant("at").notNull(),
    /** Time from which it must not wait for the limit of messages; null: it may. */
    urgentAt: instant("urgent_at"),
  },
  (table) => [
    index("queued_changes_subscription").on(table.subscriptionSeq),
    index("queued_changes_urgent")
      .on(table.subscriptionSeq, table.urgentAt)
      .where(sql`${table.urgentAt} is not null`),
    index("queued_changes_threat")
      .on(table.threatSeq)
      .where(sql`${table.threatSeq} is not null`),
  ],
);

/** Threats with a message of their own in a service that is to be sent the end of each. */
export const openIncidents = sqliteTable(
  "open_incidents",
  {
    subscriptionSeq: integer("subscription_seq")
      .notNull()
      .references(() => subscriptions.seq, { onDelete: "cascade" }),
    threatSeq: integer("threat_seq").notNull(),
  },
  (table) => [primaryKey({ columns: [table.subscriptionSeq, table.threatSeq] })],
);
