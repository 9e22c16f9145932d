import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "../../database/columns.ts";
import { roles } from "../../vocabulary/permissions.ts";

/** People who use the console. The migration adds the administrator of the first start. */
export const accounts = sqliteTable("accounts", {
  seq: integer("seq").primaryKey({ autoIncrement: true }),
  /** In lowercase. */
  name: text("name").notNull().unique(),
  role: text("role", { enum: roles }).notNull(),
  /** argon2id; null: the account has no password of its own. */
  passwordHash: text("password_hash"),
  disabledAt: instant("disabled_at"),
  createdAt: instant("created_at").notNull(),
});
