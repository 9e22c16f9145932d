import { dayMs, startOfDay, type Instant } from "../../../../platform/lib/clock.ts";
import type { ThreatIndex } from "../../../../threats/index/threat-index.ts";
import { severities, type ThreatType } from "../../../../platform/vocabulary/threats.ts";
import { sumOf, totalOf, type SeverityCounts } from "../../charts/split-bar.tsx";

/** Days of the charts, today included. */
export const chartDays = 30;
/** Days in which a threat counts as new, today included. */
export const newDays = 7;

export const none: SeverityCounts = { high: 0, medium: 0, low: 0 };
const noDays = Array.from({ length: chartDays }, () => none);

/** New threats of a protected domain. */
export interface NewThreats {
  /** By day; the last one is today (UTC). */
  days: readonly SeverityCounts[];
  /** In the last seven days. */
  recent: number;
  /** In the seven days before. */
  before: number;
}

export function firstChartDay(now: Instant): Instant {
  return startOfDay(now) - (chartDays - 1) * dayMs;
}

export function firstNewDay(now: Instant): Instant {
  return startOfDay(now) - (newDays - 1) * dayMs;
}

/** Returns a function that finds the new threats of a protected domain. */
export async function readNewThreats(
  index: Pick<ThreatIndex, "newByDomain">,
  now: Instant,
): Promise<(domain: string) => NewThreats> {
  const byDomain = await index.newByDomain({ from: firstChartDay(now), periodMs: dayMs, count: chartDays });
  return (domain) => {
    const days = byDomain.get(domain);
    if (days === undefined) return { days: noDays, recent: 0, before: 0 };
    const total = (from: number, to?: number) => totalOf(sumOf(days.slice(from, to)));
    return { days, recent: total(-newDays), before: total(-2 * newDays, -newDays) };
  };
}

/** Counts the active threats of a protected domain by severity. */
async function countOpen(
  index: Pick<ThreatIndex, "quickCounts">,
  protectedDomain: string,
): Promise<SeverityCounts> {
  const counts = await index.quickCounts(
    severities.map((severity) => ({ protectedDomain, status: "active" as const, severity })),
  );
  const of = Object.fromEntries(severities.map((severity, number) => [severity, counts[number]]));
  return { ...none, ...of };
}

/** Numbers on the page of a protected domain. */
export interface DomainNumbers {
  /** Threats of any status. */
  all: number;
  open: SeverityCounts;
  news: NewThreats;
  /** First decisions in the days of the chart. */
  decided: number;
  /** Median time of those decisions; null without any. */
  medianMs: number | null;
  /** Active threats by type, most first. */
  types: { type: ThreatType; total: number }[];
}

export async function readNumbers(
  index: Pick<ThreatIndex, "decisions" | "newByDomain" | "quickCounts" | "search">,
  domain: string,
  now: Instant,
): Promise<DomainNumbers> {
  const newThreats = await readNewThreats(index, now);
  const open = await countOpen(index, domain);
  const [all] = await index.quickCounts([{ protectedDomain: domain }]);
  // To the end of today, which has not come yet.
  const periods = { from: firstChartDay(now), periodMs: chartDays * dayMs, count: 1 };
  const [decisions] = await index.decisions(periods, domain);
  const active = { protectedDomain: domain, status: "active" } as const;
  const { facets } = await index.search(
    active,
    { key: "first_seen", descending: true },
    { page: 1, perPage: 1 },
  );
  return {
    all: all ?? 0,
    open,
    news: newThreats(domain),
    decided: decisions!.decided,
    medianMs: decisions!.medianMs,
    types: Array.from(facets.type, ([type, total]) => ({ type, total })).sort((a, b) => b.total - a.total),
  };
}
