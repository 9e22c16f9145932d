/** Compares two names character by character, for people to see the difference. */
import { BoundedMap } from "../../../platform/lib/bounded-map.ts";
import { escapeHidden } from "../../../platform/lib/safe-text.ts";
import { createAligner, type Aligner, type Alignment } from "../alignment/alignment.ts";
import { describeCharacter, type DescribedCharacter } from "../letters/similar-characters.ts";
import { foldLabel } from "../names/fold.ts";
import { readHost, type Host } from "../names/host.ts";
import { unicodeName } from "../names/name.ts";
import { splitProtected } from "../names/suffix.ts";
import type { EditKind } from "../types.ts";
import { glyphsOf, placeWord, shownText, type Glyph, type ProtectedWord } from "./protected-word.ts";
import { brandWordsOf, type BrandWord } from "../brand/brand-words.ts";
import { acceptance, closestOf } from "../score/rules.ts";
import { scoreName, type ScoredReading } from "../score/score-name.ts";

/**
 * `same`: equal characters. `confusable`: characters that look like the expected ones. `changed`: other characters.
 * `added`: characters that the protected name does not contain. `missing`: omitted characters, so `found` is empty.
 */
export type PartKind = "same" | "confusable" | "changed" | "added" | "missing";

/** A stretch of both names. Texts are in U-label form, with invisible characters escaped (`\u{200d}`). */
export interface NamePart {
  kind: PartKind;
  /** Text of the suspicious name. */
  found: string;
  /** Text of the name that it resembles. Empty if that name has no such part. */
  expected: string;
  /** Kind of change, if it has a name. */
  edit?: EditKind;
  /** Up to `describedMax` characters: all characters of a confusable part, non-ASCII ones of other parts. */
  characters: DescribedCharacter[];
}

export interface NameComparison {
  /** The protected name, or the keyword to which the suspicious name is closer. */
  word: string;
  isKeyword: boolean;
  /** The whole suspicious name from left to right, with the parts that it omits. */
  parts: NamePart[];
}

/**
 * @param suspicious, protectedName A-label form
 * @param keywords brand keywords of the protected domain
 */
export type CompareNames = (
  suspicious: string,
  protectedName: string,
  keywords?: readonly string[],
) => NameComparison;

/** The stretch of a host that reads as a word of the protected name. */
interface Reading {
  host: Host;
  word: ProtectedWord;
  alignment: Alignment;
}

const hundredthsPerLetter = 100;
/** Weight of an error against explained letters, for names that detection does not match. */
const errorWeight = 3;
/** Minimum length of a word that is searched for inside other letters, for names that detection does not match. */
const insideLettersMin = 4;
/** Maximum number of described characters in a part. */
const describedMax = 4;

/**
 * Returns a comparison that shows the reading of the name that detection scores, and reuses its tables and cache. The
 * first comparison with a domain takes a millisecond, others less than a tenth of that.
 */
export function createNameComparison(): CompareNames {
  const aligner = createAligner();
  const closestReading = createClosestReading();

  function scoredReading(name: string, domain: string, keywords: readonly string[]): Reading | undefined {
    const scored = closestReading(name, domain, keywords);
    if (scored === undefined) return undefined;
    const { host, word, alignment, kind, found } = scored.reading;
    const placed = placeWord(word, domain, keywords);
    if (kind !== "homophone") return { host, word: placed, alignment };
    const spelled = aligner.whole(word.text, found, Infinity);
    return spelled && { host, word: placed, alignment: movedBy(spelled, alignment.start) };
  }

  return (suspicious, protectedName, keywords = []) => {
    const reading =
      scoredReading(suspicious, protectedName, keywords) ??
      likeliestReading(aligner, suspicious, { protectedName, keywords });
    if (reading === undefined) return completelyDifferent(suspicious, protectedName);
    const { host, word, alignment } = reading;
    const glyphs = glyphsOf(host.labels);
    const left = glyphs.filter(({ end }) => end <= alignment.start);
    const right = glyphs.filter(({ start, end }) => start >= alignment.end && end > alignment.start);
    const parts = [
      ...partsBefore(shownText(left), word.before),
      ...inside(glyphs, word.glyphs, alignment),
      ...partsAfter(shownText(right), word.after),
      ...suffixParts(host.parts.suffix, word.suffix),
    ];
    const { keyword = escapeHidden(unicodeName(protectedName)) } = word;
    return { word: keyword, isKeyword: word.keyword !== undefined, parts: joined(parts) };
  };
}

function movedBy(alignment: Alignment, start: number): Alignment {
  const edits = alignment.edits.map((edit) => ({ ...edit, position: edit.position + start }));
  return { ...alignment, start, end: alignment.end + start, edits };
}

/**
 * Returns the stretch of a name that is no look-alike which explains most letters of the label or a keyword with the
 * fewest errors. The threats of copied pages have such names.
 */
function likeliestReading(
  aligner: Aligner,
  suspicious: string,
  { protectedName, keywords }: { protectedName: string; keywords: readonly string[] },
): Reading | undefined {
  const words = [
    { kind: "label" as const, text: foldLabel(splitProtected(protectedName).registrableLabel)[0]!.folded },
    ...keywords.map((keyword) => ({ kind: "keyword" as const, text: foldLabel(keyword)[0]!.folded })),
  ];
  let best: (Reading & { score: number }) | undefined;
  for (const host of readHost(suspicious)) {
    for (const word of words) {
      const letters = word.text.length * hundredthsPerLetter;
      for (const alignment of aligner.within(word.text, host.text, letters / errorWeight)) {
        if (word.text.length < insideLettersMin && !standsAlone(host.text, alignment)) continue;
        const score = letters - errorWeight * alignment.cost;
        if (best !== undefined && score <= best.score) continue;
        best = { host, word: placeWord(word, protectedName, keywords), alignment, score };
      }
    }
  }
  return best;
}

function standsAlone(text: string, { start, end }: Alignment): boolean {
  return [text[start - 1], text[end]].every((beside) => beside === undefined || /[-.\d]/.test(beside));
}

/** A step of the alignment: its ranges in the folded text and in the word. */
interface Step {
  from: number;
  to: number;
  wordFrom: number;
  wordTo: number;
  edit: Alignment["edits"][number]["kind"] | undefined;
}

function stepsOf({ start, end, edits }: Alignment): Step[] {
  const steps: Step[] = [];
  let [at, wordAt] = [start, 0];
  for (const edit of [...edits, { kind: undefined, position: end, found: "", expected: "" }]) {
    for (; at < edit.position; at++, wordAt++)
      steps.push({ from: at, to: at + 1, wordFrom: wordAt, wordTo: wordAt + 1, edit: undefined });
    const to = at + edit.found.length;
    const wordTo = wordAt + edit.expected.length;
    if (edit.kind !== undefined) steps.push({ from: at, to, wordFrom: wordAt, wordTo, edit: edit.kind });
    [at, wordAt] = [to, wordTo];
  }
  return steps;
}

/** Joins the steps that share a character of either name, such as one that folds to two letters. */
function joinedSteps(steps: readonly Step[], found: readonly Glyph[], expected: readonly Glyph[]): Step[] {
  const cuts = (glyphs: readonly Glyph[], at: number): boolean =>
    glyphs.some(({ start, end }) => start < at && at < end);
  const result: Step[] = [];
  let open = false;
  for (const step of steps) {
    const last = result.at(-1);
    if (open && last !== undefined)
      result[result.length - 1] = { ...last, to: step.to, wordTo: step.wordTo, edit: undefined };
    else result.push(step);
    open = cuts(found, step.to) || cuts(expected, step.wordTo);
  }
  return result;
}

/** Returns the parts of the stretch that reads as the word. */
function inside(all: readonly Glyph[], expected: readonly Glyph[], alignment: Alignment): NamePart[] {
  const found = all.filter(({ start, end }) => start < alignment.end && end > alignment.start);
  const steps = joinedSteps(stepsOf(alignment), found, expected);
  let [foundAt, expectedAt] = [0, 0];
  return steps.map(({ to, wordTo, edit }, index) => {
    const isLast = index === steps.length - 1;
    const [foundEnd, expectedEnd] = isLast ? [Infinity, Infinity] : [to, wordTo];
    const [foundFrom, expectedFrom] = [foundAt, expectedAt];
    while (foundAt < found.length && found[foundAt]!.start < foundEnd) foundAt++;
    while (expectedAt < expected.length && expected[expectedAt]!.start < expectedEnd) expectedAt++;
    const ofWord = shownText(expected.slice(expectedFrom, expectedAt));
    return part(shownText(found.slice(foundFrom, foundAt)), ofWord, edit);
  });
}

/** Returns the parts left of the word: labels of the protected name that the name contains as they are, or omits. */
function partsBefore(found: string, expected: string): NamePart[] {
  if (expected !== "" && `.${found}`.endsWith(`.${expected}`))
    return [...addedParts(found.slice(0, -expected.length)), same(expected)];
  return [...addedParts(found), ...missingParts(expected)];
}

/** Returns the parts between the word and the public suffix. */
function partsAfter(found: string, expected: string): NamePart[] {
  if (expected !== "" && found.startsWith(expected) && /^([-.]|$)/.test(found.slice(expected.length)))
    return [same(expected), ...addedParts(found.slice(expected.length))];
  return [...missingParts(expected), ...addedParts(found)];
}

function same(text: string): NamePart {
  return { kind: "same", found: escapeHidden(text), expected: escapeHidden(text), characters: [] };
}

function addedParts(text: string): NamePart[] {
  return text === "" ? [] : [part(text, "")];
}

function missingParts(text: string): NamePart[] {
  return text === "" ? [] : [part("", text)];
}

function part(found: string, expected: string, edit?: Step["edit"]): NamePart {
  if (found === expected) return same(found);
  const named = edit === undefined || edit === "separator" ? {} : { edit };
  const kind = kindOf(found, expected, edit);
  const characters = kind === "confusable" ? Array.from(found, describeCharacter) : beyondAscii(found);
  return { kind, found: escapeHidden(found), expected: escapeHidden(expected), ...named, characters };
}

function kindOf(found: string, expected: string, edit: Step["edit"]): PartKind {
  if (found === "") return "missing";
  if (expected === "") return "added";
  return edit === undefined || edit === "confusable" ? "confusable" : "changed";
}

function beyondAscii(text: string): DescribedCharacter[] {
  return Array.from(text)
    .filter((character) => character > "\x7f")
    .slice(0, describedMax)
    .map(describeCharacter);
}

/** @param expected undefined if the word does not determine a suffix */
function suffixParts(suffix: string, expected: string | undefined): NamePart[] {
  const shown = unicodeName(suffix);
  if (expected === undefined) return addedParts(`.${shown}`);
  if (shown === expected) return [same(`.${shown}`)];
  return [same("."), part(shown, expected, "replacement")];
}

function completelyDifferent(suspicious: string, protectedName: string): NameComparison {
  const [found, expected] = [unicodeName(suspicious), unicodeName(protectedName)];
  return { word: escapeHidden(expected), isKeyword: false, parts: [part(found, expected, "replacement")] };
}

/** Joins adjacent parts of the same kind. */
function joined(parts: readonly NamePart[]): NamePart[] {
  const result: NamePart[] = [];
  for (const next of parts) {
    const last = result.at(-1);
    const joins = last?.kind === next.kind && ["same", "added", "missing"].includes(next.kind);
    if (last === undefined || !joins || last.edit !== next.edit) result.push({ ...next });
    else {
      last.found += next.found;
      last.expected += next.expected;
      last.characters = [...last.characters, ...next.characters].slice(0, describedMax);
    }
  }
  return result;
}

/** Finds the reading of one name that gives it its similarity to one protected domain. */

/** Assessing the words of a domain takes a millisecond, reading a name less than a tenth of that. */
const cachedDomainsMax = 1_000;

/** Default of `detection.min_similarity`. */
const minSimilarityDefault = 0.75;

/**
 * Returns a function that returns the reading that the matcher takes the similarity from, or undefined if no rule accepts
 * one. Names are in A-label form.
 */
export function createClosestReading() {
  const aligner = createAligner();
  const cache = new BoundedMap<string, BrandWord[]>(cachedDomainsMax);
  return (name: string, domain: string, keywords: readonly string[] = []): ScoredReading | undefined => {
    const { suffix } = splitProtected(domain);
    const key = [domain, ...keywords].join(" ");
    const words = cache.getOrCreate(key, () => brandWordsOf({ domain, keywords, allow: [] }));
    const readings = readHost(name).flatMap((host) =>
      words.flatMap((word) =>
        scoreName({ aligner, accept: acceptance, host, word, suffix, minSimilarity: 0 }),
      ),
    );
    // Readings that are too different to match do not compete with those that match.
    const matching = readings.filter(({ similarity }) => similarity >= minSimilarityDefault);
    return closestOf(matching) ?? closestOf(readings);
  };
}
