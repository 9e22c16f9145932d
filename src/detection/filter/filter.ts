/**
 * Prefilter: returns the brand words that a name may contain, which for nearly every name is none, in about a
 * hundred nanoseconds. It has false positives and no false negatives: it never rejects a name in which
 * `scoreName` would find a match.
 *
 * The algorithm is seed and extend. The name is encoded as character classes. Wherever three of them in a row are
 * a seed of some word, the word is compared with the name from the seed outwards to both sides, with as many
 * errors as it tolerates. `seeds.ts` explains why a tolerated match always contains a seed. One table
 * of 32,768 bytes tells for all words at once whether a seed starts a comparison, so that most names cost the same
 * with one word as with a thousand.
 *
 * Longer seeds would be rarer, but eight letters with two errors may leave no four together.
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
import { margin, newEncodedName, textLengthMax, type EncodedName } from "./encoded-name.ts";
import { seedLength } from "./seeds.ts";
import { createNameDecoder, hasALabel } from "./name-decoder.ts";

export interface Filter {
  /** Returns the words that `text`, a folded name without its public suffix, may contain. */
  candidates(text: string): Candidates;
  /** Returns whether the name needs `Matcher.match`; see `Matcher.screen`. */
  screen(bytes: Uint8Array, start: number, end: number): boolean;
}

/** The first `count` of `words` are indices of words. The next call overwrites them. */
export interface Candidates {
  readonly words: Int32Array;
  count: number;
}

const dot = 0x2e;
/** Number of low bits in a seed hit that hold the place of the seed's last class; the seed's number is above. */
const placeBits = 11;
const placeMask = (1 << placeBits) - 1;

/** @param tables made by `buildTables` */
export function createFilter(tables: FilterTables): Filter {
  const { marks, heads, entries, wordCount } = tables;
  const { isBetweenSeparators, lacksTooManyClasses, isAmidLetters, hasTooManyForeignClasses, matches } =
    createPatternTests(tables);
  const lastSeen = new Int32Array(wordCount);
  const candidates: Candidates = { words: new Int32Array(wordCount), count: 0 };
  const plain = newEncodedName();
  const other = newEncodedName();
  const folded = new Uint8Array(textLengthMax);
  const decodeName = createNameDecoder(textLengthMax);
  /** Number of the current scan, so that `lastSeen` needs no clearing. */
  let scanNumber = 0;
  let nameMask = 0;
  let hasDigits = false;
  let mayHaveALabel = false;
  /** The name is not known to be a valid ASCII host name, so it may contain anything. */
  let unclear = false;

  /**
   * Encodes the name and compares the words whose seeds it contains. With `hasSuffix`, seeds in the last label do
   * not count, because no brand is imitated by a top-level domain.
   */
  function scan(bytes: Uint8Array, start: number, end: number, hasSuffix: boolean): Candidates {
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
      // Branch-free: always store the seed, and keep it by advancing the count if it is marked. Marked seeds come
      // at random, so the processor would often mispredict a branch.
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
    // An A-label contains two hyphens, and the name a dot.
    mayHaveALabel = separators > 2;
    if (hasSuffix && lastDot > margin) {
      place = lastDot;
      hitCount = hitCountAtDot;
      mask = maskAtDot;
    } else {
      hitCount = addLastSeed(plain, place, seed, hitCount);
    }
    classes[place] = separatorClass;
    classes[place + 1] = textEdge;
    plain.hitCount = hitCount;
    candidates.count = 0;
    nameMask = mask;
    hasDigits = coded >= digitFlag;
    scanNumber = (scanNumber + 1) | 0;
    const isSplit = separators > (hasSuffix ? 1 : 0);
    if (hitCount > 0) extendSeeds(plain, isSplit ? anchoredOnly : both, isSplit ? 0 : place);
    if (isSplit) scanWithoutSeparators(place);
    if (hasDigits) scanBetweenDigits(bytes, start, place);
    return candidates;
  }

  /** Scans the name without separators, because attackers split brands by hyphens and dots. */
  function scanWithoutSeparators(end: number): void {
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
    extendSeedsOfOther(place, seed, hitCount, anywhereOnly);
  }

  /** Scans the name with digits as separators, because attackers number brands. */
  function scanBetweenDigits(bytes: Uint8Array, start: number, end: number): void {
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
    extendSeedsOfOther(end, seed, hitCount, anchoredOnly);
  }

  function extendSeedsOfOther(end: number, seed: number, hitCount: number, kinds: number): void {
    other.classes[end] = separatorClass;
    other.classes[end + 1] = textEdge;
    other.hitCount = addLastSeed(other, end, seed, hitCount);
    if (other.hitCount > 0) extendSeeds(other, kinds, 0);
  }

  /** Adds the seed that ends with the separator at the end of the name, and returns the number of hits. */
  function addLastSeed(reading: EncodedName, place: number, seed: number, hitCount: number): number {
    const last = (seed << classBits) & seedMask;
    reading.hits[hitCount] = (last << placeBits) | place;
    return hitCount + marks[last]!;
  }

  /**
   * Compares the words at each seed hit. `kinds` selects anchored patterns, unanchored ones, or both: the name without
   * separators contains everything that a split name contains unanchored, so that is compared only once.
   */
  function extendSeeds({ classes, hits, hitCount }: EncodedName, kinds: number, edge: number): void {
    for (let hit = 0; hit < hitCount; hit++) {
      const start = (hits[hit]! & placeMask) - seedLength + 1;
      const head = 2 * (hits[hit]! >>> placeBits);
      const anywhere = heads[head + 1]!;
      if ((kinds & anchoredOnly) !== 0) {
        for (let entry = heads[head]! * entryFields; entry < anywhere * entryFields; entry += entryFields) {
          if (
            isBetweenSeparators(entry, classes, start, edge) &&
            !lacksTooManyClasses(entry, nameMask) &&
            !hasTooManyForeignClasses(entry, classes, start)
          )
            extendSeed(entry, classes, start);
        }
      }
      if ((kinds & anywhereOnly) !== 0) {
        const last = heads[head + 2]! * entryFields;
        for (let entry = anywhere * entryFields; entry < last; entry += entryFields) {
          if (lacksTooManyClasses(entry, nameMask)) continue;
          if (edge !== 0 && !hasDigits && isAmidLetters(entry, classes, start)) continue;
          extendSeed(entry, classes, start);
        }
      }
    }
  }

  function extendSeed(entry: number, classes: Uint8Array, start: number): void {
    const word = entries[entry + wordField]!;
    if (lastSeen[word] === scanNumber || !matches(entry, classes, start)) return;
    lastSeen[word] = scanNumber;
    candidates.words[candidates.count++] = word;
  }

  return {
    candidates(text) {
      const length = Math.min(text.length, textLengthMax);
      for (let i = 0; i < length; i++) folded[i] = foldedByte(text.charCodeAt(i));
      return scan(folded, 0, length, false);
    },
    screen(bytes, start, end) {
      scan(bytes, start, end, true);
      if (unclear) return true;
      if (!mayHaveALabel || !hasALabel(bytes, start, end)) return candidates.count > 0;
      const first = decodeName(bytes, start, end, false);
      const { ambiguous } = first;
      scan(first.bytes, 0, first.length, false);
      if (candidates.count > 0 || !ambiguous) return candidates.count > 0;
      const second = decodeName(bytes, start, end, true);
      scan(second.bytes, 0, second.length, false);
      return candidates.count > 0;
    },
  };
}

function isDigit(byte: number): boolean {
  return classOfByte[byte]! >= digitFlag;
}
