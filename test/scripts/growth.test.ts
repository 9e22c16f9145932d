import { describe, expect, test } from "bun:test";
import { randomFrom } from "../../scripts/benchmarks/random.ts";
import { growthOf } from "../../scripts/campaigns/soak/growth.ts";

const minutes = 60;
const perHour = 1 / 60;

/** Samples of a minute each: a slope per hour, and deviations of which each resembles the one before. */
function samples({
  slope,
  correlation,
  seed,
}: {
  slope: number;
  correlation: number;
  seed: number;
}): number[] {
  const random = randomFrom(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random.unit())) * Math.cos(2 * Math.PI * random.unit());
  let deviation = normal() / Math.sqrt(1 - correlation ** 2);
  return Array.from({ length: minutes }, (_, minute) => {
    deviation = correlation * deviation + normal();
    return 200 + slope * minute * perHour + deviation;
  });
}

const evaluate = (values: readonly number[]) => growthOf(values, perHour, randomFrom(1));
const runs = Array.from({ length: 20 }, (_, index) => 7_919 * index + 1);

describe("the growth of a quantity", () => {
  const line = (slope: number) =>
    Array.from({ length: minutes }, (_, minute) => 50 + slope * minute * perHour);
  const withOutliers = line(12).map((value, minute) => (minute % 20 === 7 ? value + 500 : value));
  test.each([
    ["that stays the same is 0, without doubt", line(0), 0],
    ["on a straight line is its slope per hour", line(12), 12],
    ["that falls is negative", line(-3), -3],
    ["with single outliers is that of the other samples", withOutliers, 12],
  ])("%s", (_, values, slope) => {
    const growth = evaluate(values);
    expect(growth.slope).toBeCloseTo(slope, 6);
    expect(growth.low).toBeLessThanOrEqual(growth.slope + 1e-6);
    expect(growth.high).toBeGreaterThanOrEqual(growth.slope - 1e-6);
  });

  test("has no interval around the slope of samples that do not deviate from it", () => {
    const { low, high, detectable } = evaluate(line(0));
    expect([low, high, detectable]).toEqual([0, 0, 0]);
  });

  test.each([0, 0.5, 0.8])(
    "is within its interval in at least nine of ten runs whose deviations have a correlation of %p",
    (correlation) => {
      const contained = runs.filter((seed) => {
        const { low, high } = evaluate(samples({ slope: 2, correlation, seed }));
        return low <= 2 && 2 <= high;
      });
      expect(contained.length).toBeGreaterThanOrEqual(0.9 * runs.length);
    },
  );

  test("has a wider interval, the more each sample resembles the one before", () => {
    const widths = [0, 0.5, 0.8].map((correlation) => {
      const { low, high } = evaluate(samples({ slope: 0, correlation, seed: 5 }));
      return high - low;
    });
    expect(widths).toEqual(widths.toSorted((a, b) => a - b));
    expect(widths[2]).toBeGreaterThan(3 * widths[0]!);
  });

  test("is found in most runs if it is as large as the run says that it can detect", () => {
    const { detectable } = evaluate(samples({ slope: 0, correlation: 0, seed: 3 }));
    const found = runs.filter(
      (seed) => evaluate(samples({ slope: detectable, correlation: 0, seed })).low > 0,
    );
    expect(found.length).toBeGreaterThanOrEqual(0.7 * runs.length);
  });

  test("of too few samples is refused", () => {
    expect(() => evaluate([1, 2, 3])).toThrow("a trend needs at least 12 samples, not 3");
  });
});
