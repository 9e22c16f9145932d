/**
 * Prefilter: returns the brand words that a name may contain, which for nearly every name is none, in about a
 * hundred nanoseconds. It has false positives and no false negatives: it never rejects a name in which
 * `scoreName` would find a match.
 *
 * The algorithm is seed and extend. The name is encoded as character classes. Wherever three of them in a row are
 * a seed of some word, the word is compared with the name from the seed outwards to both sides, with as many
 * errors as it tolerates. `seeds.ts` explains why a tolerated match always contains a seed. One table
 * of 32,768 bytes tells for all words at once whether a seed starts a comparison. The place of the seed in the name
 * and the classes on both sides of it then reject most words before the comparison.
 *
 * Longer seeds would be rarer, but eight letters with two errors may leave no four together.
 */
import { labelBytesMax, nameBytesMax } from "../names/name.ts";
import {
  classOfByte,
  digitFlag,
  dotFlag,
  foldedByte,
  foreignFlag,
  separatorFlag,
} from "./character-classes.ts";
import {
  encodeBetweenDigits,
  encodeName,
  encodeWithoutSeparators,
  newEncodedName,
  textLengthMax,
} from "./encoded-name.ts";
import { anchoredOnly, anywhereOnly, both, type FilterTables } from "./filter-tables.ts";
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
  const joined = newEncodedName();
  const numbered = newEncodedName();
  const folded = new Uint8Array(textLengthMax);
  /** Number of separators in the last name that was scanned, if it is split. */
  let separatorCount = 0;
  const decodeName = createNameDecoder(textLengthMax);

  /**
   * Compares the words whose seeds a name contains. The name is without its last label: no brand is imitated by a
   * top-level domain. Returns the flags of its bytes; see `classOfByte`.
   */
  function scan(bytes: Uint8Array, start: number, end: number): number {
    const last = Math.min(end, start + textLengthMax);
    const flags = encodeName(bytes, start, last, plain, marks.both);
    const isSplit = (flags & separatorFlag) !== 0;
    const hasDigits = (flags & digitFlag) !== 0;
    if (hasDigits) encodeBetweenDigits(bytes, start, last, numbered, marks.anchored);
    startName(hasDigits ? numbered.classes : plain.classes);
    if (plain.hitCount > 0) extendSeeds(plain, isSplit ? anchoredOnly : both, !isSplit);
    if (isSplit) {
      encodeWithoutSeparators(plain, joined, marks.anywhere);
      separatorCount = plain.end - joined.end;
      if (joined.hitCount > 0) extendSeeds(joined, anywhereOnly, false);
    }
    if (hasDigits && numbered.hitCount > 0) extendSeeds(numbered, anchoredOnly, false);
    return flags;
  }

  return {
    candidates(text) {
      scan(folded, 0, writeBytes(text, folded));
      return candidates;
    },
    screen(bytes, start, end) {
      let top = end;
      let topFlags = 0;
      while (top > start && bytes[top - 1] !== dot) topFlags |= classOfByte[bytes[--top]!]!;
      // The name is not known to be a valid ASCII host name, so it may contain anything.
      if (end - start > nameBytesMax || !isLabelLength(end - top)) return true;
      // A name without a dot is empty here. A last label that starts with a digit may be the end of an IP address.
      if (top - start < 2 || (classOfByte[bytes[top]!]! & digitFlag) !== 0) return true;
      const flags = scan(bytes, start, top - 1);
      if (((flags | topFlags) & foreignFlag) !== 0) return true;
      if ((flags & dotFlag) === 0 && !isLabelLength(top - 1 - start)) return true;
      if ((flags & separatorFlag) === 0) return candidates.count > 0;
      if ((flags & dotFlag) !== 0 && !areLabelLengths(bytes, start, top)) return true;
      if (separatorCount < 2 || !hasALabel(bytes, start, end)) return candidates.count > 0;
      const first = decodeName(bytes, start, end, false);
      const { ambiguous } = first;
      scan(first.bytes, 0, first.length);
      if (candidates.count > 0 || !ambiguous) return candidates.count > 0;
      const second = decodeName(bytes, start, end, true);
      scan(second.bytes, 0, second.length);
      return candidates.count > 0;
    },
  };
}

function isLabelLength(length: number): boolean {
  return length > 0 && length <= labelBytesMax;
}

/** Returns whether the labels that end with the dots before `end` have valid lengths. */
function areLabelLengths(bytes: Uint8Array, start: number, end: number): boolean {
  let labelStart = start;
  for (let i = start; i < end; i++) {
    if (bytes[i] !== dot) continue;
    if (!isLabelLength(i - labelStart)) return false;
    labelStart = i + 1;
  }
  return true;
}

/** Writes one byte for each character of a folded text, and returns their number. */
function writeBytes(text: string, target: Uint8Array): number {
  const length = Math.min(text.length, textLengthMax);
  for (let i = 0; i < length; i++) target[i] = foldedByte(text.charCodeAt(i));
  return length;
}
