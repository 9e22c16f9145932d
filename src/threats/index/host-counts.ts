import type { Columns } from "./columns/columns.ts";
import { hostFields, type HostField } from "./columns/hosts.ts";
import type { Numbers } from "./arrays/numbers.ts";
import { addRow, createRowSet, intersectionOf, type RowSet } from "./arrays/row-set.ts";
import type { SearchFilter } from "./filter.ts";
import type { Matches } from "./match-rows.ts";

/** The most frequent hosts of some threats. */
export interface HostCounts {
  /** Most frequent first. */
  top: { value: string; total: number }[];
  /** Number of different values. */
  values: number;
  /** Number of threats whose value is known. */
  known: number;
}

/**
 * Counts matches by registrar, operator of the name servers, and network; at most `max` values of each are returned.
 * @param matches undefined: all active threats, which need not be visited
 */
export function countHosts(
  columns: Columns,
  matches: Pick<Matches, "rows" | "count"> | undefined,
  max: number,
): Record<HostField, HostCounts> {
  const counted = hostFields.map((field) => {
    const hosts = columns.hosts[field];
    const totals = hosts.active();
    if (matches !== undefined) tally(columns[field], matches, totals.fill(0));
    return [field, topValues(totals, hosts.valueAt, max)];
  });
  return Object.fromEntries(counted) as Record<HostField, HostCounts>;
}

function tally(numbers: Numbers, { rows, count }: Pick<Matches, "rows" | "count">, totals: Uint32Array) {
  for (let index = 0; index < count; index += 1) totals[numbers[rows[index] ?? 0] ?? 0]! += 1;
}

/** @param totals by number of the value; number 0 is for unknown ones */
function topValues(totals: Uint32Array, valueAt: (number: number) => string, max: number): HostCounts {
  const top: number[] = [];
  let values = 0;
  let known = 0;
  const isBefore = (a: number, b: number) =>
    (totals[a] ?? 0) > (totals[b] ?? 0) || (totals[a] === totals[b] && valueAt(a) < valueAt(b));
  for (let number = 1; number < totals.length; number += 1) {
    if (totals[number] === 0) continue;
    values += 1;
    known += totals[number] ?? 0;
    if (top.length === max && !isBefore(number, top[max - 1] ?? 0)) continue;
    top.push(number);
    top.sort((a, b) => (isBefore(a, b) ? -1 : 1));
    if (top.length > max) top.pop();
  }
  return {
    top: top.map((number) => ({ value: valueAt(number), total: totals[number] ?? 0 })),
    values,
    known,
  };
}

/** Returns the rows that have the hosts that the filter names; undefined if it names none. */
export function hostRows(columns: Columns, filter: SearchFilter): RowSet | undefined {
  const sets = hostFields
    .filter((field) => filter[field] !== undefined)
    .map((field) => {
      const set = createRowSet(columns.count);
      const wanted = columns.hosts[field].find(filter[field]!);
      const numbers = columns[field];
      if (wanted === undefined) return set;
      for (let row = 0; row < columns.count; row += 1) if (numbers[row] === wanted) addRow(set, row);
      return set;
    });
  return intersectionOf(columns.count, sets);
}
