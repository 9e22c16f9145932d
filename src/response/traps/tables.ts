import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { instant, json } from "../../platform/database/columns.ts";
import { protectedDomains } from "../../threats/domains/tables.ts";
import type { TrapKindName } from "../../platform/vocabulary/traps.ts";

/** Traps of all kinds. */
export const traps = sqliteTable(
  "traps",
  {
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    id: text("id").notNull().unique(),
    kind: text("kind").$type<TrapKindName>().notNull(),
    name: text("name").notNull(),
    /** Null if traps of this kind do not belong to a domain. */
    protectedDomainSeq: integer("protected_domain_seq").references(() => protectedDomains.seq),
    /** Data that only the kind reads. */
    details: json<unknown>("details").notNull(),
    memo: text("memo").notNull(),
    enabled: integer("enabled", { mode: "boolean" }).notNull(),
    /** From this time on, its addresses respond as if they had never existed. Null: never. */
    expiresAt: instant("expires_at"),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [uniqueIndex("traps_name").on(table.kind, table.name)],
);

/** A trap has one current address, and replaced ones that still count visits. */
export const trapAddresses = sqliteTable(
  "trap_addresses",
  {
    /** See `addresses.ts`. */
    address: text("address").primaryKey(),
    trapSeq: integer("trap_seq")
      .notNull()
      .references(() => traps.seq, { onDelete: "cascade" }),
    createdAt: instant("created_at").notNull(),
    /** Null: this is the current address. */
    replacedAt: instant("replaced_at"),
  },
  (table) => [index("trap_addresses_trap").on(table.trapSeq)],
);
