/**
 * Says in some hundred nanoseconds which brand words a name might hold, and for nearly every name: none. It
 * may say yes wrongly; it never says no where `judge.ts` would find something.
 *
 * The name is reduced to classes of characters. Wherever three of them are a seed of some word, that word is
 * laid against the name, from the seed outwards to both sides, with as many errors as it is allowed.
 */
import type { BrandWord } from "./brand-words.ts";
import {
  classBits,
  classesOf,
  classMask,
  classOfByte,
  collapses,
  commonness,
  digitFlag,
  foldedByte,
  seedNumber,
  separatorClass,
} from "./classes.ts";
import { seedLength, seedsFor, type Seed } from "./seeds.ts";

export interface Filter {
  /** The words that `text`, a folded name without its public suffix, might hold. */
  suspects(text: string): Suspects;
  /** The same for a whole name as it stands in a buffer, in ASCII of any case. */
  suspectsIn(bytes: Uint8Array, start: number, end: number): Suspects;
}

/** The first `count` of `words` are indices of words; they change with the next call. */
export interface Suspects {
  readonly words: Int32Array;
  count: number;
}

const seedMask = (1 << (seedLength * classBits)) - 1;
const textLengthMax = 1024;
const dot = 0x2e;
/** Before and behind patterns and texts, so that neither equals the other there. */
const patternEdge = 0xff;
const textEdge = 0xfe;
/** Texts start here: looking two places before them needs no test. */
const margin = 4;

/** One reading of a name; all of them are looked through with the same seeds. */
interface Reading {
  /** From `margin` on a separator, the name's classes, a separator; edges around them. */
  classes: Uint8Array;
  /** Pairs: the number of a seed, and the place of its last class. */
  hits: Int32Array;
  hitCount: number;
}

export function createFilter(words: readonly BrandWord[]): Filter {
  const { marks, heads, entries, patterns } = buildTables(words);
  const lastSeen = new Int32Array(words.length);
  const suspects: Suspects = { words: new Int32Array(words.length), count: 0 };
  const plain = newReading();
  const other = newReading();
  const folded = new Uint8Array(textLengthMax);
  let now = 0;

  /**
   * Classes of the name, the seeds among them in `plain.hits`. Nobody imitates a brand by the name's last
   * label, so what is found there does not count where `hasSuffix`.
   */
  function look(bytes: Uint8Array, start: number, end: number, hasSuffix: boolean): Suspects {
    const { classes, hits } = plain;
    const length = Math.min(end - start, textLengthMax);
    let seed = 0;
    let hitCount = 0;
    let coded = 0;
    let separators = 0;
    let lastDot = -1;
    let hitCountAtDot = 0;
    let place = margin + 1;
    for (let i = start; i < start + length; i++, place++) {
      const flagged = classOfByte[bytes[i]!]!;
      const value = flagged & classMask;
      coded |= flagged;
      classes[place] = value;
      seed = ((seed << classBits) | value) & seedMask;
      if (marks[seed] !== 0) {
        hits[hitCount] = seed;
        hits[hitCount + 1] = place;
        hitCount += 2;
      }
      if (value === separatorClass) {
        separators++;
        if (bytes[i] === dot) {
          lastDot = place;
          hitCountAtDot = hitCount;
        }
      }
    }
    if (hasSuffix && lastDot > 0) {
      place = lastDot;
      hitCount = hitCountAtDot;
    } else {
      hitCount = closeReading(plain, place, seed, hitCount);
    }
    classes[place] = separatorClass;
    classes[place + 1] = textEdge;
    plain.hitCount = hitCount;
    suspects.count = 0;
    now = (now + 1) | 0;
    if (hitCount > 0) lookThrough(plain);
    if (separators > (hasSuffix ? 1 : 0)) lookSqueezed(place);
    if (coded >= digitFlag) lookBetweenDigits(bytes, start, place);
    return suspects;
  }

  /** Without the separators: brands are split by hyphens and dots. */
  function lookSqueezed(end: number): void {
    let seed = 0;
    let hitCount = 0;
    let place = margin + 1;
    for (let from = margin + 1; from < end; from++) {
      const value = plain.classes[from]!;
      if (value === separatorClass) continue;
      other.classes[place] = value;
      seed = ((seed << classBits) | value) & seedMask;
      if (marks[seed] !== 0) {
        other.hits[hitCount++] = seed;
        other.hits[hitCount++] = place;
      }
      place++;
    }
    other.classes[place] = separatorClass;
    other.classes[place + 1] = textEdge;
    other.hitCount = closeReading(other, place, seed, hitCount);
    if (other.hitCount > 0) lookThrough(other);
  }

  /** With digits as separators: brands are numbered. */
  function lookBetweenDigits(bytes: Uint8Array, start: number, end: number): void {
    let seed = 0;
    let hitCount = 0;
    for (let place = margin + 1; place < end; place++) {
      const flagged = classOfByte[bytes[start + place - margin - 1]!]!;
      const value = flagged >= digitFlag ? separatorClass : flagged;
      other.classes[place] = value;
      seed = ((seed << classBits) | value) & seedMask;
      if (marks[seed] !== 0) {
        other.hits[hitCount++] = seed;
        other.hits[hitCount++] = place;
      }
    }
    other.classes[end] = separatorClass;
    other.classes[end + 1] = textEdge;
    other.hitCount = closeReading(other, end, seed, hitCount);
    if (other.hitCount > 0) lookThrough(other);
  }

  /** The seed that ends with the separator at the end of the name. */
  function closeReading(reading: Reading, place: number, seed: number, hitCount: number): number {
    const last = (seed << classBits) & seedMask;
    if (marks[last] === 0) return hitCount;
    reading.hits[hitCount] = last;
    reading.hits[hitCount + 1] = place;
    return hitCount + 2;
  }

  function lookThrough({ classes, hits, hitCount }: Reading): void {
    for (let hit = 0; hit < hitCount; hit += 2) {
      const end = hits[hit + 1]!;
      for (let at = heads[hits[hit]!]!; entries[at]! >= 0; at++) {
        const { word, pattern, offset, errors } = patterns[entries[at]!]!;
        if (lastSeen[word] === now) continue;
        let before = 0;
        while (before <= errors && !reaches(pattern, offset - 1, classes, end - seedLength, -1, before))
          before++;
        if (before > errors) continue;
        if (!reaches(pattern, offset + seedLength, classes, end + 1, 1, errors - before)) continue;
        lastSeen[word] = now;
        suspects.words[suspects.count++] = word;
      }
    }
  }

  return {
    suspects(text) {
      const length = Math.min(text.length, textLengthMax);
      for (let i = 0; i < length; i++) folded[i] = foldedByte(text.charCodeAt(i));
      return look(folded, 0, length, false);
    },
    suspectsIn(bytes, start, end) {
      return look(bytes, start, end, true);
    },
  };
}

/**
 * Whether the pattern from `p` to its edge can be read in the text from `t` on with at most `errors` errors, in
 * the direction of `step`. Going on while both agree loses nothing: an error that could come earlier can as
 * well come where they part (Landau and Vishkin 1989).
 */
function reaches(
  pattern: Uint8Array,
  p: number,
  text: Uint8Array,
  t: number,
  step: 1 | -1,
  errors: number,
): boolean {
  while (pattern[p] === text[t]) {
    p += step;
    t += step;
  }
  const expected = pattern[p]!;
  if (expected === patternEdge) return true;
  if (errors === 0) return false;
  if (reaches(pattern, p + step, text, t, step, errors - 1)) return true;
  const found = text[t]!;
  if (found === textEdge) return false;
  if (reaches(pattern, p + step, text, t + step, step, errors - 1)) return true;
  if (reaches(pattern, p, text, t + step, step, errors - 1)) return true;
  const expectedNext = pattern[p + step]!;
  const foundNext = text[t + step]!;
  if (expected === foundNext && expectedNext === found) {
    if (reaches(pattern, p + 2 * step, text, t + 2 * step, step, errors - 1)) return true;
  }
  for (const { first, second, single } of collapses) {
    const near = step > 0 ? first : second;
    const far = step > 0 ? second : first;
    if (expected === single && found === near && foundNext === far) {
      if (reaches(pattern, p + step, text, t + 2 * step, step, errors - 1)) return true;
    }
    if (found === single && expected === near && expectedNext === far) {
      if (reaches(pattern, p + 2 * step, text, t + step, step, errors - 1)) return true;
    }
  }
  return false;
}

/** A word, or what one error made of it, with edges on both sides. */
interface Pattern {
  word: number;
  pattern: Uint8Array;
  offset: number;
  errors: number;
}

interface Tables {
  /** For each number of a seed whether it is one. Small enough for the processor's first cache. */
  marks: Uint8Array;
  /** For each number of a seed where its entries start. */
  heads: Int32Array;
  /** Indices of patterns; each list ends with -1. */
  entries: Int32Array;
  patterns: readonly Pattern[];
}

function buildTables(words: readonly BrandWord[]): Tables {
  const patterns: Pattern[] = [];
  const lists = new Map<number, number[]>();
  const add = (word: number, { classes, offset, errors }: Seed): void => {
    const number = seedNumber(classes.slice(offset, offset + seedLength));
    const pattern = Uint8Array.of(patternEdge, ...classes, patternEdge);
    lists.set(number, [...(lists.get(number) ?? []), patterns.length]);
    patterns.push({ word, pattern, offset: offset + 1, errors });
  };
  for (const [index, word] of words.entries()) {
    if (word.rides !== undefined) continue;
    const anchored = classesOf(`-${word.text}-`);
    const squeezed = classesOf(word.text.replace(/[-.]/g, ""));
    const anywhere = seedsFor(squeezed, word.errorsAnywhere, collapses, commonness);
    for (const seed of anywhere) add(index, seed);
    // Where the brand stands alone with no more errors than anywhere it has been found already.
    if (word.errorsAnchored === word.errorsAnywhere && anywhere.length > 0) continue;
    for (const seed of seedsFor(anchored, word.errorsAnchored, collapses, commonness)) add(index, seed);
  }
  const marks = new Uint8Array(seedMask + 1);
  const heads = new Int32Array(seedMask + 1);
  const entries: number[] = [];
  for (const [number, list] of lists) {
    marks[number] = 1;
    heads[number] = entries.length;
    entries.push(...list, -1);
  }
  return { marks, heads, entries: Int32Array.from(entries), patterns };
}

function newReading(): Reading {
  const classes = new Uint8Array(textLengthMax + 2 * margin).fill(textEdge);
  classes[margin] = separatorClass;
  return { classes, hits: new Int32Array(2 * textLengthMax + 4), hitCount: 0 };
}
