import { blockRows } from "../columns/column-summary.ts";

interface TopRowsOptions {
  /** Number of rows. */
  count: number;
  bounds: Float64Array;
  /** Returns the matching rows from one row up to another, ascending; they are read before the next call. */
  matchesIn: (from: number, end: number) => Int32Array;
  keyOf: (row: number) => number;
  limit: number;
  ascending: boolean;
}

/**
 * Returns the first `limit` matching rows in descending order of their keys, equal keys by descending row; with
 * `ascending`, the reverse order. Visits blocks in the order of their bounds and stops at the first that cannot
 * contribute: for most orders that is a few of hundreds.
 *
 * @param bounds by block: no key in it is greater (with `ascending`: smaller). A bound need not be reached.
 */
export function topRows({ count, bounds, matchesIn, keyOf, limit, ascending }: TopRowsOptions): number[] {
  if (limit <= 0) return [];
  const direction = ascending ? -1 : 1;
  let best: { row: number; key: number }[] = [];
  /** The last of the best: a row that comes after it in the order does not count. */
  let last = { row: -1, key: -Infinity };
  for (const block of blocksInOrder(count, bounds, direction)) {
    const bound = direction * (bounds[block] ?? 0);
    if (bound < last.key) break;
    const start = block * blockRows;
    const end = Math.min(count, start + blockRows);
    // Many keys can be equal: threats that are never due have the same one.
    if (bound === last.key && (ascending ? start > last.row : end <= last.row)) continue;
    const matches = matchesIn(start, end);
    for (let index = 0; index < matches.length; index += 1) {
      const row = matches[index] ?? 0;
      const key = direction * keyOf(row);
      if (key >= last.key) best.push({ row, key });
    }
    if (best.length < limit) continue;
    best.sort((a, b) => b.key - a.key || direction * (b.row - a.row));
    best = best.slice(0, limit);
    last = best[limit - 1]!;
  }
  // If there are fewer than `limit`, they have not been sorted yet.
  return best.sort((a, b) => b.key - a.key || direction * (b.row - a.row)).map(({ row }) => row);
}

/** Returns the blocks by their bounds. The block that can have the first row comes first. */
function blocksInOrder(count: number, bounds: Float64Array, direction: 1 | -1): Int32Array {
  const blocks = Int32Array.from({ length: Math.ceil(count / blockRows) }, (_, block) => block);
  return blocks.sort((a, b) => direction * ((bounds[b] ?? 0) - (bounds[a] ?? 0) || b - a));
}
