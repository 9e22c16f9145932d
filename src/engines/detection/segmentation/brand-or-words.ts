/** Compares two explanations of a text: that it contains the brand, and that it consists of other words. */
import { BoundedMap } from "../../../platform/lib/bounded-map.ts";
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

interface BitsSavedWithoutBrandOptions {
  text: string;
  start: number;
  end: number;
  brand: string;
  differences: readonly Difference[];
}

/**
 * Returns by how many bits the best segmentation of the text around a stretch is shorter without the brand than with
 * it. Positive: other words explain the text better than the brand does.
 *
 * @param start, end the stretch that reads as the brand
 */
export function bitsSavedWithoutBrand(options: BitsSavedWithoutBrandOptions): number {
  const { text, start, end, brand, differences } = options;
  let first = start;
  while (first > 0 && isLetter(text.charCodeAt(first - 1))) first--;
  let last = end;
  while (last < text.length && isLetter(text.charCodeAt(last))) last++;
  const right = text.slice(end, last);
  const bitsOfBrand = knownBrands.getOrCreate(brand, () => bitsOfPieces(brand));
  let withBrand = Math.min(brandBits, bitsOfBrand);
  for (const difference of differences) withBrand += differenceBits[difference];
  if (isInNumber(text, start)) withBrand += cutNumberBits;
  if (isInNumber(text, end)) withBrand += cutNumberBits;
  const plural = right.startsWith("s") ? pluralBits + segment(right.slice(1)).bits : Infinity;
  withBrand += segment(text.slice(first, start)).bits + Math.min(segment(right).bits, plural);
  const whole = text.slice(first, last);
  return withBrand - (whole === brand ? bitsOfBrand : bitsOfPieces(whole));
}

function isLetter(code: number): boolean {
  return code !== 0x2d && code !== 0x2e && !isDigit(code);
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Returns whether digits stand on both sides of a position in the text. */
function isInNumber(text: string, at: number): boolean {
  return isDigit(text.charCodeAt(at - 1)) && isDigit(text.charCodeAt(at));
}

/** Maximum number of brands whose bits are kept. */
const knownBrandsMax = 4096;
const knownBrands = new BoundedMap<string, number>(knownBrandsMax);

function bitsOfPieces(text: string): number {
  let sum = 0;
  for (const piece of text.match(pieces) ?? []) {
    const isNumber = isDigit(piece.charCodeAt(0));
    sum += isNumber ? numberBits + digitBits * piece.length : segment(piece).bits;
  }
  return sum;
}

/** Returns whether the text consists of words, separators and digits. */
export function consistsOfWords(text: string): boolean {
  return (text.match(/[^-.\d]+/g) ?? []).every((piece) => segment(piece).unknown === 0);
}
