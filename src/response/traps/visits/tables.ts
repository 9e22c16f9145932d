import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant, json } from "../../../platform/database/columns.ts";
import type { VisitClass } from "../../../platform/vocabulary/traps.ts";

/**
 * Visits to traps: one row for all visits of one visitor (host, client network, and user agent) from the first one
 * until `traps.repeat_after` has passed.
 */
export const trapVisits = sqliteTable(
  "trap_visits",
  {
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    trapId: text("trap_id").notNull(),
    class: text("class").$type<VisitClass>().notNull(),
    /** Hash of host, client network, and user agent. */
    visitor: text("visitor").notNull(),
    /** Host of the page that was shown; null if unknown or if the kind of trap has no page. */
    host: text("host"),
    /** URL of the page that was shown, or the requested URL from its path on. */
    url: text("url").notNull(),
    referrer: text("referrer"),
    /** The page's URL as the script reported it, where the browser's headers contradict it. */
    claimedUrl: text("claimed_url"),
    ipAddress: text("ip_address"),
    userAgent: text("user_agent"),
    method: text("method"),
    headers: json<[name: string, value: string][]>("headers").notNull(),
    firstAt: instant("first_at").notNull(),
    lastAt: instant("last_at").notNull(),
    count: integer("count").notNull(),
    /** Event that reported the visit; null if none did. */
    eventId: text("event_id"),
    threatId: text("threat_id"),
  },
  (table) => [
    index("trap_visits_trap").on(table.trapId),
    index("trap_visits_visitor").on(table.trapId, table.visitor, table.firstAt),
    index("trap_visits_last_at").on(table.lastAt),
    index("trap_visits_raised")
      .on(table.trapId, table.host)
      .where(sql`${table.threatId} is not null`),
    index("trap_visits_threat")
      .on(table.threatId)
      .where(sql`${table.threatId} is not null`),
  ],
);

/** Number of visits by trap and class, including those without a row. */
export const trapVisitTotals = sqliteTable(
  "trap_visit_totals",
  {
    trapId: text("trap_id").notNull(),
    class: text("class").$type<VisitClass>().notNull(),
    total: integer("total").notNull(),
    lastAt: instant("last_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.trapId, table.class] })],
);
