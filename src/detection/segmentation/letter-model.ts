/**
 * How surprising letters are that form no known word: a bigram model of the letters of common words. Random
 * letters take about 6 bits each, letters of a name that no list contains about 4.
 */
import { letterSample } from "../data/lexicon.ts";
import { lazy } from "../../lib/startup.ts";

/** The letters `a` to `z`, and one row and column for everything else, such as the edge of a word. */
const other = 26;
const symbols = 27;
/** Share of letters that follow no pattern, so that a pair that the sample lacks is rare instead of impossible. */
const patternless = 0.2;
const codeOfA = 0x61;

/** pairBits[previous * symbols + next]: bits of a letter after another one. */
const pairBits = lazy(() => {
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
    const share = count / totals[Math.floor(index / symbols)]!;
    return -Math.log2((1 - patternless) * share + patternless / other);
  });
});

/** Bits of a character that is no ASCII letter: one of a large set. */
const otherCharacterBits = 8;

/** Returns the bits of a character at the start of a run of letters. */
export function firstLetterBits(code: number): number {
  return pairBits()[other * symbols + symbolOf(code)]!;
}

/** Returns the bits of a character after another one. */
export function nextLetterBits(previous: number, code: number): number {
  return pairBits()[symbolOf(previous) * symbols + symbolOf(code)]!;
}

/** Returns the mean bits of the letters of a text: the fewer, the more it reads like a word. */
export function meanLetterBits(text: string): number {
  let bits = firstLetterBits(text.charCodeAt(0));
  for (let i = 1; i < text.length; i++) bits += nextLetterBits(text.charCodeAt(i - 1), text.charCodeAt(i));
  return bits / text.length;
}

function symbolOf(code: number): number {
  const letter = code - codeOfA;
  return letter >= 0 && letter < other ? letter : other;
}
