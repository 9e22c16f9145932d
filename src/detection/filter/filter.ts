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
import { labelBytesMax, nameBytesMax } from "../names/name.ts";
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
  addLastSeed,
  encodeBetweenDigits,
  encodeWithoutSeparators,
  endName,
  margin,
  newEncodedName,
  placeBits,
  textLengthMax,
} from "./encoded-name.ts";
import { anchoredOnly, anywhereOnly, both, seedMask, type FilterTables } from "./filter-tables.ts";
import { createNameDecoder, hasALabel } from "./name-decoder.ts";
import { createSeedExtender, type Candidates } from "./seed-extender.ts";

export interface Filter {
  /** Returns the words that `text`, a folded name without its public suffix, may contain. */
  candidates(text: string): Candidates;
  /** Returns whether the name needs `Matcher.match`; see `Matcher.screen`. */
  screen(bytes: Uint8Array, start: number, end: number): boolean;
}

const dot = 0x2e;

/** @param tables made by `buildTables` */
export function createFilter(tables: FilterTables): Filter {
  const { marks } = tables;
  const { candidates, startName, extendSeeds } = createSeedExtender(tables);
  const plain = newEncodedName();
  const other = newEncodedName();
  const folded = new Uint8Array(textLengthMax);
  const decodeName = createNameDecoder(textLengthMax);
  /** Bit set of the classes in the last name that was scanned. */
  let nameMask = 0;
  let separatorCount = 0;
  /** Lengths of its labels. */
  let longestLabel = 0;
  let shortestLabel = 0;

  /**
   * Encodes a name without its last label, and compares the words whose seeds it contains: no brand is imitated by a
   * top-level domain.
   */
  function scan(bytes: Uint8Array, start: number, end: number): Candidates {
    const { classes, hits } = plain;
    const last = Math.min(end, start + textLengthMax);
    let seed = 0;
    let hitCount = 0;
    let coded = 0;
    let mask = 0;
    let separators = 0;
    let labelStart = start;
    longestLabel = 0;
    shortestLabel = labelBytesMax;
    let place = margin + 1;
    for (let i = start; i < last; i++, place++) {
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
          addLabel(i - labelStart);
          labelStart = i + 1;
        }
      }
    }
    addLabel(last - labelStart);
    nameMask = mask;
    separatorCount = separators;
    hitCount = addLastSeed(plain, place, seed, hitCount, marks);
    endName(plain, place, hitCount);
    const hasDigits = coded >= digitFlag;
    const isSplit = separators > 0;
    startName(mask, hasDigits);
    if (hitCount > 0) extendSeeds(plain, isSplit ? anchoredOnly : both, isSplit ? 0 : place);
    if (isSplit) {
      encodeWithoutSeparators(plain, place, other, marks);
      if (other.hitCount > 0) extendSeeds(other, anywhereOnly, 0);
    }
    if (hasDigits) {
      encodeBetweenDigits(bytes, start, place, other, marks);
      if (other.hitCount > 0) extendSeeds(other, anchoredOnly, 0);
    }
    return candidates;
  }

  function addLabel(length: number): void {
    longestLabel = Math.max(longestLabel, length);
    shortestLabel = Math.min(shortestLabel, length);
  }

  return {
    candidates: (text) => scan(folded, 0, writeBytes(text, folded)),
    screen(bytes, start, end) {
      let top = end;
      let topMask = 0;
      while (top > start && bytes[top - 1] !== dot) topMask |= 1 << (classOfByte[bytes[--top]!]! & classMask);
      // The name is not known to be a valid ASCII host name, so it may contain anything.
      if (top === start || end - start > nameBytesMax) return true;
      scan(bytes, start, top - 1);
      addLabel(end - top);
      const mask = topMask | nameMask;
      if (longestLabel > labelBytesMax || shortestLabel < 1 || mayBeNoHostName(mask, bytes[top]!))
        return true;
      // An A-label contains two hyphens.
      if (separatorCount < 2 || !hasALabel(bytes, start, end)) return candidates.count > 0;
      const first = decodeName(bytes, start, end, false);
      const { ambiguous } = first;
      scan(first.bytes, 0, first.length);
      if (candidates.count > 0 || !ambiguous) return candidates.count > 0;
      const second = decodeName(bytes, start, end, true);
      return scan(second.bytes, 0, second.length).count > 0;
    },
  };
}

/**
 * Returns whether a name contains characters that are not allowed in ASCII host names, or its last label starts with a
 * digit, so that it may be an IP address.
 */
function mayBeNoHostName(mask: number, firstOfLastLabel: number): boolean {
  return mask >>> otherClass !== 0 || classOfByte[firstOfLastLabel]! >= digitFlag;
}

/** Writes one byte for each character of a folded text, and returns their number. */
function writeBytes(text: string, target: Uint8Array): number {
  const length = Math.min(text.length, textLengthMax);
  for (let i = 0; i < length; i++) target[i] = foldedByte(text.charCodeAt(i));
  return length;
}
