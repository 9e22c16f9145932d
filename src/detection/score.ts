/**
 * The similarity of a look-alike: fidelity times prominence.
 *
 * Fidelity is how exactly the brand is written: 1 - cost / (length + 2), the cost being that of the weighted
 * edit distance of `alignment.ts`. The two is what separates words from each other, so that short words do
 * not fall to nothing by one typo. Prominence is how much of the name the brand is, from 1 for a label that
 * is the brand and nothing else under the brand's own suffix, downwards.
 */
import { fullEdit } from "./likeness.ts";
import type { BrandWord } from "./brand-words.ts";
import type { Context } from "./context.ts";

export function fidelity(cost: number, wordLength: number): number {
  return Math.max(0, 1 - cost / fullEdit / (wordLength + 2));
}

export function prominence(word: BrandWord, context: Context, sameSuffix: boolean): number {
  let value: number;
  if (context.wholeLabel) value = context.registrable && sameSuffix ? 1 : 0.98;
  else if (context.rest === "keywords" && context.keywords.length > 0) value = 0.96;
  else if (context.between) value = context.rest === "some_keywords" ? 0.95 : 0.94;
  else value = 0.85 + 0.08 * context.share + (context.rest === "some_keywords" ? 0.02 : 0);
  if (!context.registrable) value *= 0.98;
  if (word.kind === "stem") value *= 0.92;
  return value;
}

/** Four decimals. */
export function rounded(similarity: number): number {
  return Math.round(Math.min(1, similarity) * 1e4) / 1e4;
}
