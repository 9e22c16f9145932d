import { keysFor, sortedByNameMax, type OrderedMatches } from "./match-rows.ts";
import { sortKeyAt, writeKeys } from "./columns/sort-keys.ts";

/** The place of a row among the ordered matches, whether or not it matches itself. */
export interface Neighbors {
  /** Number of matches before the row, plus one. */
  position: number;
  /** Undefined: no match comes before the row. */
  previous: number | undefined;
  /** Undefined: no match comes after the row. */
  next: number | undefined;
}

/** Finds the neighbors of a row in one pass over the matches, without sorting them. */
export function neighborsOf({
  columns,
  matches: { rows, count },
  order: { key, descending },
  row,
  buffers,
}: OrderedMatches & { row: number }): Neighbors {
  if (key === "name" && count <= sortedByNameMax) {
    const { names } = columns;
    const named = Array.from(rows.subarray(0, count), (other) => names.get(other));
    return oriented(nearest({ rows, count, keys: named, row, key: names.get(row) }), descending);
  }
  // Too many matches to sort by name are listed newest first in both directions (`sortedSlice`).
  const numberKey = key === "name" ? "first_seen" : key;
  const keys = keysFor(buffers, count);
  writeKeys(columns, numberKey, rows, count, keys);
  const found = nearest({ rows, count, keys, row, key: sortKeyAt(columns, numberKey, row) });
  return oriented(found, descending || key === "name");
}

interface Side {
  count: number;
  nearest: number | undefined;
}

/** Counts the matches on either side of a key, and finds the nearest; equal keys are ordered by row. */
function nearest<Key extends number | string>({
  rows,
  count,
  keys,
  row,
  key,
}: {
  /** Ascending. */
  rows: Int32Array;
  count: number;
  /** By the same index as `rows`. */
  keys: ArrayLike<Key>;
  row: number;
  key: Key;
}): { greater: Side; smaller: Side } {
  let greater = 0;
  let smaller = 0;
  // Indexes into `rows`.
  let nearestGreater = -1;
  let nearestSmaller = -1;
  // Rows ascend, so of equal keys the first one is the nearest greater and the last one the nearest smaller.
  for (let index = 0; index < count; index += 1) {
    const other = keys[index] ?? 0;
    const otherRow = rows[index] ?? 0;
    if (other > key || (other === key && otherRow > row)) {
      greater += 1;
      if (nearestGreater === -1 || other < (keys[nearestGreater] ?? 0)) nearestGreater = index;
    } else if (otherRow !== row) {
      smaller += 1;
      if (nearestSmaller === -1 || other >= (keys[nearestSmaller] ?? 0)) nearestSmaller = index;
    }
  }
  return {
    greater: { count: greater, nearest: rows[nearestGreater] },
    smaller: { count: smaller, nearest: rows[nearestSmaller] },
  };
}

function oriented({ greater, smaller }: { greater: Side; smaller: Side }, descending: boolean): Neighbors {
  const [before, after] = descending ? [greater, smaller] : [smaller, greater];
  return { position: before.count + 1, previous: before.nearest, next: after.nearest };
}
