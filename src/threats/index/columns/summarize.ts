import type { Yielder } from "../../../platform/lib/yielder.ts";
import { blockRows } from "./column-summary.ts";
import { decidedAt, type MutableColumns } from "./columns.ts";
import { hostFields } from "./hosts.ts";
import { isActiveKind, kindCount } from "./kinds.ts";
import type { Numbers } from "../arrays/numbers.ts";
import { numberKeys, writeKeys } from "./sort-keys.ts";

/** Power of 2 above the numbers of all kinds. */
const kindNumbersMax = 2 ** 12;

/** Adds all rows to the aggregates, which must be empty. */
export async function summarize(columns: MutableColumns, yielder: Yielder): Promise<void> {
  const rows = new Int32Array(blockRows);
  const keys = new Float64Array(blockRows);
  for (let from = 0; from < columns.count; from += blockRows) {
    summarizeBlock(columns, from, { rows, keys });
    if (yielder.due()) await yielder.pause();
  }
}

/**
 * Adds the rows of the block that begins at `from`. Counts equal rows together, since adding millions of rows one by one
 * takes a second.
 * @param buffers for the rows of a block; overwritten
 */
function summarizeBlock(
  columns: MutableColumns,
  from: number,
  { rows, keys }: { rows: Int32Array; keys: Float64Array },
): void {
  const end = Math.min(columns.count, from + blockRows);
  const count = end - from;
  for (let index = 0; index < count; index += 1) rows[index] = from + index;
  for (const key of numberKeys) {
    writeKeys(columns, key, rows, count, keys);
    widen(columns, { row: from, key, values: keys, count });
  }
  let decided = 0;
  for (let row = from; row < end; row += 1)
    if (columns.decisions[row] !== 0) keys[decided++] = decidedAt(columns, row);
  widen(columns, { row: from, key: "decided", values: keys, count: decided });
  widen(columns, { row: from, key: "campaign", values: columns.campaigns.subarray(from, end), count });
  countKinds(columns, from, end);
  countHosts(columns, from, end);
}

function widen(
  { summary }: MutableColumns,
  {
    row,
    key,
    values,
    count,
  }: {
    row: number;
    key: Parameters<typeof summary.widen>[1];
    values: Float64Array | Numbers;
    /** Number of values; 0: nothing changes. */
    count: number;
  },
): void {
  let least = Infinity;
  let most = -Infinity;
  for (let index = 0; index < count; index += 1) {
    const value = values[index] ?? 0;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  if (count === 0) return;
  summary.widen(row, key, least);
  summary.widen(row, key, most);
}

function countKinds(columns: MutableColumns, from: number, end: number): void {
  const { assignees, indicators, kindNumbers, protectedDomainSeqs, summary } = columns;
  const domains = new Map<number, number>();
  // Most threats have no assignee.
  const unassigned = new Uint32Array(kindCount + 1);
  for (let row = from; row < end; row += 1) {
    const kind = kindNumbers[row] ?? 0;
    const domain = (protectedDomainSeqs[row] ?? 0) * kindNumbersMax + kind;
    domains.set(domain, (domains.get(domain) ?? 0) + 1);
    const assignee = assignees[row] ?? 0;
    if (assignee === 0) unassigned[kind]! += 1;
    else summary.countAssignee({ assignee, kind }, 1);
    const bits = indicators[row] ?? 0;
    if (bits !== 0) summary.countBits({ bits, kind }, 1);
  }
  for (const [domain, total] of domains) {
    const kind = domain % kindNumbersMax;
    summary.count({ protectedDomainSeq: (domain - kind) / kindNumbersMax, kind }, total);
  }
  for (let kind = 0; kind <= kindCount; kind += 1)
    if ((unassigned[kind] ?? 0) > 0) summary.countAssignee({ assignee: 0, kind }, unassigned[kind] ?? 0);
}

function countHosts(columns: MutableColumns, from: number, end: number): void {
  const { hosts, kindNumbers } = columns;
  for (const field of hostFields) {
    const { count } = hosts[field];
    const numbers = columns[field];
    for (let row = from; row < end; row += 1)
      if (isActiveKind[kindNumbers[row] ?? 0] === 1) count(numbers[row] ?? 0, 1);
  }
}
