/**
 * Makes src/sandbox/world/names.txt, the names of the sandbox's threats, with the detection itself; run it after a
 * change to the detection (a test tells):
 *   scripts/bun scripts/generate-sandbox-names.ts > src/sandbox/world/names.txt
 */
import { createMatcher } from "../src/detection/match/matcher.ts";
import { permutations } from "../src/detection/generate/permutations.ts";
import type { ThreatType } from "../src/vocabulary/threats.ts";

/** How many of each type each protected domain has. */
const wanted: [domain: string, counts: Partial<Record<ThreatType, number>>][] = [
  [
    "example-bank.com",
    {
      homograph: 12,
      typosquatting: 14,
      combosquatting: 12,
      tld_squatting: 7,
      levelsquatting: 7,
      bitsquatting: 5,
      doppelganger: 4,
    },
  ],
  [
    "example-shop.com",
    {
      homograph: 9,
      typosquatting: 10,
      combosquatting: 9,
      tld_squatting: 5,
      levelsquatting: 4,
      bitsquatting: 4,
      doppelganger: 3,
    },
  ],
  [
    "samplix.org",
    {
      homograph: 5,
      typosquatting: 6,
      combosquatting: 5,
      tld_squatting: 3,
      levelsquatting: 3,
      bitsquatting: 2,
      doppelganger: 2,
    },
  ],
];
const soundAlikes = ["samplicks-login.com", "samplicks-secure.org", "login-samplicks.net"];
/** Copies of a page stand under names that imitate nothing. */
const copies: [name: string, of: string, similarity: number][] = [
  ["quiet-harbour-1190.site", "example-bank.com", 0.1364],
  ["summer-deals-242.shop", "example-shop.com", 0.2857],
  ["inbox-notice.click", "samplix.org", 0.3333],
];

const matcher = createMatcher(
  wanted.map(([domain]) => ({ domain, keywords: [], allow: [] })),
  { minSimilarity: 0.75 },
);
const names = wanted.flatMap(([domain, counts]) => {
  const found = [...permutations({ domain, keywords: [], allow: [] }, { minSimilarity: 0.75 })];
  return Object.entries(counts).flatMap(([type, count]) => {
    const ofType = found.filter((one) => one.type === type);
    // Spread over all that there are, so that similarities differ.
    return Array.from(
      { length: count },
      (_, index) => ofType[Math.floor((index * ofType.length) / count)]!.name,
    );
  });
});
const rows = [...names, ...soundAlikes].map((name) => {
  const [match, another] = matcher.match(name);
  if (match === undefined || another !== undefined) throw new Error(`${name} does not imitate one domain`);
  const { protectedDomain, type, similarity, reasons } = match;
  return [name, protectedDomain, type, similarity, JSON.stringify(reasons)];
});
for (const [name, of, similarity] of copies) {
  const reasons = [{ code: "copy_shown", params: {} }];
  rows.push([name, of, "cloned_site", similarity, JSON.stringify(reasons)]);
}

console.log(`# Name, protected domain, type, similarity, reasons as JSON: as the detection judges them (the copied sites aside).
# Made by scripts/generate-sandbox-names.ts.
${rows.map((row) => row.join("\t")).join("\n")}`);
