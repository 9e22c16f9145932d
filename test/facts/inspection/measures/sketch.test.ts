import { expect, test } from "bun:test";
import {
  containment,
  overlap,
  shingles,
  sketchOf,
  sketchSize,
} from "../../../../src/facts/inspection/measures/sketch.ts";
import { randomFrom, seed } from "../../../support/random.ts";

console.log(`seed ${seed}`);

test("sketches of sets that are no larger than a sketch give the exact intersection", () => {
  const random = randomFrom(seed);
  for (let round = 0; round < 200; round += 1) {
    const [one, other] = randomSets(random, sketchSize);
    const found = overlap(sketchOf(one)!, sketchOf(other)!);
    expect(found.shared).toBeCloseTo(one.intersection(other).size, 6);
    expect([found.one, found.other]).toEqual([one.size, other.size]);
  }
});

test("sketches of larger sets estimate the intersection within four standard errors", () => {
  const random = randomFrom(seed);
  for (let round = 0; round < 30; round += 1) {
    const [one, other] = randomSets(random, 4_000);
    const union = one.union(other).size;
    const resemblance = one.intersection(other).size / union;
    const { shared } = overlap(sketchOf(one)!, sketchOf(other)!);
    const estimated = shared / (one.size + other.size - shared);
    const error = Math.sqrt((resemblance * (1 - resemblance)) / Math.min(sketchSize, union));
    expect(Math.abs(estimated - resemblance)).toBeLessThanOrEqual(4 * error + 0.02);
  }
});

test("a part of a set is contained in it, and the fewer members are shared, the less that counts", () => {
  const whole = new Set(Array.from({ length: 200 }, (_, index) => `m${index}`));
  const part = (size: number) => new Set([...whole].slice(0, size));
  const of = (size: number) => containment(overlap(sketchOf(part(size))!, sketchOf(whole)!), 4);
  expect(of(100)).toBeCloseTo(100 / 104, 6);
  expect(of(4)).toBeCloseTo(0.5, 6);
});

test("shingles are all sequences of neighbors, and a shorter list is one shingle", () => {
  expect([...shingles(["a", "b", "c", "d"], 3)]).toEqual(["a b c", "b c d"]);
  expect([...shingles(["a", "b"], 3)]).toEqual(["a b"]);
  expect([...shingles([], 3)]).toEqual([]);
});

function randomSets(random: (below: number) => number, sizeMax: number): [Set<string>, Set<string>] {
  const size = () => 1 + random(sizeMax);
  const from = random(sizeMax);
  const members = (start: number, count: number) =>
    new Set(Array.from({ length: count }, (_, index) => `member ${start + index}`));
  return [members(0, size()), members(from, size())];
}
