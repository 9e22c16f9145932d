import { expect, test } from "bun:test";
import { createMatcher } from "../../../src/engines/detection/match/matcher.ts";
import { permutations } from "../../../src/engines/detection/generate/permutations.ts";
import { previewSteps } from "../../../src/engines/detection/generate/preview.ts";

const options = { minSimilarity: 0.75 };

function preview(domain: string, count: number) {
  const steps = previewSteps({ domain, keywords: [], allow: [] }, { ...options, count });
  for (let number = 0; ; number++) {
    const { done, value } = steps.next();
    if (done === true) return { steps: number, lookAlikes: value };
  }
}

test("a preview contains every type that permutations yield, with the same type and similarity for each name", () => {
  const whole = new Map(
    [...permutations({ domain: "paypal.com", keywords: [], allow: [] }, options)].map((one) => [
      one.name,
      one,
    ]),
  );
  const { lookAlikes } = preview("paypal.com", 60);
  expect(lookAlikes).toHaveLength(60);
  for (const one of lookAlikes) expect(whole.get(one.name)).toEqual(one);
  const types = [...new Set([...whole.values()].map(({ type }) => type))].toSorted();
  expect([...new Set(lookAlikes.map(({ type }) => type))].toSorted()).toEqual(types);
});

test("a preview tries no more names for a long label than for a short one, and changes more than its first letters", () => {
  const label = `${"international-example-bank-holdings-".repeat(2).slice(0, 62)}x`;
  const { steps, lookAlikes } = preview(`${label}.com`, 40);
  expect(lookAlikes).toHaveLength(40);
  expect(steps).toBeLessThanOrEqual(120);
  const homographs = lookAlikes.filter(({ type, name }) => type === "homograph" && !name.startsWith("xn--"));
  const changedAt = homographs.map(({ name }) => Array.from(name).findIndex((c, at) => c !== label[at]));
  expect(Math.max(...changedAt)).toBeGreaterThan(20);
});

test("a preview ends after a bounded number of tries if few look-alikes match", () => {
  const { steps, lookAlikes } = preview("a.com", 40);
  expect(steps).toBeLessThanOrEqual(120);
  const matcher = createMatcher([{ domain: "a.com", keywords: [], allow: [] }], options);
  for (const { name } of lookAlikes) expect(matcher.match(name)).not.toEqual([]);
});
