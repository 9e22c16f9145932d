import { expect, test } from "bun:test";
import { countByClass, evaluate, share, total, type Outcome } from "./sites/evaluation.ts";
import { makeSites } from "./sites/sites.ts";

// scripts/evaluate-pages measures thousands of sites against the goals. This sample fails if a change makes the comparison
// worse.

/** Sites of the half that was not used to fit the weights. */
const sample = { seed: 20, count: 200, half: "reporting" } as const;
/** Brands with the most sites in the sample: capturing the originals of all of them would take most of the time. */
const brandsMax = 8;
/** Classes of which few can be seen without a browser or by every visitor. */
const hiddenClasses = ["cloaked", "webmail_kit"];
/** A third of the sample are copies that were made to be overlooked and harmless sites that have much of a copy. */
const recallMin = 0.85;
const flaggedMax = 3;

test("most copies of the sample are found, and few harmless sites are flagged", async () => {
  const { sites, brands } = makeSites(sample);
  const protectedBrands = brands.slice(0, brandsMax);
  const isCompared = (domain: string) => protectedBrands.some((brand) => brand.protectedDomain === domain);
  const compared = sites.filter(
    (site) =>
      isCompared(site.protectedDomain) && !(site.kind === "copy" && hiddenClasses.includes(site.class)),
  );
  const { outcomes, originals } = await evaluate({ sites: compared, brands: protectedBrands });

  expect(originals).toBe(brandsMax * 3);
  expect(outcomes.flatMap(({ problem }) => problem ?? [])).toEqual([]);
  const flagged = outcomes
    .filter(({ site, isFlagged }) => site.kind === "harmless" && isFlagged)
    .map(describe);
  expect(flagged.length, flagged.join("\n")).toBeLessThanOrEqual(flaggedMax);
  const missed = outcomes.filter(({ site, isFlagged }) => site.kind === "copy" && !isFlagged).map(describe);
  const copies = total(countByClass(outcomes, "copy"));
  expect(copies.all).toBeGreaterThan(10);
  expect({ missed, isWithin: share(copies) >= recallMin }).toMatchObject({ isWithin: true });
});

function describe({ site, verdict }: Outcome): string {
  return `${site.class} ${site.start}: score ${verdict?.score ?? 0}`;
}

test("the same seed makes the same sites, and another half has other ones", async () => {
  const starts = (options: Parameters<typeof makeSites>[0]) =>
    makeSites(options).sites.map(({ start }) => start);
  expect(starts(sample)).toEqual(starts(sample));
  const other = new Set(starts({ ...sample, half: "tuning" }));
  const shared = makeSites(sample).sites.filter(({ kind, start }) => kind !== "original" && other.has(start));
  // Default pages and sites of the brands' owners differ in their host names only.
  expect(shared.filter(({ class: name }) => name !== "own_pages")).toEqual([]);
});
