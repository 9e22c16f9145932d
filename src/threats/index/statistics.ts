import type { Instant } from "../../platform/lib/clock.ts";
import type { Columns } from "./columns/columns.ts";
import type { SearchFilter } from "./filter.ts";
import { countHosts } from "./host-counts.ts";
import type { Matches } from "./match-rows.ts";
import { countDecisions, countNew, countOpen, countOpenByAge, type Periods } from "./period-counts.ts";

/** Counts over all threats, each in a few milliseconds for a million. */
export type ThreatStatistics = ReturnType<typeof createStatistics>;

interface StatisticsDependencies {
  /** Resolves to the columns, which may be read until the next `await`. */
  current: () => Promise<Columns>;
  allMatches: (columns: Columns, filter: SearchFilter) => Matches;
  /** Returns all protected domains. */
  domainNames: () => { seq: number; domain: string }[];
}

export function createStatistics({ current, allMatches, domainNames }: StatisticsDependencies) {
  return {
    /**
     * Counts threats by protected domain (A-label form), by the period in which they were first seen, and by severity.
     * The periods consist of whole days (UTC). Protected domains without any threats are left out.
     */
    async newByDomain(periods: Periods) {
      const counts = countNew(await current(), periods);
      return new Map(
        domainNames().flatMap(({ seq, domain }) => (counts.has(seq) ? [[domain, counts.get(seq)!]] : [])),
      );
    },

    /** Counts active threats by protected domain (A-label form) and severity. Domains without any are left out. */
    async openByDomain() {
      const { summary } = await current();
      const open = domainNames().map(
        ({ seq, domain }) => [domain, countOpen(summary.ofDomain(seq))] as const,
      );
      return new Map(open.filter(([, { high, medium, low }]) => high + medium + low > 0));
    },

    /**
     * Counts first decisions by period, with the median of the time they took.
     * @param protectedDomain A-label form; undefined: all
     */
    async decisions(periods: Periods, protectedDomain?: string) {
      const columns = await current();
      if (protectedDomain === undefined) return countDecisions(columns, periods);
      // No protected domain has the number 0.
      const seq = domainNames().find(({ domain }) => domain === protectedDomain)?.seq ?? 0;
      return countDecisions(columns, periods, seq);
    },

    /** Counts active threats by age; `limits` in milliseconds, ascending, separate the counts. */
    openByAge: async (now: Instant, limits: readonly number[]) =>
      countOpenByAge(await current(), now, limits),

    /** Counts the hosts of the matches; at most `max` of each kind are returned. */
    async hosts(filter: SearchFilter, max: number) {
      const columns = await current();
      const { status, ...others } = filter;
      const isAllActive = status === "active" && Object.values(others).every((value) => value === undefined);
      return countHosts(columns, isAllActive ? undefined : allMatches(columns, filter), max);
    },
  };
}
