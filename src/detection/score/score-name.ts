/**
 * The verdict on one name and one brand word: every stretch of the name that reads as the word, what kind of
 * squatting it is and how close. It is slow, a few microseconds, and knows nothing of speed: `filter.ts`
 * keeps nearly all names away from it.
 */
import type { Aligner, Alignment } from "./alignment.ts";
import type { BrandWord } from "../brand/brand-words.ts";
import { classify, lacksDotOfSuffix } from "./classify.ts";
import { explain } from "./explain.ts";
import type { Host } from "../names/host.ts";
import { fidelity, homophoneFidelity, prominence } from "./similarity.ts";
import { countErrors, otherLettersIn, readingOf, type Reading } from "./reading.ts";
import type { Acceptance, Rule } from "./rule.ts";
import type { Reason } from "../types.ts";
import type { ThreatType } from "../../vocabulary/threats.ts";

export interface Finding {
  /** The stretch of the host's text that was read as the word. */
  start: number;
  end: number;
  type: ThreatType;
  similarity: number;
  /** Name of the acceptance rule that kept the reading. */
  rule: string;
  reasons: Reason[];
}

export interface Suspect {
  /** The public suffix of the protected name. */
  suffix: string;
  word: BrandWord;
}

/** Cost of letters that are other characters than they seem, for each of them, in hundredths of an edit. */
const foldedCharacterCost = 5;
/** Of one edit in a label under the brand's own suffix, wherever in the label. */
const dearestEdit = 130;
/** Costs beside the counted errors: separators and look-alikes. */
const slackCost = 120;
/** More than one edit ever costs. */
const dearestReading = 250;

/** Findings below `minSimilarity` are left out; reasons are made for the others only. */
export function judge(
  { aligner, accept }: { aligner: Aligner; accept: Acceptance },
  host: Host,
  suspect: Suspect,
  minSimilarity: number,
): Finding[] {
  const { word, suffix } = suspect;
  const findings: Finding[] = [];
  for (const alignment of readings(aligner, host, word)) {
    // Checked before the context is read, which takes longest: no context would mend these.
    if (fidelity(leastCost(alignment), word.length) < minSimilarity) continue;
    if (countErrors(alignment) > word.errorsAnchored) continue;
    // The letters of the suffix are no typos; the word without them is read too.
    if (countErrors(alignment) > 0 && lacksDotOfSuffix(word, host, suffix)) continue;
    if (word.rides !== undefined && hasTypoWithin(suffix.length, alignment)) continue;
    const reading = readingOf({ word, host, alignment, suffix });
    const rule = accept(reading);
    if (rule === undefined) continue;
    const similarity = fidelity(costOf(reading), word.length) * prominence(reading);
    if (similarity >= minSimilarity) findings.push(findingOf(reading, rule, similarity));
  }
  for (const reading of homophoneReadings(host, suspect)) {
    const rule = accept(reading);
    if (rule === undefined) continue;
    const similarity = homophoneFidelity * prominence(reading);
    if (similarity >= minSimilarity) findings.push(findingOf(reading, rule, similarity));
  }
  return findings;
}

function findingOf(reading: Reading, rule: Rule, similarity: number): Finding {
  const { start, end } = reading.alignment;
  const type = reading.kind === "homophone" ? "soundsquatting" : classify(reading);
  return { start, end, type, similarity, rule: rule.name, reasons: explain(reading, type) };
}

function costOf(reading: Reading): number {
  const { alignment, exposed } = reading;
  const editCost = exposed ? leastCost(alignment) : alignment.cost;
  const lettersCost = foldedCharacterCost * otherLettersIn(reading).length;
  // The brand's own name never comes here: one that differs in nothing that is seen has lost its marks.
  return editCost + (exposed && editCost === 0 ? Math.max(lettersCost, foldedCharacterCost) : lettersCost);
}

/** What the steps cost where they cost least: in a label of their own under the brand's suffix. */
function leastCost({ cost, edits }: Alignment): number {
  return edits.length === 1 ? Math.min(cost, dearestEdit) : cost;
}

/**
 * Whether one of the last letters, where a whole name has its suffix, is mistyped. Then it is not the whole
 * name that was embedded, but its label with something else behind: `example-bank-log` is no
 * `example-bank.com`. The label that the name rides on is found as such.
 */
function hasTypoWithin(lastCharacters: number, { edits, end }: Alignment): boolean {
  return edits.some(
    ({ kind, position, found }) =>
      kind !== "separator" && kind !== "confusable" && position + found.length > end - lastCharacters,
  );
}

/** Returns the labels, and the parts between hyphens, that are spelled otherwise and sound the same. */
function homophoneReadings(host: Host, { word, suffix }: Suspect): Reading[] {
  if (word.homophones.size === 0) return [];
  return stretchesOf(host).flatMap(({ start, end }) => {
    if (!word.homophones.has(host.text.slice(start, end))) return [];
    const alignment = { start, end, cost: 0, edits: [] };
    return [readingOf({ word, host, alignment, suffix, kind: "homophone" })];
  });
}

/** Labels, and the parts between hyphens of those that have some. */
function stretchesOf(host: Host): { start: number; end: number }[] {
  return host.labels.flatMap(({ start, folded }) => {
    const stretches = [{ start, end: start + folded.length }];
    if (!folded.includes("-")) return stretches;
    let at = start;
    for (const part of folded.split("-")) {
      stretches.push({ start: at, end: at + part.length });
      at += part.length + 1;
    }
    return stretches;
  });
}

/**
 * Readings of whole labels and of the parts between hyphens beside those of any stretch: in `ppaypal` the
 * cheapest stretch is the brand itself, but the label as a whole is a typo of it.
 */
function readings(aligner: Aligner, host: Host, word: BrandWord): Alignment[] {
  const anchoredMax = word.errorsAnchored * dearestReading + slackCost;
  const anywhereMax = word.errorsAnywhere * dearestReading + slackCost;
  const found = aligner.within(word.text, host.text, anywhereMax);
  for (const { start, end } of stretchesOf(host)) {
    if (Math.abs(end - start - word.text.length) > lengthDifferenceMax) continue;
    const alignment = aligner.whole(word.text, host.text.slice(start, end), anchoredMax);
    if (alignment === undefined) continue;
    for (const edit of alignment.edits) edit.position += start;
    found.push({ ...alignment, start, end });
  }
  return found;
}

/** Two errors of two characters each, and separators. */
const lengthDifferenceMax = 6;
