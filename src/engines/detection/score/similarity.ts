/**
 * The similarity of a look-alike: fidelity times prominence, from 0 to 1.
 *
 * Fidelity is how exactly the brand is written: 1 - cost / (length + 2), with the cost of the weighted edit
 * distance of `alignment.ts` in edits. The 2 stands for the edges of the word: without it, one typo would take
 * too much from a short word. Prominence is how much of the name the brand is.
 */
import { fullEdit } from "../letters/similar-characters.ts";
import type { Reading } from "./reading.ts";

/** Fidelity of a homophone: it sounds the same, and looks different. */
export const homophoneFidelity = 0.84;

/**
 * The numbers below were set by hand and checked with `scripts/evaluate` on 26,121 phishing host names of 285
 * brands and 1,761 registered homographs, against a million newly registered names and 115,000 popular ones (the
 * lists of the manual's chapter on detection). They have to order places as a reader would notice the brand
 * in them. Above the default `detection.min_similarity` of 0.75 most of them decide between two typos and none.
 */
const prominenceOf = {
  /** The whole registrable label under the brand's own suffix. */
  wholeName: 1,
  wholeLabel: 0.98,
  /** Beside nothing but keywords. */
  besideKeywords: 0.96,
  /** Between separators or digits, with a keyword among other words. */
  setApartBesideKeyword: 0.95,
  setApart: 0.94,
  /** Inside other letters, plus the next two. */
  insideLetters: 0.85,
  /** Times the brand's share of the label's letters. */
  shareOfLabel: 0.08,
  keywordInLabel: 0.02,
} as const;

/** Factor for a label below somebody else's registrable domain. */
const subLabelFactor = 0.98;
/** Factor for the distinctive part of a label, which is less than the brand. */
const stemFactor = 0.92;

/** @param cost hundredths of an edit */
export function fidelity(cost: number, wordLength: number): number {
  return Math.max(0, 1 - cost / fullEdit / (wordLength + 2));
}

export function prominence({ word, context, exposed }: Reading): number {
  let value = placeProminence(context, exposed);
  if (!context.registrable) value *= subLabelFactor;
  if (word.kind === "stem") value *= stemFactor;
  return value;
}

function placeProminence(context: Reading["context"], exposed: boolean): number {
  if (context.wholeLabel) return exposed ? prominenceOf.wholeName : prominenceOf.wholeLabel;
  if (context.rest === "keywords" && context.keywords.length > 0) return prominenceOf.besideKeywords;
  const hasKeyword = context.rest === "some_keywords";
  if (context.between) return hasKeyword ? prominenceOf.setApartBesideKeyword : prominenceOf.setApart;
  const { insideLetters, shareOfLabel, keywordInLabel } = prominenceOf;
  return insideLetters + shareOfLabel * context.share + (hasKeyword ? keywordInLabel : 0);
}

/** Returns the similarity with four decimals. */
export function rounded(similarity: number): number {
  return Math.round(Math.min(1, similarity) * 1e4) / 1e4;
}
