/**
 * How easily one character or pair of characters is taken or typed for another: the costs of an alignment, in
 * hundredths of one full edit. What looks alike costs least, what fingers do by themselves less than what
 * they do not.
 */

export const fullEdit = 100;
/** A neighbouring key, one vowel for another, a letter of like shape or sound. */
const slipCost = 85;

/** ASCII characters that look alike at a glance; each pair holds both ways. */
const lookAlikes: readonly [pair: string, cost: number][] = [
  ["0o", 6],
  ["1l", 5],
  ["1i", 8],
  ["il", 8],
  ["5s", 15],
  ["3e", 20],
  ["4a", 25],
  ["7t", 30],
  ["8b", 20],
  ["68", 20],
  ["6b", 30],
  ["9g", 20],
  ["gq", 30],
  ["9q", 30],
  ["2z", 20],
];

/** Letters of like shape or sound, which are overlooked more easily than others. */
const likeLetters: readonly string[] = [
  "uv",
  "vw",
  "ij",
  "jl",
  "ce",
  "co",
  "hn",
  "mn",
  "bh",
  "ck",
  "cq",
  "kq",
  "sz",
  "iy",
  "fv",
];

/** Two characters that look like one (multigraphs), with the one. */
const multigraphs: readonly [pair: string, single: string, cost: number][] = [
  ["rn", "m", 10],
  ["nn", "m", 25],
  ["vv", "w", 10],
  ["cl", "d", 20],
];

/** Rows of the letters of QWERTY, QWERTZ and AZERTY keyboards; the digits' row is common to all. */
const keyboards: readonly (readonly string[])[] = [
  ["1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm"],
  ["1234567890", "qwertzuiop", "asdfghjkl", "yxcvbnm"],
  ["1234567890", "azertyuiop", "qsdfghjklm", "wxcvbn"],
];

const vowels = "aeiouy";

const ascii = 128;
const lookAlikeCost = new Map<string, number>(
  lookAlikes.flatMap(([pair, cost]): [string, number][] => [
    [pair, cost],
    [pair[1]! + pair[0]!, cost],
  ]),
);
const neighbours = keyboardNeighbours();
const alike = tableOfAlike();
const substitutionCosts = tableOfSubstitutions();
const { pairNumbers, singleCosts } = tableOfMultigraphs();

export type Substitution = "confusable" | "keyboard_neighbour" | "vowel_swap" | "replacement";

export function substitutionKind(found: string, expected: string): Substitution {
  if (lookAlikeCost.has(found + expected)) return "confusable";
  if (neighbours.has(found + expected)) return "keyboard_neighbour";
  if (vowels.includes(found) && vowels.includes(expected)) return "vowel_swap";
  return "replacement";
}

/** Cost of one character code in place of another, different one. */
export function substitutionCost(found: number, expected: number): number {
  return found < ascii && expected < ascii ? substitutionCosts[found * ascii + expected]! : fullEdit;
}

/** Whether two letters are alike in shape or sound. */
export function areAlike(found: number, expected: number): boolean {
  return found < ascii && expected < ascii && alike[found * ascii + expected] === 1;
}

/** Cost of two character codes for one that they look like, or 0 where they do not. */
export function pairForSingleCost(first: number, second: number, single: number): number {
  if (first >= ascii || second >= ascii || single >= ascii) return 0;
  const pair = pairNumbers[first * ascii + second]!;
  return pair === 0 ? 0 : singleCosts[pair * ascii + single]!;
}

/** Whether two character codes look like one. */
export function isMultigraph(first: number, second: number): boolean {
  return first < ascii && second < ascii && pairNumbers[first * ascii + second] !== 0;
}

export const multigraphPairs: readonly { pair: string; single: string }[] = multigraphs.map(
  ([pair, single]) => ({ pair, single }),
);

export function keyboardNeighboursOf(character: string): string[] {
  return [...neighbours].filter((pair) => pair[1] === character).map((pair) => pair[0]!);
}

/** Single characters that look like `character`. */
export function lookAlikesOf(character: string): string[] {
  return [...lookAlikeCost.keys()].filter((pair) => pair[1] === character).map((pair) => pair[0]!);
}

export const vowelLetters: readonly string[] = Array.from(vowels);

function keyboardNeighbours(): ReadonlySet<string> {
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
  for (const pair of likeLetters) {
    const [a, b] = [pair.charCodeAt(0), pair.charCodeAt(1)];
    table[a * ascii + b] = 1;
    table[b * ascii + a] = 1;
  }
  return table;
}

function tableOfSubstitutions(): Uint8Array {
  const costs = new Uint8Array(ascii * ascii);
  for (let found = 0; found < ascii; found++) {
    for (let expected = 0; expected < ascii; expected++) {
      const [a, b] = [String.fromCharCode(found), String.fromCharCode(expected)];
      const kind = substitutionKind(a, b);
      const likely = kind !== "replacement" || areAlike(found, expected);
      const cost = kind === "confusable" ? lookAlikeCost.get(a + b)! : likely ? slipCost : fullEdit;
      costs[found * ascii + expected] = cost;
    }
  }
  return costs;
}

function tableOfMultigraphs(): { pairNumbers: Uint8Array; singleCosts: Uint8Array } {
  const numbers = new Uint8Array(ascii * ascii);
  const costs = new Uint8Array((multigraphs.length + 1) * ascii);
  for (const [index, [pair, single, cost]] of multigraphs.entries()) {
    const at = pair.charCodeAt(0) * ascii + pair.charCodeAt(1);
    numbers[at] ||= index + 1;
    costs[numbers[at] * ascii + single.charCodeAt(0)] = cost;
  }
  return { pairNumbers: numbers, singleCosts: costs };
}

/** Groups of characters between which no step of an alignment counts as an error. */
export const visualGroups: readonly string[] = ["il1", "o0", "s5", "e3", "a4", "t7", "b68", "gq9", "z2"];
