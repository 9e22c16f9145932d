import { blob, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "../../platform/database/columns.ts";
import { accounts } from "../accounts/tables.ts";

/** Sessions of the web console. Expired ones are deleted at the next sign-in. */
export const consoleSessions = sqliteTable("console_sessions", {
  seq: integer("seq").primaryKey({ autoIncrement: true }),
  /** SHA-256 of the session cookie's token. The token itself is never stored. */
  hash: blob("hash", { mode: "buffer" }).notNull().unique(),
  accountSeq: integer("account_seq")
    .notNull()
    .references(() => accounts.seq, { onDelete: "cascade" }),
  /** Client address and browser at sign-in, for the list of sessions. */
  address: text("address"),
  userAgent: text("user_agent").notNull(),
  createdAt: instant("created_at").notNull(),
  /** Accurate to the minute, because writing it on every request would be too expensive. */
  lastSeenAt: instant("last_seen_at").notNull(),
});
