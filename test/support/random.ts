/** Returns a small linear congruential generator: `random(below)` is a number from 0 to below − 1. */
export function randomFrom(state: number): (below: number) => number {
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % below;
  };
}

/** Seed of the run. Tests print it, so that TEST_SEED can repeat a failure. */
export const seed = Number(process.env.TEST_SEED ?? 20260115);
