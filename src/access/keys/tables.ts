import { blob, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant, json, origins } from "../../platform/database/columns.ts";
import { plans, type Scope } from "../../platform/vocabulary/keys.ts";

export const apiKeys = sqliteTable("api_keys", {
  seq: integer("seq").primaryKey({ autoIncrement: true }),
  id: text("id").notNull().unique(),
  name: text("name").notNull(),
  /** SHA-256 of the key. The key itself is never stored. */
  hash: blob("hash", { mode: "buffer" }).notNull().unique(),
  /** First 8 characters of the key, for display. */
  prefix: text("prefix").notNull(),
  plan: text("plan", { enum: plans }).notNull(),
  scopes: json<Scope[]>("scopes").notNull(),
  /** Protected domains (A-labels) that the key is restricted to; empty for all. */
  domains: json<string[]>("domains").notNull(),
  origin: text("origin", { enum: origins }).notNull(),
  createdAt: instant("created_at").notNull(),
  expiresAt: instant("expires_at"),
  revokedAt: instant("revoked_at"),
  lastUsedAt: instant("last_used_at"),
});
