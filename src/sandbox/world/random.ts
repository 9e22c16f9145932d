import type { FillRandom } from "../../platform/lib/ids.ts";

/** Deterministic random numbers. Predictable, so only for the sandbox. */
export interface SeededRandom {
  fillRandom: FillRandom;
  /** Returns an integer from 0 to `limit` - 1. */
  below(limit: number): number;
  state(): number;
}

/** Deterministic random bytes, with an independent stream for each purpose. */
export interface RandomStreams {
  fillRandom: FillRandom;
  save(): RandomState;
  /** Resumes from these states. All other streams start again at the seed. */
  resumeFrom(saved: RandomState): void;
}

/** States of the streams by purpose. */
export type RandomState = ReadonlyMap<string, number>;

export function createRandomStreams(seed: number): RandomStreams {
  const streams = new Map<string, SeededRandom>();
  return {
    fillRandom(bytes, purpose = "") {
      let stream = streams.get(purpose);
      if (stream === undefined) streams.set(purpose, (stream = createRandom(seed ^ Bun.hash.crc32(purpose))));
      stream.fillRandom(bytes);
    },
    save: () => new Map([...streams].map(([purpose, stream]) => [purpose, stream.state()])),
    resumeFrom(saved) {
      streams.clear();
      for (const [purpose, state] of saved) streams.set(purpose, createRandom(state));
    },
  };
}

/** SplitMix32 (a 32-bit SplitMix, after Steele, Lea and Flood 2014). */
export function createRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  }
  return {
    fillRandom(bytes) {
      for (let index = 0; index < bytes.length; index += 4) {
        const value = next();
        for (let byte = 0; byte < 4 && index + byte < bytes.length; byte += 1)
          bytes[index + byte] = value >>> (8 * byte);
      }
    },
    below: (limit) => next() % limit,
    state: () => state,
  };
}
