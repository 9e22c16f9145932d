import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { freePort, startServer } from "./server-process.ts";
import { phishwatchExecutable, writeConfig } from "./phishwatch.ts";
import { formatTable, median, quantile } from "./statistics.ts";

// From the start of the process to its first answer 200: the executable beside the least a compiled
// Bun server can be, in turns, so that both see the same machine.

const { values } = parseArgs({ options: { runs: { type: "string", default: "21" } } });
const runs = Number(values.runs);
const factorMax = 2;

const folder = mkdtempSync(join(tmpdir(), "phishwatch-bench-start-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

const bareExecutable = join(folder, "bare");
const buildFlags = "--compile --format=esm --bytecode --minify-syntax --minify-whitespace".split(" ");
const bareSource = join(import.meta.dir, "bare-server.ts");
const built = Bun.spawnSync([
  process.execPath,
  "build",
  ...buildFlags,
  bareSource,
  "--outfile",
  bareExecutable,
]);
if (!built.success) throw new Error(`the bare server did not compile: ${built.stderr.toString()}`);

interface Figures {
  startMs: number[];
  startCpuMs: number[];
  residentBytes: number[];
}
const figures: Record<"bare" | "phishwatch" | "phishwatch, first start", Figures> = {
  bare: { startMs: [], startCpuMs: [], residentBytes: [] },
  phishwatch: { startMs: [], startCpuMs: [], residentBytes: [] },
  "phishwatch, first start": { startMs: [], startCpuMs: [], residentBytes: [] },
};

for (let run = -1; run < runs; run++) {
  const port = freePort();
  const bare = { command: [bareExecutable], environment: { PORT: String(port) }, readyPath: "/" };
  // The first, uncounted run makes the database that the counted ones open again.
  const again = { command: phishwatchOn("again.db", port), environment: {}, readyPath: "/healthz" };
  const first = { command: phishwatchOn(`first-${run}.db`, port), environment: {}, readyPath: "/healthz" };
  const contestants = { bare, phishwatch: again, "phishwatch, first start": first };
  for (const [name, contestant] of Object.entries(contestants)) {
    const server = await startServer({ name, port, cwd: folder, ...contestant });
    const { startMs, startCpuMs, residentBytes } = figures[name as keyof typeof figures];
    if (run >= 0) {
      startMs.push(server.startMs);
      startCpuMs.push(server.startCpuMs);
      residentBytes.push(server.residentBytes());
    }
    await server.stop();
  }
}

const rows = Object.entries(figures).map(([name, { startMs, startCpuMs, residentBytes }]) => {
  const ascending = startMs.toSorted((a, b) => a - b);
  const times = [quantile(ascending, 0), median(startMs), quantile(ascending, 0.9), median(startCpuMs)];
  return [name].concat(
    times.map((ms) => ms.toFixed(1)),
    (median(residentBytes) / 2 ** 20).toFixed(0),
  );
});
console.log(formatTable(["start to first 200, ms", "least", "median", "p90", "CPU", "MiB resident"], rows));
const factor = median(figures.phishwatch.startMs) / median(figures.bare.startMs);
const verdict = factor <= factorMax ? "reached" : "MISSED";
console.log(`\nphishwatch / bare: ${factor.toFixed(2)} (goal: at most ${factorMax}) ${verdict}`);

function phishwatchOn(database: string, port: number): string[] {
  const config = writeConfig({ database: join(folder, database), port });
  return [phishwatchExecutable, "serve", "--config", config];
}
