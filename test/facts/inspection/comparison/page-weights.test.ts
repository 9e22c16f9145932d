import { expect, test } from "bun:test";
import {
  chooseThreshold,
  fitLogistic,
  logOddsOf,
  type Observation,
} from "../../../../scripts/page-weights/logistic.ts";
import { randomFrom, seed } from "../../../support/random.ts";

console.log(`seed of observations: ${seed} (repeat with TEST_SEED=${seed})`);

test("fitting finds what separates the observations, keeps the sign of each weight, and keeps the prior of a signal that never occurs", () => {
  const random = randomFrom(seed);
  const observations = Array.from({ length: 200 }, (_, index): Observation => {
    const label = index % 2 === 0 ? 1 : 0;
    // The first speaks for a copy, the second only seems to speak against it, the third never occurs.
    const strengths = Float64Array.of(label === 1 ? 0.8 : random(40) / 100, label === 1 ? 0.9 : 0.1, 0);
    return { strengths, label, weight: 1 };
  });
  const priors = [
    { mean: 0.5, sign: 1 },
    { mean: -0.5, sign: -1 },
    { mean: 1.25, sign: 1 },
  ] as const;
  const { base, weights } = fitLogistic(observations, priors, -2);
  expect(weights[0]!).toBeGreaterThan(0.5);
  expect(weights[1]!).toBeLessThanOrEqual(0);
  expect(weights[2]!).toBeCloseTo(1.25, 6);
  for (const { strengths, label } of observations)
    expect(logOddsOf(strengths, weights, base) > 0 ? 1 : 0).toBe(label);
  expect(fitLogistic(observations, priors, -2)).toEqual({ base, weights });
});

test("the threshold lies in the gap between copies and harmless pages, or above the harmless ones if there is no gap", () => {
  const limits = { flaggedShareMax: 0, missedShare: 0 };
  expect(chooseThreshold({ copies: [4, 5], harmless: [-4, 1], ...limits })).toBe(2);
  expect(chooseThreshold({ copies: [0, 5], harmless: [-4, 1], ...limits })).toBe(1.25);
  const most = { flaggedShareMax: 0.5, missedShare: 0 };
  expect(chooseThreshold({ copies: [2, 5], harmless: [-4, 1], ...most })).toBe(-2);
});
