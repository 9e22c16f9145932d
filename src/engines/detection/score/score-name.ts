/**
 * Scores one name against one brand word: finds every stretch of the name that reads as the word, with its type of
 * squatting and its similarity. This takes a few microseconds, most of them for words of the rest of the label. The
 * prefilter (`filter.ts`) rejects nearly all names before.
 */
import type { ThreatType } from "../../../platform/vocabulary/threats.ts";
import type { Aligner, Alignment } from "../alignment/alignment.ts";
import type { BrandWord } from "../brand/brand-words.ts";
import type { Host } from "../names/host.ts";
import { bitFlipIn, classify, lacksDotOfSuffix } from "./classify.ts";
import { countErrors, otherLettersIn, Reading } from "./reading.ts";
import type { Acceptance, Rule } from "./rule.ts";
import { fidelity, homophoneFidelity, prominence } from "./similarity.ts";

export interface ScoredReading {
  /** The stretch of the host's text that reads as the word. */
  start: number;
  end: number;
  type: ThreatType;
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

/**
 * Returns the readings of the name as `word` with at least `minSimilarity`.
 *
 * @param suffix public suffix of the protected domain
 */
export function scoreName({
  aligner,
  accept,
  host,
  word,
  suffix,
  minSimilarity,
}: {
  aligner: Aligner;
  accept: Acceptance;
  host: Host;
  word: BrandWord;
  suffix: string;
  minSimilarity: number;
}): ScoredReading[] {
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
