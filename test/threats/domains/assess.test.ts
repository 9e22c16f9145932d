import { expect, test } from "bun:test";
import { createDomainAssessment } from "../../../src/threats/domains/assess.ts";

let yields = 0;
const assess = createDomainAssessment({
  detection: { minSimilarity: 0.75 },
  yielder: () => ({ due: () => true, pause: async () => void yields++ }),
});

test("an assessment shows sample look-alikes of a domain before it is protected", async () => {
  const { content, lookAlikes } = await assess({ domain: "Chase.com.", keywords: ["Kestrel"] });
  expect(content).toEqual({ domain: "chase.com", keywords: ["kestrel"], allow: [] });
  expect(lookAlikes.length).toBeGreaterThan(20);
});

test("an invalid value is an error of its field, and allowed names are not among the look-alikes", async () => {
  await expect(assess({ domain: "uk" })).rejects.toMatchObject({ field: "domain" });
  await expect(assess({ domain: "gov.uk" })).rejects.toMatchObject({ field: "keywords" });
  const allow = ["example-bank.net", "example-bank.org"];
  const { lookAlikes } = await assess({ domain: "example-bank.com", allow });
  expect(lookAlikes.filter(({ name }) => allow.includes(name))).toEqual([]);
});

test("an assessment can yield to other work after each name that it tries, even for the longest domain", async () => {
  yields = 0;
  const domain = `${"international-example-bank-holdings-".repeat(2).slice(0, 62)}x.com`;
  const { lookAlikes } = await assess({ domain });
  expect(lookAlikes.length).toBeGreaterThan(20);
  expect(yields).toBeGreaterThanOrEqual(lookAlikes.length);
});
