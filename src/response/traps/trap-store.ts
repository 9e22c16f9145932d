import { and, asc, desc, eq, isNotNull, isNull, or, sql } from "drizzle-orm";
import type { Database } from "../../platform/database/database.ts";
import { hasValue, opaqueValue, statement } from "../../platform/database/statement.ts";
import { protectedDomains } from "../../threats/domains/tables.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import type { TrapKindName } from "../../platform/vocabulary/traps.ts";
import { trapAddresses, traps } from "./tables.ts";
import type { LiveTrap, Trap } from "./trap.ts";

/** Traps of all kinds in the database. Every change must run within a transaction. */
export type TrapStore = ReturnType<typeof createTrapStore>;

/** Maximum number of replaced addresses of one trap that keep counting visits. */
const oldAddressesMax = 20;

export function createTrapStore(database: Database) {
  const { query } = database;
  const select = (builder: Database["query"]) =>
    builder
      .select({ trap: traps, domain: protectedDomains.domain, allow: protectedDomains.allow })
      .from(traps)
      .leftJoin(protectedDomains, eq(traps.protectedDomainSeq, protectedDomains.seq));
  const hasKind = hasValue(traps.kind);
  const hasKey = or(hasValue(traps.id, "key"), hasValue(traps.name, "key"));
  const all = statement(database, (builder) => select(builder).where(hasKind).orderBy(asc(traps.seq)));
  const byId = statement(database, (builder) => select(builder).where(hasValue(traps.id)));
  const byKey = statement(database, (builder) => select(builder).where(and(hasKind, hasKey)));
  const addresses = statement(database, (builder) =>
    builder
      .select()
      .from(trapAddresses)
      .where(hasValue(trapAddresses.trapSeq))
      .orderBy(desc(trapAddresses.createdAt), desc(sql`rowid`)),
  );
  // Runs on every visit, including visits to guessed addresses.
  const live = statement(database, (builder) =>
    builder
      .select({ id: traps.id, details: sql<string>`${traps.details}`, expiresAt: traps.expiresAt })
      .from(trapAddresses)
      .innerJoin(traps, eq(traps.seq, trapAddresses.trapSeq))
      .where(
        and(
          eq(trapAddresses.address, opaqueValue(trapAddresses.address)),
          eq(traps.kind, opaqueValue(traps.kind)),
          // A literal, because SQLite recompiles a query over two tables whenever it binds a bare placeholder.
          sql`${traps.enabled} = 1`,
        ),
      ),
  );
  type Row = NonNullable<ReturnType<typeof byId.get>>;

  function toTrap({ trap, domain, allow }: Row): Trap {
    const { protectedDomainSeq: _, ...rest } = trap;
    const rows = addresses.all({ trapSeq: trap.seq });
    return {
      ...rest,
      protectedDomain: domain === null ? null : { domain, allow: allow ?? [] },
      address: rows.find(({ replacedAt }) => replacedAt === null)!.address,
      oldAddresses: rows.filter(({ replacedAt }) => replacedAt !== null).map(({ address }) => address),
    };
  }
  const toTrapIfAny = (row: Row | undefined) => (row === undefined ? undefined : toTrap(row));

  function insertAddress(address: string, trapSeq: number, createdAt: Instant): void {
    query.insert(trapAddresses).values({ address, trapSeq, createdAt }).run();
  }

  return {
    /** Oldest first. */
    list: (kind: TrapKindName) => all.all({ kind }).map(toTrap),

    /** Finds a trap by identifier. */
    find: (id: string) => toTrapIfAny(byId.get({ id })),

    /** Finds a trap of one kind by identifier or name. */
    findOfKind: (kind: TrapKindName, key: string) => toTrapIfAny(byKey.get({ kind, key })),

    /** Finds the trap that an address belongs to if it is enabled and has not expired. */
    findLive(kind: TrapKindName, address: string, now: Instant): LiveTrap | undefined {
      const row = live.get({ address, kind });
      if (row === undefined || (row.expiresAt !== null && row.expiresAt <= now)) return undefined;
      return { id: row.id, details: () => JSON.parse(row.details) as unknown };
    },
    insert(row: Omit<typeof traps.$inferInsert, "seq">, address: string) {
      const { seq } = query.insert(traps).values(row).returning({ seq: traps.seq }).get();
      insertAddress(address, seq, row.createdAt);
    },
    setEnabled: (seq: number, enabled: boolean) =>
      void query.update(traps).set({ enabled }).where(eq(traps.seq, seq)).run(),

    /** Makes `address` the current one. @param watchOld whether the replaced addresses keep counting visits */
    replaceAddress(
      { seq, oldAddresses }: Trap,
      address: string,
      { watchOld, now }: { watchOld: boolean; now: Instant },
    ) {
      const ofTrap = eq(trapAddresses.trapSeq, seq);
      if (!watchOld) query.delete(trapAddresses).where(ofTrap).run();
      else {
        query
          .update(trapAddresses)
          .set({ replacedAt: now })
          .where(and(ofTrap, isNull(trapAddresses.replacedAt)))
          .run();
        for (const old of oldAddresses.slice(oldAddressesMax - 1))
          query
            .delete(trapAddresses)
            .where(and(eq(trapAddresses.address, old), isNotNull(trapAddresses.replacedAt)))
            .run();
      }
      insertAddress(address, seq, now);
    },
    delete: (seq: number) => void query.delete(traps).where(eq(traps.seq, seq)).run(),
  };
}
