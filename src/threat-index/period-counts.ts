import type { Instant } from "../lib/clock.ts";
import { severities, type Severity } from "../vocabulary/threats.ts";
import { blockRows } from "./columns/column-summary.ts";
import { decidedAt, type Columns } from "./columns/columns.ts";
import { deletedKind, isActiveKind, kinds } from "./columns/kinds.ts";
import { timeAt } from "./columns/numbers.ts";
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

/** By number of the kind; the last one is for deleted threats. */
const severityIndexes = [...kinds.map(({ severity }) => severities.indexOf(severity)), -1];

/** Counts threats by protected domain (its `seq`), by the period in which they were first seen, and by severity. */
export function countNew(
  columns: Columns,
  { from, periodMs, count: periods }: Periods,
): Map<number, SeverityCounts[]> {
  const { firstSeen, kindNumbers, protectedDomainSeqs, count } = columns;
  const end = from + periods * periodMs;
  const perDomain = periods * severities.length;
  const byDomain: Uint32Array[] = [];
  for (let block = 0; block * blockRows < count; block += 1) {
    if (!mayContainTimes(columns, block, from, end)) continue;
    const blockEnd = Math.min(count, (block + 1) * blockRows);
    for (let row = block * blockRows; row < blockEnd; row += 1) {
      const seen = timeAt(firstSeen, row);
      if (seen < from || seen >= end) continue;
      const severity = severityIndexes[kindNumbers[row]!]!;
      if (severity === -1) continue;
      const counts = (byDomain[protectedDomainSeqs[row]!] ??= new Uint32Array(perDomain));
      counts[Math.floor((seen - from) / periodMs) * severities.length + severity]! += 1;
    }
  }
  const found = new Map<number, SeverityCounts[]>();
  for (const [seq, counts] of byDomain.entries()) {
    if (counts === undefined) continue;
    found.set(
      seq,
      Array.from({ length: periods }, (_, period) => severityCounts(counts, period * severities.length)),
    );
  }
  return found;
}

/** Written out, because there is one object for each period of each protected domain. */
function severityCounts(counts: Uint32Array, offset: number): SeverityCounts {
  return { high: counts[offset + high]!, medium: counts[offset + medium]!, low: counts[offset + low]! };
}

/** Decisions in a period. */
export interface DecisionCount {
  /** Threats whose first decision was made in it. */
  decided: number;
  /** Median time from first seen to first decision; null if there was none. */
  medianMs: number | null;
}

/**
 * Counts first decisions by period, with the exact median of the time they took.
 * @param protectedDomainSeq only threats to this protected domain; undefined: all
 */
export function countDecisions(
  columns: Columns,
  { from, periodMs, count: periods }: Periods,
  protectedDomainSeq?: number,
): DecisionCount[] {
  const { decisions, firstSeen, kindNumbers, protectedDomainSeqs, count, summary } = columns;
  const end = from + periods * periodMs;
  const took = Array.from({ length: periods }, (): number[] => []);
  const latest = summary.upperBounds("decided");
  for (let block = 0; block * blockRows < count; block += 1) {
    if (!(latest[block]! >= from)) continue;
    const blockEnd = Math.min(count, (block + 1) * blockRows);
    for (let row = block * blockRows; row < blockEnd; row += 1) {
      if (decisions[row] === 0) continue;
      const at = decidedAt(columns, row);
      if (at < from || at >= end || kindNumbers[row] === deletedKind) continue;
      if (protectedDomainSeq !== undefined && protectedDomainSeqs[row] !== protectedDomainSeq) continue;
      // A source can report a time that is later than the decision.
      took[Math.floor((at - from) / periodMs)]!.push(Math.max(0, at - timeAt(firstSeen, row)));
    }
  }
  return took.map((times) => ({ decided: times.length, medianMs: medianOf(Float64Array.from(times)) }));
}

/** Counts the active threats among threats by kind, by severity. */
export function countOpen(ofKind: ReadonlyMap<number, number>): SeverityCounts {
  const counts = new Uint32Array(severities.length);
  for (const [kind, total] of ofKind) if (isActiveKind[kind] === 1) counts[severityIndexes[kind]!]! += total;
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
  for (const [kind, isActive] of isActiveKind.entries()) open += isActive * ofKind[kind]!;
  const counts = Array.from({ length: limits.length + 1 }, () => 0);
  const oldest = now - (limits.at(-1) ?? 0);
  for (let block = 0; block * blockRows < count; block += 1) {
    if (!mayContainTimes(columns, block, oldest, Infinity)) continue;
    const blockEnd = Math.min(count, (block + 1) * blockRows);
    for (let row = block * blockRows; row < blockEnd; row += 1) {
      if (isActiveKind[kindNumbers[row]!] === 0) continue;
      const age = now - timeAt(firstSeen, row);
      const index = limits.findIndex((limit) => age <= limit);
      if (index === -1) continue;
      counts[index]! += 1;
      open -= 1;
    }
  }
  counts[limits.length] = open;
  return counts;
}
