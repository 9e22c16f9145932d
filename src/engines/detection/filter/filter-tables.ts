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
  /** `rowFields` numbers for each number that a seed can have: half a cache line, so that a hit reads only one. */
  rows: Int32Array;
  /** `entryFields` numbers for each entry, in half a cache line, too. */
  entries: Int32Array;
  /** Patterns, each between `sideLength` edges. */
  patternBytes: Uint8Array;
  wordCount: number;
}

export const rowFields = 8;
/**
 * Bit sets of the numbers of places that may be before and after the seed, in a name without separators, if an entry
 * matches: first for anchored entries, then for unanchored ones. The separators around the name count as places.
 */
export const placesField = 0;
/** The seed's entries: anchored ones from the first index, unanchored ones from the second, up to before the third. */
export const entriesField = 4;

export const entryFields = 8;
/** Bit sets of the classes before and after the seed in the entry's pattern, up to where errors may move them. */
export const beforeField = 0;
export const afterField = 1;
export const wordField = 2;
/** Index in `patternBytes` at which the seed of the entry's pattern starts. */
export const patternField = 3;
export const errorsField = 4;
/** Number of classes from the start of the pattern to the start of the seed, and from there to its last class. */
export const leftField = 5;
export const rightField = 6;
/** `exactLeft`, `exactRight` and `missingMax`, one byte each, and above them flags. */
export const exactField = 7;
/** Set for a word that counts only where a run of letters starts or ends with it. */
export const atEdgeFlag = 1 << 24;

/**
 * Number of classes on each side of a seed that are compared as sets. The same number of edges separates names in a text, and
 * patterns, so that none is compared with the next one.
 */
export const sideLength = 8;

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
  const rows = new Int32Array(rowFields * (seedMask + 1));
  const entries: number[] = [];
  const edges = Array.from({ length: sideLength }, () => patternEdge);
  const patternBytes: number[] = [...edges];
  for (const [number, list] of lists) {
    const row = rowFields * number;
    marks.both[number] = 1;
    rows[row + entriesField] = entries.length;
    for (const [kind, isAnchored] of [true, false].entries()) {
      const places = row + placesField + 2 * kind;
      for (const { word, seed } of list.filter(({ anchored }) => anchored === isAnchored)) {
        // The separators of an anchored pattern are edges.
        const flags = !isAnchored && edgeOnly(word) ? atEdgeFlag : 0;
        marks[isAnchored ? "anchored" : "anywhere"][number] = 1;
        entries.push(...entryOf(word, seed, patternBytes.length, flags));
        const { errors, offset } = seed;
        const rest = seed.classes.length - seedLength - offset;
        rows[places]! |= placesFrom(offset, errors, isAnchored);
        rows[places + 1]! |= placesFrom(rest, errors, isAnchored);
        patternBytes.push(...seed.classes, ...edges);
      }
      rows[row + entriesField + kind + 1] = entries.length;
    }
  }
  return { marks, rows, entries: Int32Array.from(entries), patternBytes: Uint8Array.from(patternBytes) };
}

/** Maximum number of places in a bit set of places, which stands for all higher ones, too. */
export const placesMax = 30;
/** Member of each bit set of places that is not empty. */
export const anyPlace = 31;

/** Returns the bit set of the numbers of places that a pattern with `count` classes beside its seed can have there. */
function placesFrom(count: number, errors: number, anchored: boolean): number {
  const first = Math.max(0, anchored ? count - errors : count + 1 - errors);
  const last = anchored ? count + errors : Math.max(first, placesMax);
  let bits = 1 << anyPlace;
  for (let places = first; places <= last; places++) bits |= 1 << Math.min(places, placesMax);
  return bits;
}

/** Returns the numbers of one entry, in the order of the fields above. */
function entryOf(
  word: number,
  { classes, offset, errors, left, right }: Seed,
  patternAt: number,
  flags: number,
): number[] {
  // Maximum number of classes that the name may lack: each error explains one, or two if it is a collapse.
  const missingMax = errors * (collapses.some((pair) => contains(classes, pair)) ? 2 : 1);
  const exact = left | (right << 8) | (missingMax << 16) | flags;
  // Each error moves the classes behind it by one place at most.
  const near = sideLength - errors;
  const before = bitSet(classes.slice(Math.max(0, offset - near), offset));
  const after = bitSet(classes.slice(offset + seedLength, offset + seedLength + near));
  return [before, after, word, patternAt + offset, errors, offset, classes.length - 1 - offset, exact];
}

function bitSet(classes: readonly number[]): number {
  return classes.reduce((bits, value) => (value === separatorClass ? bits : bits | (1 << value)), 0);
}

function contains(classes: readonly number[], { first, second }: Collapse): boolean {
  return classes.some((value, index) => value === first && classes[index + 1] === second);
}
