import type { Random } from "../../benchmarks/random.ts";
import { median } from "../../benchmarks/statistics.ts";

/** Trend of a quantity that was sampled at equal intervals, per hour. */
export interface Growth {
  /** Median slope between all pairs of samples (Theil-Sen), which single outliers do not move. */
  slope: number;
  /** Interval that contains the true slope with 95 % confidence. */
  low: number;
  high: number;
  /** Smallest true slope for which `low` is above 0 in four of five runs like this one. */
  detectable: number;
  /** Correlation of a deviation from the trend with the next one, from 0 to 0.95. */
  correlation: number;
}

const resamples = 400;
const samplesMin = 12;
const correlationMax = 0.95;
/** Values before those of a resample, after which the first one no longer matters. */
const burnIn = 60;

/**
 * Returns the trend of samples whose deviations are autocorrelated, as those of memory are: collections and caches make
 * neighbors similar, so that the usual interval of a regression would be several times too narrow. The standard error is
 * that of a block bootstrap: the deviations are reduced to their innovations, of which blocks are drawn and accumulated
 * again with the same correlation. Blocks of the deviations themselves were tried: in a run of an hour they are too few,
 * and the interval missed the true slope in one run of three. Student's distribution allows for the number of
 * samples that are in effect independent.
 * @throws if there are fewer than 12 samples
 */
export function growthOf(values: readonly number[], intervalHours: number, random: Random): Growth {
  const count = values.length;
  if (count < samplesMin) throw new Error(`a trend needs at least ${samplesMin} samples, not ${count}`);
  const slope = theilSen(values);
  const residuals = residualsOf(values, slope);
  const estimate = correlationOf(residuals);
  // Removing a trend hides a part of the correlation (Marriott and Pope).
  const correlation = Math.min(correlationMax, Math.max(0, estimate + (2 + 4 * estimate) / count));
  const innovations = residuals.slice(1).map((residual, index) => residual - estimate * residuals[index]!);
  const slopes = Array.from({ length: resamples }, () =>
    theilSen(resample({ innovations, correlation, count, random })),
  );
  const error = Math.sqrt(sumOf(slopes.map((one) => one * one)) / resamples);
  const independent = (count * (1 - correlation)) / (1 + correlation);
  const { t975, t80 } = studentQuantiles(independent - 2);
  const perHour = (perSample: number) => perSample / intervalHours;
  return {
    slope: perHour(slope),
    low: perHour(slope - t975 * error),
    high: perHour(slope + t975 * error),
    detectable: perHour((t975 + t80) * error),
    correlation,
  };
}

/** Returns the median slope per sample. */
function theilSen(values: readonly number[]): number {
  const slopes = new Float64Array((values.length * (values.length - 1)) / 2);
  let filled = 0;
  for (let from = 0; from < values.length; from++) {
    for (let to = from + 1; to < values.length; to++)
      slopes[filled++] = (values[to]! - values[from]!) / (to - from);
  }
  slopes.sort();
  const middle = slopes.length / 2;
  return (slopes[Math.ceil(middle) - 1]! + slopes[Math.floor(middle)]!) / 2;
}

function residualsOf(values: readonly number[], slope: number): number[] {
  const level = median(values.map((value, index) => value - slope * index));
  return values.map((value, index) => value - slope * index - level);
}

function correlationOf(residuals: readonly number[]): number {
  const mean = sumOf(residuals) / residuals.length;
  const deviations = residuals.map((one) => one - mean);
  const variance = sumOf(deviations.map((one) => one * one));
  if (variance === 0) return 0;
  return sumOf(deviations.slice(1).map((one, index) => one * deviations[index]!)) / variance;
}

function resample({
  innovations,
  correlation,
  count,
  random,
}: {
  innovations: readonly number[];
  correlation: number;
  count: number;
  random: Random;
}): number[] {
  const blockLength = Math.ceil(Math.cbrt(innovations.length));
  const mean = sumOf(innovations) / innovations.length;
  // The residuals of a fit are smaller than the deviations from the true trend, which has two parameters.
  const scale = Math.sqrt(count / (count - 2));
  const values: number[] = [];
  let value = 0;
  while (values.length < burnIn + count) {
    const start = random.below(innovations.length - blockLength + 1);
    for (let index = start; index < start + blockLength; index++) {
      value = correlation * value + scale * (innovations[index]! - mean);
      values.push(value);
    }
  }
  return values.slice(burnIn, burnIn + count);
}

function sumOf(values: readonly number[]): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

/** Quantiles of Student's distribution: degrees of freedom, 97.5 %, 80 %. */
const studentTable: readonly (readonly [number, number, number])[] = [
  [2, 4.303, 1.061],
  [3, 3.182, 0.978],
  [4, 2.776, 0.941],
  [5, 2.571, 0.92],
  [6, 2.447, 0.906],
  [8, 2.306, 0.889],
  [10, 2.228, 0.879],
  [15, 2.131, 0.866],
  [20, 2.086, 0.86],
  [30, 2.042, 0.854],
];

function studentQuantiles(degrees: number): { t975: number; t80: number } {
  const [, t975, t80] = studentTable.findLast(([from]) => from <= degrees) ?? studentTable[0]!;
  return { t975, t80 };
}
