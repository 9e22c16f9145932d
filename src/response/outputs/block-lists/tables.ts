import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant, json, origins } from "../../../platform/database/columns.ts";
import { severities, type Status } from "../../../platform/vocabulary/threats.ts";

/** Block lists: saved filters of threats, each at an address of its own. */
export const lists = sqliteTable("lists", {
  seq: integer("seq").primaryKey({ autoIncrement: true }),
  id: text("id").notNull().unique(),
  /** Part of the address. */
  name: text("name").notNull().unique(),
  /** Part of the address. Stored as it is, because administrators look up the address. */
  token: text("token").notNull(),
  statuses: json<Status[]>("statuses").notNull(),
  minSeverity: text("min_severity", { enum: severities }).notNull(),
  verifiedOnly: integer("verified_only", { mode: "boolean" }).notNull(),
  /** A-labels; empty: all. */
  protectedDomains: json<string[]>("protected_domains").notNull(),
  /** How long a threat is listed after it was first seen; null: always. */
  maxAgeMs: integer("max_age_ms"),
  origin: text("origin", { enum: origins }).notNull(),
  enabled: integer("enabled", { mode: "boolean" }).notNull(),
  /** A person disabled it, or the configuration file no longer declares it. */
  disabledReason: text("disabled_reason", { enum: ["operator", "undeclared"] }),
  /** Hash of the content that was last published; empty: none yet. */
  digest: text("digest").notNull(),
  /** Number of names in that content. */
  names: integer("names").notNull(),
  /** Time of its change, in whole seconds, which only increases: also the serial of a zone. */
  contentChangedAt: instant("content_changed_at").notNull(),
  /** Last download, and the address that it came from. */
  fetchedAt: instant("fetched_at"),
  fetchedBy: text("fetched_by"),
  createdAt: instant("created_at").notNull(),
  updatedAt: instant("updated_at").notNull(),
});
