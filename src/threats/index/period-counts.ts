import { dayMs, type Instant } from "../../platform/lib/clock.ts";
import { severities, type Severity } from "../../platform/vocabulary/threats.ts";
import { blockRows } from "./columns/column-summary.ts";
import { decidedAt, type Columns } from "./columns/columns.ts";
import { severityIndexes, type Days } from "./columns/day-counts.ts";
import type { DecisionCount, DecisionPeriod } from "./columns/decision-cache.ts";
import { deletedKind, isActiveKind } from "./columns/kinds.ts";
import { timeAt } from "./arrays/numbers.ts";
import { mayContainTimes } from "./match-rows.ts";
import { medianOf } from "./selection/median.ts";

/** Consecutive periods of equal length. */
export interface Periods {
  /** Start of the first one. */
  from: Instant;
  periodMs: number;
  count: number;
}

export type SeverityCounts = Record<Severity, number>;

const [high, medium, low] = (["high", "medium", "low"] as const).map((one) => severities.indexOf(one)) as [
  number,
  number,
  number,
];

/**
 * Counts threats by protected domain (its `seq`), by the period in which they were first seen, and by severity. Visits
 * rows only if other days than before are asked for.
 * @param periods of whole days (UTC)
 */
export function countNew(
  columns: Columns,
  { from, periodMs, count: periods }: Periods,
): Map<number, SeverityCounts[]> {
  const perPeriod = periodMs / dayMs;
  if (!Number.isInteger(perPeriod) || from % dayMs !== 0) throw new RangeError("periods are whole days");
  const days = { from, count: periods * perPeriod };
  if (!columns.summary.days.cover(days)) countDays(columns, days);
  const found = new Map<number, SeverityCounts[]>();
  for (const { protectedDomainSeq, counts } of columns.summary.days.of(days)) {
    if (counts.every((total) => total === 0)) continue;
    const sums = new Uint32Array(periods * severities.length);
    for (let index = 0; index < counts.length; index += 1) {
      const severity = index % severities.length;
      const period = Math.floor(index / (severities.length * perPeriod));
      sums[period * severities.length + severity]! += counts[index]!;
    }
    found.set(
      protectedDomainSeq,
      Array.from({ length: periods }, (_, period) => severityCounts(sums, period * severities.length)),
    );
  }
  return found;
}

/** Counts the rows of some days, and of those that follow; from then on, each change of a row is counted. */
function countDays(columns: Columns, asked: Days): void {
  const { firstSeen, kindNumbers, protectedDomainSeqs, count: total, summary } = columns;
  const { days } = summary;
  const { from, count } = days.begin(asked);
  const end = from + count * dayMs;
  for (let block = 0; block * blockRows < total; block += 1) {
    if (!mayContainTimes(columns, block, from, end)) continue;
    const blockEnd = Math.min(total, (block + 1) * blockRows);
    for (let row = block * blockRows; row < blockEnd; row += 1) {
      days.count(timeAt(firstSeen, row), protectedDomainSeqs[row] ?? 0, kindNumbers[row] ?? 0, 1);
    }
  }
}

/** Written out, because there is one object for each period of each protected domain. */
function severityCounts(counts: Uint32Array, offset: number): SeverityCounts {
  return {
    high: counts[offset + high] ?? 0,
    medium: counts[offset + medium] ?? 0,
    low: counts[offset + low] ?? 0,
  };
}

/**
 * Counts first decisions by period, with the exact median of the time they took. Visits only rows of the periods in which
 * a decision has changed since they were last counted.
 * @param protectedDomainSeq only threats to this protected domain; undefined: all
 */
export function countDecisions(
  columns: Columns,
  { from, periodMs, count: periodTotal }: Periods,
  protectedDomainSeq?: number,
): DecisionCount[] {
  const { decisions } = columns.summary;
  const periods = Array.from({ length: periodTotal }, (_, period) => {
    const start = from + period * periodMs;
    return { from: start, end: start + periodMs, protectedDomainSeq };
  });
  const counted = periods.map(decisions.get);
  const first = counted.indexOf(undefined);
  if (first === -1) return counted as DecisionCount[];
  const { from: start } = periods[first]!;
  const { end } = periods[counted.lastIndexOf(undefined)]!;
  const took = decisionTimes(columns, { from: start, end, protectedDomainSeq }, periodMs);
  return periods.map((period, index) => {
    const known = counted[index];
    if (known !== undefined) return known;
    const times = took[index - first]!;
    const count = { decided: times.length, medianMs: medianOf(Float64Array.from(times)) };
    decisions.add(period, count);
    return count;
  });
}

/** Returns how long the decisions in each part of a period took. */
function decisionTimes(
  columns: Columns,
  { from, end, protectedDomainSeq }: DecisionPeriod,
  partMs: number,
): number[][] {
  const { decisions, firstSeen, kindNumbers, protectedDomainSeqs, count, summary } = columns;
  const took = Array.from({ length: (end - from) / partMs }, (): number[] => []);
  const [earliest, latest] = [summary.lowerBounds("decided"), summary.upperBounds("decided")];
  for (let block = 0; block * blockRows < count; block += 1) {
    if (!((latest[block] ?? 0) >= from && (earliest[block] ?? 0) < end)) continue;
    const blockEnd = Math.min(count, (block + 1) * blockRows);
    for (let row = block * blockRows; row < blockEnd; row += 1) {
      if (decisions[row] === 0) continue;
      const at = decidedAt(columns, row);
      if (at < from || at >= end || kindNumbers[row] === deletedKind) continue;
      if (protectedDomainSeq !== undefined && protectedDomainSeqs[row] !== protectedDomainSeq) continue;
      // A source can report a time that is later than the decision.
      took[Math.floor((at - from) / partMs)]!.push(Math.max(0, at - timeAt(firstSeen, row)));
    }
  }
  return took;
}

/** Counts the active threats among threats by kind, by severity. */
export function countOpen(ofKind: ReadonlyMap<number, number>): SeverityCounts {
  const counts = new Uint32Array(severities.length);
  for (const [kind, total] of ofKind)
    if (isActiveKind[kind] === 1) counts[severityIndexes[kind] ?? 0]! += total;
  return severityCounts(counts, 0);
}

/**
 * Counts active threats by age since they were first seen.
 * @param limits ages in milliseconds, ascending: the first count is up to the first limit, the last one above the last limit
 */
export function countOpenByAge(columns: Columns, now: Instant, limits: readonly number[]): number[] {
  const { firstSeen, kindNumbers, count, summary } = columns;
  const ofKind = summary.ofKind();
  let open = 0;
  for (const [kind, isActive] of isActiveKind.entries()) open += isActive * (ofKind[kind] ?? 0);
  const counts = Array.from({ length: limits.length + 1 }, () => 0);
  const oldest = now - (limits.at(-1) ?? 0);
  for (let block = 0; block * blockRows < count; block += 1) {
    if (!mayContainTimes(columns, block, oldest, Infinity)) continue;
    const blockEnd = Math.min(count, (block + 1) * blockRows);
    for (let row = block * blockRows; row < blockEnd; row += 1) {
      if (isActiveKind[kindNumbers[row] ?? 0] === 0) continue;
      const age = now - timeAt(firstSeen, row);
      let index = 0;
      while (index < limits.length && age > (limits[index] ?? 0)) index += 1;
      if (index === limits.length) continue;
      counts[index]! += 1;
      open -= 1;
    }
  }
  counts[limits.length] = open;
  return counts;
}
