import type { ActivityCounts, NameOrigin, SourceActivity } from "./activity/source-activity.ts";
import type { Tally } from "./tally.ts";

/** Counts the names of one run where they came from. */
export function createRunCounts({
  activity,
  origin,
  tally,
}: {
  activity: Pick<SourceActivity, "add" | "defer">;
  origin: NameOrigin | null;
  tally: Tally;
}) {
  let counted: ActivityCounts = { names: 0, invalid: 0, matched: 0, created: 0 };
  return {
    /** Adds what is new, in the transaction of the caller. Returns a function to call once that is committed. */
    add(): () => void {
      const counts = countsOf(tally);
      if (origin !== null) activity.add(origin, difference(counts, counted));
      return () => void (counted = counts);
    },
    /** Adds what is new later. Returns the threats that were recorded with it: none. */
    defer(): [] {
      const counts = countsOf(tally);
      if (origin !== null) activity.defer(origin, difference(counts, counted));
      counted = counts;
      return [];
    },
  };
}

function countsOf({ received, invalid, matched, created }: Tally): ActivityCounts {
  return { names: received, invalid, matched, created };
}

function difference(now: ActivityCounts, before: ActivityCounts): ActivityCounts {
  return {
    names: now.names - before.names,
    invalid: now.invalid - before.invalid,
    matched: now.matched - before.matched,
    created: now.created - before.created,
  };
}
