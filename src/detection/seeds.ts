/**
 * Which three neighbouring characters of a word are bound to survive a given number of errors. By the
 * pigeonhole principle (Wu and Manber 1992; Navarro and Raffinot 2002, section 6.3) k errors cannot touch
 * k + 1 stretches that lie far enough apart: a text that holds none of them cannot hold the word.
 */

/** Characters of a seed. Longer ones would be rarer, but two errors in eight letters leave no four together. */
export const seedLength = 3;

/** Two characters that an error can make one of, as classes. */
export interface Collapse {
  first: number;
  second: number;
  single: number;
}

interface WordError {
  /** Touched positions, from first to last. */
  first: number;
  last: number;
  /** The word after this error, where the error's outcome is known: classes with the positions they stand for. */
  outcome: { value: number; first: number; last: number }[] | undefined;
}

/**
 * Seeds of `classes` for at most `errors` errors, each as its three classes: substitution, omission and
 * insertion of any character, transposition of neighbours, two characters become one.
 *
 * @param rarity how welcome a class is in a seed: the lower, the fewer texts hold it
 */
export function seedsFor(
  classes: readonly number[],
  errors: number,
  collapses: readonly Collapse[],
  rarity: (value: number) => number,
): number[][] {
  const starts = classes.length - seedLength + 1;
  if (starts < 1) throw new Error("word shorter than a seed");
  const costOf = (seed: readonly number[]): number => seed.reduce((cost, value) => cost * rarity(value), 1);
  const at = (start: number): number[] => classes.slice(start, start + seedLength);

  // Apart by four, no transposition touches two of them; where the word is too short, by three.
  const chosen =
    chooseStarts(starts, errors + 1, 4, (start) => costOf(at(start))) ??
    chooseStarts(starts, errors + 1, 3, (start) => costOf(at(start)));
  if (chosen === undefined) throw new Error(`word of ${classes.length} characters for ${errors} errors`);
  const seeds = chosen.map(at);

  const possible = possibleErrors(classes, collapses);
  for (const combination of combinations(possible, errors)) {
    if (chosen.some((start) => combination.every((error) => survives(start, start + seedLength - 1, error))))
      continue;
    const rescue = rescuingSeed(combination, seeds, costOf);
    if (rescue === undefined) throw new Error("no seed survives");
    seeds.push(rescue);
  }
  return seeds.filter((seed, index) => seeds.findIndex((other) => other.join() === seed.join()) === index);
}

/** The cheapest `count` starts that are `distance` apart, by dynamic programming; undefined where there is no room. */
function chooseStarts(
  starts: number,
  count: number,
  distance: number,
  cost: (start: number) => number,
): number[] | undefined {
  let best: { sum: number; chosen: number[] }[] = Array.from({ length: starts }, (_, start) => ({
    sum: cost(start),
    chosen: [start],
  }));
  for (let round = 1; round < count; round++) {
    best = best.map((_, start) => {
      const before = best.slice(0, Math.max(0, start - distance + 1));
      const least = before.reduce((a, b) => (b.sum < a.sum ? b : a), {
        sum: Infinity,
        chosen: [] as number[],
      });
      return { sum: least.sum + cost(start), chosen: [...least.chosen, start] };
    });
  }
  const least = best.reduce((a, b) => (b.sum < a.sum ? b : a));
  return least.sum === Infinity ? undefined : least.chosen;
}

function possibleErrors(classes: readonly number[], collapses: readonly Collapse[]): WordError[] {
  const errors: WordError[] = [];
  for (const [position, value] of classes.entries()) {
    errors.push({ first: position, last: position, outcome: undefined });
    const next = classes[position + 1];
    if (next === undefined) continue;
    const before = classes.slice(0, position).map((other, i) => ({ value: other, first: i, last: i }));
    const rest = classes
      .slice(position + 2)
      .map((other, i) => ({ value: other, first: position + 2 + i, last: position + 2 + i }));
    const both = { first: position, last: position + 1 };
    const outcomes = [
      [
        { value: next, ...both },
        { value, ...both },
      ],
    ];
    for (const { first, second, single } of collapses) {
      if (first === value && second === next) outcomes.push([{ value: single, ...both }]);
    }
    for (const middle of outcomes) errors.push({ ...both, outcome: [...before, ...middle, ...rest] });
  }
  return errors;
}

function* combinations(errors: WordError[], count: number): Generator<WordError[]> {
  if (count === 0) return;
  for (const [index, error] of errors.entries()) {
    if (count === 1) yield [error];
    else for (const more of combinations(errors.slice(index), count - 1)) yield [error, ...more];
  }
}

function survives(first: number, last: number, error: WordError): boolean {
  return error.last < first || error.first > last;
}

/** A seed from what one of the errors makes of the word, untouched by the others. */
function rescuingSeed(
  combination: WordError[],
  seeds: readonly number[][],
  costOf: (seed: readonly number[]) => number,
): number[] | undefined {
  let best: number[] | undefined;
  for (const error of combination) {
    const others = combination.filter((other) => other !== error);
    const outcome = error.outcome ?? [];
    for (let start = 0; start + seedLength <= outcome.length; start++) {
      const stretch = outcome.slice(start, start + seedLength);
      if (!others.every((other) => survives(stretch[0]!.first, stretch.at(-1)!.last, other))) continue;
      const seed = stretch.map((cell) => cell.value);
      if (seeds.some((known) => known.join() === seed.join())) return seed;
      if (best === undefined || costOf(seed) < costOf(best)) best = seed;
    }
  }
  return best;
}
