/** Longer texts are not misspellings of a key. The limit bounds the cost of hostile input. */
const comparedLengthMax = 60;

/**
 * Returns the candidate that `text` most likely misspells, or undefined if none is within one edit per three characters.
 * Case, `-` and `_` are ignored, so `publicUrl` finds `public_url`.
 */
export function nearest(text: string, candidates: readonly string[]): string | undefined {
  const wanted = fold(text);
  if (wanted.length === 0 || wanted.length > comparedLengthMax) return undefined;
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    const known = fold(candidate);
    if (Math.abs(known.length - wanted.length) >= bestDistance) continue;
    const distance = editDistance(wanted, known);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Optimal string alignment distance: insertions, deletions, substitutions and transpositions of adjacent characters, each 1. */
export function editDistance(left: string, right: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const same = left[row - 1] === right[column - 1];
      let cost = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + (same ? 0 : 1));
      const swapped =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (swapped) cost = Math.min(cost, beforeLast[column - 2]! + 1);
      current.push(cost);
    }
    [beforeLast, last] = [last, current];
  }
  return last[right.length]!;
}

function fold(text: string): string {
  return text.toLowerCase().replaceAll(/[-_ ]/g, "");
}
