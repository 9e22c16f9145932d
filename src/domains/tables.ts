import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant, json, origins } from "../database/columns.ts";

export const protectedDomains = sqliteTable("protected_domains", {
  seq: integer("seq").primaryKey({ autoIncrement: true }),
  id: text("id").notNull().unique(),
  /** A-label form. */
  domain: text("domain").notNull().unique(),
  keywords: json<string[]>("keywords").notNull(),
  allow: json<string[]>("allow").notNull(),
  origin: text("origin", { enum: origins }).notNull(),
  /** False: phishwatch no longer searches for its look-alikes; its threats are kept. */
  enabled: integer("enabled", { mode: "boolean" }).notNull(),
  createdAt: instant("created_at").notNull(),
  updatedAt: instant("updated_at").notNull(),
});

export type ProtectedDomain = typeof protectedDomains.$inferSelect;
