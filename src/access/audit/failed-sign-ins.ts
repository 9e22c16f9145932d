import { and, count, desc, gte, sql, sum } from "drizzle-orm";
import type { Database } from "../../platform/database/database.ts";
import { hasValue, statement, valuesExcept, valuesOf } from "../../platform/database/statement.ts";
import type { Clock, Instant } from "../../platform/lib/clock.ts";
import { clientNetwork } from "../../platform/network/client-network.ts";
import { keepNewest } from "./keep-newest.ts";
import { failedSignIns } from "./tables.ts";

export type FailedSignInsOfHour = typeof failedSignIns.$inferSelect;

/**
 * Failed sign-ins, counted by network and hour. Anyone can cause them, so they are kept apart from the audit log, and
 * the stored amount depends neither on their number nor on the number of their networks.
 */
export type FailedSignIns = ReturnType<typeof createFailedSignIns>;

const hourMs = 3_600_000;
/** Maximum number of networks that are counted apart in one hour. Further ones are counted together. */
export const networksPerHourMax = 200;
/** Maximum number of counts, about 1 MB. The oldest are deleted first: at the worst, the latest 50 hours are kept. */
export const failedSignInCountsMax = 10_000;
/** Stands for all networks beyond `networksPerHourMax`. */
export const otherNetworks = "*";
/** Stands for clients whose address is unknown. */
export const unknownNetwork = "";
/** One household: an IPv4 address, or a /64 network of IPv6. */
const household = { ipv4Octets: 4, ipv6Groups: 4 };

export function createFailedSignIns({ database, clock }: { database: Database; clock: Pick<Clock, "now"> }) {
  const { query } = database;
  const isOfHour = hasValue(failedSignIns.hour);
  const find = statement(database, (q) =>
    q
      .select({ seq: failedSignIns.seq })
      .from(failedSignIns)
      .where(and(isOfHour, hasValue(failedSignIns.network))),
  );
  const networksOf = statement(database, (q) => q.select({ n: count() }).from(failedSignIns).where(isOfHour));
  const insert = statement(database, (q) =>
    q.insert(failedSignIns).values(valuesExcept(failedSignIns, "seq")),
  );
  const add = statement(database, (q) =>
    q
      .update(failedSignIns)
      .set({
        ...valuesOf(failedSignIns, "lastAt", "address"),
        attempts: sql`${failedSignIns.attempts} + 1`,
      })
      .where(hasValue(failedSignIns.seq)),
  );

  return {
    /** @param address of the client; null: unknown */
    record: (address: string | null) =>
      database.transaction(() => {
        const at = clock.now();
        const hour = at - (at % hourMs);
        const own = networkOf(address);
        const known = find.get({ hour, network: own });
        if (known !== undefined) return add.run({ seq: known.seq, lastAt: at, address });
        const isFull = networksOf.get({ hour })!.n >= networksPerHourMax;
        const others = isFull ? find.get({ hour, network: otherNetworks }) : undefined;
        if (others !== undefined) return add.run({ seq: others.seq, lastAt: at, address });
        const network = isFull ? otherNetworks : own;
        insert.run({ network, hour, attempts: 1, firstAt: at, lastAt: at, address });
        keepNewest(database, failedSignIns, failedSignInCountsMax);
      }),

    /** Returns the counts, newest hour first, and within an hour the latest failure first. */
    list: ({ limit, offset }: { limit: number; offset: number }): FailedSignInsOfHour[] =>
      query
        .select()
        .from(failedSignIns)
        .orderBy(desc(failedSignIns.hour), desc(failedSignIns.lastAt))
        .limit(limit)
        .offset(offset)
        .all(),

    /** Returns the number of counts. */
    count: (): number => query.select({ n: count() }).from(failedSignIns).get()!.n,

    /** Returns the number of failures in the hours that ended after `from`. */
    attemptsSince: (from: Instant): number =>
      Number(
        query
          .select({ n: sum(failedSignIns.attempts) })
          .from(failedSignIns)
          .where(gte(failedSignIns.hour, from - hourMs))
          .get()?.n ?? 0,
      ),
  };
}

function networkOf(address: string | null): string {
  const network = clientNetwork(address, household);
  return network.includes(":") ? `${network}::/64` : network;
}
