/** Fits the weights with which pages are compared, on the tuning half of the generated sites. See `usage`. */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { signalRules } from "../src/inspection/comparison/signal-table.ts";
import { chooseThreshold, fitLogistic, logOddsOf, type Observation } from "./page-weights/logistic.ts";
import { priorBase, priorWeights } from "./page-weights/priors.ts";
import { readPairs, type Pair } from "./page-weights/read-pairs.ts";

const usage = `usage: scripts/fit-pages [options]

  --seed N          seed of the sites (default 1)
  --count N         number of sites (default 2000)
  --dry-run         print the weights and do not write them

Writes src/inspection/comparison/data/weights.json. Only sites of the tuning half are read: scripts/evaluate-pages
reports on the other half.`;

const { values: options } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "2000" },
    "dry-run": { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (options.help) {
  console.log(usage);
  process.exit(0);
}

/** Harmless pages that may be flagged, and copies that may be missed, when the threshold is chosen. */
const flaggedShareMax = 0.001;
const missedShare = 0.05;
/**
 * Total weights. They are small compared with the number of pages, because the pages of a generator resemble each other:
 * what it happens to do must not outweigh the prior. False alarms cost more than misses.
 */
const totalWeight = { copies: 150, harmless: 400 };
/** Threshold without originals, in log-odds above the one that is fitted: names alone say less. */
const caution = 1;

/** Number of harmless pages whose distance to the threshold is printed. */
const nearestShown = 10;

const codes = Object.keys(priorWeights);
const priors = codes.map((code) => ({
  mean: priorWeights[code]!,
  sign: signalRules.find((rule) => rule.code === code)?.group === "other" ? (-1 as const) : (1 as const),
}));

console.log(`seed ${options.seed}, ${options.count} sites`);
const { withOriginals, withoutOriginals, pages } = await readPairs({
  seed: Number(options.seed),
  count: Number(options.count),
});
const fitted = {
  fittedOn: {
    date: new Date().toISOString().slice(0, 10),
    pages,
    description: `tuning half of the generated sites, seed ${options.seed}`,
  },
  withOriginals: fit("with originals", withOriginals, 0),
  withoutOriginals: fit("without originals", withoutOriginals, caution),
};
if (!options["dry-run"])
  await Bun.write(
    join(import.meta.dir, "../src/inspection/comparison/data/weights.json"),
    `${JSON.stringify(fitted, null, 2)}\n`,
  );

function fit(title: string, pairs: readonly Pair[], extra: number) {
  const total = (ofCopies: boolean) =>
    pairs.reduce((sum, { isCopy, weight }) => sum + (isCopy === ofCopies ? weight : 0), 0);
  const scales = { copies: totalWeight.copies / total(true), harmless: totalWeight.harmless / total(false) };
  const observations = pairs.map(({ strengths, isCopy, weight }): Observation => ({
    strengths: vector(strengths),
    label: isCopy ? 1 : 0,
    weight: weight * (isCopy ? scales.copies : scales.harmless),
  }));
  const { base, weights } = fitLogistic(observations, priors, priorBase);
  const scored = pairs.map((pair, index) => ({
    ...pair,
    logOdds: logOddsOf(observations[index]!.strengths, weights, base),
  }));
  const measured = scored.filter(({ isVariant }) => !isVariant);
  const highest = new Map<string, number>();
  for (const { isCopy, page, logOdds } of measured)
    if (!isCopy) highest.set(page, Math.max(highest.get(page) ?? -Infinity, logOdds));
  const copies = measured.filter(({ isCopy }) => isCopy);
  const threshold =
    extra +
    chooseThreshold({
      copies: copies.map(({ logOdds }) => logOdds),
      harmless: [...highest.values()],
      flaggedShareMax,
      missedShare,
    });
  // The threshold becomes a probability of one half, so that scores of both models mean the same.
  const model = {
    base: round(base - threshold),
    threshold: 0.5,
    weights: Object.fromEntries(codes.map((code, index) => [code, round(weights[index]!)])),
  };
  const nearest = [...highest.values()].toSorted((one, other) => other - one).slice(0, nearestShown);
  const found = copies.filter(({ logOdds }) => logOdds >= threshold).length;
  const flagged = [...highest.values()].filter((logOdds) => logOdds >= threshold).length;
  console.log(
    `\n${title}: ${found} of ${copies.length} copies, ${flagged} of ${highest.size} harmless pages, base ${model.base}`,
  );
  console.log(
    `  nearest harmless pages: ${nearest.map((logOdds) => (logOdds - threshold).toFixed(1)).join(", ")}`,
  );
  const width = Math.max(...codes.map((code) => code.length));
  for (const [index, code] of codes.entries())
    console.log(
      `  ${code.padEnd(width)}  prior ${priors[index]!.mean.toFixed(2).padStart(5)}  fitted ${model.weights[code]!.toFixed(2).padStart(5)}`,
    );
  printMisses(measured, threshold);
  return model;
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
