import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { buildBare } from "./bare-executable.ts";
import { bunProgram, jsonOption, phishwatchProgram, shownCommand, writeFigures } from "./figures.ts";
import { startBareServer, startCommand, startSandbox, startServe, type Start } from "./measured-start.ts";
import { readOptions } from "./options.ts";
import { phishwatchExecutable } from "./phishwatch.ts";
import { formatTable, median, printGoal, quantile } from "./statistics.ts";

const options = readOptions({
  benchmark: "start",
  summary:
    "Time and CPU time of a start. serve: to the first 200 response of the API, next to a minimal compiled Bun server.\n" +
    "sandbox: to its ready line. match of one name and version: to their end, next to a minimal compiled Bun program. The\n" +
    "minimal executables are padded to the size of phishwatch. All take turns in alternating order, so that other load\n" +
    "affects them equally.",
  options: {
    runs: { default: 21, value: "N", description: "measured starts of each" },
    baseline: {
      default: null,
      value: "FILE",
      description: "another build of phishwatch; prints the paired differences of serve from it",
    },
    json: jsonOption,
  },
});
if (options.runs < 1) throw new Error("--runs must be at least 1");
const goals = { serveFactorMax: 2.5, sandboxMsMax: 30, matchMsMax: 60, versionFactorMax: 1.3 };

const folder = mkdtempSync(join(tmpdir(), "phishwatch-bench-start-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

interface Contestant {
  name: string;
  program: string;
  command: readonly string[];
  start(run: number): Promise<Start>;
  starts: Start[];
}

const bareServer = buildBare("bare-server", folder);
const bareCommand = buildBare("bare-command", folder);
const nameList = join(folder, "name.txt");
writeFileSync(nameList, "examp1e.com\n");

const bare = contestant("bare", [bareServer], () => startBareServer(bareServer, folder));
// The first run is not counted. It creates the database that the counted runs open.
const current = server("phishwatch", phishwatchExecutable, () => "current.db");
const firstStart = server("phishwatch, first start", phishwatchExecutable, (run) => `first-${run}.db`);
const baseline =
  options.baseline === null ? null : server("baseline", resolve(options.baseline), () => "baseline.db");
const bareProgram = command("bare command", [bareCommand]);
const version = command("version", [phishwatchExecutable, "version"]);
const match = command("match of one name", [
  phishwatchExecutable,
  "match",
  "--protect",
  "example.com",
  nameList,
]);
const sandbox = contestant("sandbox", [phishwatchExecutable, "sandbox"], () => startSandbox(folder));
const servers = [bare, current, ...(baseline === null ? [] : [baseline]), firstStart];
const contestants = [...servers, sandbox, bareProgram, version, match];

for (let run = -1; run < options.runs; run++) {
  for (const one of run % 2 === 0 ? contestants : contestants.toReversed()) {
    const start = await one.start(run);
    if (run >= 0) one.starts.push(start);
  }
}
report();
writeFigures(
  options.json,
  contestants.map((one) => ({
    name: one.name,
    program: one.program,
    command: shownCommand(one.command),
    figures: {
      "time, ms": timesOf(one),
      "CPU time, ms": cpuTimesOf(one),
      ...(memoryOf(one).length === 0 ? {} : { "memory, MiB": memoryOf(one) }),
    },
  })),
);

function contestant(name: string, words: readonly string[], start: Contestant["start"]): Contestant {
  const isBare = words[0] === bareServer || words[0] === bareCommand;
  return { name, program: isBare ? bunProgram : phishwatchProgram(), command: words, start, starts: [] };
}

function server(name: string, executable: string, database: (run: number) => string): Contestant {
  return contestant(name, [executable, "serve"], (run) =>
    startServe(executable, { database: join(folder, database(run)), folder }),
  );
}

function command(name: string, words: readonly string[]): Contestant {
  return contestant(name, words, () => startCommand(words));
}

function timesOf({ starts }: Contestant): number[] {
  return starts.map(({ ms }) => ms);
}

function cpuTimesOf({ starts }: Contestant): number[] {
  return starts.map(({ cpuMs }) => cpuMs);
}

function memoryOf({ starts }: Contestant): number[] {
  return starts.flatMap(({ residentBytes }) => (residentBytes === undefined ? [] : residentBytes / 2 ** 20));
}

function report(): void {
  const rows = contestants.map((one) => {
    const ascending = timesOf(one).toSorted((a, b) => a - b);
    const times = [quantile(ascending, 0), median(ascending), quantile(ascending, 0.9)];
    const memory = memoryOf(one);
    const shown = [...times, median(cpuTimesOf(one))].map((ms) => ms.toFixed(1));
    return [one.name, ...shown, memory.length === 0 ? "" : median(memory).toFixed(0)];
  });
  console.log(formatTable(["start, ms", "min", "median", "p90", "CPU", "MiB resident"], rows));
  if (baseline !== null) {
    const differences = [
      differenceRow("time, ms", timesOf(current), timesOf(baseline)),
      differenceRow("CPU time, ms", cpuTimesOf(current), cpuTimesOf(baseline)),
    ];
    console.log(`\n${formatTable(["phishwatch - baseline, paired", "p25", "median", "p75"], differences)}`);
  }
  console.log();
  printFactor("serve / bare", [current, bare], goals.serveFactorMax);
  printTime("sandbox, ms", sandbox, goals.sandboxMsMax);
  printTime("match of one name, ms", match, goals.matchMsMax);
  printFactor("version / bare command", [version, bareProgram], goals.versionFactorMax);
}

/** Prints the median of the ratios within each run, which other load on the machine changes least. */
function printFactor(name: string, [of, to]: [Contestant, Contestant], limit: number): void {
  const base = timesOf(to);
  const factor = median(timesOf(of).map((ms, run) => ms / base[run]!));
  printGoal(name, factor, { kind: "at most", limit, digits: 2 });
}

function printTime(name: string, one: Contestant, limit: number): void {
  printGoal(name, median(timesOf(one)), { kind: "at most", limit, digits: 1 });
}

/** Returns the quartiles of the differences within each run. */
function differenceRow(name: string, values: readonly number[], baselines: readonly number[]): string[] {
  const ascending = values.map((value, run) => value - baselines[run]!).sort((a, b) => a - b);
  const quartiles = [quantile(ascending, 0.25), median(ascending), quantile(ascending, 0.75)];
  return [name, ...quartiles.map((ms) => (ms > 0 ? `+${ms.toFixed(1)}` : ms.toFixed(1)))];
}
