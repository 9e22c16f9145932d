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
  classMask,
  classOfByte,
  digitFlag,
  foldedByte,
  otherClass,
  separatorClass,
} from "./classes.ts";
import {
  anchoredOnly,
  anywhereOnly,
  both,
  buildTables,
  errorsField,
  exactLeftField,
  exactRightField,
  kindField,
  leftField,
  missingMaxField,
  rightField,
  seedMask,
  strangeMaxField,
  testFields,
} from "./filter-tables.ts";
import { labelBytesMax, nameBytesMax } from "./name.ts";
import { reaches, textEdge } from "./reaches.ts";
import { containsALabel, hasSeparator, margin, newReading, textLengthMax, type Reading } from "./reading.ts";
import { seedLength } from "./seeds.ts";

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
  /** It is no host name in plain letters, or needs a closer look to tell: it may hold anything. */
  unclear: boolean;
}

const dot = 0x2e;

export function createFilter(words: readonly BrandWord[]): Filter {
  const { marks, heads, entryWords, entryMasks, entryTests, entryPatterns, patternBytes } =
    buildTables(words);
  const lastSeen = new Int32Array(words.length);
  const suspects: Suspects = { words: new Int32Array(words.length), count: 0, unclear: false };
  const plain = newReading();
  const other = newReading();
  const folded = new Uint8Array(textLengthMax);
  let now = 0;
  let nameMask = 0;

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
    let mask = 0;
    let separators = 0;
    let lastDot = margin;
    let longestLabel = 0;
    let shortestLabel = labelBytesMax;
    let hitCountAtDot = 0;
    let maskAtDot = 0;
    let place = margin + 1;
    for (let i = start; i < start + length; i++, place++) {
      const flagged = classOfByte[bytes[i]!]!;
      const value = flagged & classMask;
      coded |= flagged;
      mask |= 1 << value;
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
          const label = place - lastDot - 1;
          longestLabel = Math.max(longestLabel, label);
          shortestLabel = Math.min(shortestLabel, label);
          lastDot = place;
          hitCountAtDot = hitCount;
          maskAtDot = mask;
        }
      }
    }
    const topLabel = place - lastDot - 1;
    suspects.unclear =
      mask >>> otherClass !== 0 ||
      end - start > nameBytesMax ||
      Math.max(longestLabel, topLabel) > labelBytesMax ||
      Math.min(shortestLabel, topLabel) < 1 ||
      lastDot === margin ||
      // A last label that starts with a digit may make it an IP address.
      isDigit(bytes[start + lastDot - margin]!) ||
      (separators > 2 && containsALabel(bytes, start, end));
    if (hasSuffix && lastDot > margin) {
      place = lastDot;
      hitCount = hitCountAtDot;
      mask = maskAtDot;
    } else {
      hitCount = closeReading(plain, place, seed, hitCount);
    }
    classes[place] = separatorClass;
    classes[place + 1] = textEdge;
    plain.hitCount = hitCount;
    suspects.count = 0;
    nameMask = mask;
    now = (now + 1) | 0;
    const parted = separators > (hasSuffix ? 1 : 0);
    if (hitCount > 0) lookThrough(plain, parted ? anchoredOnly : both);
    if (parted) lookSqueezed(place);
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
      if ((marks[seed]! & anywhereOnly) !== 0) {
        other.hits[hitCount++] = seed;
        other.hits[hitCount++] = place;
      }
      place++;
    }
    lookThroughOther(place, seed, hitCount, anywhereOnly);
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
      if ((marks[seed]! & anchoredOnly) !== 0) {
        other.hits[hitCount++] = seed;
        other.hits[hitCount++] = place;
      }
    }
    lookThroughOther(end, seed, hitCount, anchoredOnly);
  }

  function lookThroughOther(end: number, seed: number, hitCount: number, kinds: number): void {
    other.classes[end] = separatorClass;
    other.classes[end + 1] = textEdge;
    other.hitCount = closeReading(other, end, seed, hitCount);
    if (other.hitCount > 0) lookThrough(other, kinds);
  }

  /** The seed that ends with the separator at the end of the name. */
  function closeReading(reading: Reading, place: number, seed: number, hitCount: number): number {
    const last = (seed << classBits) & seedMask;
    if (marks[last] === 0) return hitCount;
    reading.hits[hitCount] = last;
    reading.hits[hitCount + 1] = place;
    return hitCount + 2;
  }

  /** A reading without separators holds all that a parted name holds anywhere, so that it is not looked for twice. */
  function lookThrough({ classes, hits, hitCount }: Reading, kinds: number): void {
    for (let hit = 0; hit < hitCount; hit += 2) {
      const start = hits[hit + 1]! - seedLength + 1;
      const seed = hits[hit]!;
      const last = heads[seed + 1]!;
      for (let entry = heads[seed]!; entry < last; entry++) {
        const missing = entryMasks[entry]! & ~nameMask;
        if (missing !== 0 && countBits(missing) > entryTests[entry * testFields + missingMaxField]!) continue;
        if ((entryTests[entry * testFields + kindField]! & kinds) === 0) continue;
        const word = entryWords[entry]!;
        if (lastSeen[word] === now || !fits(entry, classes, start)) continue;
        lastSeen[word] = now;
        suspects.words[suspects.count++] = word;
      }
    }
  }

  /** Whether the entry's pattern can be read where its seed is at `start`. */
  function fits(entry: number, classes: Uint8Array, start: number): boolean {
    const tests = entry * testFields;
    const errors = entryTests[tests + errorsField]!;
    // The stretch around the seed, which no error may touch.
    let p = entryPatterns[entry]! - entryTests[tests + exactLeftField]!;
    const q = entryPatterns[entry]! + seedLength + entryTests[tests + exactRightField]!;
    let t = start - entryTests[tests + exactLeftField]!;
    const patternBefore = p - 1;
    const textBefore = t - 1;
    for (; p < q; p++, t++) if (patternBytes[p] !== classes[t]) return false;
    if (entryTests[tests + kindField] === anchoredOnly && !isTokenLike(entry, classes, start)) return false;
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

  /** Separators where the pattern has its own, and between them few letters that it has not. */
  function isTokenLike(entry: number, classes: Uint8Array, start: number): boolean {
    const tests = entry * testFields;
    const errors = entryTests[tests + errorsField]!;
    const first = start - entryTests[tests + leftField]!;
    const last = start + entryTests[tests + rightField]!;
    if (!hasSeparator(classes, first - errors, first + errors)) return false;
    if (!hasSeparator(classes, last - errors, last + errors)) return false;
    let strange = 0;
    for (let place = first + errors + 1; place < last - errors; place++) strange |= 1 << classes[place]!;
    strange &= ~(entryMasks[entry]! | 1);
    return strange === 0 || countBits(strange) <= entryTests[tests + strangeMaxField]!;
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

function isDigit(byte: number): boolean {
  return classOfByte[byte]! >= digitFlag;
}

function countBits(bits: number): number {
  let rest = bits - ((bits >>> 1) & 0x55555555);
  rest = (rest & 0x33333333) + ((rest >>> 2) & 0x33333333);
  return Math.imul((rest + (rest >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
