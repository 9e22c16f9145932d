/** The seeds of all words, in typed arrays for the filter's loop. */
import { countsAtEdgeOnly, type BrandWord } from "../brand/brand-words.ts";
import {
  classBits,
  classesOf,
  collapses,
  commonness,
  seedNumber,
  separatorClass,
} from "./character-classes.ts";
import { matchesWithErrors, patternEdge, textEdge } from "./match-with-errors.ts";
import { seedLength, seedsFor, type Collapse, type Seed } from "./seeds.ts";

/** Mask of the bits that a seed's number can have. */
export const seedMask = (1 << (seedLength * classBits)) - 1;

export interface FilterTables {
  /** 1 for each number that is a seed of some pattern of the kinds, else 0. The filter adds it to its count of hits. */
  marks: Readonly<Record<"anchored" | "anywhere" | "both", Uint8Array>>;
  /**
   * Ranges of entries by the seed's number: anchored ones from `heads[2 * number]`, unanchored ones from
   * `heads[2 * number + 1]`, up to but excluding `heads[2 * number + 2]`.
   */
  heads: Int32Array;
  /** `entryFields` numbers for each entry, so that an entry fills half a cache line. */
  entries: Int32Array;
  /**
   * Two bit sets for each range of entries: the numbers of places that may be before and after the seed, in a name
   * without separators, if an entry matches. The separators around the name count as places.
   */
  places: Int32Array;
  /** Patterns, each followed by an edge. */
  patternBytes: Uint8Array;
  wordCount: number;
}

export const entryFields = 8;
/** Bit sets of the classes before and after the seed in the entry's pattern. */
export const beforeField = 0;
export const afterField = 1;
export const wordField = 2;
/** Index in `patternBytes` at which the seed of the entry's pattern starts. */
export const patternField = 3;
export const errorsField = 4;
/** Number of classes from the start of the pattern to the start of the seed, and from there to its last class. */
export const leftField = 5;
export const rightField = 6;
/** `exactLeft`, `exactRight` and `missingMax`, one byte each, and above them `atEdgeFlag`. */
export const exactField = 7;
/** Set for a word that counts only where a run of letters starts or ends with it. */
export const atEdgeFlag = 1 << 24;

/** Kinds of patterns: with the separators around them, without, or both. */
export const anchoredOnly = 1;
export const anywhereOnly = 2;
export const both = anchoredOnly | anywhereOnly;

export function buildTables(words: readonly BrandWord[]): FilterTables {
  const lists = new Map<number, { word: number; seed: Seed; anchored: boolean }[]>();
  const add = (word: number, seed: Seed, anchored: boolean): void => {
    const number = seedNumber(seed.classes.slice(seed.offset, seed.offset + seedLength));
    const list = lists.get(number) ?? [];
    list.push({ word, seed, anchored });
    lists.set(number, list);
  };
  for (const [index, word] of words.entries()) {
    if (word.requires !== undefined) continue;
    const squeezed = classesOf(word.text.replace(/[-.]/g, ""));
    const anywhere = seedsFor(squeezed, word.errorsAnywhere, collapses, commonness);
    for (const seed of anywhere) add(index, seed, false);
    const anchored = classesOf(`-${word.text}-`);
    const pattern = Uint8Array.of(...anchored, patternEdge);
    for (const sound of word.homophones) {
      const spelling = classesOf(`-${sound}-`);
      // A homophone within the error tolerance is found as a typo of the word.
      const text = Uint8Array.of(...spelling, textEdge, textEdge);
      if (matchesWithErrors(pattern, 0, text, 0, 1, word.errorsAnchored)) continue;
      for (const seed of seedsFor(spelling, 0, collapses, commonness)) add(index, seed, true);
    }
    // The unanchored pattern finds everything that an anchored one with as many errors would.
    if (word.errorsAnchored === word.errorsAnywhere && anywhere.length > 0) continue;
    for (const seed of seedsFor(anchored, word.errorsAnchored, collapses, commonness)) add(index, seed, true);
  }
  return { ...layOut(lists, (word) => countsAtEdgeOnly(words[word]!)), wordCount: words.length };
}

function layOut(
  lists: ReadonlyMap<number, { word: number; seed: Seed; anchored: boolean }[]>,
  edgeOnly: (word: number) => boolean,
): Omit<FilterTables, "wordCount"> {
  const newMarks = (): Uint8Array => new Uint8Array(seedMask + 1);
  const marks = { anchored: newMarks(), anywhere: newMarks(), both: newMarks() };
  const heads = new Int32Array(2 * (seedMask + 1) + 1);
  const places = new Int32Array(4 * (seedMask + 1));
  const entries: number[] = [];
  const patternBytes: number[] = [patternEdge];
  for (let number = 0; number <= seedMask; number++) {
    // Nearly all of them, so they are most of the work for one word.
    if (!lists.has(number)) {
      heads[2 * number] = heads[2 * number + 1] = entries.length / entryFields;
      continue;
    }
    const list = lists.get(number) ?? [];
    if (list.length > 0) marks.both[number] = 1;
    if (list.some(({ anchored }) => anchored)) marks.anchored[number] = 1;
    if (list.some(({ anchored }) => !anchored)) marks.anywhere[number] = 1;
    for (const [kind, ofKind] of [
      list.filter(({ anchored }) => anchored),
      list.filter(({ anchored }) => !anchored),
    ].entries()) {
      const range = 2 * number + kind;
      heads[range] = entries.length / entryFields;
      for (const { word, seed } of ofKind) {
        entries.push(...entryOf(word, seed, patternBytes.length, edgeOnly(word)));
        const { errors, offset } = seed;
        const rest = seed.classes.length - seedLength - offset;
        places[2 * range]! |= placesFrom(offset, errors, kind === 0);
        places[2 * range + 1]! |= placesFrom(rest, errors, kind === 0);
        patternBytes.push(...seed.classes, patternEdge);
      }
    }
  }
  heads[2 * (seedMask + 1)] = entries.length / entryFields;
  return {
    marks,
    heads,
    places,
    entries: Int32Array.from(entries),
    patternBytes: Uint8Array.from(patternBytes),
  };
}

/** Maximum number of places in the bit sets of `places`, which stands for all higher ones, too. */
export const placesMax = 31;

/** Returns the bit set of the numbers of places that a pattern with `count` classes beside its seed can have there. */
function placesFrom(count: number, errors: number, anchored: boolean): number {
  const first = anchored ? count - errors : count + 1 - errors;
  const last = anchored ? count + errors : placesMax;
  let bits = 0;
  for (let places = Math.max(0, first); places <= last; places++) bits |= 1 << Math.min(places, placesMax);
  return bits;
}

/** Returns the numbers of one entry, in the order of the fields above. */
function entryOf(
  word: number,
  { classes, offset, errors, left, right }: Seed,
  patternAt: number,
  atEdge: boolean,
): number[] {
  // Maximum number of classes that the name may lack: each error explains one, or two if it is a collapse.
  const missingMax = errors * (collapses.some((pair) => contains(classes, pair)) ? 2 : 1);
  const exact = left | (right << 8) | (missingMax << 16) | (atEdge ? atEdgeFlag : 0);
  const before = bitSet(classes.slice(0, offset));
  const after = bitSet(classes.slice(offset + seedLength));
  return [before, after, word, patternAt + offset, errors, offset, classes.length - 1 - offset, exact];
}

function bitSet(classes: readonly number[]): number {
  return classes.reduce((bits, value) => (value === separatorClass ? bits : bits | (1 << value)), 0);
}

function contains(classes: readonly number[], { first, second }: Collapse): boolean {
  return classes.some((value, index) => value === first && classes[index + 1] === second);
}
