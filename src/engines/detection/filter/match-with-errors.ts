/** Approximate matching of a pattern of character classes in a text: the exact part of the filter. */
import { classBits, classMask, collapses } from "./character-classes.ts";

/** Sentinels around patterns and texts. They differ, so that a comparison always stops at either end. */
export const patternEdge = 0xff;
export const textEdge = 0xfe;

/**
 * Returns whether the pattern from `p` to its edge matches the text from `t` with at most `errors` errors, in the
 * direction of `step`. Skipping equal classes first loses no match: an error that could come earlier can just as
 * well come where pattern and text first differ (Landau and Vishkin 1989).
 */
export function matchesWithErrors(
  pattern: Uint8Array,
  p: number,
  text: Uint8Array,
  t: number,
  step: 1 | -1,
  errors: number,
): boolean {
  while (pattern[p] === text[t]) {
    p += step;
    t += step;
  }
  const expected = pattern[p] ?? 0;
  if (expected === patternEdge) return true;
  if (errors === 0) return false;
  const left = errors - 1;
  const expectedNext = pattern[p + step] ?? 0;
  if (continues(pattern, p + step, text, t, step, left)) return true;
  const found = text[t] ?? 0;
  if (found === textEdge) return false;
  if (continues(pattern, p + step, text, t + step, step, left)) return true;
  if (continues(pattern, p, text, t + step, step, left)) return true;
  const foundNext = text[t + step] ?? 0;
  if (expected === foundNext && expectedNext === found) {
    if (continues(pattern, p + 2 * step, text, t + 2 * step, step, left)) return true;
  }
  if (singleFor(found, foundNext, step) === expected) {
    if (continues(pattern, p + step, text, t + 2 * step, step, left)) return true;
  }
  return (
    singleFor(expected, expectedNext, step) === found &&
    continues(pattern, p + 2 * step, text, t + step, step, left)
  );
}

/** Returns the same as `matchesWithErrors`. If no errors are left, the first class decides most comparisons. */
function continues(
  pattern: Uint8Array,
  p: number,
  text: Uint8Array,
  t: number,
  step: 1 | -1,
  errors: number,
): boolean {
  if (errors === 0 && pattern[p] !== text[t]) return pattern[p] === patternEdge;
  return matchesWithErrors(pattern, p, text, t, step, errors);
}

/** Returns the class that two others look like, or -1. `near` comes first in the direction of `step`. */
function singleFor(near: number, far: number, step: 1 | -1): number {
  if (near > classMask || far > classMask) return -1;
  return singles[step > 0 ? (near << classBits) | far : (far << classBits) | near] ?? 0;
}

const singles = tableOfSingles();

function tableOfSingles(): Int8Array {
  const table = new Int8Array(1 << (2 * classBits)).fill(-1);
  for (const { first, second, single } of collapses) table[(first << classBits) | second] = single;
  return table;
}
