import { BoundedMap } from "../../../platform/lib/bounded-map.ts";
import type { Instant } from "../../../platform/lib/clock.ts";

/** A view of twelve weeks takes twelve, and the view of a protected domain takes one. */
const cachedMax = 64;

/** First decisions in a period. */
export interface DecisionCount {
  /** Threats whose first decision was made in it. */
  decided: number;
  /** Median time from first seen to first decision; null if there was none. */
  medianMs: number | null;
}

/** A period for the threats to one protected domain; undefined: to all. */
export interface DecisionPeriod {
  from: Instant;
  /** The first time after the period. */
  end: Instant;
  protectedDomainSeq: number | undefined;
}

/** Counts of periods, most of which are over, so their decisions rarely change. */
export function createDecisionCache() {
  const cached = new BoundedMap<string, { period: DecisionPeriod; counted: DecisionCount }>(cachedMax);
  const keyOf = ({ from, end, protectedDomainSeq }: DecisionPeriod) =>
    `${from} ${end} ${protectedDomainSeq ?? ""}`;
  return {
    get: (period: DecisionPeriod) => cached.get(keyOf(period))?.counted,
    add: (period: DecisionPeriod, counted: DecisionCount) =>
      void cached.set(keyOf(period), { period, counted }),

    /** Forgets the counts of the periods that contain the time of a decision that was made, changed or deleted. */
    changed(at: Instant) {
      for (const [key, { period }] of cached) if (at >= period.from && at < period.end) cached.delete(key);
    },
  };
}
