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
      lastDot === margin ||
      end - start > nameBytesMax ||
      Math.max(longestLabel, topLabel) > labelBytesMax ||
      Math.min(shortestLabel, topLabel) < 1 ||
      mayBeNoHostName(mask, bytes[start + lastDot - margin]!);
    // An A-label contains two hyphens, and the name a dot.
    mayHaveALabel = separators > 2;
    if (hasSuffix && lastDot > margin) {
      place = lastDot;
      hitCount = hitCountAtDot;
      mask = maskAtDot;
    } else {
      hitCount = addLastSeed(plain, place, seed, hitCount, marks);
    }
    endName(plain, place, hitCount);
    const hasDigits = coded >= digitFlag;
    startName(mask, hasDigits);
    const isSplit = separators > (hasSuffix ? 1 : 0);
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

  return {
    candidates: (text) => scan(folded, 0, writeBytes(text, folded), false),
    screen(bytes, start, end) {
      scan(bytes, start, end, true);
      if (unclear) return true;
      if (!mayHaveALabel || !hasALabel(bytes, start, end)) return candidates.count > 0;
      const first = decodeName(bytes, start, end, false);
      const { ambiguous } = first;
      scan(first.bytes, 0, first.length, false);
      if (candidates.count > 0 || !ambiguous) return candidates.count > 0;
      const second = decodeName(bytes, start, end, true);
      return scan(second.bytes, 0, second.length, false).count > 0;
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
