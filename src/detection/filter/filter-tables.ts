/** The seeds of all words, laid out in typed arrays for the filter's loop. */
import { standsAtEdge, type BrandWord } from "../brand/brand-words.ts";
import {
  classBits,
  classesOf,
  collapses,
  commonness,
  seedNumber,
  separatorClass,
} from "./character-classes.ts";
import { patternEdge, reaches, textEdge } from "./match-with-errors.ts";
import { seedLength, seedsFor, type Collapse, type Seed } from "./seeds.ts";

/** All bits that the number of a seed can have. */
export const seedMask = (1 << (seedLength * classBits)) - 1;

export interface FilterTables {
  /** 1 for each number that is a seed of some pattern, else 0: the hits of a name are counted with it. */
  marks: Uint8Array;
  /**
   * Entries of a seed's number: the anchored ones from `heads[2 * number]`, the others from
   * `heads[2 * number + 1]`, up to before `heads[2 * number + 2]`.
   */
  heads: Int32Array;
  /** `entryFields` numbers for each entry: what is asked of it lies in half a line of the processor's cache. */
  entries: Int32Array;
  /** Patterns between edges. */
  patternBytes: Uint8Array;
  wordCount: number;
}

export const entryFields = 8;
/** Classes of the entry's pattern, a bit for each. */
export const maskField = 0;
/** How many of them the name may lack altogether: two with each error. */
export const missingMaxField = 1;
export const wordField = 2;
/** Where in `patternBytes` the seed of the entry's pattern starts. */
export const patternField = 3;
export const errorsField = 4;
/** How far before the seed the pattern starts, and how far behind the seed's start it ends: both times with its separator, where it is anchored. */
export const leftField = 5;
export const rightField = 6;
/** `exactLeft`, `exactRight`, `strangeMax`, a byte each, and 1 above them for what has to stand at an edge. */
export const exactField = 7;
export const atEdgeFlag = 1 << 24;

/** Which patterns are looked for: those with the separators around them, those without, or all. */
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
    if (word.rides !== undefined) continue;
    const squeezed = classesOf(word.text.replace(/[-.]/g, ""));
    const anywhere = seedsFor(squeezed, word.errorsAnywhere, collapses, commonness);
    for (const seed of anywhere) add(index, seed, false);
    const anchored = classesOf(`-${word.text}-`);
    for (const sound of word.homophones) {
      const spelling = classesOf(`-${sound}-`);
      // Near spellings are found as typos of the word.
      const [pattern, text] = [
        Uint8Array.of(...anchored, patternEdge),
        Uint8Array.of(...spelling, textEdge, textEdge),
      ];
      if (reaches(pattern, 0, text, 0, 1, word.errorsAnchored)) continue;
      for (const seed of seedsFor(spelling, 0, collapses, commonness)) add(index, seed, true);
    }
    // Where the brand stands alone with no more errors than anywhere it has been found already.
    if (word.errorsAnchored === word.errorsAnywhere && anywhere.length > 0) continue;
    for (const seed of seedsFor(anchored, word.errorsAnchored, collapses, commonness)) add(index, seed, true);
  }
  return { ...layOut(lists, (word) => standsAtEdge(words[word]!)), wordCount: words.length };
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

/** In the order of the fields above. */
function entryOf(
  word: number,
  { classes, offset, errors, left, right }: Seed,
  patternAt: number,
  atEdge: boolean,
): number[] {
  const mask = classes.reduce((bits, value) => (value === separatorClass ? bits : bits | (1 << value)), 0);
  const missingMax = errors * (collapses.some((pair) => contains(classes, pair)) ? 2 : 1);
  // How many classes may stand in the name that the pattern has not: two letters can look like one.
  const strangeMax = errors * (collapses.some(({ single }) => classes.includes(single)) ? 2 : 1);
  const exact = left | (right << 8) | (strangeMax << 16) | (atEdge ? atEdgeFlag : 0);
  return [mask, missingMax, word, patternAt + offset, errors, offset, classes.length - 1 - offset, exact];
}

function contains(classes: readonly number[], { first, second }: Collapse): boolean {
  return classes.some((value, index) => value === first && classes[index + 1] === second);
}
