import { describe, expect, test } from "bun:test";
import type { Subject } from "../../scripts/benchmarks/figures.ts";
import { ratioLimits } from "../../scripts/benchmarks/report/ratio-limits.ts";
import { checkRatios, formatRatio, type RatioLimit } from "../../scripts/benchmarks/report/ratios.ts";
import { steps } from "../../scripts/benchmarks/report/steps.ts";

const subject = (name: string, ms: readonly number[]): Subject => ({
  name,
  program: name,
  command: name,
  figures: { "time, ms": ms },
});
const key = (name: string) => ({ step: "start", subject: name, quantity: "time, ms" });
const limit: RatioLimit = {
  name: "serve / bare",
  of: key("serve"),
  to: key("bare"),
  kind: "at most",
  limit: 2.5,
};
const measured = (...subjects: Subject[]) => ({ steps: { start: subjects } });

describe("the regression gate", () => {
  test("fails for a ratio that is worse than its limit, and names ratio, value and limit", () => {
    const [result] = checkRatios(measured(subject("serve", [900, 26, 25]), subject("bare", [10])), [limit]);
    expect(result!.passed).toBe(false);
    expect(formatRatio(result!)).toBe("serve / bare: 2.60 (limit: at most 2.5) FAILED");
  });

  test("passes a ratio at its limit, and compares the medians of all runs", () => {
    const [result] = checkRatios(measured(subject("serve", [25, 900, 1]), subject("bare", [10, 12, 9])), [
      limit,
    ]);
    expect(result).toEqual({ limit, ratio: 2.5, passed: true });
  });

  test("fails for a ratio below a limit that is a minimum", () => {
    const atLeast = { ...limit, kind: "at least" as const };
    const [result] = checkRatios(measured(subject("serve", [24]), subject("bare", [10])), [atLeast]);
    expect(result!.passed).toBe(false);
  });

  test("fails without a measurement, unless the ratio compares with a program that need not be installed", () => {
    const results = checkRatios(measured(subject("serve", [25])), [limit, { ...limit, optional: true }]);
    expect(results.map(({ ratio, passed }) => [ratio, passed])).toEqual([
      [null, false],
      [null, true],
    ]);
    expect(formatRatio(results[0]!)).toContain("not measured");
  });

  test("has limits for steps that exist only", () => {
    const ids = new Set(steps.map(({ id }) => id));
    const unknown = ratioLimits.flatMap(({ of, to }) => [of.step, to.step]).filter((id) => !ids.has(id));
    expect(unknown).toEqual([]);
  });
});
