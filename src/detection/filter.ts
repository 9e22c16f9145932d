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
  entryFields,
  errorsField,
  exactField,
  leftField,
  maskField,
  missingMaxField,
  patternField,
  rightField,
  seedMask,
  wordField,
} from "./filter-tables.ts";
import { labelBytesMax, nameBytesMax } from "./name.ts";
import { reaches, textEdge } from "./reaches.ts";
import { distanceToSeparator, margin, newReading, textLengthMax, type Reading } from "./reading.ts";
import { seedLength } from "./seeds.ts";
import { createNameReader, hasALabel } from "./shown-name.ts";

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
/** A hit is the number of a seed and, in so many bits, the place of its last class. */
const placeBits = 11;
const placeMask = (1 << placeBits) - 1;

export function createFilter(words: readonly BrandWord[]): Filter {
  const { marks, heads, entries, patternBytes } = buildTables(words);
  const lastSeen = new Int32Array(words.length);
  const suspects: Suspects = { words: new Int32Array(words.length), count: 0, unclear: false };
  const plain = newReading();
  const other = newReading();
  const folded = new Uint8Array(textLengthMax);
  const readName = createNameReader(textLengthMax);
  let now = 0;
  let nameMask = 0;
  let mayHaveALabel = false;

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
      // Without a branch: which seeds are marks nobody foresees, the processor neither.
      hits[hitCount] = (seed << placeBits) | place;
      hitCount += marks[seed]!;
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
      isDigit(bytes[start + lastDot - margin]!);
    // An A-label has two hyphens, and the name a dot.
    mayHaveALabel = separators > 2;
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
      other.hits[hitCount] = (seed << placeBits) | place;
      hitCount += marks[seed]!;
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
      other.hits[hitCount] = (seed << placeBits) | place;
      hitCount += marks[seed]!;
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
    reading.hits[hitCount] = (last << placeBits) | place;
    return hitCount + marks[last]!;
  }

  /** A reading without separators holds all that a parted name holds anywhere, so that it is not looked for twice. */
  function lookThrough({ classes, hits, hitCount }: Reading, kinds: number): void {
    for (let hit = 0; hit < hitCount; hit++) {
      const start = (hits[hit]! & placeMask) - seedLength + 1;
      const head = 2 * (hits[hit]! >>> placeBits);
      const anywhere = heads[head + 1]!;
      if ((kinds & anchoredOnly) !== 0) {
        for (let entry = heads[head]! * entryFields; entry < anywhere * entryFields; entry += entryFields) {
          if (!lacksTooMuch(entry) && isTokenLike(entry, classes, start)) lookCloser(entry, classes, start);
        }
      }
      if ((kinds & anywhereOnly) !== 0) {
        const last = heads[head + 2]! * entryFields;
        for (let entry = anywhere * entryFields; entry < last; entry += entryFields) {
          if (!lacksTooMuch(entry)) lookCloser(entry, classes, start);
        }
      }
    }
  }

  /** Whether more of the pattern's classes are nowhere in the name than its errors explain. */
  function lacksTooMuch(entry: number): boolean {
    const missing = entries[entry + maskField]! & ~nameMask;
    return missing !== 0 && countBits(missing) > entries[entry + missingMaxField]!;
  }

  function lookCloser(entry: number, classes: Uint8Array, start: number): void {
    const word = entries[entry + wordField]!;
    if (lastSeen[word] === now || !fits(entry, classes, start)) return;
    lastSeen[word] = now;
    suspects.words[suspects.count++] = word;
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

  /**
   * Separators where the pattern has its own, moved by no more places than there may be errors, and between
   * them few letters that it has not.
   */
  function isTokenLike(entry: number, classes: Uint8Array, start: number): boolean {
    const errors = entries[entry + errorsField]!;
    const first = start - entries[entry + leftField]!;
    const last = start + entries[entry + rightField]!;
    const moved = distanceToSeparator(classes, first, errors);
    if (moved > errors || moved + distanceToSeparator(classes, last, errors - moved) > errors) return false;
    let strange = 0;
    for (let place = first + errors + 1; place < last - errors; place++) strange |= 1 << classes[place]!;
    strange &= ~(entries[entry + maskField]! | 1);
    return strange === 0 || countBits(strange) <= entries[entry + exactField]! >>> 16;
  }

  return {
    suspects(text) {
      const length = Math.min(text.length, textLengthMax);
      for (let i = 0; i < length; i++) folded[i] = foldedByte(text.charCodeAt(i));
      return look(folded, 0, length, false);
    },
    suspectsIn(bytes, start, end) {
      look(bytes, start, end, true);
      if (suspects.unclear || !mayHaveALabel || !hasALabel(bytes, start, end)) return suspects;
      const first = readName(bytes, start, end, false);
      const { ambiguous } = first;
      look(first.bytes, 0, first.length, false);
      if (suspects.count === 0 && ambiguous) {
        const second = readName(bytes, start, end, true);
        look(second.bytes, 0, second.length, false);
      }
      // It was a valid name before, and only now holds what no name has.
      suspects.unclear = false;
      return suspects;
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
