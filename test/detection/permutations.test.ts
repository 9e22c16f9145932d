import { expect, test } from "bun:test";
import { createMatcher } from "../../src/detection/matcher.ts";
import { permutations } from "../../src/detection/permutations.ts";
import { isRegistrableLabel } from "../../src/detection/registrable.ts";
import { decodeLabel } from "../../src/detection/name.ts";
import { splitName } from "../../src/detection/suffix.ts";

const options = { minSimilarity: 0.75 };

const umlaut = new URL("http://bücherei.de").hostname;

for (const domain of ["paypal.com", umlaut, "example-bank.co.uk", "bet365.com"]) {
  const protectedName = { domain, keywords: [], allow: [] };
  const generated = [...permutations(protectedName, options)];

  test(`what is generated for ${domain} is matched, as the same type and as similar`, () => {
    const matcher = createMatcher([protectedName], options);
    for (const { name, type, similarity } of generated) {
      const [match] = matcher.match(name);
      expect([name, match?.type, match?.similarity]).toEqual([name, type, similarity]);
    }
  });

  test(`what is generated for ${domain} can be registered, is no name twice and none of its owner`, () => {
    for (const { name } of generated) {
      expect(isRegistrableLabel(decodeLabel(splitName(name).registrableLabel))).toBe(true);
      expect(name.length).toBeLessThanOrEqual(253);
      expect(name === domain || name.endsWith(`.${domain}`)).toBe(false);
    }
    expect(new Set(generated.map(({ name }) => name)).size).toBe(generated.length);
  });

  test(`what is generated for ${domain} comes in order of similarity and is of every kind`, () => {
    const similarities = generated.map(({ similarity }) => similarity);
    expect(similarities).toEqual(similarities.toSorted((a, b) => b - a));
    const types = new Set<string>(generated.map(({ type }) => type));
    for (const type of ["homograph", "bitsquatting", "typosquatting", "tld_squatting", "doppelganger"]) {
      expect(types).toContain(type);
    }
    for (const type of ["levelsquatting", "combosquatting"]) expect(types).toContain(type);
  });
}

test.each(["-a", "a-", "ab--c", "a_b", "a b", "☃", "", "ſ", "ａ"])("%j is not registrable", (label) => {
  expect(isRegistrableLabel(label)).toBe(false);
});
