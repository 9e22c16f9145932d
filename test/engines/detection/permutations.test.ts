import { expect, test } from "bun:test";
import { createMatcher } from "../../../src/engines/detection/match/matcher.ts";
import {
  permutationSteps,
  permutations,
  type Permutation,
} from "../../../src/engines/detection/generate/permutations.ts";
import { decodeLabel } from "../../../src/engines/detection/names/name.ts";
import { splitName, isRegistrableLabel } from "../../../src/engines/detection/names/suffix.ts";
import { randomFrom, seed } from "../../support/random.ts";

const options = { minSimilarity: 0.75 };
/** Look-alikes of each domain but the first that are matched again. There are thousands. */
const sampleSize = 500;

/** All look-alikes by domain. */
const generatedOf = new Map<string, Permutation[]>();

const umlaut = new URL("http://bücherei.de").hostname;

for (const [index, domain] of ["paypal.com", umlaut, "example-bank.co.uk", "bet365.com"].entries()) {
  const protectedName = { domain, keywords: [], allow: [] };
  const generated = [...permutations(protectedName, options)];
  generatedOf.set(domain, generated);

  test(`look-alikes generated for ${domain} match with the same type and similarity (TEST_SEED=${seed})`, () => {
    const matcher = createMatcher([protectedName], options);
    const random = randomFrom(seed + index);
    const below = index === 0 ? sampleSize : generated.length;
    const sample = generated.filter(() => random(below) < sampleSize);
    expect(sample.length).toBeGreaterThan(sampleSize / 2);
    const differing = sample.filter(({ name, type, similarity }) => {
      const [match] = matcher.match(name);
      return match?.type !== type || match.similarity !== similarity;
    });
    expect(differing).toEqual([]);
  });

  test(`look-alikes generated for ${domain} can be registered, are unique and do not belong to its owner`, () => {
    const isFine = (name: string): boolean =>
      isRegistrableLabel(decodeLabel(splitName(name).registrableLabel)) &&
      name.split(".").every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label)) &&
      name.length <= 253 &&
      name !== domain &&
      !name.endsWith(`.${domain}`);
    expect(generated.filter(({ name }) => !isFine(name))).toEqual([]);
    expect(generated.length).toBeGreaterThan(1_000);
    expect(new Set(generated.map(({ name }) => name)).size).toBe(generated.length);
  });

  test(`look-alikes generated for ${domain} have every type; types take turns, each with its most similar name first`, () => {
    const types = [...new Set(generated.map(({ type }) => type))];
    for (const type of [
      "homograph",
      "bitsquatting",
      "typosquatting",
      "tld_squatting",
      "doppelganger",
    ] as const) {
      expect(types).toContain(type);
    }
    for (const type of ["levelsquatting", "combosquatting"] as const) expect(types).toContain(type);
    expect(
      generated
        .slice(0, types.length)
        .map(({ type }) => type)
        .toSorted(),
    ).toEqual(types.toSorted());
    for (const type of types) {
      const similarities = generated.filter((one) => one.type === type).map(({ similarity }) => similarity);
      expect(similarities).toEqual(similarities.toSorted((a, b) => b - a));
    }
  });
}

test.each([
  ["quickparcel.co.uk", "quickparcelco.uk"],
  ["acme.co.uk", "acmeco.uk"],
  ["natwest.com.au", "natwestcom.au"],
])("the name of %s without the dot in its suffix is generated as a doppelganger", (domain, without) => {
  const made = permutations({ domain, keywords: [], allow: [] }, { ...options, limit: 400 });
  expect(made.find(({ name }) => name === without)?.type).toBe("doppelganger");
});

test.each([
  ["xn--blfjellbank-y8a.no", ["blafjellbank.no", "blaafjellbank.no"]],
  ["xn--mller-kva.de", ["muller.de", "mueller.de"]],
])("the spellings of %s without umlauts are generated as homographs", (domain, plain) => {
  const made = [...permutations({ domain, keywords: [], allow: [] }, options)];
  const types = plain.map((name) => made.find((one) => one.name === name)?.type);
  expect(types).toEqual(["homograph", "homograph"]);
});

test("a limit yields the same types and similarities as the start of the unlimited list", () => {
  const protectedName = { domain: "bet365.com", keywords: [], allow: [] };
  const whole = generatedOf.get(protectedName.domain)!;
  for (const limit of [1, 20, 300]) {
    const limited = [...permutations(protectedName, { ...options, limit })];
    const shape = limited.map(({ type, similarity }) => [type, similarity]);
    expect(shape).toEqual(whole.slice(0, limit).map(({ type, similarity }) => [type, similarity]));
  }
});

test("a limit bounds the work, and the longest label has a bounded number of variants", () => {
  const domain = `${"abcdefghijklmnopqrstu".repeat(3)}.com`;
  const stepsOf = (limit?: number): number => {
    const steps = permutationSteps({ domain, keywords: [], allow: [] }, { ...options, limit });
    let count = 0;
    while (steps.next().done !== true) count++;
    return count;
  };
  expect(stepsOf(10)).toBeLessThan(400);
  expect(stepsOf()).toBeLessThan(25_000);
}, 60_000);

test.each(["-a", "a-", "ab--c", "a_b", "a b", "☃", "", "ſ", "ａ"])(
  "%j is not a registrable label",
  (label) => {
    expect(isRegistrableLabel(label)).toBe(false);
  },
);
