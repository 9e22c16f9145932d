/** Compares two names character by character, for people to see the difference. */
import { escapeHidden } from "../../lib/safe-text.ts";
import { describeCharacter, type DescribedCharacter } from "../letters/describe-character.ts";
import { foldLabel, type FoldedLabel } from "../names/fold.ts";
import { readHost, type Host } from "../names/host.ts";
import { decodeLabel, unicodeName } from "../names/name.ts";
import { splitName } from "../names/suffix.ts";
import { createAligner, type Aligner, type Alignment } from "../score/alignment.ts";
import type { EditKind } from "../types.ts";

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

/** A displayed character and its range in the folded text. The range is empty if it folds to nothing. */
interface Glyph {
  shown: string;
  start: number;
  end: number;
}

interface Word {
  text: string;
  glyphs: Glyph[];
  shown: string;
  isKeyword: boolean;
  /** Whether the word includes the public suffix. */
  whole: boolean;
}

interface Reading {
  host: Host;
  word: Word;
  alignment: Alignment;
  score: number;
}

const hundredthsPerLetter = 100;
/** Weight of an error against explained letters, so that `example-bank.net` is not read as a typo of the whole name. */
const errorWeight = 3;
/** Maximum number of described characters in a part. */
const describedMax = 4;

/** Returns a comparison that reuses one alignment matrix. Comparing two names takes a few microseconds. */
export function createNameComparison(): CompareNames {
  const aligner = createAligner();
  return (suspicious, protectedName, keywords = []) => {
    const protectedSuffix = splitName(protectedName).suffix;
    const words = wordsOf(protectedName, keywords);
    const reading = bestReading(aligner, readHost(suspicious), words);
    if (reading === undefined) return completelyDifferent(suspicious, protectedName);
    const { host, word, alignment } = reading;
    const glyphs = glyphsOf(host.labels);
    const parts = [
      ...outside(glyphs.filter(({ end }) => end <= alignment.start)),
      ...inside(glyphs, word, alignment),
      ...outside(glyphs.filter(({ start }) => start >= alignment.end)),
      ...suffixParts(host.parts.suffix, word.whole || word.isKeyword ? undefined : protectedSuffix),
    ];
    return {
      word: word.isKeyword ? word.shown : shownName(protectedName),
      isKeyword: word.isKeyword,
      parts: joined(parts),
    };
  };
}

/** Returns all words by which somebody could refer to the protected domain. */
function wordsOf(protectedName: string, keywords: readonly string[]): Word[] {
  const { registrableLabel, subLabels, suffix } = splitName(protectedName);
  const word = (labels: string[], traits: { isKeyword: boolean; whole: boolean }): Word => {
    const glyphs = glyphsOf(placed(labels.map((label) => foldLabel(label)[0]!)));
    const text = labels.map((label) => foldLabel(label)[0]!.folded).join(".");
    return { text, glyphs, shown: labels.map(decodeLabel).join("."), ...traits };
  };
  const name = { isKeyword: false, whole: false };
  return [
    word([registrableLabel], name),
    ...(subLabels.length === 0 ? [] : [word([...subLabels, registrableLabel], name)]),
    word([...subLabels, registrableLabel, ...suffix.split(".")], { isKeyword: false, whole: true }),
    ...keywords.map((keyword) => word([keyword], { isKeyword: true, whole: false })),
  ];
}

/** Returns the reading that explains most letters with the fewest errors. */
function bestReading(aligner: Aligner, hosts: readonly Host[], words: readonly Word[]): Reading | undefined {
  let best: Reading | undefined;
  for (const host of hosts) {
    for (const word of words) {
      const letters = word.text.length * hundredthsPerLetter;
      for (const alignment of readingsOf(aligner, host, word, letters / errorWeight)) {
        const score = letters - errorWeight * alignment.cost;
        if (best === undefined || score > best.score) best = { host, word, alignment, score };
      }
    }
  }
  return best;
}

function readingsOf(aligner: Aligner, { text }: Host, word: Word, costMax: number): Alignment[] {
  const start = text.indexOf(word.text);
  if (start !== -1) return [{ start, end: start + word.text.length, cost: 0, edits: [] }];
  return aligner.within(word.text, text, costMax);
}

function glyphsOf(labels: readonly (FoldedLabel & { start: number })[]): Glyph[] {
  return labels.flatMap(({ shown, folded, origin, start }, index) => {
    const dot = index === 0 ? [] : [{ shown: ".", start: start - 1, end: start }];
    let at = 0;
    let next = 0;
    const own = Array.from(shown, (character): Glyph => {
      const from = next;
      const after = at + character.length;
      if (origin === undefined) next += character.length;
      else while (next < folded.length && origin[next]! < after) next++;
      at = after;
      return { shown: character, start: start + from, end: start + next };
    });
    return [...dot, ...own];
  });
}

function placed(labels: readonly FoldedLabel[]): (FoldedLabel & { start: number })[] {
  let start = 0;
  return labels.map((label) => {
    const here = { ...label, start };
    start += label.folded.length + 1;
    return here;
  });
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

/** Returns the parts of the stretch that reads as the word. A character that folds to two letters joins their steps. */
function inside(all: readonly Glyph[], word: Word, alignment: Alignment): NamePart[] {
  const glyphs = all.filter(({ start, end }) => start < alignment.end && end > alignment.start);
  const parts: NamePart[] = [];
  let index = 0;
  const steps = stepsOf(alignment);
  for (let at = 0; at < steps.length; at++) {
    const step = { ...steps[at]! };
    let found = "";
    while (index < glyphs.length && glyphs[index]!.start < step.to) {
      const glyph = glyphs[index++]!;
      found += glyph.shown;
      while (glyph.end > step.to && at + 1 < steps.length) {
        const next = steps[++at]!;
        [step.to, step.wordTo] = [next.to, next.wordTo];
        step.edit = undefined;
      }
    }
    const expected = word.glyphs
      .filter(({ start }) => start >= step.wordFrom && start < step.wordTo)
      .map(({ shown }) => shown)
      .join("");
    parts.push(part(found, expected, step.edit));
  }
  return parts;
}

function part(found: string, expected: string, edit: Step["edit"]): NamePart {
  const named = edit === undefined || edit === "separator" ? {} : { edit };
  const kind = kindOf(found, expected, edit);
  return {
    kind,
    found: escapeHidden(found),
    expected: escapeHidden(expected),
    ...(kind === "same" ? {} : named),
    characters:
      kind === "same"
        ? []
        : kind === "confusable"
          ? Array.from(found, describeCharacter)
          : beyondAscii(found),
  };
}

function kindOf(found: string, expected: string, edit: Step["edit"]): PartKind {
  if (found === expected) return "same";
  if (found === "") return "missing";
  if (expected === "") return "added";
  return edit === undefined || edit === "confusable" ? "confusable" : "changed";
}

function outside(glyphs: readonly Glyph[]): NamePart[] {
  return glyphs.length === 0 ? [] : [added(glyphs.map(({ shown }) => shown).join(""))];
}

function added(text: string): NamePart {
  return { kind: "added", found: escapeHidden(text), expected: "", characters: beyondAscii(text) };
}

function beyondAscii(text: string): DescribedCharacter[] {
  return Array.from(text)
    .filter((character) => character > "\x7f")
    .slice(0, describedMax)
    .map(describeCharacter);
}

/** @param expected undefined if the word does not determine a suffix */
function suffixParts(suffix: string, expected: string | undefined): NamePart[] {
  if (suffix === "") return [];
  const shown = shownName(suffix);
  if (expected === undefined) return [added(`.${shown}`)];
  const same = (text: string): NamePart => ({ kind: "same", found: text, expected: text, characters: [] });
  if (suffix === expected) return [same(`.${shown}`)];
  return [same("."), part(shown, shownName(expected), "replacement")];
}

function completelyDifferent(suspicious: string, protectedName: string): NameComparison {
  const word = shownName(protectedName);
  return { word, isKeyword: false, parts: [part(shownName(suspicious), word, "replacement")] };
}

function shownName(name: string): string {
  return escapeHidden(unicodeName(name));
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
