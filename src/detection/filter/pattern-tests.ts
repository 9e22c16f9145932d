/**
 * Tests of a pattern at a place where its seed occurs in a name. The filter runs them from the cheapest on. `entry` is an
 * index in `entries`, and `start` the place where the seed starts.
 */
import { separatorClass } from "./character-classes.ts";
import { distanceToSeparator, margin, type EncodedName } from "./encoded-name.ts";
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
import { matchesWithErrors } from "./match-with-errors.ts";
import { seedLength } from "./seeds.ts";

/**
 * Returns whether separators stand where the pattern has its own, shifted by at most as many places as the
 * pattern tolerates errors. `edge` is the place of the last separator if the only other one is before the name,
 * else 0.
 */
export function isBetweenSeparators(
  { entries }: FilterTables,
  entry: number,
  classes: Uint8Array,
  start: number,
  edge: number,
): boolean {
  const errors = entries[entry + errorsField]!;
  const first = start - entries[entry + leftField]!;
  const last = start + entries[entry + rightField]!;
  if (edge !== 0) return Math.abs(first - margin) + Math.abs(last - edge) <= errors;
  const moved = distanceToSeparator(classes, first, errors);
  return moved <= errors && moved + distanceToSeparator(classes, last, errors - moved) <= errors;
}

/**
 * Returns whether letters continue at both ends of a pattern that counts only at an edge.
 *
 * @param edges classes of the name with separators, in which digits are separators
 */
export function isAmidLetters(
  { entries }: FilterTables,
  entry: number,
  { origins }: EncodedName,
  start: number,
  edges: Uint8Array,
): boolean {
  if (entries[entry + exactField]! < atEdgeFlag) return false;
  const before = origins[start - entries[entry + leftField]!]! - 1;
  const after = origins[start + entries[entry + rightField]!]! + 1;
  return edges[before] !== separatorClass && edges[after] !== separatorClass;
}

/** Returns whether more of the pattern's classes are absent from their side of the seed than its errors explain. */
export function lacksTooManyClasses(
  { entries }: FilterTables,
  entry: number,
  before: number,
  after: number,
): boolean {
  const missing = (entries[entry + beforeField]! & ~before) | (entries[entry + afterField]! & ~after);
  return missing !== 0 && countBits(missing) > ((entries[entry + exactField]! >>> 16) & 0xff);
}

/** Returns whether the entry's pattern matches with its seed at `start`: the "extend" of seed and extend. */
export function matches(
  { entries, patternBytes }: FilterTables,
  entry: number,
  classes: Uint8Array,
  start: number,
): boolean {
  const errors = entries[entry + errorsField]!;
  const seedAt = entries[entry + patternField]!;
  const exact = entries[entry + exactField]!;
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
