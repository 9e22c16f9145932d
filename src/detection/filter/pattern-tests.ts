/** What is asked of a pattern where its seed was found in a name, the cheapest first. */
import { separatorClass } from "./character-classes.ts";
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
import { reaches } from "./match-with-errors.ts";
import { distanceToSeparator, margin } from "./encoded-name.ts";
import { seedLength } from "./seeds.ts";

/** Entries are places in `entries`, `classes` are those of a reading, and `start` is where the seed starts there. */
export function createPatternTests({ entries, patternBytes }: FilterTables) {
  /**
   * Whether separators are where the pattern has its own, moved by no more places than there may be errors.
   * `edge`: the place of the last separator, where the only other one is before the name; else 0.
   */
  function isBetweenSeparators(entry: number, classes: Uint8Array, start: number, edge: number): boolean {
    const errors = entries[entry + errorsField]!;
    const first = start - entries[entry + leftField]!;
    const last = start + entries[entry + rightField]!;
    if (edge !== 0) return Math.abs(first - margin) + Math.abs(last - edge) <= errors;
    const moved = distanceToSeparator(classes, first, errors);
    return moved <= errors && moved + distanceToSeparator(classes, last, errors - moved) <= errors;
  }

  /** Whether more letters stand between the pattern's separators that it has not than its errors explain. */
  function holdsStrangers(entry: number, classes: Uint8Array, start: number): boolean {
    const errors = entries[entry + errorsField]!;
    const last = start + entries[entry + rightField]! - errors;
    let strange = 0;
    for (let place = start - entries[entry + leftField]! + errors + 1; place < last; place++) {
      strange |= 1 << classes[place]!;
    }
    strange &= ~(entries[entry + maskField]! | 1);
    return strange !== 0 && countBits(strange) > ((entries[entry + exactField]! >>> 16) & 0xff);
  }

  /** Whether letters go on at both ends of a pattern that has to stand at an edge, in a name of one run of letters. */
  function isAmidLetters(entry: number, classes: Uint8Array, start: number): boolean {
    if (entries[entry + exactField]! < atEdgeFlag) return false;
    const before = classes[start - entries[entry + leftField]! - 1];
    const after = classes[start + entries[entry + rightField]! + 1];
    return before !== separatorClass && after !== separatorClass;
  }

  /** Whether more of the pattern's classes are nowhere in the name than its errors explain. */
  function lacksTooMuch(entry: number, nameMask: number): boolean {
    const missing = entries[entry + maskField]! & ~nameMask;
    return missing !== 0 && countBits(missing) > entries[entry + missingMaxField]!;
  }

  /** Whether the entry's pattern can be read where its seed is at `start`. */
  function fits(entry: number, classes: Uint8Array, start: number): boolean {
    const errors = entries[entry + errorsField]!;
    const seedAt = entries[entry + patternField]!;
    const exact = entries[entry + exactField]!;
    // The stretch around the seed, which no error may touch.
    let p = seedAt - (exact & 0xff);
    const q = seedAt + seedLength + ((exact >>> 8) & 0xff);
    let t = start - (exact & 0xff);
    const patternBefore = p - 1;
    const textBefore = t - 1;
    for (; p < q; p++, t++) if (patternBytes[p] !== classes[t]) return false;
    if (reaches(patternBytes, patternBefore, classes, textBefore, -1, 0)) {
      return reaches(patternBytes, p, classes, t, 1, errors);
    }
    if (errors === 0) return false;
    if (reaches(patternBytes, p, classes, t, 1, 0)) {
      return reaches(patternBytes, patternBefore, classes, textBefore, -1, errors);
    }
    if (errors === 1) return false;
    return (
      reaches(patternBytes, patternBefore, classes, textBefore, -1, 1) &&
      reaches(patternBytes, p, classes, t, 1, 1)
    );
  }

  return { isBetweenSeparators, lacksTooMuch, isAmidLetters, holdsStrangers, fits };
}

function countBits(bits: number): number {
  let rest = bits - ((bits >>> 1) & 0x55555555);
  rest = (rest & 0x33333333) + ((rest >>> 2) & 0x33333333);
  return Math.imul((rest + (rest >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
