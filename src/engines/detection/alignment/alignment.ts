/**
 * Optimal string alignment: the restricted Damerau-Levenshtein distance (Damerau 1964), extended by pairs of
 * characters that look like one, with the weighted costs of `alignment-steps.ts`. Separators cost little, because
 * attackers split brands by hyphens and dots. As in approximate string matching (Sellers 1980), a word can also be
 * aligned with any stretch of the text, by letting the alignment start anywhere for free.
 */
import { fullEdit, isMultigraph } from "../letters/similar-characters.ts";
import {
  asciiCount,
  createSteps,
  firstCostsOf,
  impossible,
  isSeparator,
  pairCosts,
  pluralCost,
  pluralLetter,
  repetitionCost,
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

export type Aligner = ReturnType<typeof createAligner>;

const alignmentsMax = 8;
const columns = textLengthMax + 1;

type Steps = ReturnType<typeof createSteps>;

/**
 * Lowest costs of aligning the start of the word with text: `costs[i * columns + j]` for its first i characters and the
 * text before j, from its start or, if the start is free, from anywhere.
 */
type Costs = Int32Array;

/** Returns an aligner that reuses its matrices for all calls. */
export function createAligner() {
  const costsOfWhole: Costs = new Int32Array((wordLengthMax + 1) * columns);
  const costsWithin: Costs = new Int32Array((wordLengthMax + 1) * columns);
  /** Index of the last row of `costsWithin`. Undefined if it is unknown. */
  let lastRow: number | undefined;
  const steps = createSteps();
  const { word, load, matchCost, matchKind, ...others } = steps;
  const { insertionCost, insertionKind, pairCost, singleCost, isTransposed } = others;

  /** Returns the first step that explains the cost of a cell, by the number of characters of the word and the text. */
  function stepTo(
    costs: Costs,
    i: number,
    j: number,
  ): { di: number; dj: number; kind: StepKind | undefined } {
    const at = i * columns + j;
    const cost = costs[at] ?? 0;
    if (i > 0 && j > 0 && (costs[at - columns - 1] ?? 0) + matchCost(i, j) === cost)
      return { di: 1, dj: 1, kind: matchKind(i, j) };
    if (isTransposed(i, j) && (costs[at - 2 * columns - 2] ?? 0) + transpositionCost === cost)
      return { di: 2, dj: 2, kind: "transposition" };
    if (i > 0 && j > 1 && (costs[at - columns - 2] ?? 0) + pairCost(i, j) === cost)
      return { di: 1, dj: 2, kind: "confusable" };
    if (i > 1 && j > 0 && (costs[at - 2 * columns - 1] ?? 0) + singleCost(i, j) === cost)
      return { di: 2, dj: 1, kind: "confusable" };
    if (j > 0 && (costs[at - 1] ?? 0) + insertionCost(i, j) === cost)
      return { di: 0, dj: 1, kind: insertionKind(i, j) };
    return { di: 1, dj: 0, kind: isSeparator(word[i] ?? 0) ? "separator" : "omission" };
  }

  /** Traces the alignment back from a cell, by the first step that explains the cell's cost. */
  function trace(wordText: string, textText: string, end: number, costs: Costs): Alignment {
    const total = costs[wordText.length * columns + end] ?? 0;
    // Only equal characters cost nothing.
    if (total === 0) return { start: end - wordText.length, end, cost: 0, edits: [] };
    const edits: Edit[] = [];
    let i = wordText.length;
    let j = end;
    // With a free start, nothing before the word belongs to the alignment.
    const leadingMin = costs === costsWithin ? Infinity : 0;
    while (i > 0 || j > leadingMin) {
      const { di, dj, kind } = stepTo(costs, i, j);
      const found = textText.slice(j - dj, j);
      if (kind !== undefined)
        edits.push({ kind, position: j - dj, found, expected: wordText.slice(i - di, i) });
      i -= di;
      j -= dj;
    }
    return { start: j, end, cost: total, edits: edits.reverse() };
  }

  return {
    /** Aligns the whole text with the word. Returns undefined if that costs more than `costMax`. */
    whole(wordText: string, textText: string, costMax: number) {
      if (!load(wordText, textText)) return undefined;
      const costs = costsOfWhole;
      fillCosts(costs, steps, { wordLength: wordText.length, textLength: textText.length, freeStart: false });
      const cost = costs[wordText.length * columns + textText.length] ?? 0;
      return cost > costMax ? undefined : trace(wordText, textText, textText.length, costs);
    },

    /** Returns up to `alignmentsMax` stretches of the text that align with the word for at most `costMax`. */
    within(wordText: string, textText: string, costMax: number) {
      lastRow = undefined;
      if (!load(wordText, textText)) return [];
      const costs = costsWithin;
      fillCosts(costs, steps, { wordLength: wordText.length, textLength: textText.length, freeStart: true });
      const last = wordText.length * columns;
      lastRow = last;
      const found: Alignment[] = [];
      for (let j = 1; j <= textText.length && found.length < alignmentsMax; j++) {
        const cost = costs[last + j] ?? 0;
        const next = j < textText.length ? (costs[last + j + 1] ?? 0) : impossible;
        if (cost <= costMax && cost <= (costs[last + j - 1] ?? 0) && cost <= next) {
          found.push(trace(wordText, textText, j, costs));
        }
      }
      return found;
    },
    /** Returns the lowest cost of any stretch that ends before `end`, of the word and text of the last `within`. */
    // A text that is too long may contain a shorter one that fits.
    leastCostTo: (end: number) => (lastRow === undefined ? 0 : (costsWithin[lastRow + end] ?? 0)),
  };
}

/** Fills `costs` for the word and text that `steps` have loaded. */
function fillCosts(
  costs: Costs,
  steps: Steps,
  { wordLength, textLength, freeStart }: { wordLength: number; textLength: number; freeStart: boolean },
): void {
  const { word, text, collapses, additions } = steps;
  const firstCosts = firstCostsOf(word[1] ?? 0);
  const { matchCost, insertionCost, omissionCost, pairCost, singleCost } = steps;
  costs[0] = 0;
  for (let j = 1; j <= textLength; j++) costs[j] = freeStart ? 0 : (costs[j - 1] ?? 0) + insertionCost(0, j);
  for (let i = 1; i <= wordLength; i++) {
    const row = i * columns;
    const above = row - columns;
    const omission = omissionCost(i);
    const expected = word[i] ?? 0;
    const next = word[i + 1] ?? 0;
    const pluralAt = next === 0 ? pluralLetter : 0;
    const mayCollapse = i > 1 && isMultigraph(word[i - 1] ?? 0, expected);
    const mayTranspose = i > 1 && expected !== word[i - 1];
    const substitutions = i > 1 ? pairCosts : firstCosts;
    const firstSubstitution = i > 1 ? expected * asciiCount : 0;
    let diagonal = costs[above] ?? 0;
    let left = diagonal + omission;
    costs[row] = left;
    // The costs of `alignment-steps.ts` without calls, because this loop takes most of the time.
    for (let j = 1; j <= textLength; j++) {
      const found = text[j] ?? 0;
      const up = costs[above + j] ?? 0;
      let best = diagonal;
      if (found !== expected) {
        const areAscii = (found | expected) < asciiCount;
        best += areAscii ? (substitutions[firstSubstitution + found] ?? 0) : matchCost(i, j);
      }
      let addition = additions[j] ?? 0;
      if (addition === fullEdit) {
        if (found === expected || found === next) addition = repetitionCost;
        else if (found === pluralAt) addition = pluralCost;
      }
      best = Math.min(best, left + addition, up + omission);
      if (collapses[j] === 1) best = Math.min(best, (costs[above + j - 2] ?? 0) + pairCost(i, j));
      if (mayCollapse) best = Math.min(best, (costs[above - columns + j - 1] ?? 0) + singleCost(i, j));
      if (mayTranspose && j > 1 && expected === text[j - 1] && word[i - 1] === found)
        best = Math.min(best, (costs[above - columns + j - 2] ?? 0) + transpositionCost);
      costs[row + j] = best;
      left = best;
      diagonal = up;
    }
  }
}
