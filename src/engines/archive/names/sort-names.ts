/**
 * Sorts names by their bytes from the end to the start, so that the names of a domain and those with equal endings are
 * next to each other. In this order, names take a seventh less than in alphabetical order, and as little as with front
 * coding, from which a reader would have to reassemble them.
 */

/** Maximum number of names that are sorted at once. */
export const sortedNamesMax = 1 << 20;

const lineFeed = 0x0a;
const indexBits = 20;
/** Characters per sorting key: 8 digits of base 40 take 43 bits, and the index 20. Two keys cover 16 characters. */
const keyCharacters = 8;
/** 39 characters, and one digit for the end of the name. */
const base = 40;
/** Longer runs of names with equal keys are sorted by the general algorithm, which costs more to start. */
const insertionMax = 16;
const digitOf = new Uint8Array(256);
for (const [index, character] of [..."-.0123456789_abcdefghijklmnopqrstuvwxyz"].entries())
  digitOf[character.charCodeAt(0)] = index;

/** Returns a number below, equal to or above 0 as the first name belongs before, to or behind the second one. */
export function compareNames(
  a: Uint8Array,
  aStart: number,
  aEnd: number,
  b: Uint8Array,
  bStart: number,
  bEnd: number,
): number {
  let i = aEnd;
  let j = bEnd;
  while (i > aStart && j > bStart) {
    const difference = (a[--i] ?? 0) - (b[--j] ?? 0);
    if (difference !== 0) return difference;
  }
  return i - aStart - (j - bStart);
}

/** Sorts names again and again with the same memory: 36 bytes per name, up to 36 MiB. */
export function createNameSorter() {
  let starts = new Int32Array(0);
  let order = new Uint32Array(0);
  let keys = new BigUint64Array(0);
  let halves = new Uint32Array(0);
  /** By index: the keys of the last 8 characters, and of the 8 before. */
  let lastKeys = new Float64Array(0);
  let nextKeys = new Float64Array(0);

  const startOf = (index: number) => starts[index] ?? 0;

  function reserve(count: number): void {
    if (starts.length > count) return;
    const size = Math.min(sortedNamesMax, Math.max(1 << 12, Math.ceil(1.25 * count)));
    starts = new Int32Array(size + 1);
    order = new Uint32Array(size);
    keys = new BigUint64Array(size);
    halves = new Uint32Array(keys.buffer);
    lastKeys = new Float64Array(size);
    nextKeys = new Float64Array(size);
  }

  /**
   * Calls `visit` with the range of each different name, without its line feed, in order.
   * @param names valid names, each followed by a line feed; at most `sortedNamesMax`
   * @returns number of different names
   */
  return function visitSorted(
    names: Uint8Array,
    count: number,
    visit: (start: number, end: number) => void,
  ): number {
    reserve(count);
    readKeys(names, count);
    sortBy(nextKeys, count, false);
    sortBy(lastKeys, count, true);
    const compare = (a: number, b: number) =>
      compareNames(names, startOf(a), startOf(a + 1) - 1, names, startOf(b), startOf(b + 1) - 1);
    sortTies(count, compare);
    let different = 0;
    for (let rank = 0; rank < count; rank++) {
      const index = order[rank] ?? 0;
      const before = order[rank - 1] ?? 0;
      if (rank > 0 && haveEqualKeys(before, index) && compare(before, index) === 0) continue;
      different++;
      visit(startOf(index), startOf(index + 1) - 1);
    }
    return different;
  };

  /** Reads all names in the order in which they are in memory, because reading them in another takes several times longer. */
  function readKeys(names: Uint8Array, count: number): void {
    for (let index = 0, at = 0; index < count; index++) {
      const start = at;
      while (names[at] !== lineFeed) at++;
      starts[index] = start;
      lastKeys[index] = keyOf(names, start, at);
      nextKeys[index] = keyOf(names, start, at - keyCharacters);
      at++;
      starts[index + 1] = at;
    }
  }

  /**
   * One pass of a radix sort from the least significant group of characters to the most significant one. The rank of
   * the previous pass is part of the key, which makes the pass stable.
   */
  function sortBy(keysByIndex: Float64Array, count: number, isOrdered: boolean): void {
    for (let rank = 0; rank < count; rank++) {
      const key = keysByIndex[isOrdered ? (order[rank] ?? 0) : rank] ?? 0;
      // The key in the upper 44 bits, the rank in the lower 20.
      const high = Math.floor(key / 4096);
      halves[2 * rank] = ((key - high * 4096) << indexBits) | rank;
      halves[2 * rank + 1] = high;
    }
    keys.subarray(0, count).sort();
    // The upper halves are not needed any more, and hold the new order until it is complete.
    for (let rank = 0; rank < count; rank++) {
      const before = (halves[2 * rank] ?? 0) & (sortedNamesMax - 1);
      halves[2 * rank + 1] = isOrdered ? (order[before] ?? 0) : before;
    }
    for (let rank = 0; rank < count; rank++) order[rank] = halves[2 * rank + 1] ?? 0;
  }

  function haveEqualKeys(a: number, b: number): boolean {
    return lastKeys[a] === lastKeys[b] && nextKeys[a] === nextKeys[b];
  }

  /** Sorts the runs of names whose last characters are equal. Most are short: subdomains of one domain. */
  function sortTies(count: number, compare: (a: number, b: number) => number): void {
    for (let first = 0; first < count;) {
      let next = first + 1;
      while (next < count && haveEqualKeys(order[first] ?? 0, order[next] ?? 0)) next++;
      if (next - first > insertionMax) order.subarray(first, next).sort(compare);
      else if (next - first > 1) insertionSort(order, first, next, compare);
      first = next;
    }
  }
}

/** Returns a number that is ordered as the 8 characters before `end`, compared from the end. */
function keyOf(names: Uint8Array, start: number, end: number): number {
  let key = 0;
  for (let at = end - 1; at >= end - keyCharacters; at--)
    key = key * base + (at >= start ? (digitOf[names[at] ?? 0] ?? 0) + 1 : 0);
  return key;
}

function insertionSort(
  values: Uint32Array,
  first: number,
  end: number,
  compare: (a: number, b: number) => number,
): void {
  for (let next = first + 1; next < end; next++) {
    const value = values[next] ?? 0;
    let at = next;
    for (; at > first && compare(values[at - 1] ?? 0, value) > 0; at--) values[at] = values[at - 1] ?? 0;
    values[at] = value;
  }
}
