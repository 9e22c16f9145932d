import type { FillRandom } from "../../lib/ids.ts";

/** Deterministic random numbers. Predictable, so only for the sandbox. */
export interface SeededRandom {
  fillRandom: FillRandom;
  /** Returns an integer from 0 to `limit` - 1. */
  below(limit: number): number;
  state(): number;
  resumeFrom(state: number): void;
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
    resumeFrom: (given) => void (state = given >>> 0),
  };
}
