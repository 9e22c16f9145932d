/** A set of rows: a bit for each. */
export type RowSet = Int32Array<ArrayBuffer>;

const wordBits = 32;

/** @param rows number of rows of which the set can contain any */
export function createRowSet(rows: number): RowSet {
  return new Int32Array(Math.ceil(rows / wordBits));
}

/** Returns a set with the same rows that has room for others below `rows`, and for some more if it is a copy. */
export function withRoom(set: RowSet, rows: number): RowSet {
  if (set.length * wordBits >= rows) return set;
  const larger = createRowSet(rows + (rows >> 3));
  larger.set(set);
  return larger;
}

export function addRow(set: RowSet, row: number): void {
  set[row >>> 5]! |= 1 << (row & 31);
}

/** Writes the rows of a set from `from` up to `end`, ascending, and returns their number. */
export function writeRows(set: RowSet, from: number, end: number, rows: Int32Array): number {
  let count = 0;
  for (let index = from >>> 5; index << 5 < end; index += 1) {
    let word = set[index] ?? 0;
    if (index << 5 < from) word &= -1 << (from & 31);
    if (end - (index << 5) < wordBits) word &= ~(-1 << (end & 31));
    const first = index << 5;
    while (word !== 0) {
      // The lowest bit of the word.
      rows[count++] = first + 31 - Math.clz32(word & -word);
      word &= word - 1;
    }
  }
  return count;
}

/** Returns the rows that are in all sets, all of which have been created for at least `rows`; undefined: in any. */
export function intersectionOf(rows: number, sets: readonly (RowSet | undefined)[]): RowSet | undefined {
  const [first, ...others] = sets.filter((set) => set !== undefined);
  if (first === undefined || others.length === 0) return first;
  const common = createRowSet(rows);
  for (let index = 0; index < common.length; index += 1) {
    let word = first[index] ?? 0;
    for (const other of others) word &= other[index] ?? 0;
    common[index] = word;
  }
  return common;
}
