/** Fits the weights with which pages are compared, on labeled sites. See `usage`. */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { signalRules } from "../src/facts/inspection/comparison/signal-table.ts";
import { makeSites } from "../test/facts/inspection/sites/sites.ts";
import { sitesInFolder } from "./page-evaluation/folder-sites.ts";
import { chooseThreshold, fitLogistic, logOddsOf, type Observation } from "./page-weights/logistic.ts";
import { priorBase, priorWeights } from "./page-weights/priors.ts";
import { readPairs, type Pair } from "./page-weights/read-pairs.ts";

const usage = `usage: scripts/fit-pages [options]

  --seed N          seed of the generated sites (default 1)
  --count N         number of generated sites (default 2000)
  --folder DIR      also fits on the sites in a folder, in the layout of scripts/evaluate-pages (repeatable)
  --dry-run         print the weights and do not write them

Writes src/facts/inspection/comparison/data/weights.json. Only generated sites of the tuning half are read:
scripts/evaluate-pages reports on the other half.

Generated sites resemble each other, so that what their generator happens to do must not decide. Each source (the
generated sites, and each folder) therefore counts as a fixed number of pages, whatever its size. Each weight has a prior
(scripts/page-weights/priors.ts) from which the sites have to move it, and never gets the sign that its signal cannot
have. Signals that the sites cannot show keep their prior. The threshold is set on harmless pages: it lets pass as many of
them as the goal allows, in the source that has the most of them near it.

A base that is changed by hand must say so in the description of the weights. That of the present weights with originals
was raised from -5.6 to -5.4: lists of words that were extended after the fit moved harmless pages away from the threshold,
so that 0.1 % of them in the tuning half, and none more in the folders, are above the new one.`;

const { values: options } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "2000" },
    folder: { type: "string", multiple: true, default: [] },
    "dry-run": { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (options.help) {
  console.log(usage);
  process.exit(0);
}

/**
 * Share of the pages, compared with other brands than they copy, that may be flagged when the threshold is chosen: a third
 * of the goal for generated sites, because the harmless half is as much like copies as harmless sites can be.
 */
const limits = {
  generated: { flaggedShareMax: 0.0015, missedShare: 0.05 },
  folder: { flaggedShareMax: 0.003, missedShare: 0.05 },
};
/** Pages as which a source counts. False alarms cost more than misses. */
const totalWeight = {
  generated: { copies: 200, harmless: 900 },
  folder: { copies: 100, harmless: 250 },
};
/** Number of harmless pages whose distance to the threshold is printed. */
const nearestShown = 10;

/**
 * Signals that sites on loopback without a browser show too rarely, or never; and copied content, which other users of a
 * template have too, but which a copy cannot hide behind another name.
 */
const fixedCodes = [
  "archive",
  "same_screenshot",
  "picture_of_original",
  "logo_in_screenshot",
  "young_certificate",
  "brand_and_copy",
  "copy_and_request",
];

const codes = Object.keys(priorWeights);
const priors = codes.map((code) => ({
  mean: priorWeights[code]!,
  isFixed: fixedCodes.includes(code),
  sign: signalRules.find((rule) => rule.code === code)?.group === "other" ? (-1 as const) : (1 as const),
}));

interface Source {
  kind: "generated" | "folder";
  withOriginals: Pair[];
  withoutOriginals: Pair[];
  pages: number;
}

console.log(`seed ${options.seed}, ${options.count} sites, ${options.folder.length} folders`);
const generated = makeSites({ seed: Number(options.seed), count: Number(options.count), half: "tuning" });
const sources: Source[] = [{ kind: "generated", ...(await readPairs(generated)) }];
for (const folder of options.folder)
  sources.push({ kind: "folder", ...(await readPairs(await sitesInFolder(folder))) });
const others = options.folder.length === 0 ? "" : `, and ${options.folder.length} collections of other sites`;
const fitted = {
  fittedOn: {
    date: new Date().toISOString().slice(0, 10),
    pages: sources.reduce((sum, { pages }) => sum + pages, 0),
    description: `tuning half of the generated sites, seed ${options.seed}${others}`,
  },
  withOriginals: fit("withOriginals"),
  withoutOriginals: fit("withoutOriginals"),
};
if (!options["dry-run"])
  await Bun.write(
    join(import.meta.dir, "../src/facts/inspection/comparison/data/weights.json"),
    `${JSON.stringify(fitted, null, 2)}\n`,
  );

function fit(title: "withOriginals" | "withoutOriginals") {
  const observations = sources.flatMap((source) => observationsOf(source[title], totalWeight[source.kind]));
  const { base, weights } = fitLogistic(observations, priors, priorBase);
  const scored = sources.map((source) => ({
    kind: source.kind,
    pairs: source[title]
      .filter(({ isVariant }) => !isVariant)
      .map((pair) => ({ ...pair, logOdds: logOddsOf(vector(pair.strengths), weights, base) })),
  }));
  const threshold = Math.max(
    ...scored.map(({ kind, pairs }) =>
      chooseThreshold({
        copies: pairs.filter(({ isCopy }) => isCopy).map(({ logOdds }) => logOdds),
        harmless: [...highestOf(pairs).values()],
        ...limits[kind],
      }),
    ),
  );
  // The threshold becomes a probability of one half, so that scores of both models mean the same.
  const model = {
    base: round(base - threshold),
    threshold: 0.5,
    weights: Object.fromEntries(codes.map((code, index) => [code, round(weights[index]!)])),
  };
  for (const { kind, pairs } of scored) {
    const highest = [...highestOf(pairs).values()].toSorted((one, other) => other - one);
    const copies = pairs.filter(({ isCopy }) => isCopy);
    const found = copies.filter(({ logOdds }) => logOdds >= threshold).length;
    const flagged = highest.filter((logOdds) => logOdds >= threshold).length;
    console.log(
      `\n${title}, ${kind}: ${found} of ${copies.length} copies, ${flagged} of ${highest.length} harmless pages, base ${model.base}`,
    );
    const nearest = highest.slice(0, nearestShown).map((logOdds) => (logOdds - threshold).toFixed(1));
    console.log(`  nearest harmless pages: ${nearest.join(", ")}`);
    printMisses(pairs, threshold);
  }
  const width = Math.max(...codes.map((code) => code.length));
  for (const [index, code] of codes.entries())
    console.log(
      `  ${code.padEnd(width)}  prior ${priors[index]!.mean.toFixed(2).padStart(5)}  fitted ${model.weights[code]!.toFixed(2).padStart(5)}`,
    );
  return model;
}

/** Scales the pairs of a source to the number of pages as which it counts. */
function observationsOf(
  pairs: readonly Pair[],
  counted: { copies: number; harmless: number },
): Observation[] {
  const total = (ofCopies: boolean) =>
    pairs.reduce((sum, { isCopy, weight }) => sum + (isCopy === ofCopies ? weight : 0), 0);
  const scales = { copies: counted.copies / total(true), harmless: counted.harmless / total(false) };
  return pairs.map(({ strengths, isCopy, weight }) => ({
    strengths: vector(strengths),
    label: isCopy ? 1 : 0,
    weight: weight * (isCopy ? scales.copies : scales.harmless),
  }));
}

/** Returns the highest log-odds of each harmless page. */
function highestOf(pairs: readonly (Pair & { logOdds: number })[]): Map<string, number> {
  const highest = new Map<string, number>();
  for (const { isCopy, page, logOdds } of pairs)
    if (!isCopy) highest.set(page, Math.max(highest.get(page) ?? -Infinity, logOdds));
  return highest;
}

function printMisses(pairs: readonly (Pair & { logOdds: number })[], threshold: number): void {
  const classes = new Map<string, { all: number; wrong: number; worst: string[] }>();
  for (const { className, isCopy, logOdds, page } of pairs) {
    const counted = classes.get(className) ?? { all: 0, wrong: 0, worst: [] };
    counted.all += 1;
    if (logOdds >= threshold !== isCopy) {
      counted.wrong += 1;
      counted.worst.push(`${page} ${(logOdds - threshold).toFixed(1)}`);
    }
    classes.set(className, counted);
  }
  for (const [className, { all, wrong, worst }] of classes)
    if (wrong > 0) console.log(`  wrong: ${className} ${wrong} of ${all}: ${worst.slice(0, 3).join(", ")}`);
}

function vector(strengths: ReadonlyMap<string, number>): Float64Array {
  return Float64Array.from(codes, (code) => strengths.get(code) ?? 0);
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
