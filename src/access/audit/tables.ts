import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { instant, json } from "../../platform/database/columns.ts";
import type { AuditAction, AuditDetail } from "./actions.ts";
import { actorChannels } from "./actor.ts";

/** Administrative changes, and sign-ins that succeeded. Rows are only added, and the oldest are deleted. */
export const auditLog = sqliteTable(
  "audit_log",
  {
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    at: instant("at").notNull(),
    channel: text("via", { enum: actorChannels }).notNull(),
    name: text("name"),
    address: text("address"),
    action: text("action").$type<AuditAction>().notNull(),
    /** Name and id of the changed object, for people; null for phishwatch as a whole. */
    subject: text("subject"),
    /** Never contains a secret. */
    detail: json<AuditDetail>("detail").notNull(),
  },
  (table) => [index("audit_log_action").on(table.action, table.seq)],
);

/** Failed sign-ins by network and hour. The oldest rows are deleted. */
export const failedSignIns = sqliteTable(
  "failed_sign_ins",
  {
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    /** IPv4 address or /64 network of IPv6; empty: unknown; "*": all others of the hour. */
    network: text("network").notNull(),
    /** Start of the hour (UTC). */
    hour: instant("hour").notNull(),
    attempts: integer("attempts").notNull(),
    firstAt: instant("first_at").notNull(),
    lastAt: instant("last_at").notNull(),
    /** Address of the latest attempt; null: unknown. */
    address: text("address"),
  },
  (table) => [uniqueIndex("failed_sign_ins_hour").on(table.hour, table.network)],
);
