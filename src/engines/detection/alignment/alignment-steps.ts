/**
 * The steps of an alignment and their costs, in hundredths of an edit. `i` and `j` count characters of the word and
 * the text, so that step (i, j) ends with `word[i]` and `text[j]`.
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

export type StepKind = EditKind | "separator";

/** More than any alignment costs. */
export const impossible = 1 << 20;
export const repetitionCost = 70;
export const transpositionCost = 75;
export const pluralCost = 60;
const hyphenCost = 25;
const dotCost = 50;
const lostSeparatorCost = 20;
const otherSeparatorCost = 10;
/** Factors for the first letter: people notice it most, and another one makes another word (betflix, netflix). */
const otherFirstLetterFactor = 2.25;
const alikeFirstLetterFactor = 1;
const lostFirstLetterFactor = 1.3;

const hyphen = 0x2d;
const dot = 0x2e;
export const pluralLetter = 0x73;

export const textLengthMax = 255;
export const wordLengthMax = 127;

/**
 * Costs of reading one ASCII character for another beyond the first letter: `pairCosts[expected * asciiCount + found]`.
 */
export const asciiCount = 128;
export const pairCosts: Int32Array = tableOfPairs();

const firstCosts: (Int32Array | undefined)[] = [];

/** Returns the costs of reading each ASCII character for `expected` as the first letter of a word. */
export function firstCostsOf(expected: number): Int32Array {
  return (firstCosts[expected] ??= Int32Array.from({ length: asciiCount }, (_, found) =>
    costOf(found, expected, 1),
  ));
}

/** Returns the steps for the word and text that were loaded last. */
export function createSteps() {
  // Characters start at index 1, so that i and j count them. A 0 follows the word.
  const word = new Uint16Array(wordLengthMax + 2);
  const text = new Uint16Array(textLengthMax + 2);
  /** 1 if a character of the text and the one before it can look like a single one. */
  const collapses = new Uint8Array(textLengthMax + 2);
  /** Costs of adding a character of the text where the word does not contain it. */
  const additions = new Int32Array(textLengthMax + 2);
  let loadedText = "";
  let loadedWord = "";

  /** Loads a word and a text. Returns false if either is too long, or the word is empty. */
  function load(wordText: string, textText: string): boolean {
    if (wordText.length === 0 || wordText.length > wordLengthMax || textText.length > textLengthMax)
      return false;
    // A name is aligned with several words, and a word with several parts of a name.
    if (wordText !== loadedWord) loadWord(wordText);
    if (textText !== loadedText) loadText(textText);
    return true;
  }

  function loadWord(wordText: string): void {
    for (let i = 0; i < wordText.length; i++) word[i + 1] = wordText.charCodeAt(i);
    word[wordText.length + 1] = 0;
    loadedWord = wordText;
  }

  function loadText(textText: string): void {
    for (let j = 0; j < textText.length; j++) {
      const found = textText.charCodeAt(j);
      text[j + 1] = found;
      additions[j + 1] = found === hyphen ? hyphenCost : found === dot ? dotCost : fullEdit;
    }
    for (let j = 2; j <= textText.length; j++)
      collapses[j] = isMultigraph(text[j - 1] ?? 0, text[j] ?? 0) ? 1 : 0;
    loadedText = textText;
  }

  function matchCost(i: number, j: number): number {
    return costOf(text[j] ?? 0, word[i] ?? 0, i);
  }

  function matchKind(i: number, j: number): StepKind | undefined {
    if (word[i] === text[j]) return undefined;
    if (isSeparator(word[i] ?? 0)) return "separator";
    return substitutionKind(String.fromCharCode(text[j] ?? 0), String.fromCharCode(word[i] ?? 0));
  }

  function insertionCost(i: number, j: number): number {
    const found = text[j] ?? 0;
    if (isSeparator(found)) return additions[j] ?? 0;
    if (i > 0 && (found === word[i] || found === word[i + 1])) return repetitionCost;
    if (found === pluralLetter && word[i + 1] === 0) return pluralCost;
    return i === 0 ? fullEdit * lostFirstLetterFactor : fullEdit;
  }

  function insertionKind(i: number, j: number): StepKind {
    if (isSeparator(text[j] ?? 0)) return "separator";
    if (i > 0 && (text[j] === word[i] || text[j] === word[i + 1])) return "repetition";
    return text[j] === pluralLetter && word[i + 1] === 0 ? "plural" : "insertion";
  }

  function omissionCost(i: number): number {
    if (isSeparator(word[i] ?? 0)) return lostSeparatorCost;
    if (i > 1 && (word[i] === word[i - 1] || word[i] === word[i + 1])) return repetitionCost;
    return atFirstLetter(i, fullEdit, lostFirstLetterFactor);
  }

  function pairCost(i: number, j: number): number {
    return pairForSingleCost(text[j - 1] ?? 0, text[j] ?? 0, word[i] ?? 0) || impossible;
  }

  function singleCost(i: number, j: number): number {
    return pairForSingleCost(word[i - 1] ?? 0, word[i] ?? 0, text[j] ?? 0) || impossible;
  }

  function isTransposed(i: number, j: number): boolean {
    return i > 1 && j > 1 && word[i] === text[j - 1] && word[i - 1] === text[j] && word[i] !== word[i - 1];
  }

  return {
    word,
    text,
    collapses,
    additions,
    load,
    matchCost,
    matchKind,
    insertionCost,
    insertionKind,
    omissionCost,
    pairCost,
    singleCost,
    isTransposed,
  };
}

/** Returns the cost of reading a character for the one at index `i` of the word. */
function costOf(found: number, expected: number, i: number): number {
  if (expected === found) return 0;
  if (!isSeparator(expected) && !isSeparator(found)) {
    const cost = substitutionCost(found, expected);
    if (i > 1) return cost;
    const factor = areSimilar(found, expected) ? alikeFirstLetterFactor : otherFirstLetterFactor;
    return atFirstLetter(i, cost, factor);
  }
  return isSeparator(expected) && isSeparator(found) ? otherSeparatorCost : impossible;
}

function atFirstLetter(i: number, cost: number, factor: number): number {
  return i === 1 && cost >= fullEdit / 2 ? Math.round(cost * factor) : cost;
}

export function isSeparator(code: number): boolean {
  return code === hyphen || code === dot;
}

function tableOfPairs(): Int32Array {
  const costs = new Int32Array(asciiCount * asciiCount);
  for (let found = 0; found < asciiCount; found++) {
    for (let expected = 0; expected < asciiCount; expected++) {
      const separators = Number(isSeparator(found)) + Number(isSeparator(expected));
      const ofSeparators = separators === 2 ? otherSeparatorCost : impossible;
      const cost = separators === 0 ? substitutionCost(found, expected) : ofSeparators;
      costs[expected * asciiCount + found] = found === expected ? 0 : cost;
    }
  }
  return costs;
}
