/** Maximum number of keys that are sorted without narrowing them down first. */
const sortedDirectlyMax = 2048;
const bucketCount = 4096;
/** From this number of keys on, a sample tells roughly where the slice is, which takes one pass instead of three. */
const sampledFrom = 1 << 16;
const sampleSize = 2048;

interface SelectRowsOptions {
  rows: Int32Array;
  keys: Float64Array;
  count: number;
  offset: number;
  limit: number;
}

/**
 * Selection by bucket sort: returns the rows at `offset` and after in descending order of `keys`, equal keys by
 * descending row; at most `limit`. Sorting a million keys takes most of a second, so only the requested slice is
 * sorted: keys are counted into buckets, and those in the buckets of the slice are processed again. Expected time is
 * linear in `count`.
 *
 * @param rows ascending; only the first `count` are used.
 * @param keys by the same index as `rows`; finite. Overwritten, as is `rows`.
 */
export function selectRows({ rows, keys, count, offset, limit }: SelectRowsOptions): number[] {
  const end = Math.min(count, offset + limit);
  if (offset >= end) return [];
  let { length, before } = count < sampledFrom ? { length: count, before: 0 } : narrow();
  while (length > sortedDirectlyMax) {
    let least = keys[0] ?? 0;
    let most = least;
    for (let index = 1; index < length; index += 1) {
      const key = keys[index] ?? 0;
      if (key < least) least = key;
      else if (key > most) most = key;
    }
    if (least === most) {
      const last = length - 1 + before;
      return Array.from({ length: end - offset }, (_, index) => rows[last - offset - index] ?? 0);
    }
    const scale = (bucketCount - 1) / (most - least);
    const counts = new Int32Array(bucketCount);
    for (let index = 0; index < length; index += 1) counts[(((keys[index] ?? 0) - least) * scale) | 0]! += 1;

    let highest = bucketCount - 1;
    let above = before;
    while (above + (counts[highest] ?? 0) <= offset) above += counts[highest--] ?? 0;
    let lowest = highest;
    let reached = above + (counts[lowest] ?? 0);
    while (reached < end) reached += counts[--lowest] ?? 0;
    if (reached - above === length) break;
    let kept = 0;
    for (let index = 0; index < length; index += 1) {
      const key = keys[index] ?? 0;
      const bucket = ((key - least) * scale) | 0;
      if (bucket < lowest || bucket > highest) continue;
      keys[kept] = key;
      rows[kept++] = rows[index] ?? 0;
    }
    length = kept;
    before = above;
  }
  const sorted = Int32Array.from({ length }, (_, index) => index);
  sorted.sort((a, b) => (keys[b] ?? 0) - (keys[a] ?? 0) || b - a);
  return Array.from(sorted.subarray(offset - before, end - before), (index) => rows[index] ?? 0);

  /** Keeps the keys between two of a sample (Floyd and Rivest, "Expected time bounds for selection", 1975). */
  function narrow(): { length: number; before: number } {
    const stride = Math.floor(count / sampleSize);
    const sample = Float64Array.from({ length: sampleSize }, (_, index) => keys[index * stride] ?? 0).sort();
    const rankOf = (place: number, slack: number) => {
      const rank = place / stride;
      return Math.round(rank + slack * (4 * Math.sqrt(rank) + 8));
    };
    const atMost = sample[sampleSize - 1 - rankOf(offset, -1)] ?? Infinity;
    const atLeast = sample[sampleSize - 1 - rankOf(end, 1)] ?? -Infinity;
    let above = 0;
    let within = 0;
    for (let index = 0; index < count; index += 1) {
      const key = keys[index] ?? 0;
      if (key < atLeast) continue;
      if (key > atMost) above += 1;
      else within += 1;
    }
    // The sample is not representative, or does not narrow enough, as when half of all keys are equal.
    if (above > offset || above + within < end || within * 2 > count) return { length: count, before: 0 };
    let kept = 0;
    for (let index = 0; kept < within; index += 1) {
      const key = keys[index] ?? 0;
      if (key < atLeast || key > atMost) continue;
      keys[kept] = key;
      rows[kept++] = rows[index] ?? 0;
    }
    return { length: within, before: above };
  }
}
