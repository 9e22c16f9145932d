/**
 * How surprising letters are that form no known word: a bigram model of the letters of common words. Random
 * letters take about 6 bits each, letters of a name that no list contains about 4.
 */
import { letterSample } from "../data/lexicon.ts";
import { lazy } from "../../../platform/lib/startup.ts";

/** The letters `a` to `z`, and one row and column for everything else, such as the edge of a word. */
export const other = 26;
export const symbols = 27;
/** Share of letters that follow no pattern, so that a pair that the sample lacks is rare instead of impossible. */
const patternless = 0.2;
const codeOfA = 0x61;

/**
 * Bits of a character after another one, by their symbols: `pairBits()[previous * symbols + next]`. A run of letters
 * starts after `other`.
 */
export const pairBits = lazy(() => {
  const counts = new Float64Array(symbols * symbols);
  let previous = other;
  for (let i = 0; i < letterSample.length; i++) {
    const next = symbolOf(letterSample.charCodeAt(i));
    counts[previous * symbols + next]!++;
    previous = next;
  }
  // The edge of a word is no letter that could have come next.
  const totals = Array.from({ length: symbols }, (_, row) => {
    return counts.subarray(row * symbols, row * symbols + other).reduce((sum, one) => sum + one, 0);
  });
  return counts.map((count, index) => {
    if (index % symbols === other) return otherCharacterBits;
    const share = count / (totals[Math.floor(index / symbols)] ?? 0);
    return -Math.log2((1 - patternless) * share + patternless / other);
  });
});

/** Bits of a character that is no ASCII letter: one of a large set. */
const otherCharacterBits = 8;

/** Returns the mean bits of the letters of a text: the fewer, the more it reads like a word. */
export function meanLetterBits(text: string): number {
  const bitsOf = pairBits();
  let bits = 0;
  let previous = other;
  for (let i = 0; i < text.length; i++) {
    const next = symbolOf(text.charCodeAt(i));
    bits += bitsOf[previous * symbols + next] ?? 0;
    previous = next;
  }
  return bits / text.length;
}

/** Returns the symbol of a character. */
export function symbolOf(code: number): number {
  const letter = code - codeOfA;
  return letter >= 0 && letter < other ? letter : other;
}
