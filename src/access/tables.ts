import { blob, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant, json, origins } from "../database/columns.ts";
import { actorChannels } from "./audit/actor.ts";
import type { AuditAction, AuditDetail } from "./audit/audit-actions.ts";
import { plans, type Scope } from "../vocabulary/keys.ts";

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

/** Sign-ins to the web console that still hold. */
export const consoleSessions = sqliteTable("console_sessions", {
  seq: integer("seq").primaryKey({ autoIncrement: true }),
  /** SHA-256 of what the cookie holds; the token itself is never kept. */
  hash: blob("hash", { mode: "buffer" }).notNull().unique(),
  /** From where, and with what, for the page that lists them. */
  address: text("address"),
  userAgent: text("user_agent").notNull(),
  createdAt: instant("created_at").notNull(),
  /** To the minute: not each request is written down. */
  lastSeenAt: instant("last_seen_at").notNull(),
});

/** Who did what and when: administrative acts and sign-ins. Only ever added to, and cut at its old end. */
export const auditLog = sqliteTable(
  "audit_log",
  {
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    at: instant("at").notNull(),
    channel: text("via", { enum: actorChannels }).notNull(),
    name: text("name"),
    address: text("address"),
    action: text("action").$type<AuditAction>().notNull(),
    /** What it was done to: an identifier and a name, in words. */
    subject: text("subject"),
    /** Never a secret. */
    detail: json<AuditDetail>("detail").notNull(),
  },
  (table) => [index("audit_log_action").on(table.action, table.seq)],
);
