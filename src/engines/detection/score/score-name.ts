/**
 * Scores one name against one brand word: finds every stretch of the name that reads as the word, with its type of
 * squatting and its similarity. This takes a few microseconds, most of them for words of the rest of the label. The
 * prefilter (`filter.ts`) rejects nearly all names before.
 */
import type { LookAlikeType } from "../types.ts";
import type { Aligner, Alignment, Edit } from "../alignment/alignment.ts";
import type { BrandWord } from "../brand/brand-words.ts";
import type { Host } from "../names/host.ts";
import { countErrors, otherLettersIn, Reading } from "./reading.ts";
import type { Acceptance, Rule } from "./rule.ts";
import { fullEdit } from "../letters/similar-characters.ts";

export interface ScoredReading {
  /** The stretch of the host's text that reads as the word. */
  start: number;
  end: number;
  type: LookAlikeType;
  similarity: number;
  /** Name of the acceptance rule that kept the reading. */
  rule: string;
  /** The reading that was scored; a changed bit is one edit in it. */
  reading: Reading;
}

// Costs are in hundredths of an edit.

/** Cost of each character that is not what it looks like. */
const foldedCharacterCost = 5;
/** Maximum cost of a single edit in a label under the brand's own suffix, wherever in the label. */
const exposedEditCostMax = 130;
/** Allowance for edits that do not count as errors: separators and look-alikes. */
const slackCost = 120;
/** More than any single edit costs. */
const editCostMax = 250;

interface ScoreNameOptions {
  aligner: Aligner;
  accept: Acceptance;
  host: Host;
  word: BrandWord;
  suffix: string;
  minSimilarity: number;
}

/**
 * Returns the readings of the name as `word` with at least `minSimilarity`.
 *
 * @param suffix public suffix of the protected domain
 */
export function scoreName(options: ScoreNameOptions): ScoredReading[] {
  const { aligner, accept, host, word, suffix, minSimilarity } = options;
  const scored: ScoredReading[] = [];
  if (word.ending?.test(host.text) === false) return scored;
  for (const alignment of alignmentsOf(aligner, host, word)) {
    // Cheap necessary conditions first: computing the context takes longest.
    if (fidelity(leastCost(alignment), word.length) < minSimilarity) continue;
    const errors = countErrors(alignment);
    if (errors > word.errorsAnchored) continue;
    // Letters of the suffix are not typos; another alignment reads the label without them.
    if (errors > 0 && lacksDotOfSuffix(word, host, suffix)) continue;
    if (word.requires !== undefined && hasTypoInSuffix(suffix.length, alignment)) continue;
    const reading = new Reading({ word, host, alignment, suffix });
    const rule = accept(reading);
    if (rule === undefined) continue;
    const similarity = fidelity(costOf(reading), word.length) * prominence(reading);
    if (similarity >= minSimilarity) scored.push(scoredReading(reading, rule, similarity));
  }
  if (word.homophones.size === 0) return scored;
  for (const { start, end, text } of host.stretches) {
    if (!word.homophones.has(text)) continue;
    const alignment = { start, end, cost: 0, edits: [] };
    const reading = new Reading({ word, host, alignment, suffix, kind: "homophone" });
    const rule = accept(reading);
    if (rule === undefined) continue;
    const similarity = homophoneFidelity * prominence(reading);
    if (similarity >= minSimilarity) scored.push(scoredReading(reading, rule, similarity));
  }
  return scored;
}

function scoredReading(reading: Reading, rule: Rule, similarity: number): ScoredReading {
  const { start, end } = reading.alignment;
  const type = reading.kind === "homophone" ? "soundsquatting" : classify(reading);
  const flip = type === "bitsquatting" ? bitFlipIn(reading) : undefined;
  const shown = flip === undefined ? reading : reading.explainedBy([flip]);
  return { start, end, type, similarity, rule: rule.name, reading: shown };
}

function costOf(reading: Reading): number {
  const { alignment, exposed } = reading;
  const editCost = exposed ? leastCost(alignment) : alignment.cost;
  const lettersCost = foldedCharacterCost * otherLettersIn(reading).length;
  // The protected domain itself is never scored, so a name without visible differences has lost diacritics.
  return editCost + (exposed && editCost === 0 ? Math.max(lettersCost, foldedCharacterCost) : lettersCost);
}

/** Returns the cost of the edits where it is lowest: in a whole label under the brand's own suffix. */
function leastCost({ cost, edits }: Alignment): number {
  return edits.length === 1 ? Math.min(cost, exposedEditCostMax) : cost;
}

/**
 * Returns whether there is a typo in the last characters, where a whole name has its suffix. Then the name does not
 * contain the whole protected domain, but its label followed by something else: `example-bank-log` is not
 * `example-bank.com`. Another alignment reads the label.
 */
function hasTypoInSuffix(lastCharacters: number, { edits, end }: Alignment): boolean {
  return edits.some(
    ({ kind, position, found }) =>
      kind !== "separator" && kind !== "confusable" && position + found.length > end - lastCharacters,
  );
}

/**
 * Returns alignments of any stretch, of whole labels, and of the parts between hyphens. In `ppaypal` the cheapest
 * stretch is the brand itself, but the label as a whole is a typo of it.
 */
function alignmentsOf(aligner: Aligner, host: Host, word: BrandWord): Alignment[] {
  const anchoredMax = word.errorsAnchored * editCostMax + slackCost;
  const anywhereMax = word.errorsAnywhere * editCostMax + slackCost;
  const found = aligner.within(word.text, host.text, anywhereMax);
  for (const { start, end, text, letters } of host.stretches) {
    // Each error adds or omits one letter at most.
    if (Math.abs(letters - word.length) > word.errorsAnchored) continue;
    // A whole stretch costs at least as much as the cheapest one with the same end.
    if (aligner.leastCostTo(end) > anchoredMax) continue;
    // The cheapest stretch is aligned in the same way as a whole.
    if (includesStretch(found, start, end)) continue;
    if (containsSetApart(text, word.text)) continue;
    const alignment = aligner.whole(word.text, text, anchoredMax);
    if (alignment === undefined) continue;
    for (const edit of alignment.edits) edit.position += start;
    found.push({ ...alignment, start, end });
  }
  return found;
}

function includesStretch(alignments: readonly Alignment[], start: number, end: number): boolean {
  for (const alignment of alignments) if (alignment.start === start && alignment.end === end) return true;
  return false;
}

/**
 * Returns whether the stretch is the word with something before or after a separator. It is then no typo of the word:
 * another alignment reads the word where it is. `example-shop-bd` is `example-shop` beside two letters.
 */
function containsSetApart(stretch: string, word: string): boolean {
  if (stretch === word || !stretch.includes(word)) return false;
  return `-${stretch}-`.includes(`-${word}-`);
}

/** Classifies a reading by its type of squatting. */

/** Host names that precede a brand with the dot left out: wwwexample.com for www.example.com. */
const hostPrefix =
  /^(w{2,4}\d?|web|ftp|m|mail|webmail|smtp|imap|pop3?|ns\d?|vpn|remote|autodiscover|owa|cpanel)$/;

function classify(reading: Reading): LookAlikeType {
  const { word, alignment, context, host, suffix, typos } = reading;
  if (typos.length === 0 && showsOtherLetters(reading)) return "homograph";
  if (bitFlipIn(reading) !== undefined) return "bitsquatting";
  if (typos.length > 0) return "typosquatting";

  const intact = alignment.edits.length === 0;
  if (!context.registrable || context.acrossLabels) return "levelsquatting";
  if (word.kind === "name") return context.wholeLabel ? "doppelganger" : "combosquatting";
  if (!intact) return "typosquatting";
  if (context.wholeLabel) return "tld_squatting";
  if (context.after === "" && hostPrefix.test(context.before)) return "doppelganger";
  if (lacksDotOfSuffix(word, host, suffix)) return "doppelganger";
  return "combosquatting";
}

/** Returns whether the dot before a suffix of two labels is left out: exampleco.uk for example.co.uk. */
function lacksDotOfSuffix(word: BrandWord, { parts, labels }: Host, suffix: string): boolean {
  const dot = suffix.indexOf(".");
  if (dot < 0 || word.kind !== "label" || parts.suffix !== suffix.slice(dot + 1)) return false;
  return labels.at(-1)!.folded === word.text + suffix.slice(0, dot);
}

/**
 * Returns the one character that differs if the name is the protected domain with one bit changed, as by a memory
 * error (Dinaburg 2011). The alignment may explain it by several edits: a hyphen never pairs with a letter there.
 */
function bitFlipIn({ word, context, host, exposed, alignment }: Reading): Edit | undefined {
  const { label } = host.labels[context.labelIndex]!;
  if (!exposed || context.acrossLabels) return undefined;
  if (word.kind !== "label" || label.length !== word.text.length) return undefined;
  const changed = Array.from(label, (_, i) => label.charCodeAt(i) ^ word.text.charCodeAt(i));
  const at = changed.findIndex((bits) => bits !== 0);
  const bits = changed[at] ?? 0;
  if (bits === 0 || (bits & (bits - 1)) !== 0 || changed.some((other, i) => other !== 0 && i !== at))
    return undefined;
  return { kind: "bit_flip", position: alignment.start + at, found: label[at]!, expected: word.text[at]! };
}

function showsOtherLetters(reading: Reading): boolean {
  const { word, alignment, exposed, hasLookAlikes } = reading;
  if (hasLookAlikes) return true;
  // Under the brand's own suffix, a label of the same letters would be the protected name itself.
  if (exposed && alignment.edits.length === 0 && word.kind === "label") return true;
  return otherLettersIn(reading).length > 0;
}

/**
 * The similarity of a look-alike: fidelity times prominence, from 0 to 1.
 *
 * Fidelity is how exactly the brand is written: 1 - cost / (length + 2), with the cost of the weighted edit
 * distance of `alignment.ts` in edits. The 2 stands for the edges of the word: without it, one typo would take
 * too much from a short word. Prominence is how much of the name the brand is.
 */

/** Fidelity of a homophone: it sounds the same, and looks different. */
const homophoneFidelity = 0.84;

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
function fidelity(cost: number, wordLength: number): number {
  return Math.max(0, 1 - cost / fullEdit / (wordLength + 2));
}

function prominence({ word, context, exposed }: Reading): number {
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
