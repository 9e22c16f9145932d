import { expect, test } from "bun:test";
import { createMatcher } from "../../src/detection/match/matcher.ts";
import { permutations } from "../../src/detection/generate/permutations.ts";
import { previewSteps } from "../../src/detection/generate/preview.ts";

const options = { minSimilarity: 0.75 };

function preview(domain: string, count: number) {
  const steps = previewSteps({ domain, keywords: [], allow: [] }, { ...options, count });
  for (let number = 0; ; number++) {
    const { done, value } = steps.next();
    if (done === true) return { steps: number, lookAlikes: value };
  }
}

test("a preview shows some of every kind of what the whole generator makes, with the same type and similarity", () => {
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

test("of a long label no more names are tried than of a short one, and not all are changes of its first letters", () => {
  const label = `${"international-example-bank-holdings-".repeat(2).slice(0, 62)}x`;
  const { steps, lookAlikes } = preview(`${label}.com`, 40);
  expect(lookAlikes).toHaveLength(40);
  expect(steps).toBeLessThanOrEqual(120);
  const homographs = lookAlikes.filter(({ type, name }) => type === "homograph" && !name.startsWith("xn--"));
  const changedAt = homographs.map(({ name }) => Array.from(name).findIndex((c, at) => c !== label[at]));
  expect(Math.max(...changedAt)).toBeGreaterThan(20);
});

test("of a name whose look-alikes hardly count, it ends after a bounded number of tries", () => {
  const { steps, lookAlikes } = preview("a.com", 40);
  expect(steps).toBeLessThanOrEqual(120);
  const matcher = createMatcher([{ domain: "a.com", keywords: [], allow: [] }], options);
  for (const { name } of lookAlikes) expect(matcher.match(name)).not.toEqual([]);
});
