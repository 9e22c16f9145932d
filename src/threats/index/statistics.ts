import type { Instant } from "../../platform/lib/clock.ts";
import type { Columns } from "./columns/columns.ts";
import type { HostField } from "./columns/hosts.ts";
import type { DecisionCount } from "./columns/decision-cache.ts";
import type { SearchFilter } from "./filter.ts";
import { countHosts, type HostCounts } from "./host-counts.ts";
import type { Matches } from "./match-rows.ts";
import {
  countDecisions,
  countNew,
  countOpen,
  countOpenByAge,
  type Periods,
  type SeverityCounts,
} from "./period-counts.ts";

/** Counts over all threats, each in a few milliseconds for a million. */
export interface ThreatStatistics {
  /**
   * Counts threats by protected domain (A-label form), by the period in which they were first seen, and by severity.
   * The periods consist of whole days (UTC). Protected domains without any threats are left out.
   */
  newByDomain(periods: Periods): Promise<Map<string, SeverityCounts[]>>;
  /** Counts active threats by protected domain (A-label form) and severity. Domains without any are left out. */
  openByDomain(): Promise<Map<string, SeverityCounts>>;
  /**
   * Counts first decisions by period, with the median of the time they took.
   * @param protectedDomain A-label form; undefined: all
   */
  decisions(periods: Periods, protectedDomain?: string): Promise<DecisionCount[]>;
  /** Counts active threats by age; `limits` in milliseconds, ascending, separate the counts. */
  openByAge(now: Instant, limits: readonly number[]): Promise<number[]>;
  /** Counts the hosts of the matches; at most `max` of each kind are returned. */
  hosts(filter: SearchFilter, max: number): Promise<Record<HostField, HostCounts>>;
}

export function createStatistics({
  current,
  allMatches,
  domainNames,
}: {
  /** Resolves to the columns, which may be read until the next `await`. */
  current: () => Promise<Columns>;
  allMatches: (columns: Columns, filter: SearchFilter) => Matches;
  /** Returns all protected domains. */
  domainNames: () => { seq: number; domain: string }[];
}): ThreatStatistics {
  return {
    async newByDomain(periods) {
      const counts = countNew(await current(), periods);
      return new Map(
        domainNames().flatMap(({ seq, domain }) => (counts.has(seq) ? [[domain, counts.get(seq)!]] : [])),
      );
    },
    async openByDomain() {
      const { summary } = await current();
      const open = domainNames().map(
        ({ seq, domain }) => [domain, countOpen(summary.ofDomain(seq))] as const,
      );
      return new Map(open.filter(([, { high, medium, low }]) => high + medium + low > 0));
    },
    async decisions(periods, protectedDomain) {
      const columns = await current();
      if (protectedDomain === undefined) return countDecisions(columns, periods);
      // No protected domain has the number 0.
      const seq = domainNames().find(({ domain }) => domain === protectedDomain)?.seq ?? 0;
      return countDecisions(columns, periods, seq);
    },
    openByAge: async (now, limits) => countOpenByAge(await current(), now, limits),
    async hosts(filter, max) {
      const columns = await current();
      const { status, ...others } = filter;
      const isAllActive = status === "active" && Object.values(others).every((value) => value === undefined);
      return countHosts(columns, isAllActive ? undefined : allMatches(columns, filter), max);
    },
  };
}
