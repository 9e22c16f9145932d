/**
 * Tests of a pattern at a place where its seed occurs in a name. The filter runs them from the cheapest to the most
 * expensive. `entry` is an index in `entries`, and `start` the place where the seed starts.
 */
import { separatorClass } from "./character-classes.ts";
import type { EncodedText } from "./encoded-text.ts";
import {
  afterField,
  atEdgeFlag,
  beforeField,
  errorsField,
  exactField,
  leftField,
  patternField,
  rightField,
  type FilterTables,
} from "./filter-tables.ts";
import { matchesWithErrors, patternEdge } from "./match-with-errors.ts";
import { seedLength } from "./seeds.ts";

/**
 * Returns 1 if at most as many of the pattern's classes are absent from their side of the seed as its errors explain,
 * else 0.
 *
 * @param before set of the `sideLength` classes before the seed
 * @param after set of those after it
 */
export function hasEnoughClasses(entries: Int32Array, entry: number, before: number, after: number): number {
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
export function areInPlace(
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
export function isAmidLetters(
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
export function matches(
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
