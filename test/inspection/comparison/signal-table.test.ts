import { describe, expect, test } from "bun:test";
import { priorWeights } from "../../../scripts/page-weights/priors.ts";
import { withPageSignals } from "../../../scripts/render-page-signals.ts";
import { measureSignals } from "../../../src/inspection/comparison/assess.ts";
import { combinedRules, levels } from "../../../src/inspection/comparison/combined-rules.ts";
import type { Example } from "../../../src/inspection/comparison/signal-rule.ts";
import { signalRules } from "../../../src/inspection/comparison/signal-table.ts";
import { fittedModels } from "../../../src/inspection/comparison/weights.ts";
import { describeSignal } from "../../../src/vocabulary/page-signals.ts";
import { brandOf, seenPage } from "./support.ts";

function measured(code: string, { page = {}, original = {}, seen = {}, screenshots }: Example) {
  const subject = seenPage(page, seen);
  const brand = brandOf(original);
  if (screenshots !== undefined) {
    if (screenshots.page !== undefined) subject.fingerprint.screenshot = screenshots.page;
    brand.originals[0]!.fingerprint.screenshot = screenshots.original;
  }
  return measureSignals({ page: subject, brand }).find((signal) => signal.code === code);
}

describe("the table of signals", () => {
  for (const { code, keeps, drops } of signalRules) {
    test(`${code} is strong for the example that it keeps and weak for the one that it drops`, () => {
      const kept = measured(code, keeps);
      expect(kept?.strength ?? 0).toBeGreaterThanOrEqual(0.5);
      expect(kept!.strength).toBeLessThanOrEqual(1);
      expect(measured(code, drops)?.strength ?? 0).toBeLessThan(0.1);
      expect(describeSignal({ code, params: kept!.params ?? {} })).not.toMatch(/undefined|NaN|_/);
    });
  }

  test("has a text for each signal", () => {
    const codes = [...signalRules, ...combinedRules].map(({ code }) => code);
    const untold = codes.filter((code) => describeSignal({ code, params: {} }) === code.replaceAll("_", " "));
    expect(untold).toEqual([]);
  });

  test("has one row for each code, and the models and levels know no other", () => {
    const codes = [...signalRules, ...combinedRules].map(({ code }) => code);
    expect(new Set(codes).size).toBe(codes.length);
    const used = [
      ...levels.flatMap(({ shares }) => Object.keys(shares)),
      ...Object.keys(fittedModels.withOriginals.weights),
      ...Object.keys(fittedModels.withoutOriginals.weights),
    ];
    expect(used.filter((code) => !codes.includes(code))).toEqual([]);
    expect(codes.filter((code) => !used.includes(code) || priorWeights[code] === undefined)).toEqual([]);
  });

  test("never counts what speaks against an imitation in its favor, nor the reverse", () => {
    for (const { weights } of [fittedModels.withOriginals, fittedModels.withoutOriginals])
      for (const [code, weight] of Object.entries(weights)) {
        const against = signalRules.find((rule) => rule.code === code)?.group === "other";
        expect([code, against ? weight <= 0 : weight >= 0]).toEqual([code, true]);
      }
  });

  test("is in the manual as it is here", async () => {
    const page = await Bun.file("src/manual/inspection.md").text();
    // After a change: ./scripts/bun scripts/render-page-signals.ts && ./scripts/bun fmt
    expect(withPageSignals(page)).toBe(page);
  });
});
