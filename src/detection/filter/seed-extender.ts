/** Extends seed hits: compares the words of each seed with the name around it. */
import { placeBits, placeMask, type EncodedName } from "./encoded-name.ts";
import { anchoredOnly, anywhereOnly, entryFields, wordField, type FilterTables } from "./filter-tables.ts";
import { createPatternTests } from "./pattern-tests.ts";
import { seedLength } from "./seeds.ts";

/** The first `count` of `words` are indices of words. The next name overwrites them. */
export interface Candidates {
  readonly words: Int32Array;
  count: number;
}

export interface SeedExtender {
  /** Words found in the current name, each once. */
  readonly candidates: Candidates;
  /**
   * Starts a new name.
   *
   * @param mask bit set of the classes in the name
   */
  startName(mask: number, containsDigits: boolean): void;
  /**
   * Compares the words at each seed hit. `kinds` selects anchored patterns, unanchored ones, or both: the name without
   * separators contains everything that a split name contains unanchored, so that is compared only once.
   *
   * @param edge place of the last separator if the only other one is before the name, else 0
   */
  extendSeeds(name: EncodedName, kinds: number, edge: number): void;
}

export function createSeedExtender(tables: FilterTables): SeedExtender {
  const { heads, entries, wordCount } = tables;
  const { isBetweenSeparators, lacksTooManyClasses, isAmidLetters, hasTooManyForeignClasses, matches } =
    createPatternTests(tables);
  const candidates: Candidates = { words: new Int32Array(wordCount), count: 0 };
  const lastSeen = new Int32Array(wordCount);
  /** Number of the current name, so that `lastSeen` needs no clearing. */
  let nameNumber = 0;
  let nameMask = 0;
  let hasDigits = false;

  function extendSeeds({ classes, hits, hitCount }: EncodedName, kinds: number, edge: number): void {
    for (let hit = 0; hit < hitCount; hit++) {
      const start = (hits[hit]! & placeMask) - seedLength + 1;
      const head = 2 * (hits[hit]! >>> placeBits);
      const anywhere = heads[head + 1]!;
      if ((kinds & anchoredOnly) !== 0) {
        for (let entry = heads[head]! * entryFields; entry < anywhere * entryFields; entry += entryFields) {
          if (
            isBetweenSeparators(entry, classes, start, edge) &&
            !lacksTooManyClasses(entry, nameMask) &&
            !hasTooManyForeignClasses(entry, classes, start)
          )
            extendSeed(entry, classes, start);
        }
      }
      if ((kinds & anywhereOnly) !== 0) {
        const last = heads[head + 2]! * entryFields;
        for (let entry = anywhere * entryFields; entry < last; entry += entryFields) {
          if (lacksTooManyClasses(entry, nameMask)) continue;
          if (edge !== 0 && !hasDigits && isAmidLetters(entry, classes, start)) continue;
          extendSeed(entry, classes, start);
        }
      }
    }
  }

  function extendSeed(entry: number, classes: Uint8Array, start: number): void {
    const word = entries[entry + wordField]!;
    if (lastSeen[word] === nameNumber || !matches(entry, classes, start)) return;
    lastSeen[word] = nameNumber;
    candidates.words[candidates.count++] = word;
  }

  return {
    candidates,
    startName(mask, containsDigits) {
      candidates.count = 0;
      nameMask = mask;
      hasDigits = containsDigits;
      nameNumber = (nameNumber + 1) | 0;
    },
    extendSeeds,
  };
}
