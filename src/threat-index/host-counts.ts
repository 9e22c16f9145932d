import type { Columns } from "./columns/columns.ts";
import { hostFields, type HostField } from "./columns/hosts.ts";
import { kinds } from "./columns/kinds.ts";
import type { SearchFilter } from "./filter.ts";
import type { Matches } from "./match-rows.ts";

/** The most frequent hosts of some threats. */
export interface HostCounts {
  /** Most frequent first. */
  top: { value: string; total: number; high: number }[];
  /** Number of different values. */
  values: number;
  /** Number of threats whose value is known. */
  known: number;
}

/** By number of the kind; the last one is for deleted threats. */
const isHighKind = Uint8Array.from([...kinds.map(({ severity }) => (severity === "high" ? 1 : 0)), 0]);

/** Counts matches by registrar, operator of the name servers, and network; at most `max` values of each are returned. */
export function countHosts(
  columns: Columns,
  { rows, count }: Pick<Matches, "rows" | "count">,
  max: number,
): Record<HostField, HostCounts> {
  const counted = hostFields.map((field) => [field, countField(columns, field, { rows, count }, max)]);
  return Object.fromEntries(counted) as Record<HostField, HostCounts>;
}

function countField(
  columns: Columns,
  field: HostField,
  { rows, count }: Pick<Matches, "rows" | "count">,
  max: number,
): HostCounts {
  const { kindNumbers } = columns;
  const numbers = columns[field];
  const hosts = columns.hosts[field];
  const totals = new Uint32Array(hosts.end());
  const high = new Uint32Array(hosts.end());
  for (let index = 0; index < count; index += 1) {
    const row = rows[index]!;
    const number = numbers[row]!;
    totals[number]! += 1;
    high[number]! += isHighKind[kindNumbers[row]!]!;
  }
  const top: number[] = [];
  let values = 0;
  const isBefore = (a: number, b: number) =>
    totals[a]! > totals[b]! || (totals[a] === totals[b] && hosts.valueOf(a) < hosts.valueOf(b));
  // Number 0 is for unknown ones.
  for (let number = 1; number < totals.length; number += 1) {
    if (totals[number] === 0) continue;
    values += 1;
    const last = top.at(-1);
    if (top.length === max && last !== undefined && !isBefore(number, last)) continue;
    top.push(number);
    top.sort((a, b) => (isBefore(a, b) ? -1 : 1));
    if (top.length > max) top.pop();
  }
  return {
    top: top.map((number) => ({ value: hosts.valueOf(number), total: totals[number]!, high: high[number]! })),
    values,
    known: count - totals[0]!,
  };
}

/** Returns 1 for each row that has the hosts that the filter names; undefined if it names none. */
export function hostRows(columns: Columns, filter: SearchFilter): Uint8Array | undefined {
  const named = hostFields.filter((field) => filter[field] !== undefined);
  if (named.length === 0) return undefined;
  const marked = new Uint8Array(columns.count).fill(1);
  for (const field of named) {
    const numbers = columns[field];
    // No row has the number -1.
    const wanted = columns.hosts[field].find(filter[field]!) ?? -1;
    for (let row = 0; row < marked.length; row += 1) if (numbers[row] !== wanted) marked[row] = 0;
  }
  return marked;
}
