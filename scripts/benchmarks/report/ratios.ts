import { median, type Goal } from "../statistics.ts";
import type { Measurements } from "./measurements.ts";

/** A cost, such as a time: less is better. */
export interface CostKey {
  step: string;
  subject: string;
  quantity: string;
}

/** A limit to the ratio of two costs that one run measured on one machine, and which therefore hardly depends on it. */
export interface RatioLimit extends Goal {
  name: string;
  /** Numerator and denominator. */
  of: CostKey;
  to: CostKey;
  /** Indicates that the costs need not be measured: of a program that is not installed, or of a size that a quick run leaves out. */
  optional?: boolean;
}

export interface RatioResult {
  limit: RatioLimit;
  /** Missing if one of the costs was not measured. */
  ratio: number | null;
  passed: boolean;
}

/** Returns one result for each limit. A missing ratio fails, unless the limit is optional. */
export function checkRatios(
  measurements: Pick<Measurements, "steps">,
  limits: readonly RatioLimit[],
): RatioResult[] {
  return limits.map((limit) => {
    const numerator = medianCost(measurements, limit.of);
    const denominator = medianCost(measurements, limit.to);
    if (numerator === null || denominator === null) {
      return { limit, ratio: null, passed: limit.optional === true };
    }
    const ratio = numerator / denominator;
    const passed = limit.kind === "at least" ? ratio >= limit.limit : ratio <= limit.limit;
    return { limit, ratio, passed };
  });
}

/** Returns the median of all runs, as the tables show it. */
function medianCost(
  { steps }: Pick<Measurements, "steps">,
  { step, subject, quantity }: CostKey,
): number | null {
  const values = steps[step]?.find(({ name }) => name === subject)?.figures[quantity];
  return values === undefined || values.length === 0 ? null : median(values);
}

/** Returns one line for a result, with the ratio, its value and its limit. */
export function formatRatio({ limit, ratio, passed }: RatioResult): string {
  const allowed = `(limit: ${limit.kind} ${limit.limit})`;
  if (ratio === null) return `${limit.name}: not measured ${allowed} ${passed ? "skipped" : "FAILED"}`;
  return `${limit.name}: ${ratio.toPrecision(3)} ${allowed} ${passed ? "passed" : "FAILED"}`;
}
