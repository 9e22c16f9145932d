/**
 * Sorts names by their bytes from the end to the start, so that the names of a domain and those with equal endings are
 * next to each other. In this order, names take a seventh less than in alphabetical order, and as little as with front
 * coding, from which a reader would have to reassemble them.
 */

/** Maximum number of names that are sorted at once. */
export const sortedNamesMax = 1 << 20;

const lineFeed = 0x0a;
const indexBits = 20;
/** Characters per sorting key: 8 digits of base 40 take 43 bits, and the index 20. */
const keyCharacters = 8;
/** The characters compared by keys. More would slow down all names for the few that end in the same 24 characters. */
const passes = 3;
/** 39 characters, and one digit for the end of the name. */
const base = 40;
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
    const difference = a[--i]! - b[--j]!;
    if (difference !== 0) return difference;
  }
  return i - aStart - (j - bStart);
}

/** Sorts names again and again with the same memory: 20 bytes per name, up to 20 MiB. */
export function createNameSorter() {
  let starts = new Int32Array(0);
  let keys = new BigUint64Array(0);
  let halves = new Uint32Array(0);
  let order = new Uint32Array(0);
  let ranked = new Uint32Array(0);

  function reserve(count: number): void {
    if (starts.length > count) return;
    const size = Math.min(sortedNamesMax, Math.max(1 << 12, 2 * count));
    starts = new Int32Array(size + 1);
    keys = new BigUint64Array(size);
    halves = new Uint32Array(keys.buffer);
    order = new Uint32Array(size);
    ranked = new Uint32Array(size);
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
    for (let index = 0, at = 0; index < count; index++) {
      starts[index] = at;
      at = names.indexOf(lineFeed, at) + 1;
      starts[index + 1] = at;
      order[index] = index;
    }
    sortByKeys(names, count);
    sortTies(names, count);
    let different = 0;
    for (let at = 0, previous = -1; at < count; at++) {
      const index = order[at]!;
      const start = starts[index]!;
      const end = starts[index + 1]! - 1;
      const isSame =
        previous !== -1 &&
        compareNames(names, starts[previous]!, starts[previous + 1]! - 1, names, start, end) === 0;
      previous = index;
      if (isSame) continue;
      different++;
      visit(start, end);
    }
    return different;
  };

  /**
   * Radix sort from the least significant group of characters to the most significant one. The rank of the previous
   * pass is part of the key, which makes each pass stable.
   */
  function sortByKeys(names: Uint8Array, count: number): void {
    for (let pass = passes - 1; pass >= 0; pass--) {
      for (let rank = 0; rank < count; rank++) {
        const index = order[rank]!;
        const first = starts[index]!;
        let at = starts[index + 1]! - 2 - pass * keyCharacters;
        let key = 0;
        for (let i = 0; i < keyCharacters; i++, at--)
          key = key * base + (at >= first ? digitOf[names[at]!]! + 1 : 0);
        // The key in the upper 44 bits, the rank in the lower 20.
        const high = Math.floor(key / 4096);
        halves[2 * rank] = ((key - high * 4096) << indexBits) | rank;
        halves[2 * rank + 1] = high;
      }
      keys.subarray(0, count).sort();
      for (let rank = 0; rank < count; rank++)
        ranked[rank] = order[halves[2 * rank]! & (sortedNamesMax - 1)]!;
      order.set(ranked.subarray(0, count));
    }
  }

  /** Sorts the runs of names whose last characters are equal. */
  function sortTies(names: Uint8Array, count: number): void {
    const tail = passes * keyCharacters;
    const startOf = (index: number) => starts[index]!;
    const endOf = (index: number) => starts[index + 1]! - 1;
    const tie = (a: number, b: number) => {
      const aEnd = endOf(a);
      const bEnd = endOf(b);
      if (aEnd - startOf(a) <= tail || bEnd - startOf(b) <= tail) return false;
      return compareNames(names, aEnd - tail, aEnd, names, bEnd - tail, bEnd) === 0;
    };
    for (let first = 0; first < count;) {
      let next = first + 1;
      while (next < count && tie(order[first]!, order[next]!)) next++;
      if (next - first > 1)
        order
          .subarray(first, next)
          .sort((a, b) => compareNames(names, startOf(a), endOf(a), names, startOf(b), endOf(b)));
      first = next;
    }
  }
}
