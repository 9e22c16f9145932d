import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "../../../platform/database/columns.ts";

/** Names and matches by source and day. The rows of day 0 contain the counts over all time. */
export const sourceActivity = sqliteTable(
  "source_activity",
  {
    kind: text("kind").notNull(),
    name: text("name").notNull(),
    /** Start of the day (UTC). */
    day: instant("day").notNull(),
    /** Names that arrived, including invalid ones. */
    names: integer("names").notNull(),
    invalid: integer("invalid").notNull(),
    /** Names that match at least one protected domain. */
    matched: integer("matched").notNull(),
    /** Threats that were not on record before. */
    created: integer("created").notNull(),
    /** When names last arrived. */
    lastAt: instant("last_at").notNull(),
  },
  // The day comes first: readers want the last days of all sources, and old days are deleted.
  (table) => [primaryKey({ columns: [table.day, table.kind, table.name] })],
);
