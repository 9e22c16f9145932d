/**
 * Says in some hundred nanoseconds which brand words a name might hold, and for nearly every name: none. It
 * may say yes wrongly; it never says no where `judge.ts` would find something.
 *
 * The name is reduced to classes of characters. Wherever three of them are a seed of some word, that word is
 * laid against the name, from the seed outwards to both sides, with as many errors as it is allowed.
 */
import {
  classBits,
  classMask,
  classOfByte,
  digitFlag,
  foldedByte,
  otherClass,
  separatorClass,
} from "./character-classes.ts";
import {
  anchoredOnly,
  anywhereOnly,
  both,
  entryFields,
  seedMask,
  wordField,
  type FilterTables,
} from "./filter-tables.ts";
import { labelBytesMax, nameBytesMax } from "../names/name.ts";
import { createPatternTests } from "./pattern-tests.ts";
import { textEdge } from "./match-with-errors.ts";
import { margin, newReading, textLengthMax, type Reading } from "./encoded-name.ts";
import { seedLength } from "./seeds.ts";
import { createNameReader, hasALabel } from "./shown-name.ts";

export interface Filter {
  /** The words that `text`, a folded name without its public suffix, might hold. */
  suspects(text: string): Suspects;
  /** As `Matcher.screen`: whether the whole name in a buffer has to be looked at. */
  screen(bytes: Uint8Array, start: number, end: number): boolean;
}

/** The first `count` of `words` are indices of words; they change with the next call. */
export interface Suspects {
  readonly words: Int32Array;
  count: number;
}

const dot = 0x2e;
/** A hit is the number of a seed and, in so many bits, the place of its last class. */
const placeBits = 11;
const placeMask = (1 << placeBits) - 1;

/** @param tables of the words, from `buildTables`. */
export function createFilter(tables: FilterTables): Filter {
  const { marks, heads, entries, wordCount } = tables;
  const { isBetweenSeparators, lacksTooMuch, isAmidLetters, holdsStrangers, fits } =
    createPatternTests(tables);
  const lastSeen = new Int32Array(wordCount);
  const suspects: Suspects = { words: new Int32Array(wordCount), count: 0 };
  const plain = newReading();
  const other = newReading();
  const folded = new Uint8Array(textLengthMax);
  const readName = createNameReader(textLengthMax);
  let now = 0;
  let nameMask = 0;
  let hasDigits = false;
  let mayHaveALabel = false;
  /** It is no host name in plain letters, or needs a closer look to tell: it may hold anything. */
  let unclear = false;

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
    unclear =
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
    hasDigits = coded >= digitFlag;
    now = (now + 1) | 0;
    const parted = separators > (hasSuffix ? 1 : 0);
    if (hitCount > 0) lookThrough(plain, parted ? anchoredOnly : both, parted ? 0 : place);
    if (parted) lookSqueezed(place);
    if (hasDigits) lookBetweenDigits(bytes, start, place);
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
    if (other.hitCount > 0) lookThrough(other, kinds, 0);
  }

  /** The seed that ends with the separator at the end of the name. */
  function closeReading(reading: Reading, place: number, seed: number, hitCount: number): number {
    const last = (seed << classBits) & seedMask;
    reading.hits[hitCount] = (last << placeBits) | place;
    return hitCount + marks[last]!;
  }

  /** A reading without separators holds all that a parted name holds anywhere, so that it is not looked for twice. */
  function lookThrough({ classes, hits, hitCount }: Reading, kinds: number, edge: number): void {
    for (let hit = 0; hit < hitCount; hit++) {
      const start = (hits[hit]! & placeMask) - seedLength + 1;
      const head = 2 * (hits[hit]! >>> placeBits);
      const anywhere = heads[head + 1]!;
      if ((kinds & anchoredOnly) !== 0) {
        for (let entry = heads[head]! * entryFields; entry < anywhere * entryFields; entry += entryFields) {
          if (
            isBetweenSeparators(entry, classes, start, edge) &&
            !lacksTooMuch(entry, nameMask) &&
            !holdsStrangers(entry, classes, start)
          )
            lookCloser(entry, classes, start);
        }
      }
      if ((kinds & anywhereOnly) !== 0) {
        const last = heads[head + 2]! * entryFields;
        for (let entry = anywhere * entryFields; entry < last; entry += entryFields) {
          if (lacksTooMuch(entry, nameMask)) continue;
          if (edge !== 0 && !hasDigits && isAmidLetters(entry, classes, start)) continue;
          lookCloser(entry, classes, start);
        }
      }
    }
  }

  function lookCloser(entry: number, classes: Uint8Array, start: number): void {
    const word = entries[entry + wordField]!;
    if (lastSeen[word] === now || !fits(entry, classes, start)) return;
    lastSeen[word] = now;
    suspects.words[suspects.count++] = word;
  }

  return {
    suspects(text) {
      const length = Math.min(text.length, textLengthMax);
      for (let i = 0; i < length; i++) folded[i] = foldedByte(text.charCodeAt(i));
      return look(folded, 0, length, false);
    },
    screen(bytes, start, end) {
      look(bytes, start, end, true);
      if (unclear) return true;
      if (!mayHaveALabel || !hasALabel(bytes, start, end)) return suspects.count > 0;
      const first = readName(bytes, start, end, false);
      const { ambiguous } = first;
      look(first.bytes, 0, first.length, false);
      if (suspects.count > 0 || !ambiguous) return suspects.count > 0;
      const second = readName(bytes, start, end, true);
      look(second.bytes, 0, second.length, false);
      return suspects.count > 0;
    },
  };
}

function isDigit(byte: number): boolean {
  return classOfByte[byte]! >= digitFlag;
}
