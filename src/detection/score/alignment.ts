/**
 * Optimal string alignment: the restricted Damerau-Levenshtein distance (Damerau 1964), extended by pairs of
 * characters that look like one, with weighted costs from `similar-characters.ts`. Separators cost little, because
 * attackers split brands by hyphens and dots. As in approximate string matching (Sellers 1980), a word can also be
 * aligned with any stretch of the text, by letting the alignment start anywhere for free.
 */
import {
  areSimilar,
  fullEdit,
  isMultigraph,
  pairForSingleCost,
  substitutionCost,
  substitutionKind,
} from "../letters/similar-characters.ts";
import type { EditKind } from "../types.ts";

const repetitionCost = 70;
const transpositionCost = 75;
const pluralCost = 60;
const hyphenCost = 25;
const dotCost = 50;
const lostSeparatorCost = 20;
const otherSeparatorCost = 10;
/** Factors for the first letter: people notice it most, and another one makes another word (betflix, netflix). */
const otherFirstLetterFactor = 2.25;
const alikeFirstLetterFactor = 1;
const lostFirstLetterFactor = 1.3;

export interface Edit {
  kind: EditKind | "separator";
  /** Index of `found` in the text. */
  position: number;
  found: string;
  expected: string;
}

export interface Alignment {
  /** The stretch of text that reads as the word, from `start` to before `end`. */
  start: number;
  end: number;
  /** Sum of the costs of `edits`, in hundredths of an edit. */
  cost: number;
  /** From left to right; empty if text and word are equal. */
  edits: Edit[];
}

export interface Aligner {
  /** Aligns the whole text with the word. Returns undefined if that costs more than `costMax`. */
  whole(word: string, text: string, costMax: number): Alignment | undefined;
  /** Returns up to `alignmentsMax` stretches of the text that align with the word for at most `costMax`. */
  within(word: string, text: string, costMax: number): Alignment[];
}

const textLengthMax = 255;
const wordLengthMax = 127;
const alignmentsMax = 8;
const impossible = 1 << 20;
const hyphen = 0x2d;
const dot = 0x2e;
const pluralLetter = 0x73;

/** Returns an aligner that reuses its matrix for all calls. */
export function createAligner(): Aligner {
  const columns = textLengthMax + 1;
  // costs[i * columns + j]: the lowest cost of aligning the first i characters of the word with the text before j,
  // from its start or, if the start is free, from anywhere.
  const costs = new Int32Array((wordLengthMax + 1) * columns);
  const word = new Uint16Array(wordLengthMax + 2);
  const text = new Uint16Array(textLengthMax + 2);
  /** 1 if a character of the text and the one before it can look like a single one. */
  const collapses = new Uint8Array(textLengthMax + 2);

  /** Returns false if either is too long. Characters start at index 1, so that i and j count them. */
  function load(wordText: string, textText: string): boolean {
    if (wordText.length === 0 || wordText.length > wordLengthMax || textText.length > textLengthMax)
      return false;
    for (let i = 0; i < wordText.length; i++) word[i + 1] = wordText.charCodeAt(i);
    for (let j = 0; j < textText.length; j++) text[j + 1] = textText.charCodeAt(j);
    for (let j = 2; j <= textText.length; j++) collapses[j] = isMultigraph(text[j - 1]!, text[j]!) ? 1 : 0;
    word[wordText.length + 1] = 0;
    return true;
  }

  function fill(wordLength: number, textLength: number, freeStart: boolean): void {
    costs[0] = 0;
    for (let j = 1; j <= textLength; j++) costs[j] = freeStart ? 0 : costs[j - 1]! + insertionCost(0, j);
    for (let i = 1; i <= wordLength; i++) {
      const row = i * columns;
      const above = row - columns;
      const omission = omissionCost(i);
      const expected = word[i]!;
      const mayCollapse = i > 1 && isMultigraph(word[i - 1]!, expected);
      costs[row] = costs[above]! + omission;
      for (let j = 1; j <= textLength; j++) {
        let best = costs[above + j - 1]!;
        if (text[j] !== expected) best += matchCost(i, j);
        best = Math.min(best, costs[row + j - 1]! + insertionCost(i, j));
        best = Math.min(best, costs[above + j]! + omission);
        if (collapses[j] === 1) best = Math.min(best, costs[above + j - 2]! + pairCost(i, j));
        if (mayCollapse) best = Math.min(best, costs[above - columns + j - 1]! + singleCost(i, j));
        if (isTransposed(i, j)) best = Math.min(best, costs[above - columns + j - 2]! + transpositionCost);
        costs[row + j] = best;
      }
    }
  }

  /** Traces the alignment back from a cell, by the first step that explains the cell's cost. */
  function trace(wordText: string, textText: string, end: number, freeStart: boolean): Alignment {
    const edits: Edit[] = [];
    let i = wordText.length;
    let j = end;
    const isAtStart = (): boolean => i === 0 && (j === 0 || freeStart);
    while (!isAtStart()) {
      const cost = costs[i * columns + j]!;
      const explains = (di: number, dj: number, stepCost: number): boolean =>
        i >= di && j >= dj && costs[(i - di) * columns + j - dj]! + stepCost === cost;
      let [di, dj] = [1, 0];
      let kind: Edit["kind"] | undefined = isSeparator(word[i]!) ? "separator" : "omission";
      if (i > 0 && j > 0 && explains(1, 1, matchCost(i, j))) [di, dj, kind] = [1, 1, matchKind(i, j)];
      else if (isTransposed(i, j) && explains(2, 2, transpositionCost))
        [di, dj, kind] = [2, 2, "transposition"];
      else if (i > 0 && j > 1 && explains(1, 2, pairCost(i, j))) [di, dj, kind] = [1, 2, "confusable"];
      else if (i > 1 && j > 0 && explains(2, 1, singleCost(i, j))) [di, dj, kind] = [2, 1, "confusable"];
      else if (j > 0 && explains(0, 1, insertionCost(i, j))) [di, dj, kind] = [0, 1, insertionKind(i, j)];
      const found = textText.slice(j - dj, j);
      if (kind !== undefined)
        edits.push({ kind, position: j - dj, found, expected: wordText.slice(i - di, i) });
      i -= di;
      j -= dj;
    }
    return { start: j, end, cost: costs[wordText.length * columns + end]!, edits: edits.reverse() };
  }

  function matchCost(i: number, j: number): number {
    const expected = word[i]!;
    const found = text[j]!;
    if (expected === found) return 0;
    if (!isSeparator(expected) && !isSeparator(found)) {
      const cost = substitutionCost(found, expected);
      if (i > 1) return cost;
      return atFirstLetter(
        i,
        cost,
        areSimilar(found, expected) ? alikeFirstLetterFactor : otherFirstLetterFactor,
      );
    }
    return isSeparator(expected) && isSeparator(found) ? otherSeparatorCost : impossible;
  }

  function matchKind(i: number, j: number): Edit["kind"] | undefined {
    if (word[i] === text[j]) return undefined;
    if (isSeparator(word[i]!)) return "separator";
    return substitutionKind(String.fromCharCode(text[j]!), String.fromCharCode(word[i]!));
  }

  function insertionCost(i: number, j: number): number {
    const found = text[j]!;
    if (found === hyphen) return hyphenCost;
    if (found === dot) return dotCost;
    if (i > 0 && (found === word[i] || found === word[i + 1])) return repetitionCost;
    if (found === pluralLetter && word[i + 1] === 0) return pluralCost;
    return i === 0 ? fullEdit * lostFirstLetterFactor : fullEdit;
  }

  function insertionKind(i: number, j: number): Edit["kind"] {
    if (isSeparator(text[j]!)) return "separator";
    if (i > 0 && (text[j] === word[i] || text[j] === word[i + 1])) return "repetition";
    return text[j] === pluralLetter && word[i + 1] === 0 ? "plural" : "insertion";
  }

  function omissionCost(i: number): number {
    if (isSeparator(word[i]!)) return lostSeparatorCost;
    if (i > 1 && (word[i] === word[i - 1] || word[i] === word[i + 1])) return repetitionCost;
    return atFirstLetter(i, fullEdit, lostFirstLetterFactor);
  }

  function pairCost(i: number, j: number): number {
    return pairForSingleCost(text[j - 1]!, text[j]!, word[i]!) || impossible;
  }

  function singleCost(i: number, j: number): number {
    return pairForSingleCost(word[i - 1]!, word[i]!, text[j]!) || impossible;
  }

  function isTransposed(i: number, j: number): boolean {
    return i > 1 && j > 1 && word[i] === text[j - 1] && word[i - 1] === text[j] && word[i] !== word[i - 1];
  }

  return {
    whole(wordText, textText, costMax) {
      if (!load(wordText, textText)) return undefined;
      fill(wordText.length, textText.length, false);
      const cost = costs[wordText.length * columns + textText.length]!;
      return cost > costMax ? undefined : trace(wordText, textText, textText.length, false);
    },
    within(wordText, textText, costMax) {
      if (!load(wordText, textText)) return [];
      fill(wordText.length, textText.length, true);
      const last = wordText.length * columns;
      const found: Alignment[] = [];
      for (let j = 1; j <= textText.length && found.length < alignmentsMax; j++) {
        const cost = costs[last + j]!;
        const next = j < textText.length ? costs[last + j + 1]! : impossible;
        if (cost <= costMax && cost <= costs[last + j - 1]! && cost <= next) {
          found.push(trace(wordText, textText, j, true));
        }
      }
      return found;
    },
  };
}

function atFirstLetter(i: number, cost: number, factor: number): number {
  return i === 1 && cost >= fullEdit / 2 ? Math.round(cost * factor) : cost;
}

function isSeparator(code: number): boolean {
  return code === hyphen || code === dot;
}
