/**
 * Segments letters into words by frequency (Norvig 2009, "Natural Language Corpus Data"): of all ways to read the
 * letters as words of the lexicon and letters of no known word, dynamic programming finds the most probable one. The
 * lists contain no counts, so a word has the frequency of its class.
 */
import { wordsAt } from "../data/lexicon.ts";
import { firstLetterBits, nextLetterBits } from "./letter-model.ts";

/** Bits with which letters of no known word begin, in addition to those of each letter. */
const unknownStartBits = 9;

export interface Segmentation {
  /** -log2 of its probability. */
  bits: number;
  /** Number of letters that belong to no known word of at least three letters: any text contains shorter ones. */
  unknown: number;
}

/** Returns the most probable segmentation of `text`, which contains no separators. */
export function segment(text: string): Segmentation {
  // best[i]: the best segmentation of text[0, i). open[i]: the best one that ends with letters of no known word.
  const best: Segmentation[] = [{ bits: 0, unknown: 0 }];
  let open: Segmentation = impossible;
  for (let start = 0; start < text.length; start++) {
    const before = best[start] ?? impossible;
    const code = text.charCodeAt(start);
    const opened = before.bits + unknownStartBits + firstLetterBits(code);
    const continued = open.bits + nextLetterBits(text.charCodeAt(start - 1), code);
    const from = opened < continued ? before : open;
    open = { bits: Math.min(opened, continued), unknown: from.unknown + 1 };
    if (open.bits < (best[start + 1] ?? impossible).bits) best[start + 1] = open;
    wordsAt(text, start, (length, bits) => {
      const unknown = before.unknown + (length < tellingLengthMin ? length : 0);
      const whole = { bits: before.bits + bits, unknown };
      if (whole.bits < (best[start + length] ?? impossible).bits) best[start + length] = whole;
    });
  }
  return best[text.length]!;
}

const tellingLengthMin = 3;

const impossible: Segmentation = { bits: Infinity, unknown: 0 };
