import { expect, test } from "bun:test";
import { createDomainAssessment } from "../../src/domains/assess.ts";
import { createPacer } from "../../src/lib/pacer.ts";

let pauses = 0;
const assess = createDomainAssessment({
  minSimilarity: 0.75,
  pacer() {
    const pace = createPacer({ sliceMs: 5, elapsedMs: () => performance.now() });
    return { due: pace.due, pause: () => (pauses++, pace.pause()) };
  },
});

test("a domain is told of before it is protected: words that are not looked for everywhere, and look-alikes", async () => {
  const { content, warnings, lookAlikes } = await assess({ domain: "Chase.com.", keywords: ["Kestrel"] });
  expect(content).toEqual({ domain: "chase.com", keywords: ["kestrel"], allow: [] });
  expect(warnings.map(({ word }) => word)).toContain("chase");
  expect(lookAlikes.length).toBeGreaterThan(20);
});

test("what is wrong with it is an error of the field, and nothing of the owner's own is shown", async () => {
  expect(assess({ domain: "co.uk" })).rejects.toMatchObject({ field: "domain" });
  const allow = ["example-bank.net", "example-bank.org"];
  const { lookAlikes } = await assess({ domain: "example-bank.com", allow });
  expect(lookAlikes.filter(({ name }) => allow.includes(name))).toEqual([]);
});

test("others are served meanwhile, for the longest of names too", async () => {
  pauses = 0;
  await assess({ domain: `${"international-example-bank-holdings-".repeat(2).slice(0, 62)}x.com` });
  expect(pauses).toBeGreaterThan(1);
});
