/**
 * Says in some hundred nanoseconds which brand words a name might hold, and for nearly every name: none. It
 * may say yes wrongly; it never says no where `judge.ts` would find something. Characters are reduced to 32
 * classes, so that three of them index a table of 32,768 entries that stays in the processor's first cache.
 */
import { errorsMaxAnchored, errorsMaxAnywhere } from "./acceptance.ts";
import type { BrandWord } from "./brand-words.ts";
import { multigraphPairs, visualGroups } from "./likeness.ts";
import { seedsFor, type Collapse } from "./seeds.ts";

export interface Filter {
  /** Indices of the words that `text`, a folded name, might hold; valid until the next call. */
  suspects(text: string): Suspects;
  /** The same for a name as it stands in a buffer, in ASCII, of any case. */
  suspectsIn(bytes: Uint8Array, start: number, end: number): Suspects;
}

export interface Suspects {
  readonly words: Int32Array;
  count: number;
}

const classBits = 5;
const seedMask = (1 << (3 * classBits)) - 1;
const separatorClass = 0;
const firstOtherClass = 25;
const classCount = 1 << classBits;
/** A folded name can be longer than the name: one letter may stand for several. */
const textLengthMax = 1024;

const classOf = characterClasses();
const collapses: readonly Collapse[] = multigraphPairs.map(({ pair, single }) => ({
  first: classOfCode(pair.charCodeAt(0)),
  second: classOfCode(pair.charCodeAt(1)),
  single: classOfCode(single.charCodeAt(0)),
}));

export function createFilter(words: readonly BrandWord[]): Filter {
  const table = seedTable(words);
  const { heads, entries } = table;
  const letterMasks = Int32Array.from(words, (word) => maskOf(classesOf(lettersOf(word.text))));
  const missingMax = Uint8Array.from(words, missingLettersMax);
  const lastSeen = new Int32Array(words.length);
  const text = new Uint8Array(textLengthMax);
  const hits = new Int32Array(3 * textLengthMax + 8);
  const suspects: Suspects = { words: new Int32Array(words.length), count: 0 };
  let now = 0;
  let hitCount = 0;

  /** Classes of the text, then its passes: as it is, without separators, with digits as separators. */
  function look(length: number, mask: number, hasDigit: boolean, squeezable: boolean): Suspects {
    if (squeezable) lookSqueezed(length);
    if (hasDigit) lookBetweenDigits(length);
    suspects.count = 0;
    if (hitCount > 0) collect(mask);
    return suspects;
  }

  // Digits are kept in a second array only as a flag in the class: bit 5.
  function lookSqueezed(length: number): void {
    let seed = 0;
    for (let i = 0; i < length; i++) {
      const value = text[i]! & (classCount - 1);
      if (value === separatorClass) continue;
      seed = ((seed << classBits) | value) & seedMask;
      if (heads[seed] !== 0) hits[hitCount++] = seed;
    }
  }

  function lookBetweenDigits(length: number): void {
    let seed = 0;
    for (let i = 0; i <= length; i++) {
      const value = i === length || text[i]! >= classCount ? separatorClass : text[i]!;
      seed = ((seed << classBits) | value) & seedMask;
      if (heads[seed] !== 0) hits[hitCount++] = seed;
    }
  }

  function collect(mask: number): void {
    now = (now + 1) | 0;
    for (let hit = 0; hit < hitCount; hit++) {
      const head = heads[hits[hit]!]!;
      for (let at = head; entries[at]! >= 0; at++) {
        const word = entries[at]!;
        if (lastSeen[word] === now) continue;
        lastSeen[word] = now;
        if (countBits(letterMasks[word]! & ~mask) <= missingMax[word]!)
          suspects.words[suspects.count++] = word;
      }
    }
  }

  return {
    suspects(folded) {
      const length = Math.min(folded.length, textLengthMax - 1);
      let mask = 0;
      let seed = 0;
      let hasDigit = false;
      hitCount = 0;
      for (let i = 0; i < length; i++) {
        const value = classOfCode(folded.charCodeAt(i));
        const digit = isDigit(folded.charCodeAt(i));
        hasDigit ||= digit;
        text[i] = digit ? value | classCount : value;
        mask |= 1 << value;
        seed = ((seed << classBits) | value) & seedMask;
        if (heads[seed] !== 0) hits[hitCount++] = seed;
      }
      seed = (seed << classBits) & seedMask;
      if (heads[seed] !== 0) hits[hitCount++] = seed;
      return look(length, mask, hasDigit, true);
    },
    suspectsIn(bytes, start, end) {
      const length = Math.min(end - start, textLengthMax - 1);
      let mask = 0;
      let seed = 0;
      let digits = 0;
      let separators = 0;
      hitCount = 0;
      for (let i = 0; i < length; i++) {
        const coded = classOf[bytes[start + i]!]!;
        text[i] = coded;
        const value = coded & (classCount - 1);
        digits |= coded;
        if (value === separatorClass) separators++;
        mask |= 1 << value;
        seed = ((seed << classBits) | value) & seedMask;
        if (heads[seed] !== 0) hits[hitCount++] = seed;
      }
      seed = (seed << classBits) & seedMask;
      if (heads[seed] !== 0) hits[hitCount++] = seed;
      return look(length, mask, digits >= classCount, separators > 1);
    },
  };
}

/** For each seed the index of its first entry; entries are word indices, each list ended by -1. */
function seedTable(words: readonly BrandWord[]): { heads: Int32Array; entries: Int32Array } {
  const lists = new Map<number, Set<number>>();
  for (const [index, word] of words.entries()) {
    const anchored = classesOf(`-${word.text}-`);
    const squeezed = classesOf(lettersOf(word.text));
    const seeds = [
      ...seedsFor(anchored, errorsMaxAnchored(word), collapses, rarity),
      ...(squeezed.length < 3
        ? [squeezed.length === 2 ? [separatorClass, ...squeezed] : []]
        : seedsFor(squeezed, errorsMaxAnywhere(word), collapses, rarity)),
    ];
    for (const seed of seeds) {
      const key = seed.reduce((sum, value) => (sum << classBits) | value, 0);
      lists.set(key, (lists.get(key) ?? new Set()).add(index));
    }
  }
  const heads = new Int32Array(seedMask + 1);
  const entries = [-1];
  for (const [key, list] of lists) {
    heads[key] = entries.length;
    entries.push(...list, -1);
  }
  return { heads, entries: Int32Array.from(entries) };
}

/** Each error takes one letter away, and two where two letters become one. */
function missingLettersMax(word: BrandWord): number {
  const errors = Math.max(errorsMaxAnchored(word), errorsMaxAnywhere(word));
  return multigraphPairs.some(({ pair }) => lettersOf(word.text).includes(pair)) ? 2 * errors : errors;
}

/** Shares of letters in host names, in thousandths; only their order matters. */
const letterShares: Readonly<Record<string, number>> = {
  a: 95, b: 25, c: 40, d: 35, e: 100, f: 18, g: 28, h: 28, i: 130, j: 8, k: 20, m: 35,
  n: 65, o: 80, p: 30, r: 65, s: 65, t: 62, u: 33, v: 15, w: 14, x: 8, y: 18, z: 10,
}; // prettier-ignore
const separatorShare = 150;

const shareOfClass = new Map<number, number>(
  Object.entries(letterShares).map(([letter, share]) => [classOfCode(letter.charCodeAt(0)), share]),
);

function rarity(value: number): number {
  return value === separatorClass ? separatorShare : (shareOfClass.get(value) ?? 5);
}

/** Class of each byte; bit 5 marks digits. What no host name has is a class of its own. */
function characterClasses(): Uint8Array {
  const classes = new Uint8Array(256).fill(firstOtherClass);
  let next = 1;
  for (const letter of "abcdefghijklmnopqrstuvwxyz") {
    const group = visualGroups.find((members) => members.includes(letter));
    const known = group === undefined ? 0 : classes[group.charCodeAt(0)]!;
    const value = known !== 0 && known !== firstOtherClass ? known : next++;
    for (const member of group ?? letter) classes[member.charCodeAt(0)] = value;
    classes[letter.toUpperCase().charCodeAt(0)] = value;
  }
  for (let digit = 0x30; digit <= 0x39; digit++) classes[digit]! |= classCount;
  classes["-".charCodeAt(0)] = separatorClass;
  classes[".".charCodeAt(0)] = separatorClass;
  classes["_".charCodeAt(0)] = separatorClass;
  if (next > firstOtherClass) throw new Error("too many classes");
  return classes;
}

function classOfCode(code: number): number {
  if (code < 128) return classOf[code]! & (classCount - 1);
  return firstOtherClass + 1 + (code % (classCount - firstOtherClass - 1));
}

function classesOf(text: string): number[] {
  return Array.from({ length: text.length }, (_, index) => classOfCode(text.charCodeAt(index)));
}

function maskOf(classes: readonly number[]): number {
  return classes.reduce((mask, value) => mask | (1 << value), 0);
}

function lettersOf(text: string): string {
  return text.replace(/[-.]/g, "");
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function countBits(bits: number): number {
  let rest = bits - ((bits >>> 1) & 0x55555555);
  rest = (rest & 0x33333333) + ((rest >>> 2) & 0x33333333);
  return (((rest + (rest >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}
