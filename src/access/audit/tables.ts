import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant, json } from "../../database/columns.ts";
import type { AuditAction, AuditDetail } from "./actions.ts";
import { actorChannels } from "./actor.ts";

/** Administrative changes and sign-ins. Rows are only added, and the oldest are deleted. */
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
