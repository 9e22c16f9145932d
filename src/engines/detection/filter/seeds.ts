/**
 * Pigeonhole seeds: sequences of three characters of which at least one survives a given number of errors. k
 * errors cannot touch all of k + 1 stretches that are far enough apart, so a text without any of them cannot
 * contain the word (Wu and Manber 1992; Navarro and Raffinot 2002, section 6.3).
 *
 * In a short word, a transposition or a collapse at the border of two stretches touches both. Then the word as that
 * error leaves it contributes a seed of its own, called a rescue below.
 */

/** Number of characters in a seed. Four would be rarer, but two errors in eight letters may leave no four together. */
export const seedLength = 3;

/** Two classes that look like a single one, as `rn` looks like `m`. */
export interface Collapse {
  first: number;
  second: number;
  single: number;
}

/** A pattern to compare wherever `classes[offset]` and the two classes after it occur. */
export interface Seed {
  /** The word, or the word after one error. */
  classes: readonly number[];
  offset: number;
  /** Number of classes left and right of the seed that survive with it. */
  left: number;
  right: number;
  /** Maximum number of errors in the rest. */
  errors: number;
}

/** A stretch of the word, from its first to its last position. */
interface Stretch {
  first: number;
  last: number;
}

interface WordError extends Stretch {
  /** The word after this error, if the error has only one outcome: classes, and the positions that they replace. */
  outcome?: readonly ({ value: number } & Stretch)[];
}

/** A seed of the word after one error, for combinations of errors that touch all of the word's own seeds. */
interface Rescue extends Stretch, Seed {
  spent: WordError;
}

/**
 * Returns the seeds of `classes` for at most `errors` errors. An error is a substitution, omission or insertion of
 * a character, a transposition of adjacent characters, or two characters for one or one for two that look alike.
 *
 * @param rarity returns a lower number for a seed that fewer texts contain
 */
export function seedsFor(
  classes: readonly number[],
  errors: number,
  collapses: readonly Collapse[],
  rarity: (seed: readonly number[]) => number,
): Seed[] {
  const starts = classes.length - seedLength + 1;
  if (starts < 1) return [];
  const cost = (start: number): number => rarity(classes.slice(start, start + seedLength));
  // Four apart, no transposition touches two of them. In a short word they may only be three apart.
  const chosen = chooseStarts(starts, errors + 1, 4, cost) ?? chooseStarts(starts, errors + 1, 3, cost);
  if (chosen === undefined)
    throw new Error(`a word of ${classes.length} characters cannot tolerate ${errors} errors`);
  const pieces = chosen.map((start, index) => pieceAround(chosen, index, classes.length, start));
  const seeds = chosen.map((offset, index): Seed => {
    const { first, last } = pieces[index]!;
    return { classes, offset, left: offset - first, right: last - (offset + seedLength - 1), errors };
  });
  return areApart(pieces) ? seeds : [...seeds, ...rescuesFor(pieces, classes, errors, collapses, rarity)];
}

/** Returns whether no error touches two of the stretches. An error touches at most two positions in a row. */
function areApart(stretches: readonly Stretch[]): boolean {
  return stretches.every(({ first }, index) => index === 0 || first > stretches[index - 1]!.last + 1);
}

/** Returns a rescue for each combination of errors that touches all pieces. */
function rescuesFor(
  pieces: readonly Stretch[],
  classes: readonly number[],
  errors: number,
  collapses: readonly Collapse[],
  rarity: (seed: readonly number[]) => number,
): Rescue[] {
  const rescues: Rescue[] = [];
  for (const combination of combinations(possibleErrors(classes, collapses), errors)) {
    const isHit = (stretch: Stretch, but?: WordError): boolean =>
      combination.some(
        (error) => error !== but && error.last >= stretch.first && error.first <= stretch.last,
      );
    if (pieces.some((piece) => !isHit(piece))) continue;
    if (rescues.some((rescue) => combination.includes(rescue.spent) && !isHit(rescue, rescue.spent)))
      continue;
    const possible = combination.flatMap((error) => seedsOfOutcome(error, errors - 1));
    const fit = possible.filter((rescue) => !isHit(rescue, rescue.spent));
    if (fit.length === 0) throw new Error("no seed survives this combination of errors");
    const rarityOf = ({ classes: outcome, offset }: Seed): number =>
      rarity(outcome.slice(offset, offset + seedLength));
    rescues.push(fit.reduce((a, b) => (rarityOf(b) < rarityOf(a) ? b : a)));
  }
  return rescues;
}

/**
 * Returns the stretch that a seed stands for: up to the adjacent seeds, with one position between them, so that no
 * transposition touches both.
 */
function pieceAround(starts: readonly number[], index: number, length: number, start: number): Stretch {
  const before = starts[index - 1];
  const after = starts[index + 1];
  const end = start + seedLength - 1;
  const gapBefore = before === undefined ? 0 : start - (before + seedLength);
  const gapAfter = after === undefined ? 0 : after - end - 1;
  return {
    first: before === undefined ? 0 : start - Math.floor(Math.max(0, gapBefore - 1) / 2),
    last: after === undefined ? length - 1 : end + Math.ceil(Math.max(0, gapAfter - 1) / 2),
  };
}

function seedsOfOutcome(error: WordError, errors: number): Rescue[] {
  const outcome = error.outcome ?? [];
  const classes = outcome.map((cell) => cell.value);
  return outcome.slice(0, Math.max(0, outcome.length - seedLength + 1)).map(({ first }, offset) => {
    return {
      classes,
      offset,
      left: 0,
      right: 0,
      errors,
      spent: error,
      first,
      last: outcome[offset + seedLength - 1]!.last,
    };
  });
}

/**
 * Returns the `count` starts with the lowest sum of costs that are `distance` apart, by dynamic programming, or
 * undefined if they do not fit.
 */
function chooseStarts(
  starts: number,
  count: number,
  distance: number,
  cost: (start: number) => number,
): number[] | undefined {
  const costs = Array.from({ length: starts }, (_, start) => cost(start));
  let best = costs.map((sum, start) => ({ sum, chosen: [start] }));
  for (let round = 1; round < count; round++) {
    const before = best;
    best = costs.map((sum, start) => {
      const least = cheapest(before.slice(0, Math.max(0, start - distance + 1)));
      return { sum: least.sum + sum, chosen: [...least.chosen, start] };
    });
  }
  const least = cheapest(best);
  return least.sum === Infinity ? undefined : least.chosen;
}

function cheapest(choices: { sum: number; chosen: number[] }[]): { sum: number; chosen: number[] } {
  return choices.reduce((a, b) => (b.sum < a.sum ? b : a), { sum: Infinity, chosen: [] });
}

function possibleErrors(classes: readonly number[], collapses: readonly Collapse[]): WordError[] {
  const cells = classes.map((value, position) => ({ value, first: position, last: position }));
  return cells.flatMap(({ value }, position) => {
    const errors: WordError[] = [{ first: position, last: position }];
    const next = classes[position + 1];
    if (next === undefined) return errors;
    const both = { first: position, last: position + 1 };
    const singles = collapses.filter(({ first, second }) => first === value && second === next);
    for (const middle of [[next, value], ...singles.map(({ single }) => [single])]) {
      const changed = middle.map((other) => ({ value: other, first: both.first, last: both.last }));
      errors.push({
        ...both,
        outcome: [...cells.slice(0, position), ...changed, ...cells.slice(position + 2)],
      });
    }
    return errors;
  });
}

function* combinations(errors: readonly WordError[], count: number): Generator<WordError[]> {
  if (count === 0) return;
  for (const [index, error] of errors.entries()) {
    if (count === 1) yield [error];
    else for (const more of combinations(errors.slice(index + 1), count - 1)) yield [error, ...more];
  }
}
