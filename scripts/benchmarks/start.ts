import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { phishwatchExecutable, writeConfig } from "./phishwatch.ts";
import { freePort, startServer } from "./server-process.ts";
import { formatTable, median, printGoal, quantile } from "./statistics.ts";
import {
  bunProgram,
  jsonOption,
  phishwatchProgram,
  shownCommand,
  writeFigures,
  type Subject,
} from "./figures.ts";
import { readOptions } from "./options.ts";

const options = readOptions({
  benchmark: "start",
  summary:
    "Time and CPU time from starting the process to its first 200 response: the executable next to a minimal compiled\n" +
    "Bun server. All of them take turns in alternating order, so that other load affects them equally.",
  options: {
    runs: { default: 21, value: "N", description: "measured starts of each" },
    baseline: {
      default: null,
      value: "FILE",
      description: "another build of phishwatch; prints the paired differences from it",
    },
    json: jsonOption,
  },
});
if (options.runs < 1) throw new Error("--runs must be at least 1");
const startFactorMax = 2;

const folder = mkdtempSync(join(tmpdir(), "phishwatch-bench-start-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

interface Contestant {
  name: string;
  command: (run: number, port: number) => string[];
  readyPath: string;
  startMs: number[];
  startCpuMs: number[];
  residentBytes: number[];
}

const bareExecutable = buildBareServer();
const bare = contestant("bare", "/", () => [bareExecutable]);
// The first run is not counted. It creates the database that the counted runs open.
const current = contestant("phishwatch", "/healthz", (_run, port) =>
  serve(phishwatchExecutable, "current.db", port),
);
const firstStart = contestant("phishwatch, first start", "/healthz", (run, port) =>
  serve(phishwatchExecutable, `first-${run}.db`, port),
);
const baselineExecutable = options.baseline === null ? null : resolve(options.baseline);
const baseline =
  baselineExecutable === null
    ? null
    : contestant("baseline", "/healthz", (_run, port) => serve(baselineExecutable, "baseline.db", port));
const contestants = [bare, current, ...(baseline === null ? [] : [baseline]), firstStart];

for (let run = -1; run < options.runs; run++) {
  for (const one of run % 2 === 0 ? contestants : contestants.toReversed()) {
    const { startMs, startCpuMs, residentBytes } = await measureStart(one, run);
    if (run < 0) continue;
    one.startMs.push(startMs);
    one.startCpuMs.push(startCpuMs);
    one.residentBytes.push(residentBytes);
  }
}
report();
writeFigures(options.json, contestants.map(subjectOf));

function subjectOf(one: Contestant): Subject {
  return {
    name: one.name,
    program: one === bare ? bunProgram : phishwatchProgram(),
    command: shownCommand(one.command(0, 0)),
    figures: {
      "time, ms": one.startMs,
      "CPU time, ms": one.startCpuMs,
      "memory, MiB": one.residentBytes.map((bytes) => bytes / 2 ** 20),
    },
  };
}

function contestant(name: string, readyPath: string, command: Contestant["command"]): Contestant {
  return { name, command, readyPath, startMs: [], startCpuMs: [], residentBytes: [] };
}

async function measureStart({ name, command, readyPath }: Contestant, run: number) {
  const port = freePort();
  const server = await startServer({
    name,
    port,
    cwd: folder,
    command: command(run, port),
    environment: { PORT: String(port) },
    readyPath,
  });
  const residentBytes = server.residentBytes();
  await server.stop();
  return { startMs: server.startMs, startCpuMs: server.startCpuMs, residentBytes };
}

function report(): void {
  const rows = contestants.map(({ name, startMs, startCpuMs, residentBytes }) => {
    const ascending = startMs.toSorted((a, b) => a - b);
    const times = [quantile(ascending, 0), median(startMs), quantile(ascending, 0.9), median(startCpuMs)];
    return [name, ...times.map((ms) => ms.toFixed(1)), (median(residentBytes) / 2 ** 20).toFixed(0)];
  });
  console.log(formatTable(["start to first 200, ms", "min", "median", "p90", "CPU", "MiB resident"], rows));
  if (baseline !== null) {
    const differences = [
      differenceRow("time, ms", current.startMs, baseline.startMs),
      differenceRow("CPU time, ms", current.startCpuMs, baseline.startCpuMs),
    ];
    console.log(`\n${formatTable(["phishwatch - baseline, paired", "p25", "median", "p75"], differences)}`);
  }
  console.log();
  printGoal("phishwatch / bare", median(current.startMs) / median(bare.startMs), {
    kind: "at most",
    limit: startFactorMax,
    digits: 2,
  });
}

/** Returns the quartiles of the differences within each run, which other load on the machine changes least. */
function differenceRow(name: string, values: readonly number[], baselines: readonly number[]): string[] {
  const ascending = values.map((value, run) => value - baselines[run]!).sort((a, b) => a - b);
  const quartiles = [quantile(ascending, 0.25), median(ascending), quantile(ascending, 0.75)];
  return [name, ...quartiles.map((ms) => (ms > 0 ? `+${ms.toFixed(1)}` : ms.toFixed(1)))];
}

function serve(executable: string, database: string, port: number): string[] {
  return [executable, "serve", "--config", writeConfig({ database: join(folder, database), port })];
}

function buildBareServer(): string {
  const executable = join(folder, "bare-server");
  const flags = "--compile --format=esm --bytecode --minify-syntax --minify-whitespace".split(" ");
  const source = join(import.meta.dir, "bare-server.ts");
  const build = Bun.spawnSync([process.execPath, "build", ...flags, source, "--outfile", executable]);
  if (!build.success) throw new Error(`the bare server did not compile: ${build.stderr.toString()}`);
  return executable;
}
