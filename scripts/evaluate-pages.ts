/** Measures recall on copies of pages and false alarms on harmless pages. See `usage`. */
import { parseArgs } from "node:util";
import { describeSignal } from "../src/platform/vocabulary/page-signals.ts";
import {
  countByClass,
  evaluate,
  share,
  total,
  type ClassCount,
  type Outcome,
} from "../test/facts/inspection/sites/evaluation.ts";
import { makeSites, type Half } from "../test/facts/inspection/sites/sites.ts";
import { openEvaluationBrowser, takeScreenshots } from "./page-evaluation/browser.ts";
import { sitesInFolder } from "./page-evaluation/folder-sites.ts";

const usage = `usage: scripts/evaluate-pages [options]

  --half tuning|reporting  half of the generated sites (default reporting)
  --seed N                 seed of the generated sites (default 1)
  --count N                number of copies and harmless sites (default 6000)
  --brands N               number of protected brands; sites about the others are left out (default: all)
  --browser                also inspects pages that consist of one picture or that a script renders, with Chromium
  --class NAME             inspects only sites of this class (repeatable)
  --folder DIR             inspects the sites in a folder instead of generated ones:
                             DIR/originals/DOMAIN/...        pages of a protected domain, with names.txt (brand keywords,
                                                             one a line) and allow.txt (names that are never threats)
                             DIR/copies/CLASS/HOST/...       with protected-domain.txt (optional)
                             DIR/harmless/CLASS/HOST/...
                           A site starts at the path in its start.txt, else at index.html or its only HTML file. The pages
                           of an original are listed in its pages.txt, else they are all its HTML files.
  --show N                 number of misses and false alarms to show for each class (default 3)

Everything is served on loopback; nothing else is contacted. The exit code is 1 below the goals: at least 95 % of copies
found, at most 0.5 % of harmless sites flagged, and with --browser at least 90 % of image_only copies found.`;

const { values: options } = parseArgs({
  options: {
    half: { type: "string", default: "reporting" },
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "6000" },
    brands: { type: "string", default: "1000" },
    browser: { type: "boolean", default: false },
    class: { type: "string", multiple: true, default: [] },
    folder: { type: "string" },
    show: { type: "string", default: "3" },
    help: { type: "boolean", default: false },
  },
});
const seed = Number(options.seed);
const count = Number(options.count);
const brandsMax = Number(options.brands);
const shownMax = Number(options.show);
const isKnown =
  ["tuning", "reporting"].includes(options.half) &&
  [seed, count, brandsMax, shownMax].every((value) => Number.isInteger(value) && value >= 0);
if (options.help || !isKnown) {
  console.log(usage);
  process.exit(options.help ? 0 : 2);
}

const goals = { copies: 0.95, harmless: 0.005, imageOnly: 0.9 };
const half = options.half as Half;
const screenshots =
  options.browser && options.folder === undefined
    ? await takeScreenshots(withFewerBrands(makeSites({ seed, count: 0, half })))
    : new Map();
const made =
  options.folder === undefined
    ? withFewerBrands(makeSites({ seed, count, half, screenshots }))
    : withFewerBrands(await sitesInFolder(options.folder).catch(stop));
const sites = made.sites.filter(
  (site) => site.kind === "original" || options.class.length === 0 || options.class.includes(site.class),
);
const { outcomes, originals, seconds } = await evaluate({
  sites,
  brands: made.brands,
  ...(options.browser ? { openBrowser: openEvaluationBrowser } : {}),
  onProgress: (done, all) => void (process.stderr.isTTY && process.stderr.write(`\r${done} of ${all} `)),
});
report();

function stop(error: Error): never {
  console.error(error.message);
  process.exit(2);
}

/** Leaves out brands beyond the wanted number, and the sites about them. */
function withFewerBrands({ sites: all, brands }: ReturnType<typeof makeSites>): ReturnType<typeof makeSites> {
  const left = brands.slice(0, brandsMax);
  const domains = new Set(["", ...left.map(({ protectedDomain }) => protectedDomain)]);
  return { brands: left, sites: all.filter(({ protectedDomain }) => domains.has(protectedDomain)) };
}

function report(): void {
  const copies = countByClass(outcomes, "copy");
  const harmless = countByClass(outcomes, "harmless");
  const [found, flagged] = [total(copies), total(harmless)];
  const origin = options.folder ?? `${half} half, seed ${seed}`;
  console.log(`# Pages: ${origin}\n`);
  console.log(
    `${made.brands.length} brands with ${originals} original pages; ${outcomes.length} pages in ${seconds.toFixed(1)} s (${(outcomes.length / seconds).toFixed(0)} a second)`,
  );
  table("Copies found", [...copies, found]);
  table("Harmless sites flagged", [...harmless, flagged]);
  console.log(
    `\ncopies found as copies of another brand: ${outcomes.filter((one) => one.isOtherBrand && one.site.kind === "copy").length}`,
  );
  console.log(`sites that could not be read: ${outcomes.filter((one) => one.problem !== undefined).length}`);
  worst(
    "Misses",
    outcomes.filter(({ site, isFlagged }) => site.kind === "copy" && !isFlagged),
  );
  worst(
    "False alarms",
    outcomes.filter(({ site, isFlagged }) => site.kind === "harmless" && isFlagged),
  );
  const picture = copies.find(({ name }) => name === "image_only");
  const goalsMet = [
    ["copies found", found.all === 0 || share(found) >= goals.copies],
    ["harmless sites flagged", flagged.all === 0 || share(flagged) <= goals.harmless],
    [
      "image_only copies found",
      !options.browser || picture === undefined || share(picture) >= goals.imageOnly,
    ],
  ] as const;
  console.log("");
  // Without a browser, pages that are one picture are not inspected.
  for (const [goal, isMet] of goalsMet.slice(0, picture === undefined ? 2 : 3))
    console.log(`goal for ${goal}: ${isMet ? "met" : "missed"}`);
  process.exitCode = goalsMet.every(([, isMet]) => isMet) ? 0 : 1;
}

function table(title: string, counts: readonly ClassCount[]): void {
  console.log(`\n## ${title}\n\n| class | sites | count | share |\n|---|--:|--:|--:|`);
  for (const one of counts)
    console.log(`| ${one.name} | ${one.all} | ${one.flagged} | ${(100 * share(one)).toFixed(2)} % |`);
}

/** Prints those that are farthest from being right first, with the contribution of each signal. */
function worst(title: string, wrong: readonly Outcome[]): void {
  if (wrong.length === 0) return;
  console.log(`\n## ${title}, by class`);
  const scoreOf = ({ verdict }: Outcome) => verdict?.score ?? 0;
  const direction = title === "Misses" ? 1 : -1;
  for (const name of new Set(wrong.map(({ site }) => site.class))) {
    const list = wrong
      .filter(({ site }) => site.class === name)
      .sort((one, other) => direction * (scoreOf(one) - scoreOf(other)));
    console.log(`\n${name} (${list.length}):`);
    for (const { site, verdict, problem } of list.slice(0, shownMax)) {
      console.log(
        `  ${site.start} (${site.protectedDomain}): ${problem ?? `score ${scoreOf({ verdict } as Outcome)} for ${verdict?.protectedDomain ?? "no brand"}`}`,
      );
      for (const one of verdict?.signals ?? [])
        console.log(
          `    ${one.points.toFixed(2).padStart(7)}  ${one.code} ${one.strength.toFixed(2)}: ${describeSignal(one)}`,
        );
    }
  }
}
