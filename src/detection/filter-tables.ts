/** The seeds of all words, laid out in typed arrays for the filter's loop. */
import type { BrandWord } from "./brand-words.ts";
import { classBits, classesOf, collapses, commonness, seedNumber, separatorClass } from "./classes.ts";
import { patternEdge, reaches, textEdge } from "./reaches.ts";
import { seedLength, seedsFor, type Collapse, type Seed } from "./seeds.ts";

/** All bits that the number of a seed can have. */
export const seedMask = (1 << (seedLength * classBits)) - 1;

export interface FilterTables {
  /** For each number of a seed the kinds of patterns that it is one of, else 0. Small enough for the processor's first cache. */
  marks: Uint8Array;
  /** Entries of a seed number are those from `heads[number]` to before `heads[number + 1]`. */
  heads: Int32Array;
  entryWords: Int32Array;
  /** Classes of the entry's pattern, a bit for each. */
  entryMasks: Int32Array;
  /** `testFields` bytes for each entry. */
  entryTests: Uint8Array;
  /** Where in `patternBytes` the seed of the entry's pattern starts. */
  entryPatterns: Int32Array;
  /** Patterns between edges. */
  patternBytes: Uint8Array;
}

export const testFields = 8;
export const errorsField = 0;
/** How many of the pattern's classes the name may lack altogether: two with each error. */
export const missingMaxField = 1;
/** How far before the seed the separator is that the pattern starts with, and how far from it the last one. */
export const leftField = 2;
export const rightField = 3;
/** How many classes around the seed are exact. */
export const exactLeftField = 4;
export const exactRightField = 5;
/** How many classes may stand in the name that the pattern has not: two letters can look like one. */
export const strangeMaxField = 6;
/** Whether the pattern has the separators around it. */
export const kindField = 7;
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
  return layOut(lists);
}

function layOut(lists: ReadonlyMap<number, { word: number; seed: Seed; anchored: boolean }[]>): FilterTables {
  const marks = new Uint8Array(seedMask + 1);
  const heads = new Int32Array(seedMask + 2);
  const [entryWords, entryMasks, entryTests, entryPatterns]: number[][] = [[], [], [], []];
  const patternBytes: number[] = [patternEdge];
  for (let number = 0; number <= seedMask; number++) {
    heads[number] = entryWords!.length;
    for (const { word, seed, anchored } of lists.get(number) ?? []) {
      const { classes, offset, errors } = seed;
      marks[number]! |= anchored ? anchoredOnly : anywhereOnly;
      entryWords!.push(word);
      entryMasks!.push(
        classes.reduce((mask, value) => (value === separatorClass ? mask : mask | (1 << value)), 0),
      );
      const right = classes.length - 1 - offset;
      const missingMax = errors * (collapses.some((pair) => contains(classes, pair)) ? 2 : 1);
      const strangeMax = errors * (collapses.some(({ single }) => classes.includes(single)) ? 2 : 1);
      entryTests!.push(errors, missingMax, offset, right, seed.left, seed.right, strangeMax);
      entryTests!.push(anchored ? anchoredOnly : anywhereOnly);
      entryPatterns!.push(patternBytes.length + offset);
      patternBytes.push(...classes, patternEdge);
    }
  }
  heads[seedMask + 1] = entryWords!.length;
  return {
    marks,
    heads,
    entryWords: Int32Array.from(entryWords!),
    entryMasks: Int32Array.from(entryMasks!),
    entryTests: Uint8Array.from(entryTests!),
    entryPatterns: Int32Array.from(entryPatterns!),
    patternBytes: Uint8Array.from(patternBytes),
  };
}

function contains(classes: readonly number[], { first, second }: Collapse): boolean {
  return classes.some((value, index) => value === first && classes[index + 1] === second);
}
