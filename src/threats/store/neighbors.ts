import type { Database } from "../../database/database.ts";
import type { Instant } from "../../lib/clock.ts";
import type { Severity } from "../../vocabulary/threats.ts";

/** Returns the active threats of the same severity before and after a place in the list, newest first. */
export type FindNeighbors = (place: { severity: Severity; firstSeen: Instant; seq: number }) => {
  newer: Neighbor | undefined;
  older: Neighbor | undefined;
};

export interface Neighbor {
  id: string;
  /** A-label form. */
  domain: string;
}

/** Raw SQL, because drizzle has no row values: with them, the query is one step along an index. */
export function createNeighbors({ sqlite }: Database): FindNeighbors {
  const step = (comparison: "<" | ">", order: "desc" | "asc") =>
    sqlite.prepare<Neighbor, [Severity, Instant, number]>(
      `select id, domain from threats where status = 'active' and severity = ? and (first_seen, seq) ${comparison} (?, ?)
         order by first_seen ${order}, seq ${order} limit 1`,
    );
  const [newer, older] = [step(">", "asc"), step("<", "desc")];
  return ({ severity, firstSeen, seq }) => ({
    newer: newer.get(severity, firstSeen, seq) ?? undefined,
    older: older.get(severity, firstSeen, seq) ?? undefined,
  });
}
