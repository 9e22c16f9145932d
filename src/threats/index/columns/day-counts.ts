import { dayMs, type Instant } from "../../../platform/lib/clock.ts";
import { severities } from "../../../platform/vocabulary/threats.ts";
import { kinds } from "./kinds.ts";

/** Days for which there is room after those that were asked for, so that a new day takes no new scan. */
const daysAhead = 14;

/** By number of the kind; the last one is for deleted threats. */
export const severityIndexes = [...kinds.map(({ severity }) => severities.indexOf(severity)), -1];

/** Consecutive days (UTC). */
export interface Days {
  /** Start of the first one. */
  from: Instant;
  count: number;
}

/**
 * Number of rows by protected domain, day in which they were first seen, and severity, of the days that were last asked
 * for: counts of all days would take as much memory as the rows if there are thousands of protected domains.
 */
export function createDayCounts() {
  let first: Instant = 0;
  let dayTotal = 0;
  const perDay = severities.length;
  // Few numbers are missing: only those that removed protected domains had.
  let byDomain: Uint32Array[] = [];

  return {
    /** Returns whether the rows of these days are counted. */
    cover: ({ from, count }: Days) => from >= first && from + count * dayMs <= first + dayTotal * dayMs,
    /** Forgets all counts. The caller counts the rows of the days that are returned. */
    begin({ from, count }: Days): Days {
      first = from;
      dayTotal = count + daysAhead;
      byDomain = [];
      return { from, count: dayTotal };
    },
    /** Records that there are more rows like this, or fewer. Without an object, since millions of rows would be 100 MB. */
    count(firstSeen: Instant, protectedDomainSeq: number, kind: number, by: number) {
      const day = Math.floor((firstSeen - first) / dayMs);
      const severity = severityIndexes[kind] ?? 0;
      if (day < 0 || day >= dayTotal || severity === -1) return;
      const counts = (byDomain[protectedDomainSeq] ??= new Uint32Array(dayTotal * perDay));
      counts[day * perDay + severity]! += by;
    },
    /** Returns the numbers by protected domain (its `seq`): for each of the days, one for each severity. */
    of({ from, count }: Days) {
      const start = ((from - first) / dayMs) * perDay;
      const found: { protectedDomainSeq: number; counts: Uint32Array }[] = [];
      // Passes over the numbers without a domain.
      byDomain.forEach((counts, protectedDomainSeq) => {
        found.push({ protectedDomainSeq, counts: counts.subarray(start, start + count * perDay) });
      });
      return found;
    },
  };
}
