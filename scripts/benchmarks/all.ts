import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readOptions } from "./options.ts";
import { installPeers } from "./peers.ts";
import { withLimits, withPerformance } from "./report/manual.ts";
import { measureSteps } from "./report/measure.ts";
import { describeMachine, type Measurements } from "./report/measurements.ts";
import { ratioLimits } from "./report/ratio-limits.ts";
import { checkRatios, formatRatio } from "./report/ratios.ts";
import { steps } from "./report/steps.ts";
import { isMeasured, limitsTables, performanceTables, reportTable } from "./report/tables.ts";

const top = join(import.meta.dir, "../..");
const options = readOptions({
  benchmark: "all",
  summary:
    "Runs the benchmarks that compare phishwatch with other programs, and those of its limits, one after the other, and\n" +
    "prints their tables and ratios. A full run takes about 20 minutes and needs an otherwise idle machine.",
  options: {
    quick: { default: false, description: "smaller sizes and fewer runs, in a few minutes" },
    "install-peers": { default: false, description: "first install the other programs with npm and apt-get" },
    names: { default: null, value: "FILE", description: "list of names for detection, one per line" },
    brands: { default: null, value: "FILE", description: "list of protected domains for detection" },
    only: { default: null, value: "STEPS", description: "steps to run; the others keep their figures" },
    render: { default: false, description: "run nothing; use the figures of an earlier run" },
    "write-manual": { default: false, description: "write the tables into the manual" },
    figures: {
      default: "dist/figures.json",
      value: "FILE",
      description: "file that keeps the figures of each run",
    },
  },
});

if (options["install-peers"]) installPeers();
const earlier: Measurements = existsSync(options.figures)
  ? (JSON.parse(readFileSync(options.figures, "utf8")) as Measurements)
  : { machine: describeMachine(), steps: {} };
mkdirSync(dirname(options.figures), { recursive: true });
const wanted = options.render ? [] : steps.filter(({ id }) => selected(id));
const { measurements, failed } = await measureSteps(wanted, {
  ...options,
  onMeasured: (measured) =>
    writeFileSync(options.figures, `${JSON.stringify(withEarlier(measured), null, 2)}\n`),
});
const result = withEarlier(measurements);
printTables(result);
for (const ratio of checkRatios(result, ratioLimits)) console.log(formatRatio(ratio));
if (options["write-manual"]) {
  rewrite("performance", withPerformance);
  rewrite("limits", withLimits);
}
if (failed.length > 0) console.error(`\nfailed: ${failed.join(", ")}; run them again with --only`);
process.exit(failed.length === 0 ? 0 : 1);

/** A complete run has no earlier figures, so that those of another commit are never shown with its own. */
function withEarlier(measured: Measurements): Measurements {
  if (!options.render && options.only === null) return measured;
  const machine = options.render ? earlier.machine : measured.machine;
  return { machine, steps: { ...earlier.steps, ...measured.steps } };
}

function selected(id: string): boolean {
  return options.only === null || options.only.split(",").includes(id);
}

function printTables(shown: Measurements): void {
  const tables = [...performanceTables, ...limitsTables];
  for (const table of tables.filter((one) => isMeasured(shown, one))) {
    console.log(`## ${table.region}\n\n${reportTable(shown, table)}`);
  }
}

function rewrite(topic: string, withFigures: (page: string, shown: Measurements) => string): void {
  const path = join(top, "src/manual", `${topic}.md`);
  writeFileSync(path, withFigures(readFileSync(path, "utf8"), result));
}
