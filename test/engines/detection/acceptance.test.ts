/** Runs the examples of every acceptance rule, with the rule and without it. */
import { describe, expect, test } from "bun:test";
import { createMatcher } from "../../../src/engines/detection/match/matcher.ts";
import type { Example, Rule } from "../../../src/engines/detection/score/rule.ts";
import { acceptanceRules } from "../../../src/engines/detection/score/rules.ts";

/** Returns the name of the rule that keeps the example, or undefined if the name does not match. */
function keptBy([domain, name]: Example, rules: readonly Rule[]): string | undefined {
  const protectedNames = [{ domain, keywords: [], allow: [] }];
  // The filter finds only what the real rules may keep, so it is left out.
  const matcher = createMatcher(protectedNames, { minSimilarity: 0.5, filter: false, rules });
  return matcher.match(name)[0]?.rule;
}

/** Returns the other rules. Only rules that drop are compared without those that object, which may agree with them. */
function without(rule: Rule): Rule[] {
  return acceptanceRules.filter(
    (other) => other !== rule && (rule.verdict !== "drop" || other.verdict !== "object"),
  );
}

describe("an acceptance rule", () => {
  for (const rule of acceptanceRules) {
    const title = rule.name.replaceAll("_", " ");
    if (rule.verdict === "keep") {
      test(`"${title}" decides each example that it keeps, and only the rule keeps one of them`, () => {
        for (const example of rule.keeps)
          expect([...example, keptBy(example, acceptanceRules)]).toEqual([...example, rule.name]);
        const lost = rule.keeps.filter((example) => keptBy(example, without(rule)) === undefined);
        expect(lost).not.toEqual([]);
      });

      test(`"${title}" leaves its other examples unmatched`, () => {
        for (const example of rule.drops)
          expect([...example, keptBy(example, acceptanceRules)]).toEqual([...example, undefined]);
      });
    } else {
      test(`"${title}" alone drops each of its examples`, () => {
        for (const example of rule.drops) {
          expect([...example, keptBy(example, acceptanceRules)]).toEqual([...example, undefined]);
          expect([...example, keptBy(example, without(rule))]).not.toEqual([...example, undefined]);
        }
      });

      test(`"${title}" lets its other examples match`, () => {
        for (const example of rule.keeps)
          expect([...example, keptBy(example, acceptanceRules)]).not.toEqual([...example, undefined]);
      });
    }
  }

  test("has a name of its own", () => {
    const names = acceptanceRules.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });
});
