/**
 * Extends seed hits: compares the words of each seed with the name around it. Each step is a loop over all names of the
 * text that leaves few hits to the next, more expensive one.
 */
import {
  anchoredKind,
  endOf,
  kindsOf,
  kindsShift,
  placeBits,
  placeMask,
  startOf,
  type EncodedText,
} from "./encoded-text.ts";
import {
  anyPlace,
  entriesField,
  entryFields,
  placesField,
  placesMax,
  rowFields,
  seedMask,
  sideLength,
  wordField,
  type FilterTables,
} from "./filter-tables.ts";
import { areInPlace, hasEnoughClasses, isAmidLetters, matches } from "./pattern-tests.ts";
import { seedLength } from "./seeds.ts";

/** The first `count` elements are indices of names, and of a word in each. The same word may be found twice in a name. */
export interface FoundWords {
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
export function createSeedExtender(tables: FilterTables): (text: EncodedText) => FoundWords {
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
