/**
 * Segments letters into words by frequency (Norvig 2009, "Natural Language Corpus Data"): of all ways to read the
 * letters as words of the lexicon and letters of no known word, dynamic programming finds the most probable one. The
 * lists contain no counts, so a word has the frequency of its class.
 */
import { newFoundWords, wordsAt } from "../data/lexicon.ts";
import { other, pairBits, symbolOf, symbols } from "./letter-model.ts";

/** Bits with which letters of no known word begin, in addition to those of each letter. */
const unknownStartBits = 9;

const tellingLengthMin = 3;

/** More than the length of any label. Longer texts get arrays of their own. */
const lengthMax = 255;
const shared = { bits: new Float64Array(lengthMax + 1), unknown: new Uint16Array(lengthMax + 1) };
const found = newFoundWords();

/**
 * Returns the most probable segmentation of `text`, which contains no separators: the bits (-log2) of its probability, and the
 * number of letters that belong to no known word of at least three letters. Any text contains shorter ones.
 */
export function segment(text: string): { bits: number; unknown: number } {
  // bits[i] and unknown[i]: the best segmentation of text[0, i). The open one ends with letters of no known word.
  const { bits, unknown } = text.length <= lengthMax ? shared : arraysFor(text.length);
  bits.fill(Infinity, 1, text.length + 1);
  const letterBits = pairBits();
  let openBits = Infinity;
  let openUnknown = 0;
  let previous = other;
  for (let start = 0; start < text.length; start++) {
    const symbol = symbolOf(text.charCodeAt(start));
    const opened = (bits[start] ?? 0) + unknownStartBits + (letterBits[other * symbols + symbol] ?? 0);
    const continued = openBits + (letterBits[previous * symbols + symbol] ?? 0);
    previous = symbol;
    openUnknown = (opened < continued ? (unknown[start] ?? 0) : openUnknown) + 1;
    openBits = Math.min(opened, continued);
    if (openBits < (bits[start + 1] ?? 0)) {
      bits[start + 1] = openBits;
      unknown[start + 1] = openUnknown;
    }
    const count = wordsAt(text, start, found);
    for (let i = 0; i < count; i++) {
      const length = found.lengths[i] ?? 0;
      const whole = (bits[start] ?? 0) + (found.bits[i] ?? 0);
      if (whole >= (bits[start + length] ?? 0)) continue;
      bits[start + length] = whole;
      unknown[start + length] = (unknown[start] ?? 0) + (length < tellingLengthMin ? length : 0);
    }
  }
  return { bits: bits[text.length] ?? 0, unknown: unknown[text.length] ?? 0 };
}

function arraysFor(length: number): typeof shared {
  return { bits: new Float64Array(length + 1), unknown: new Uint16Array(length + 1) };
}
