import { randomFrom } from "../../../support/random.ts";

/** A deterministic source of choices. Dice with the same seed make the same choices. */
export interface Dice {
  /** Returns an integer from 0 to `limit` − 1. */
  below(limit: number): number;
  /** Returns an integer from `first` to `last`. */
  between(first: number, last: number): number;
  pick<T>(list: readonly T[]): T;
  /** Returns `count` different items, or all if there are fewer. */
  some<T>(list: readonly T[], count: number): T[];
  chance(probability: number): boolean;
  hex(length: number): string;
  /** Returns lowercase letters. */
  letters(length: number): string;
  /** Returns dice of their own for a purpose, so that a new choice elsewhere changes nothing here. */
  fork(purpose: string): Dice;
}

export function diceFrom(seed: string): Dice {
  const next = randomFrom(Number(BigInt(Bun.hash(seed)) & 0xffff_ffffn));
  const below = (limit: number) => next(limit);
  const pick = <T>(list: readonly T[]) => list[below(list.length)]!;
  const text = (alphabet: string, length: number) =>
    Array.from({ length }, () => alphabet[below(alphabet.length)]!).join("");
  return {
    below,
    pick,
    between: (first, last) => first + below(last - first + 1),
    some(list, count) {
      const left = [...list];
      const chosen = Math.min(count, left.length);
      return Array.from({ length: chosen }, () => left.splice(below(left.length), 1)[0]!);
    },
    chance: (probability) => below(10_000) < probability * 10_000,
    hex: (length) => text("0123456789abcdef", length),
    letters: (length) => text("abcdefghijklmnopqrstuvwxyz", length),
    fork: (purpose) => diceFrom(`${seed} ${purpose}`),
  };
}
