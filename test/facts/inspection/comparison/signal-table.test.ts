import { describe, expect, test } from "bun:test";
import { priorWeights } from "../../../../scripts/page-weights/priors.ts";
import { withPageSignals } from "../../../../scripts/render-page-signals.ts";
import { measureSignals } from "../../../../src/facts/inspection/comparison/assess.ts";
import { combinedRules, levels } from "../../../../src/facts/inspection/comparison/combined-rules.ts";
import type { SignalGroup } from "../../../../src/facts/inspection/comparison/signal-rule.ts";
import { signalRules, fittedModels } from "../../../../src/facts/inspection/comparison/signal-table.ts";
import { describeSignal } from "../../../../src/platform/vocabulary/page-signals.ts";
import type { SeenPage } from "../../../../src/facts/inspection/model/verdict.ts";
import type { PageView } from "../../../../src/facts/lookups/page/page-view.ts";
import signals from "../../../../src/facts/inspection/comparison/data/signals.json" with { type: "json" };
import { brandOf, seenPage } from "./support.ts";

/** Parts in which a page of an example differs. */
type Difference = Partial<Omit<PageView, "elements">> & {
  /** Separated by spaces. */
  elements?: string;
  /** Number of different words before the text. */
  differentWords?: number;
};

/** Differences from an ordinary sign-in page, of the page and of the brand's original. */
interface Example {
  page?: Difference;
  original?: Difference;
  seen?: Omit<SeenPage, "fingerprint">;
  screenshots?: { page?: string; original: string };
}

/** The compiler does not know the texts of a JSON file. */
const rows = signals as Record<string, { group: string; keeps: object; drops: object }>;

function viewOf({ differentWords = 0, elements, ...view }: Difference): Partial<PageView> {
  const words = Array.from({ length: differentWords }, (_, index) => `word${(index * 7919) % 997}`);
  return {
    ...view,
    ...(elements === undefined ? {} : { elements: elements.split(" ") }),
    ...(words.length === 0 ? {} : { text: [...words, view.text ?? ""].join(" ") }),
  };
}

function measured(code: string, { page = {}, original = {}, seen = {}, screenshots }: Example) {
  const subject = seenPage(viewOf(page), seen);
  const brand = brandOf(viewOf(original));
  if (screenshots !== undefined) {
    if (screenshots.page !== undefined) subject.fingerprint.screenshot = screenshots.page;
    brand.originals[0]!.fingerprint.screenshot = screenshots.original;
  }
  return measureSignals({ page: subject, brand }).find((signal) => signal.code === code);
}

describe("the table of signals", () => {
  for (const [code, { keeps, drops }] of Object.entries(rows)) {
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

  test("has a known group for each signal, and describes its examples in the parts of a page", () => {
    const groups: Record<SignalGroup, true> = {
      identity: true,
      copy: true,
      request: true,
      place: true,
      other: true,
    };
    for (const { group, keeps, drops } of Object.values(rows)) {
      expect(Object.keys(groups)).toContain(group);
      const parts = [keeps, drops].flatMap((example) => Object.keys(example));
      expect(parts.filter((part) => !["page", "original", "seen", "screenshots"].includes(part))).toEqual([]);
    }
  });

  test("has one row for each code, and the models and levels know no other", () => {
    const codes = [...signalRules, ...combinedRules].map(({ code }) => code);
    expect(new Set(codes).size).toBe(codes.length);
    const used = [
      ...Object.values(levels).flatMap((shares) => Object.keys(shares)),
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

  test.each([
    ["dead_links", { dead: 1, all: 1 }, "its only link leads nowhere"],
    ["dead_links", { dead: 2, all: 2 }, "both of its links lead nowhere"],
    ["dead_links", { dead: 1_234, all: 1_234 }, "all of its 1,234 links lead nowhere"],
    ["own_links", { own: 0, all: 7 }, "none of its links lead to its own site"],
    ["links_to_brand", { own: 1, all: 7 }, "one of its 7 links leads to the brand's pages"],
    ["files_from_brand", { own: 1, all: 1 }, "its only picture or style sheet is loaded from the brand"],
    [
      "files_from_brand",
      { own: 3, all: 9 },
      "3 of its 9 pictures and style sheets are loaded from the brand",
    ],
    ["same_files", { count: 1, original: "A" }, "one of its files has a name that is also used by A"],
    ["same_scripts", { count: 2, original: "A" }, "2 of its scripts are also in A"],
    ["same_text", { percent: 0, original: "A" }, "less than 1 % of its text is also in A"],
    ["own_text", { words: 1 }, "about 1 word of its text is its own"],
    ["own_text", { words: 12_000 }, "about 12,000 words of its text are its own"],
    ["young_certificate", { days: -1 }, "its certificate is less than a day old, or browsers reject it"],
    ["young_certificate", { days: 1 }, "its certificate is 1 day old, or browsers reject it"],
    ["brand_in_text", { count: 1 }, "its text names the brand once"],
    ["brand_in_title", { title: "x".repeat(101) }, `its title names the brand: “${"x".repeat(99)}…”`],
  ])("words %s with %j as a reader would say it", (code, params: Record<string, string | number>, text) => {
    expect(describeSignal({ code, params })).toBe(text);
  });

  test("is in the manual as it is here", async () => {
    const page = await Bun.file("src/manual/inspection.md").text();
    // After a change: ./scripts/bun scripts/render-page-signals.ts && ./scripts/bun fmt
    expect(withPageSignals(page)).toBe(page);
  });
});
