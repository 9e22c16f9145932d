/** Searches names for all words at once: encodes them, and extends the seeds in them. */
import {
  encodeBetweenDigits,
  encodeNames,
  encodeWithoutSeparators,
  newEncodedText,
  type EncodedText,
  type NameRanges,
  anchoredKind,
  endOf,
  kindsOf,
  kindsShift,
  placeBits,
  placeMask,
  startOf,
} from "./encoded-text.ts";
import {
  type FilterTables,
  anyPlace,
  entriesField,
  entryFields,
  placesField,
  placesMax,
  rowFields,
  seedMask,
  sideLength,
  wordField,
  afterField,
  atEdgeFlag,
  beforeField,
  errorsField,
  exactField,
  leftField,
  patternField,
  rightField,
} from "./filter-tables.ts";
import { seedLength } from "./seeds.ts";
import { separatorClass } from "./character-classes.ts";
import { matchesWithErrors, patternEdge } from "./match-with-errors.ts";

export type WordSearch = ReturnType<typeof createWordSearch>;

export function createWordSearch(tables: FilterTables) {
  const { marks } = tables;
  const text = newEncodedText();
  const extendSeeds = createSeedExtender(tables);
  const starts = new Int32Array(1);
  const ends = new Int32Array(1);

  /**
   * Searches as many names as there is room for, from index `from` to before `to`. No brand is imitated by a top-level
   * domain, so names should end before it. The next search overwrites the result.
   */
  function search(names: NameRanges, from: number, to: number): FoundWords {
    encodeNames(text, names, from, to, marks.both);
    if (text.split.count > 0) encodeWithoutSeparators(text, marks.anywhere);
    if (text.numbered.count > 0) encodeBetweenDigits(text, names, from, marks.anchored);
    return extendSeeds(text);
  }

  return {
    /** The names that were searched last. */
    text,
    search,

    /** Searches the name in the first `length` bytes. */
    searchOne(bytes: Uint8Array, length: number) {
      ends[0] = length;
      return search({ bytes, starts, ends }, 0, 1);
    },
  };
}

/**
 * Extends seed hits: compares the words of each seed with the name around it. Each step is a loop over all names of the
 * text that leaves few hits to the next, more expensive one.
 */

/** The first `count` elements are indices of names, and of a word in each. The same word may be found twice in a name. */
interface FoundWords {
  names: Int32Array;
  words: Int32Array;
  count: number;
}

/** The first `count` elements are entries to compare, and the index of the hit of each. */
interface Comparisons {
  entries: Int32Array;
  hits: Int32Array;
  count: number;
}

/** Returns a function that finds the words in a text. Its result is overwritten by the next call. */
function createSeedExtender(tables: FilterTables): (text: EncodedText) => FoundWords {
  const comparisons: Comparisons = { entries: new Int32Array(1), hits: new Int32Array(1), count: 0 };
  const found: FoundWords = { names: new Int32Array(1), words: new Int32Array(1), count: 0 };
  let segments = new Int32Array(1);

  return (text) => {
    if (segments.length < text.hits.length) segments = new Int32Array(text.hits.length);
    found.count = 0;
    if (text.hitCount === 0) return found;
    const hitCount = keepPlaced(text, tables.rows, segments);
    if (hitCount === 0) return found;
    compareClasses(text, hitCount, tables, comparisons);
    if (comparisons.count > 0) comparePatterns(text, segments, tables, comparisons, found);
    return found;
  };
}

/**
 * Keeps the hits at places where a pattern may match, and returns their number. Adds the kinds of these patterns to each
 * hit, and its segment to `segments`. It is branch-free like `encodeNames`.
 */
function keepPlaced(text: EncodedText, rows: Int32Array, segments: Int32Array): number {
  const { hits, hitCount, segmentSteps, segmentBounds } = text;
  let kept = 0;
  let segment = -1;
  for (let hit = 0; hit < hitCount; hit++) {
    segment += segmentSteps[hit] ?? 0;
    const packed = hits[hit] ?? 0;
    const place = packed & placeMask;
    const bounds = segmentBounds[segment] ?? 0;
    const kinds = kindsOf(bounds);
    // Where separators are left in the name, a pattern may start anywhere.
    const unknown = kinds === anchoredKind ? anyPlace : 0;
    const before = Math.min(place - seedLength + 1 - startOf(bounds), placesMax) | unknown;
    const after = Math.min(endOf(bounds) - place, placesMax) | unknown;
    const row = rowFields * (packed >>> placeBits) + placesField;
    const anchoredHere =
      ((rows[row] ?? 0) >>> before) & ((rows[row + 1] ?? 0) >>> after) & kinds & anchoredKind;
    const anywhereHere = ((rows[row + 2] ?? 0) >>> before) & ((rows[row + 3] ?? 0) >>> after) & (kinds >>> 1);
    hits[kept] = packed | (anchoredHere << kindsShift) | (anywhereHere << (kindsShift + 1));
    segments[kept] = segment;
    kept += anchoredHere | anywhereHere;
  }
  return kept;
}

/** Lists the entries of the hits whose classes are beside the seed, in whatever order. */
function compareClasses(
  { classes, hits }: EncodedText,
  hitCount: number,
  { rows, entries }: FilterTables,
  comparisons: Comparisons,
): void {
  let count = 0;
  for (let hit = 0; hit < hitCount; hit++) {
    const packed = hits[hit] ?? 0;
    const place = packed & placeMask;
    const start = place - seedLength + 1;
    let before = 0;
    let after = 0;
    for (let distance = 1; distance <= sideLength; distance++) {
      before |= 1 << (classes[start - distance] ?? 0);
      after |= 1 << (classes[place + distance] ?? 0);
    }
    const row = rowFields * ((packed >>> placeBits) & seedMask) + entriesField;
    const kinds = packed >>> kindsShift;
    const first = rows[row + 1 - (kinds & anchoredKind)] ?? 0;
    const last = rows[row + 1 + (kinds >>> 1)] ?? 0;
    if (comparisons.entries.length < count + last - first) grow(comparisons, 2 * (count + last - first));
    for (let entry = first; entry < last; entry += entryFields) {
      comparisons.entries[count] = entry;
      comparisons.hits[count] = hit;
      count += hasEnoughClasses(entries, entry, before, after);
    }
  }
  comparisons.count = count;
}

function grow(comparisons: Comparisons, length: number): void {
  const { entries, hits } = comparisons;
  comparisons.entries = new Int32Array(length);
  comparisons.entries.set(entries);
  comparisons.hits = new Int32Array(length);
  comparisons.hits.set(hits);
}

/** Compares the patterns with the text, and lists the words of those that match. */
function comparePatterns(
  text: EncodedText,
  segments: Int32Array,
  tables: FilterTables,
  comparisons: Comparisons,
  found: FoundWords,
): void {
  const { classes, hits, segmentNames } = text;
  if (found.words.length < comparisons.count) {
    found.names = new Int32Array(comparisons.entries.length);
    found.words = new Int32Array(comparisons.entries.length);
  }
  for (let i = 0; i < comparisons.count; i++) {
    const entry = comparisons.entries[i] ?? 0;
    const hit = comparisons.hits[i] ?? 0;
    const start = ((hits[hit] ?? 0) & placeMask) - seedLength + 1;
    if (!areInPlace(tables, entry, classes, start)) continue;
    if (isAmidLetters(tables, entry, text, segments[hit] ?? 0, start)) continue;
    if (!matches(tables, entry, classes, start)) continue;
    found.names[found.count] = segmentNames[segments[hit] ?? 0] ?? 0;
    found.words[found.count] = tables.entries[entry + wordField] ?? 0;
    found.count++;
  }
}

/**
 * Tests of a pattern at a place where its seed occurs in a name. The filter runs them from the cheapest to the most
 * expensive. `entry` is an index in `entries`, and `start` the place where the seed starts.
 */

/**
 * Returns 1 if at most as many of the pattern's classes are absent from their side of the seed as its errors explain,
 * else 0.
 *
 * @param before set of the `sideLength` classes before the seed
 * @param after set of those after it
 */
function hasEnoughClasses(entries: Int32Array, entry: number, before: number, after: number): number {
  const missing =
    ((entries[entry + beforeField] ?? 0) & ~before) | ((entries[entry + afterField] ?? 0) & ~after);
  return (countBits(missing) - missingMaxOf(entries, entry) - 1) >>> 31;
}

/** Number of classes on each side of a seed whose places are compared. */
const nearLength = 6;

/**
 * Returns whether at most as many classes beside the seed are out of place as the pattern's errors explain. Each error moves
 * the classes behind it by one place at most.
 */
function areInPlace(
  { entries, patternBytes }: FilterTables,
  entry: number,
  classes: Uint8Array,
  start: number,
): boolean {
  const patternStart = entries[entry + patternField] ?? 0;
  const isFar = (entries[entry + errorsField] ?? 0) >>> 1;
  let missing = 0;
  for (let distance = 1; distance <= nearLength; distance++) {
    const seenBefore = classesAround(classes, start - distance, isFar);
    const seenAfter = classesAround(classes, start + seedLength - 1 + distance, isFar);
    missing += (~seenBefore >>> (patternBytes[patternStart - distance] ?? 0)) & 1;
    missing += (~seenAfter >>> (patternBytes[patternStart + seedLength - 1 + distance] ?? 0)) & 1;
  }
  return missing <= missingMaxOf(entries, entry);
}

/** Returns the set of the classes at most one place from `place`, or two if `isFar` is 1, and of the edge of a pattern. */
function classesAround(classes: Uint8Array, place: number, isFar: number): number {
  return (
    (1 << patternEdge) |
    (1 << (classes[place] ?? 0)) |
    (1 << (classes[place - 1] ?? 0)) |
    (1 << (classes[place + 1] ?? 0)) |
    (1 << (classes[place - 1 - isFar] ?? 0)) |
    (1 << (classes[place + 1 + isFar] ?? 0))
  );
}

function missingMaxOf(entries: Int32Array, entry: number): number {
  return ((entries[entry + exactField] ?? 0) >>> 16) & 0xff;
}

/** Returns whether letters continue at both ends of an unanchored pattern that counts only at an edge. */
function isAmidLetters(
  { entries }: FilterTables,
  entry: number,
  text: EncodedText,
  segment: number,
  start: number,
): boolean {
  if (((entries[entry + exactField] ?? 0) & atEdgeFlag) === 0) return false;
  const { classes, origins } = text;
  const first = start - (entries[entry + leftField] ?? 0);
  const last = start + (entries[entry + rightField] ?? 0);
  const isJoined = segment >= text.nameCount;
  const shift = text.numberedShifts[text.segmentNames[segment] ?? 0] ?? 0;
  const before = (isJoined ? (origins[first] ?? 0) : first) - 1 + shift;
  const after = (isJoined ? (origins[last] ?? 0) : last) + 1 + shift;
  return classes[before] !== separatorClass && classes[after] !== separatorClass;
}

/** Returns whether the entry's pattern matches with its seed at `start`: the "extend" of seed and extend. */
function matches(
  { entries, patternBytes }: FilterTables,
  entry: number,
  classes: Uint8Array,
  start: number,
): boolean {
  const errors = entries[entry + errorsField] ?? 0;
  const seedAt = entries[entry + patternField] ?? 0;
  const exact = entries[entry + exactField] ?? 0;
  // No error may touch the stretch around the seed, so it is compared exactly.
  let p = seedAt - (exact & 0xff);
  const q = seedAt + seedLength + ((exact >>> 8) & 0xff);
  let t = start - (exact & 0xff);
  const patternBefore = p - 1;
  const textBefore = t - 1;
  for (; p < q; p++, t++) if (patternBytes[p] !== classes[t]) return false;
  if (matchesWithErrors(patternBytes, patternBefore, classes, textBefore, -1, 0)) {
    return matchesWithErrors(patternBytes, p, classes, t, 1, errors);
  }
  if (errors === 0) return false;
  if (matchesWithErrors(patternBytes, p, classes, t, 1, 0)) {
    return matchesWithErrors(patternBytes, patternBefore, classes, textBefore, -1, errors);
  }
  if (errors === 1) return false;
  return (
    matchesWithErrors(patternBytes, patternBefore, classes, textBefore, -1, 1) &&
    matchesWithErrors(patternBytes, p, classes, t, 1, 1)
  );
}

function countBits(bits: number): number {
  let rest = bits - ((bits >>> 1) & 0x55555555);
  rest = (rest & 0x33333333) + ((rest >>> 2) & 0x33333333);
  return Math.imul((rest + (rest >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
