import { codePointOf } from "./code-point.ts";
import { escapeHidden } from "../../../platform/lib/safe-text.ts";
import tables from "../data/letters.json" with { type: "json" };
import type { Substitution } from "../types.ts";

/**
 * Costs of reading or typing one character, or a pair of characters, for another, in hundredths of a full edit.
 * Characters that look alike cost least; common typing errors cost less than other changes.
 */

export const fullEdit = 100;
/** Cost of an adjacent key, one vowel for another, or a letter of similar shape or sound. */
const slipCost = 85;

/**
 * `lookAlikes`: ASCII characters that look alike at a glance. Each pair applies in both directions. `similarLetters`: letters
 * of similar shape or sound, which are overlooked more easily than others. `keyboards`: rows of keys on QWERTY, QWERTZ and
 * AZERTY keyboards. The row of digits is the same on all.
 */
const { lookAlikes, similarLetters, keyboards } = tables;

/** Multigraphs: two characters that look like one, with that one. */
export const { multigraphs } = tables;

/** Groups of characters that may replace each other without counting as an error. */
export const { visualGroups } = tables;

const vowels = "aeiouy";

const ascii = 128;
const lookAlikeCost = new Map<string, number>(
  lookAlikes.flatMap(({ pair, cost }): [string, number][] => [
    [pair, cost],
    [pair[1]! + pair[0]!, cost],
  ]),
);
const neighbors = keyboardNeighbors();
const alike = tableOfAlike();
const substitutionCosts = tableOfSubstitutions();
const { pairNumbers, singleCosts } = tableOfMultigraphs();

export function substitutionKind(found: string, expected: string): Substitution {
  if (lookAlikeCost.has(found + expected)) return "confusable";
  if (neighbors.has(found + expected)) return "keyboard_neighbor";
  if (vowels.includes(found) && vowels.includes(expected)) return "vowel_swap";
  return "replacement";
}

/** Returns the cost of one character code for a different one. */
export function substitutionCost(found: number, expected: number): number {
  return found < ascii && expected < ascii ? substitutionCosts[found * ascii + expected]! : fullEdit;
}

/** Returns whether two letters are similar in shape or sound. */
export function areSimilar(found: number, expected: number): boolean {
  return found < ascii && expected < ascii && alike[found * ascii + expected] === 1;
}

/** Returns the cost of two character codes for the one that they look like, or 0 if they do not look like it. */
export function pairForSingleCost(first: number, second: number, single: number): number {
  if (first >= ascii || second >= ascii || single >= ascii) return 0;
  const pair = pairNumbers[first * ascii + second]!;
  return pair === 0 ? 0 : singleCosts[pair * ascii + single]!;
}

/** Returns whether two character codes look like a single one. */
export function isMultigraph(first: number, second: number): boolean {
  return first < ascii && second < ascii && pairNumbers[first * ascii + second] !== 0;
}

export function keyboardNeighborsOf(character: string): string[] {
  return [...neighbors].filter((pair) => pair[1] === character).map((pair) => pair[0]!);
}

/** Returns the single characters that look like `character`. */
export function lookAlikesOf(character: string): string[] {
  return [...lookAlikeCost.keys()].filter((pair) => pair[1] === character).map((pair) => pair[0]!);
}

export const vowelLetters: readonly string[] = Array.from(vowels);

function keyboardNeighbors(): ReadonlySet<string> {
  const pairs = new Set<string>();
  for (const rows of keyboards) {
    for (const [y, row] of rows.entries()) {
      const [above, below] = [rows[y - 1] ?? "", rows[y + 1] ?? ""];
      for (let x = 0; x < row.length; x++) {
        // Rows are staggered to the right: above are the keys at x and x + 1, below those at x - 1 and x.
        for (const other of [row[x - 1], row[x + 1], above[x], above[x + 1], below[x - 1], below[x]]) {
          if (other !== undefined) pairs.add(other + row[x]!);
        }
      }
    }
  }
  return pairs;
}

function tableOfAlike(): Uint8Array {
  const table = new Uint8Array(ascii * ascii);
  for (const pair of similarLetters) {
    const [a, b] = [pair.charCodeAt(0), pair.charCodeAt(1)];
    table[a * ascii + b] = 1;
    table[b * ascii + a] = 1;
  }
  return table;
}

function tableOfSubstitutions(): Uint8Array {
  const costs = new Uint8Array(ascii * ascii).fill(fullEdit);
  const set = (pair: string, cost: number) => {
    costs[pair.charCodeAt(0) * ascii + pair.charCodeAt(1)] = cost;
  };
  for (const [index, isAlike] of alike.entries()) if (isAlike === 1) costs[index] = slipCost;
  for (const pair of neighbors) set(pair, slipCost);
  for (const found of vowels) for (const expected of vowels) set(found + expected, slipCost);
  for (const [pair, cost] of lookAlikeCost) set(pair, cost);
  return costs;
}

function tableOfMultigraphs(): { pairNumbers: Uint8Array; singleCosts: Uint8Array } {
  const numbers = new Uint8Array(ascii * ascii);
  const costs = new Uint8Array((multigraphs.length + 1) * ascii);
  for (const [index, { pair, single, cost }] of multigraphs.entries()) {
    const at = pair.charCodeAt(0) * ascii + pair.charCodeAt(1);
    numbers[at] ||= index + 1;
    costs[numbers[at] * ascii + single.charCodeAt(0)] = cost;
  }
  return { pairNumbers: numbers, singleCosts: costs };
}

/** Description of a character that people cannot tell from another one by its look. */
export type DescribedCharacter = ReturnType<typeof describeCharacter>;

/** Scripts that are named; letters of all others are described as foreign. */
const scripts = tables.scripts.map((script) => {
  return { name: script.replace("_", " "), pattern: new RegExp(`\\p{Script=${script}}`, "u") };
});

export function describeCharacter(character: string) {
  return {
    /** The character, or its escape if it would be invisible: `\u{200d}`. */
    shown: escapeHidden(character),
    codePoint: codePointOf(character),
    /** Such as `Cyrillic letter`, `digit` or `invisible character`. */
    description: describe(character),
  };
}

function describe(character: string): string {
  if (escapeHidden(character) !== character) return "invisible character";
  if (character === "-") return "hyphen";
  if (character === ".") return "dot";
  if (/\p{M}/u.test(character)) return "combining mark";
  if (/\p{N}/u.test(character)) return character <= "9" ? "digit" : "number sign";
  const script = scripts.find(({ pattern }) => pattern.test(character))?.name;
  if (/\p{L}/u.test(character)) return `${script ?? "foreign"} letter`;
  return "sign";
}
