import type { Database } from "../database/database.ts";
import type { Instant } from "../lib/clock.ts";
import { ranks } from "./plan.ts";
import type { Due } from "./store.ts";

/**
 * Whose registration is to be asked for, a queue for each last label and so, by and large, for each registry: ten
 * thousand names of one wait for each other, and not one name of another waits for them.
 */
export interface RegistrationQueue {
  /** Undefined: none is wanted any more. */
  save(threatSeq: number, domain: string, wanted: Due | undefined): void;
  /** Row numbers that are due, a few of each suffix; may name what is under way. */
  due(now: Instant, limit: number): number[];
}

/**
 * Of each suffix at a time. One question a second is what registries are asked; more than these wait for their
 * turn, or for a slow answer, to no use.
 */
const perSuffixMax = 4;
const ranksInOrder = Object.values(ranks).sort((a, b) => a - b);

export function createRegistrationQueue({ sqlite }: Database): RegistrationQueue {
  const set = sqlite.prepare<
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
  // From one suffix to the next by way of the index, past the rows of each.
  const suffixes = sqlite.prepare<{ suffix: string }, []>(
    `with recursive found(suffix) as (
       select min(registration_suffix) from enrichments where registration_suffix is not null
       union all
       select (select min(registration_suffix) from enrichments where registration_suffix > found.suffix)
       from found where found.suffix is not null)
     select suffix from found where suffix is not null`,
  );
  const dueOf = sqlite.prepare<
    { seq: number },
    [{ suffix: string; rank: number; now: Instant; limit: number }]
  >(
    `select threat_seq as seq from enrichments where registration_suffix = $suffix and registration_rank = $rank
       and registration_due_at <= $now order by registration_due_at limit $limit`,
  );
  /** Which suffix comes first: each in turn, for there may be more of them than places. */
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
    save(threatSeq, domain, wanted) {
      const suffix = wanted === undefined ? null : domain.slice(domain.lastIndexOf(".") + 1);
      set.run({ threatSeq, suffix, rank: null, dueAt: null, failures: 0, ...wanted });
    },
    due(now, limit) {
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
