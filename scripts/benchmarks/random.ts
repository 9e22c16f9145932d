/** Reproducible random values: the same seed gives the same sequence. */
export interface Random {
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  unit(): number;
  /** Returns an integer from 0 (inclusive) to `limit` (exclusive). */
  below(limit: number): number;
  pick<T>(values: readonly T[]): T;
  text(alphabet: string, length: number): string;
  fill(bytes: Uint8Array): void;
}

/** Creates a mulberry32 generator: fast, and 32 bits of state suffice for sample data. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const below = (limit: number) => next() % limit;
  return {
    unit: () => next() / 2 ** 32,
    below,
    pick: (values) => values[below(values.length)]!,
    text: (alphabet, length) => {
      let text = "";
      for (let index = 0; index < length; index++) text += alphabet[below(alphabet.length)];
      return text;
    },
    fill: (bytes) => {
      for (let index = 0; index < bytes.length; index++) bytes[index] = next() & 0xff;
    },
  };
}
