import { readFileSync } from "node:fs";
import { readOptions } from "./options.ts";
import { measureSteps } from "./report/measure.ts";
import type { Measurements } from "./report/measurements.ts";
import { ratioLimits } from "./report/ratio-limits.ts";
import { checkRatios, formatRatio } from "./report/ratios.ts";
import { steps } from "./report/steps.ts";

const options = readOptions({
  benchmark: "gate",
  summary:
    "Regression gate: compares ratios, such as the CPU time of a request to that of a bare server, with the limits in\n" +
    "scripts/benchmarks/report/ratio-limits.ts. Exits with 1 if a ratio is worse than its limit.",
  options: {
    from: {
      default: null,
      value: "FILE",
      description: "figures of 'scripts/bench all' instead of a quick run",
    },
  },
});

const results = checkRatios(await measurements(), ratioLimits);
for (const result of results) console.log(formatRatio(result));
const failed = results.filter(({ passed }) => !passed).length;
console.log(`\n${results.length - failed} of ${results.length} ratios are within their limits`);
process.exit(failed === 0 ? 0 : 1);

async function measurements(): Promise<Measurements> {
  if (options.from !== null) return JSON.parse(readFileSync(options.from, "utf8")) as Measurements;
  const required = ratioLimits.filter(({ optional }) => optional !== true);
  const used = new Set(required.flatMap(({ of, to }) => [of.step, to.step]));
  const wanted = steps.filter(({ id }) => used.has(id));
  return (await measureSteps(wanted, { quick: true, names: null, brands: null })).measurements;
}
