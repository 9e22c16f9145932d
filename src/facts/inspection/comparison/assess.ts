import type { SeenPage, Signal, Verdict, Brand } from "../model/verdict.ts";
import { readBrand, type BrandReading } from "./brand-reading.ts";
import { combinedRules, levelsOf, withoutIdleClaims } from "./combined-rules.ts";
import { oncePerObject } from "./once-per-object.ts";
import { readSeenPage, type PageReading } from "./page-reading.ts";
import type { Measured } from "./signal-rule.ts";
import { ownPageCode, signalRules, fittedModels, probability, type FittedModels } from "./signal-table.ts";

/** Strengths and points below these are left out: they change nothing that anyone sees. */
const strengthMin = 0.01;
const pointsMin = 0.005;
/** Level of identity or copy from which on a brand has anything to do with a page. */
const relatedMin = 0.1;

// Made once for each object: do not change an object after it was compared.
const brandReading = oncePerObject(readBrand);
const pageReading = oncePerObject(readSeenPage);

interface AssessOptions {
  page: SeenPage;
  brand: Brand;
  models?: FittedModels;
}

/**
 * Compares a page with a brand. Pure; about 0.1 ms for a brand with five originals.
 * @param models only `scripts/fit-pages` and tests replace them.
 */
export function assess({ page, brand, models = fittedModels }: AssessOptions): Verdict {
  return compare({ page, brand, models }).verdict;
}

/** Returns the verdict with all that was measured, including what contributes nothing to the score. */
function compare({ page, brand, models }: { page: SeenPage; brand: Brand; models: FittedModels }): {
  verdict: Verdict;
  measured: MeasuredSignal[];
} {
  const reading = pageReading(page);
  const compared = brandReading(brand);
  const none: Verdict = {
    protectedDomain: brand.protectedDomain,
    score: 0,
    imitates: false,
    original: null,
    signals: [],
  };
  if (reading === undefined) return { verdict: none, measured: [] };
  if (compared.isOwnPage(reading.at.host))
    return {
      verdict: { ...none, signals: [{ code: ownPageCode, strength: 1, points: 0, params: {} }] },
      measured: [],
    };

  const model = compared.originals.length > 0 ? models.withOriginals : models.withoutOriginals;
  const measured = measure(reading, compared);
  const signals = measured
    .map(({ code, strength, params }): Signal => {
      const points = round(strength * (model.weights[code] ?? 0), 3);
      return { code, strength: round(strength, 3), points, params: params ?? {} };
    })
    .filter(({ points }) => Math.abs(points) >= pointsMin)
    .sort((one, other) => Math.abs(other.points) - Math.abs(one.points));
  const logOdds = signals.reduce((total, { points }) => total + points, model.base);
  const score = round(probability(logOdds), 4);
  return {
    verdict: {
      ...none,
      score,
      imitates: score >= model.threshold,
      original: nearest(measured, model.weights, compared),
      signals,
    },
    measured,
  };
}

/** Compares a page with every brand. Returns the related ones, highest score first. */
export function assessAll({ page, brands }: { page: SeenPage; brands: readonly Brand[] }): Verdict[] {
  return brands
    .map((brand) => compare({ page, brand, models: fittedModels }))
    .filter(({ verdict: { imitates, signals }, measured }) => {
      if (imitates || signals.some(({ code }) => code === ownPageCode)) return true;
      // A signal without points of its own, such as a logo, says whom a page is about, too.
      const { identity, copy } = levelsOf(measured);
      return Math.max(identity, copy) >= relatedMin;
    })
    .map(({ verdict }) => verdict)
    .sort((one, other) => other.score - one.score);
}

/** A comparison with a result, single or combined. */
export interface MeasuredSignal extends Measured {
  code: string;
}

/** Returns the result of each comparison that has one. */
export function measureSignals({ page, brand }: { page: SeenPage; brand: Brand }): MeasuredSignal[] {
  const reading = pageReading(page);
  return reading === undefined ? [] : measure(reading, brandReading(brand));
}

function measure(page: PageReading, brand: BrandReading): MeasuredSignal[] {
  const single = signalRules.flatMap((rule) => {
    const measured = rule.measure(page, brand);
    return measured === undefined || measured.strength < strengthMin
      ? []
      : [{ code: rule.code, ...named(measured) }];
  });
  const weighed = withoutIdleClaims(single);
  const levels = levelsOf(weighed);
  const combined = combinedRules
    .map((rule) => ({ code: rule.code, strength: rule.strength(levels) }))
    .filter(({ strength }) => strength >= strengthMin);
  return [...weighed, ...combined];
}

/** The text of a comparison with an original names it. */
function named(measured: Measured): Measured {
  if (measured.original === undefined) return measured;
  return { ...measured, params: { ...measured.params, original: measured.original } };
}

/** Returns the original of the most important comparison. */
function nearest(
  measured: readonly MeasuredSignal[],
  weights: Readonly<Record<string, number>>,
  { originals }: BrandReading,
): string | null {
  const totals = new Map<string, number>(originals.map(({ address }) => [address, 0]));
  for (const { code, strength, original } of measured)
    if (original !== undefined)
      totals.set(original, (totals.get(original) ?? 0) + strength * (0.1 + Math.max(0, weights[code] ?? 0)));
  const [best] = [...totals].sort(([, one], [, other]) => other - one);
  return best?.[0] ?? null;
}

function round(value: number, digits: number): number {
  const factor = 10 ** digits;
  return Math.round(value * factor) / factor;
}
