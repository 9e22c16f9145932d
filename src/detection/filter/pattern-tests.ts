/** Tests of a pattern at a place where its seed occurs in a name. The filter runs them from the cheapest on. */
import { separatorClass } from "./character-classes.ts";
import { distanceToSeparator, margin } from "./encoded-name.ts";
import {
  atEdgeFlag,
  errorsField,
  exactField,
  leftField,
  maskField,
  missingMaxField,
  patternField,
  rightField,
  type FilterTables,
} from "./filter-tables.ts";
import { matchesWithErrors } from "./match-with-errors.ts";
import { seedLength } from "./seeds.ts";

/**
 * Returns tests over an index in `entries`, the classes of an encoded name, and the place where the seed starts in
 * them.
 */
export function createPatternTests({ entries, patternBytes }: FilterTables) {
  /**
   * Returns whether separators stand where the pattern has its own, shifted by at most as many places as the
   * pattern tolerates errors. `edge` is the place of the last separator if the only other one is before the name,
   * else 0.
   */
  function isBetweenSeparators(entry: number, classes: Uint8Array, start: number, edge: number): boolean {
    const errors = entries[entry + errorsField]!;
    const first = start - entries[entry + leftField]!;
    const last = start + entries[entry + rightField]!;
    if (edge !== 0) return Math.abs(first - margin) + Math.abs(last - edge) <= errors;
    const moved = distanceToSeparator(classes, first, errors);
    return moved <= errors && moved + distanceToSeparator(classes, last, errors - moved) <= errors;
  }

  /** Returns whether more classes that are not the pattern's stand between its separators than errors explain. */
  function hasTooManyForeignClasses(entry: number, classes: Uint8Array, start: number): boolean {
    const errors = entries[entry + errorsField]!;
    const last = start + entries[entry + rightField]! - errors;
    let foreign = 0;
    for (let place = start - entries[entry + leftField]! + errors + 1; place < last; place++) {
      foreign |= 1 << classes[place]!;
    }
    foreign &= ~(entries[entry + maskField]! | 1);
    return foreign !== 0 && countBits(foreign) > ((entries[entry + exactField]! >>> 16) & 0xff);
  }

  /** Returns whether letters continue at both ends of a pattern that counts only at an edge, in a name of one run. */
  function isAmidLetters(entry: number, classes: Uint8Array, start: number): boolean {
    if (entries[entry + exactField]! < atEdgeFlag) return false;
    const before = classes[start - entries[entry + leftField]! - 1];
    const after = classes[start + entries[entry + rightField]! + 1];
    return before !== separatorClass && after !== separatorClass;
  }

  /** Returns whether more of the pattern's classes are absent from the name than its errors explain. */
  function lacksTooManyClasses(entry: number, nameMask: number): boolean {
    const missing = entries[entry + maskField]! & ~nameMask;
    return missing !== 0 && countBits(missing) > entries[entry + missingMaxField]!;
  }

  /** Returns whether the entry's pattern matches with its seed at `start`: the "extend" of seed and extend. */
  function matches(entry: number, classes: Uint8Array, start: number): boolean {
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

  return { isBetweenSeparators, lacksTooManyClasses, isAmidLetters, hasTooManyForeignClasses, matches };
}

function countBits(bits: number): number {
  let rest = bits - ((bits >>> 1) & 0x55555555);
  rest = (rest & 0x33333333) + ((rest >>> 2) & 0x33333333);
  return Math.imul((rest + (rest >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
