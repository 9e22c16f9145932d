/** A reproducible source of chance: the same seed gives the same sequence. */
export interface Random {
  /** From 0 to below 1. */
  unit(): number;
  /** A whole number from 0 to below `limit`. */
  below(limit: number): number;
  pick<T>(values: readonly T[]): T;
  text(alphabet: string, length: number): string;
  fill(bytes: Uint8Array): void;
}

/** mulberry32: 32 bits of state are plenty for sample data, and it is quick. */
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
