import { blockRows } from "./columns/column-summary.ts";

/**
 * Returns the first `limit` matching rows in descending order of their keys, equal keys by descending row; with
 * `ascending`, the reverse order. Visits blocks in the order of their bounds and stops at the first that cannot
 * contribute: for most orders that is a few of hundreds.
 *
 * @param bounds by block: no key in it is greater (with `ascending`: smaller). A bound need not be reached.
 */
export function topRows({
  count,
  bounds,
  matches,
  keyOf,
  limit,
  ascending,
}: {
  /** Number of rows. */
  count: number;
  bounds: Float64Array;
  matches: (row: number) => boolean;
  keyOf: (row: number) => number;
  limit: number;
  ascending: boolean;
}): number[] {
  if (limit <= 0) return [];
  const direction = ascending ? -1 : 1;
  const blocks = Array.from({ length: Math.ceil(count / blockRows) }, (_, block) => block);
  blocks.sort((a, b) => direction * (bounds[b]! - bounds[a]!));
  let best: { row: number; key: number }[] = [];
  /** The last of the best keys: a lower one does not count. */
  let threshold = -Infinity;
  for (const block of blocks) {
    if (best.length >= limit && direction * bounds[block]! < threshold) break;
    const end = Math.min(count, (block + 1) * blockRows);
    for (let row = block * blockRows; row < end; row += 1) {
      if (!matches(row)) continue;
      const key = direction * keyOf(row);
      if (key >= threshold) best.push({ row, key });
    }
    if (best.length < limit) continue;
    best.sort((a, b) => b.key - a.key || direction * (b.row - a.row));
    best = best.slice(0, limit);
    threshold = best[limit - 1]!.key;
  }
  // If there are fewer than `limit`, they have not been sorted yet.
  return best.sort((a, b) => b.key - a.key || direction * (b.row - a.row)).map(({ row }) => row);
}
