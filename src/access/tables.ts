import { blob, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant, json, origins } from "../database/columns.ts";
import { plans, type Scope } from "./plans.ts";

export const apiKeys = sqliteTable("api_keys", {
  seq: integer("seq").primaryKey({ autoIncrement: true }),
  id: text("id").notNull().unique(),
  name: text("name").notNull(),
  /** SHA-256 of the whole key; the key itself is never kept. */
  hash: blob("hash", { mode: "buffer" }).notNull().unique(),
  /** The key's first 8 characters, for display. */
  prefix: text("prefix").notNull(),
  plan: text("plan", { enum: plans }).notNull(),
  scopes: json<Scope[]>("scopes").notNull(),
  /** Protected domains (A-labels) the key is bound to; empty: all. */
  domains: json<string[]>("domains").notNull(),
  origin: text("origin", { enum: origins }).notNull(),
  createdAt: instant("created_at").notNull(),
  expiresAt: instant("expires_at"),
  revokedAt: instant("revoked_at"),
  lastUsedAt: instant("last_used_at"),
});

/** Small facts of the installation: the console password's hash, when the first start was. */
export const settings = sqliteTable("settings", {
  name: text("name").primaryKey(),
  value: text("value").notNull(),
  updatedAt: instant("updated_at").notNull(),
});
