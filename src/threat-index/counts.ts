import { dayMs, type Instant } from "../lib/clock.ts";
import { severities, type Severity } from "../vocabulary/threats.ts";
import type { Columns } from "./columns/columns.ts";
import { kinds, type Kind } from "./columns/kinds.ts";
import { mayContainTimes } from "./match-rows.ts";
import { blockRows } from "./columns/column-summary.ts";

/** By number of the kind; the last one is for deleted threats. */
const severityIndexes = [...kinds.map(({ severity }) => severities.indexOf(severity)), -1];

export type DayCount = { day: Instant } & Record<Severity, number>;

/** Counts threats by severity and the day (UTC) on which they were first seen; the last day begins at `lastDay`. */
export function countByDay(columns: Columns, lastDay: Instant, days: number): DayCount[] {
  const start = lastDay - (days - 1) * dayMs;
  const counts = new Uint32Array(days * severities.length);
  const { firstSeen, kindNumbers, count } = columns;
  for (let block = 0; block * blockRows < count; block += 1) {
    if (!mayContainTimes(columns, block, start, Infinity)) continue;
    const end = Math.min(count, (block + 1) * blockRows);
    for (let row = block * blockRows; row < end; row += 1) {
      const sinceStart = firstSeen[row]! - start;
      if (sinceStart < 0 || sinceStart >= days * dayMs) continue;
      const severity = severityIndexes[kindNumbers[row]!]!;
      if (severity !== -1) counts[Math.floor(sinceStart / dayMs) * severities.length + severity]! += 1;
    }
  }
  return Array.from({ length: days }, (_, day) => ({
    day: start + day * dayMs,
    ...(Object.fromEntries(
      severities.map((severity, index) => [severity, counts[day * severities.length + index]!]),
    ) as Record<Severity, number>),
  }));
}

/** Counts threats by kind; kinds without threats are left out. */
export function countByKind({ summary }: Columns): (Kind & { total: number })[] {
  const ofKind = summary.ofKind(undefined);
  return kinds.flatMap((kind, number) => (ofKind[number]! > 0 ? { ...kind, total: ofKind[number]! } : []));
}
