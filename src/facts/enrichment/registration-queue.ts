import type { Database } from "../../platform/database/database.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import { ranks } from "./plan.ts";
import type { Due } from "./store.ts";

/**
 * Threats whose registration data is wanted, with a queue for each last label and so, roughly, for each registry: ten
 * thousand names of one registry wait for each other, and no name of another registry waits for them.
 */
export type RegistrationQueue = ReturnType<typeof createRegistrationQueue>;

/**
 * Maximum number of due rows per suffix. Registries get one query per second; more rows would only wait for their turn
 * or for a slow response.
 */
const perSuffixMax = 4;
const ranksInOrder = Object.values(ranks).sort((a, b) => a - b);

export function createRegistrationQueue({ prepare }: Pick<Database, "prepare">) {
  const set = prepare<
    unknown,
    [
      {
        threatSeq: number;
        suffix: string | null;
        rank: number | null;
        dueAt: Instant | null;
        failures: number;
      },
    ]
  >(
    `update enrichments set registration_suffix = $suffix, registration_rank = $rank, registration_due_at = $dueAt,
       registration_failures = $failures where threat_seq = $threatSeq`,
  );
  // Loose index scan: jumps from one suffix to the next, past the rows of each.
  const suffixes = prepare<{ suffix: string }>(
    `with recursive found(suffix) as (
       select min(registration_suffix) from enrichments where registration_suffix is not null
       union all
       select (select min(registration_suffix) from enrichments where registration_suffix > found.suffix)
       from found where found.suffix is not null)
     select suffix from found where suffix is not null`,
  );
  const dueOf = prepare<{ seq: number }, [{ suffix: string; rank: number; now: Instant; limit: number }]>(
    `select threat_seq as seq from enrichments where registration_suffix = $suffix and registration_rank = $rank
       and registration_due_at <= $now order by registration_due_at limit $limit`,
  );
  /** Index of the suffix that comes first. It rotates, as there may be more suffixes than places. */
  let turn = 0;

  function dueWith(suffix: string, now: Instant): number[] {
    const found: number[] = [];
    for (const rank of ranksInOrder) {
      const limit = perSuffixMax - found.length;
      if (limit === 0) break;
      for (const { seq } of dueOf.all({ suffix, rank, now, limit })) found.push(seq);
    }
    return found;
  }

  return {
    /** `undefined` removes the threat from the queue. */
    save(threatSeq: number, domain: string, wanted: Due | undefined) {
      const suffix = wanted === undefined ? null : domain.slice(domain.lastIndexOf(".") + 1);
      set.run({ threatSeq, suffix, rank: null, dueAt: null, failures: 0, ...wanted });
    },

    /** Returns row numbers that are due, a few of each suffix; may include those in progress. */
    due(now: Instant, limit: number) {
      const all = suffixes.all().map(({ suffix }) => suffix);
      if (all.length === 0) return [];
      const first = turn++ % all.length;
      const inTurn = [...all.slice(first), ...all.slice(0, first)];
      const found: number[] = [];
      for (const suffix of inTurn) {
        if (found.length >= limit) break;
        found.push(...dueWith(suffix, now));
      }
      return found;
    },
  };
}
