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
  /** 1 for each number that is a seed of some pattern, else 0. The filter adds it to its count of hits. */
  marks: Uint8Array;
  /**
   * Ranges of entries by the seed's number: anchored ones from `heads[2 * number]`, unanchored ones from
   * `heads[2 * number + 1]`, up to but excluding `heads[2 * number + 2]`.
   */
  heads: Int32Array;
  /** `entryFields` numbers for each entry, so that an entry fills half a cache line. */
  entries: Int32Array;
  /** Patterns, each followed by an edge. */
  patternBytes: Uint8Array;
  wordCount: number;
}

export const entryFields = 8;
/** Bit set of the classes in the entry's pattern. */
export const maskField = 0;
/** Maximum number of these classes that the name may lack: each error explains one, or two if it is a collapse. */
export const missingMaxField = 1;
export const wordField = 2;
/** Index in `patternBytes` at which the seed of the entry's pattern starts. */
export const patternField = 3;
export const errorsField = 4;
/** Number of classes from the start of the pattern to the start of the seed, and from there to its last class. */
export const leftField = 5;
export const rightField = 6;
/** `exactLeft`, `exactRight` and `foreignMax`, one byte each, and above them `atEdgeFlag`. */
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
    for (const sound of word.homophones) {
      const spelling = classesOf(`-${sound}-`);
      // A homophone within the error tolerance is found as a typo of the word.
      const [pattern, text] = [
        Uint8Array.of(...anchored, patternEdge),
        Uint8Array.of(...spelling, textEdge, textEdge),
      ];
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
  const marks = new Uint8Array(seedMask + 1);
  const heads = new Int32Array(2 * (seedMask + 1) + 1);
  const entries: number[] = [];
  const patternBytes: number[] = [patternEdge];
  for (let number = 0; number <= seedMask; number++) {
    const list = lists.get(number) ?? [];
    if (list.length > 0) marks[number] = 1;
    for (const [kind, ofKind] of [
      list.filter(({ anchored }) => anchored),
      list.filter(({ anchored }) => !anchored),
    ].entries()) {
      heads[2 * number + kind] = entries.length / entryFields;
      for (const { word, seed } of ofKind) {
        entries.push(...entryOf(word, seed, patternBytes.length, edgeOnly(word)));
        patternBytes.push(...seed.classes, patternEdge);
      }
    }
  }
  heads[2 * (seedMask + 1)] = entries.length / entryFields;
  return { marks, heads, entries: Int32Array.from(entries), patternBytes: Uint8Array.from(patternBytes) };
}

/** Returns the numbers of one entry, in the order of the fields above. */
function entryOf(
  word: number,
  { classes, offset, errors, left, right }: Seed,
  patternAt: number,
  atEdge: boolean,
): number[] {
  const mask = classes.reduce((bits, value) => (value === separatorClass ? bits : bits | (1 << value)), 0);
  const missingMax = errors * (collapses.some((pair) => contains(classes, pair)) ? 2 : 1);
  // Maximum number of classes in the name that the pattern does not contain: two letters can look like one.
  const foreignMax = errors * (collapses.some(({ single }) => classes.includes(single)) ? 2 : 1);
  const exact = left | (right << 8) | (foreignMax << 16) | (atEdge ? atEdgeFlag : 0);
  return [mask, missingMax, word, patternAt + offset, errors, offset, classes.length - 1 - offset, exact];
}

function contains(classes: readonly number[], { first, second }: Collapse): boolean {
  return classes.some((value, index) => value === first && classes[index + 1] === second);
}
