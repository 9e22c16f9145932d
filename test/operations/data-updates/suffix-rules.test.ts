import { expect, test } from "bun:test";
import { getDomain, parse } from "tldts";
import { parseSuffixRules } from "../../../src/engines/detection/names/suffix.ts";
import { randomFrom, seed } from "../../support/random.ts";
import { publicSuffixList } from "../../support/suffix-list.ts";

test(`A list that replaces the embedded one splits names as tldts does with the same list (seed ${seed})`, async () => {
  const text = await publicSuffixList();
  const rules = parseSuffixRules(text);
  expect(rules.count).toBeGreaterThan(9_000);
  const written = text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("//"))
    .map((line) => line.replace(/^!/, "").replace(/^\*/, "any"));
  const random = randomFrom(seed);
  const some = (all: readonly string[]) => all[random(all.length)]!;
  const labels = ["www", "login", "a", "any", "city", "co", "com", "xn--p1ai"];
  for (let round = 0; round < 20_000; round++) {
    const base = random(10) === 0 ? some(["unknowntld", "example.unknowntld"]) : some(written);
    const name = [...Array.from({ length: random(4) }, () => some(labels)), base].join(".");
    // Rules with letters outside ASCII are in the list as A-labels, too.
    if (!/^[a-z0-9.-]+$/.test(name)) continue;
    const { suffix, hosted } = rules.match(name);
    const expected = parse(name, {
      allowPrivateDomains: true,
      validateHostname: false,
      extractHostname: false,
    });
    expect({ name, suffix, hosted }).toEqual({
      name,
      suffix: expected.publicSuffix!,
      hosted: expected.isPrivate === true,
    });
    const icann = rules.match(name, true).suffix;
    expect({ name, icann }).toEqual({
      name,
      icann: parse(name, { allowPrivateDomains: false, validateHostname: false }).publicSuffix!,
    });
    if (icann !== name) expect(getDomain(name)).toEndWith(`.${icann}`);
  }
});
