/**
 * The verdict on one name and one brand word: every stretch of the name that reads as the word, what kind of
 * squatting it is and how close. It is slow, a few microseconds, and knows nothing of speed: `filter.ts`
 * keeps nearly all names away from it.
 */
import { accepts, countErrors } from "./acceptance.ts";
import type { Aligner, Alignment } from "./alignment.ts";
import type { BrandWord } from "./brand-words.ts";
import { classify, lacksDotOfSuffix } from "./classify.ts";
import { contextOf } from "./context.ts";
import { explain } from "./explain.ts";
import { isOtherLetter, type Host } from "./host.ts";
import { metaphone } from "./metaphone.ts";
import { fidelity, prominence } from "./score.ts";
import type { Reason } from "./types.ts";
import type { ThreatType } from "../vocabulary/threats.ts";

export interface Finding {
  /** The stretch of the host's text that was read as the word. */
  start: number;
  end: number;
  type: ThreatType;
  similarity: number;
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
/** What sounds the same does not look it. */
const soundFidelity = 0.84;
/** Costs beside the counted errors: separators and look-alikes. */
const slackCost = 120;
/** More than one edit ever costs. */
const dearestReading = 250;

/** Findings below `minSimilarity` are left out; reasons are made for the others only. */
export function judge(aligner: Aligner, host: Host, suspect: Suspect, minSimilarity: number): Finding[] {
  const { word } = suspect;
  const sameSuffix = host.parts.suffix === suspect.suffix;
  const findings: Finding[] = [];
  for (const alignment of readings(aligner, host, word)) {
    // Before the surroundings are read, which takes longest: what no surroundings would mend.
    if (fidelity(leastCost(alignment), word.length) < minSimilarity) continue;
    if (countErrors(alignment) > word.errorsAnchored) continue;
    // The letters of the suffix are no typos; the word without them is read too.
    if (countErrors(alignment) > 0 && lacksDotOfSuffix(word, host, suspect.suffix)) continue;
    const context = contextOf(host, alignment.start, alignment.end);
    const found = host.text.slice(alignment.start, alignment.end);
    if (word.rides !== undefined && hasTypoWithin(suspect.suffix.length, alignment)) continue;
    if (!accepts(word, alignment, context, found, host, sameSuffix)) continue;
    const exposed = context.wholeLabel && context.registrable && sameSuffix;
    const editCost = exposed ? leastCost(alignment) : alignment.cost;
    const lettersCost = foldedCharacterCost * foldedCharacters(host, alignment, word.ownLetters);
    // The brand's own name never comes here: one that differs in nothing that is seen has lost its marks.
    const cost =
      editCost + (exposed && editCost === 0 ? Math.max(lettersCost, foldedCharacterCost) : lettersCost);
    const similarity = fidelity(cost, word.length) * prominence(word, context, sameSuffix);
    if (similarity < minSimilarity) continue;
    const type = classify(word, alignment, context, host, suspect.suffix);
    findings.push({
      start: alignment.start,
      end: alignment.end,
      type,
      similarity,
      reasons: explain(word, alignment, context, host, suspect.suffix, type),
    });
  }
  findings.push(...soundFindings(host, suspect, minSimilarity));
  return findings;
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

/** Labels and parts between hyphens that are spelled otherwise and sound the same. */
function soundFindings(host: Host, { word, suffix }: Suspect, minSimilarity: number): Finding[] {
  if (word.homophones.size === 0) return [];
  return stretchesOf(host).flatMap(({ start, end }) => {
    const found = host.text.slice(start, end);
    if (!word.homophones.has(found)) return [];
    const context = contextOf(host, start, end);
    const similarity = soundFidelity * prominence(word, context, host.parts.suffix === suffix);
    if (similarity < minSimilarity) return [];
    const reading = { start, end, cost: 0, edits: [] };
    const sound: Reason = { kind: "sound", label: found, expected: word.text, code: metaphone(found) };
    const reasons = explain(word, reading, context, host, suffix, "soundsquatting");
    return [{ start, end, type: "soundsquatting" as const, similarity, reasons: [sound, ...reasons] }];
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

function foldedCharacters(host: Host, alignment: Alignment, ownLetters: ReadonlySet<string>): number {
  let count = 0;
  for (const label of host.labels) {
    const first = Math.max(0, alignment.start - label.start);
    const end = Math.min(label.folded.length, alignment.end - label.start);
    for (let i = first; i < end; i++) if (isOtherLetter(label, i, ownLetters)) count++;
  }
  return count;
}
