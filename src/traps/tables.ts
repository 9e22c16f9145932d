import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant, json } from "../database/columns.ts";
import { protectedDomains } from "../domains/tables.ts";
import { type TokenAnswer } from "./values.ts";
import { hitClasses, tokenKinds } from "../vocabulary/traps.ts";

export const beacons = sqliteTable("beacons", {
  seq: integer("seq").primaryKey({ autoIncrement: true }),
  id: text("id").notNull().unique(),
  protectedDomainSeq: integer("protected_domain_seq")
    .notNull()
    .references(() => protectedDomains.seq),
  name: text("name").notNull().unique(),
  /** See `addresses.ts`. */
  address: text("address").notNull().unique(),
  /** Further names on which the page may be shown, with all below them; A-label form. */
  allow: json<string[]>("allow").notNull(),
  memo: text("memo").notNull(),
  enabled: integer("enabled", { mode: "boolean" }).notNull(),
  createdAt: instant("created_at").notNull(),
});

export const honeytokens = sqliteTable("honeytokens", {
  seq: integer("seq").primaryKey({ autoIncrement: true }),
  id: text("id").notNull().unique(),
  name: text("name").notNull().unique(),
  kind: text("kind", { enum: tokenKinds }).notNull(),
  /** Where the bait lies. */
  memo: text("memo").notNull(),
  answer: json<TokenAnswer>("answer").notNull(),
  enabled: integer("enabled", { mode: "boolean" }).notNull(),
  /** From then on its addresses answer as if they had never been; null: never. */
  expiresAt: instant("expires_at"),
  createdAt: instant("created_at").notNull(),
});

/** A token has one address of its own, and those that it had before and that are still watched. */
export const honeytokenAddresses = sqliteTable(
  "honeytoken_addresses",
  {
    address: text("address").primaryKey(),
    tokenSeq: integer("token_seq")
      .notNull()
      .references(() => honeytokens.seq, { onDelete: "cascade" }),
    createdAt: instant("created_at").notNull(),
    /** When another took its place; null: it is the present one. */
    replacedAt: instant("replaced_at"),
  },
  (table) => [index("honeytoken_addresses_token").on(table.tokenSeq)],
);

/**
 * Visits to beacons and honeytokens: one row for all visits of one visitor (host, client network, user agent)
 * from the first on until `traps.repeat_after` is over.
 */
export const trapHits = sqliteTable(
  "trap_hits",
  {
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    /** Identifier of the beacon or honeytoken. */
    trapId: text("trap_id").notNull(),
    class: text("class", { enum: hitClasses }).notNull(),
    /** Hash of host, client network and user agent. */
    visitor: text("visitor").notNull(),
    /** Of the page that was shown; null: none, or a honeytoken. */
    host: text("host"),
    /** Of the page that was shown; of a honeytoken what was asked for, from the path on. */
    url: text("url").notNull(),
    referrer: text("referrer"),
    /** What the script said of the page, where the browser says otherwise. */
    claimedUrl: text("claimed_url"),
    ipAddress: text("ip_address"),
    userAgent: text("user_agent"),
    /** Of honeytokens. */
    method: text("method"),
    headers: json<[name: string, value: string][]>("headers").notNull(),
    firstAt: instant("first_at").notNull(),
    lastAt: instant("last_at").notNull(),
    count: integer("count").notNull(),
    /** The event that told of it; null: none did. */
    eventId: text("event_id"),
    threatId: text("threat_id"),
  },
  (table) => [
    index("trap_hits_trap").on(table.trapId),
    index("trap_hits_visitor").on(table.trapId, table.visitor, table.firstAt),
    index("trap_hits_last_at").on(table.lastAt),
    index("trap_hits_raised")
      .on(table.trapId, table.host)
      .where(sql`${table.threatId} is not null`),
    index("trap_hits_threat")
      .on(table.threatId)
      .where(sql`${table.threatId} is not null`),
  ],
);

/** All visits, also those that no row is kept of. */
export const trapCounts = sqliteTable(
  "trap_counts",
  {
    trapId: text("trap_id").notNull(),
    class: text("class", { enum: hitClasses }).notNull(),
    total: integer("total").notNull(),
    lastAt: instant("last_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.trapId, table.class] })],
);
