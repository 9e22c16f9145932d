import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "../database/columns.ts";
import { eventTypes } from "./types.ts";

/** The outbox: written in the transaction of the change that an event tells of. */
export const events = sqliteTable(
  "events",
  {
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    id: text("id").notNull().unique(),
    type: text("type", { enum: eventTypes }).notNull(),
    /** The whole body, serialised once: exactly these bytes are signed and sent. */
    body: text("body").notNull(),
    createdAt: instant("created_at").notNull(),
    /** When deliveries were made of it, one for each endpoint that subscribes; null: not yet. */
    dispatchedAt: instant("dispatched_at"),
  },
  (table) => [
    index("events_undispatched")
      .on(table.seq)
      .where(sql`${table.dispatchedAt} is null`),
    index("events_created_at").on(table.createdAt),
  ],
);
