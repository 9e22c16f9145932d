/** Rows of a block stand one after the other; so many, the last block may have fewer. */
export const blockRows = 4_096;

/**
 * The first `limit` rows in descending order of their keys, equal keys by descending row; with `ascending` all of
 * that the other way round. Blocks are looked at from the one with the greatest bound on, up to the one that can
 * hold nothing any more: for most orders a few of hundreds.
 *
 * @param bounds of each block: no key in it is greater (with `ascending`: smaller). It need not be reached.
 */
export function topRows({
  count,
  bounds,
  matches,
  keyOf,
  limit,
  ascending,
}: {
  /** Of all rows. */
  count: number;
  bounds: Float64Array;
  matches: (row: number) => boolean;
  keyOf: (row: number) => number;
  limit: number;
  ascending: boolean;
}): number[] {
  if (limit <= 0) return [];
  const sign = ascending ? -1 : 1;
  const blocks = Array.from({ length: Math.ceil(count / blockRows) }, (_, block) => block);
  blocks.sort((a, b) => sign * (bounds[b]! - bounds[a]!));
  let best: { row: number; key: number }[] = [];
  /** What a key has to reach. */
  let least = -Infinity;
  for (const block of blocks) {
    if (best.length >= limit && sign * bounds[block]! < least) break;
    const end = Math.min(count, (block + 1) * blockRows);
    for (let row = block * blockRows; row < end; row += 1) {
      if (!matches(row)) continue;
      const key = sign * keyOf(row);
      if (key >= least) best.push({ row, key });
    }
    if (best.length < limit) continue;
    best.sort((a, b) => b.key - a.key || sign * (b.row - a.row));
    best = best.slice(0, limit);
    least = best[limit - 1]!.key;
  }
  // Fewer than asked for were never sorted.
  return best.sort((a, b) => b.key - a.key || sign * (b.row - a.row)).map(({ row }) => row);
}
