import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant, json, origins } from "../../platform/database/columns.ts";

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
  /**
   * How often the set of names that match has grown: the domain was protected (again), or a keyword was added, or an
   * allowed name was removed. After each, the names seen before have to be checked.
   */
  widenings: integer("widenings").notNull().default(1),
  createdAt: instant("created_at").notNull(),
  updatedAt: instant("updated_at").notNull(),
});

export type ProtectedDomain = typeof protectedDomains.$inferSelect;
