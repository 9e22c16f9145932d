/**
 * Optimal string alignment: the restricted Damerau-Levenshtein distance (Damerau 1964), extended by pairs of
 * characters that look like one, with the weighted costs of `alignment-steps.ts`. Separators cost little, because
 * attackers split brands by hyphens and dots. As in approximate string matching (Sellers 1980), a word can also be
 * aligned with any stretch of the text, by letting the alignment start anywhere for free.
 */
import { isMultigraph } from "../letters/similar-characters.ts";
import {
  createSteps,
  impossible,
  isSeparator,
  textLengthMax,
  transpositionCost,
  wordLengthMax,
  type StepKind,
} from "./alignment-steps.ts";

export interface Edit {
  kind: StepKind;
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

const alignmentsMax = 8;

/** Returns an aligner that reuses its matrix for all calls. */
export function createAligner(): Aligner {
  const columns = textLengthMax + 1;
  // costs[i * columns + j]: the lowest cost of aligning the first i characters of the word with the text before j,
  // from its start or, if the start is free, from anywhere.
  const costs = new Int32Array((wordLengthMax + 1) * columns);
  const { word, text, collapses, load, matchCost, matchKind, ...others } = createSteps();
  const { insertionCost, insertionKind, omissionCost, pairCost, singleCost, isTransposed } = others;

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
