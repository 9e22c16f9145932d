/** Compares two explanations of a text: that it contains the brand, and that it consists of other words. */
import { segment } from "./segment.ts";

/** Bits (-log2 of the probability) of the brand as a word: like that of any word. */
const brandBits = 15;
/** Bits of each difference to the brand. */
const differenceBits = { separator: 7, confusable: 7, typo: 9 } as const;
/** Bits of the "s" of a plural. */
const pluralBits = 2;
/** Bits of digits among letters, and of each digit. */
const numberBits = 6;
const digitBits = 3.3;
/** Bits of a brand whose first or last digit belongs to a longer number. */
const cutNumberBits = 9;

/** Runs of digits, and of other characters between separators. */
const pieces = /\d+|[^-.\d]+/g;

export type Difference = keyof typeof differenceBits;

/**
 * Returns by how many bits the best segmentation of the text around a stretch is shorter without the brand than with
 * it. Positive: other words explain the text better than the brand does.
 *
 * @param start, end the stretch that reads as the brand
 */
export function bitsSavedWithoutBrand({
  text,
  start,
  end,
  brand,
  differences,
}: {
  text: string;
  start: number;
  end: number;
  brand: string;
  differences: readonly Difference[];
}): number {
  const left = /[^-.\d]*$/.exec(text.slice(0, start))![0];
  const right = /^[^-.\d]*/.exec(text.slice(end))![0];
  let withBrand = Math.min(brandBits, bitsOfPieces(brand));
  for (const difference of differences) withBrand += differenceBits[difference];
  for (const cut of [start, end]) {
    if (/\d\d/.test(text.slice(Math.max(0, cut - 1), cut + 1))) withBrand += cutNumberBits;
  }
  const plural = right.startsWith("s") ? pluralBits + segment(right.slice(1)).bits : Infinity;
  withBrand += segment(left).bits + Math.min(segment(right).bits, plural);
  return withBrand - bitsOfPieces(left + text.slice(start, end) + right);
}

function bitsOfPieces(text: string): number {
  return (text.match(pieces) ?? []).reduce((sum, piece) => {
    const isNumber = /\d/.test(piece);
    return sum + (isNumber ? numberBits + digitBits * piece.length : segment(piece).bits);
  }, 0);
}

/** Returns whether the text consists of words, separators and digits. */
export function consistsOfWords(text: string): boolean {
  return (text.match(/[^-.\d]+/g) ?? []).every((piece) => segment(piece).unknown === 0);
}
