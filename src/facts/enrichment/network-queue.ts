import type { Database } from "../../platform/database/database.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import { ranks } from "./plan.ts";
import type { Due } from "./store.ts";

/** Threats for which the networks of their addresses are wanted. */
export type NetworkQueue = ReturnType<typeof createNetworkQueue>;

const ranksInOrder = Object.values(ranks).sort((a, b) => a - b);

export function createNetworkQueue({ prepare }: Pick<Database, "prepare">) {
  const set = prepare<
    unknown,
    [{ threatSeq: number; rank: number | null; dueAt: Instant | null; failures: number }]
  >(
    `update enrichments set network_rank = $rank, network_due_at = $dueAt, network_failures = $failures
     where threat_seq = $threatSeq`,
  );
  const dueOf = prepare<{ seq: number }, [{ rank: number; now: Instant; limit: number }]>(
    `select threat_seq as seq from enrichments where network_rank = $rank and network_due_at <= $now
     order by network_due_at limit $limit`,
  );
  return {
    /** `undefined` removes the threat from the queue. */
    save: (threatSeq: number, wanted: Due | undefined) =>
      void set.run({ threatSeq, rank: null, dueAt: null, failures: 0, ...wanted }),

    /** Returns row numbers that are due, the most urgent first; may include those in progress. */
    due(now: Instant, limit: number) {
      const found: number[] = [];
      for (const rank of ranksInOrder) {
        if (found.length >= limit) break;
        for (const { seq } of dueOf.all({ rank, now, limit: limit - found.length })) found.push(seq);
      }
      return found;
    },
  };
}
