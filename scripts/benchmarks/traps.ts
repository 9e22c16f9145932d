import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { load, rawRequest } from "./load.ts";
import { readOptions } from "./options.ts";
import { phishwatchExecutable, writeConfig } from "./phishwatch.ts";
import { freePort, startServer } from "./server-process.ts";
import { formatTable, quantile } from "./statistics.ts";

const { rate: visitsPerSecond, seconds } = readOptions({
  benchmark: "traps",
  summary:
    "Latency of API calls while a honeytoken is visited: not at all, by one visitor, at an unknown address, and by a\n" +
    "different visitor each time (each visit is then a row and an event); then the CPU time per visit.",
  options: {
    rate: { default: 10_000, value: "N", description: "visits per second" },
    seconds: { default: 3, value: "N", description: "duration of each measurement" },
  },
});
const durationMs = seconds * 1_000;
const visitorsStartMs = 500;
/** Time in which the server writes its queued visits. */
const settleMs = 3_000;
const costConnections = 8;

const folder = mkdtempSync(join(tmpdir(), "phishwatch-bench-traps-"));
const port = freePort();
const config = writeConfig({ database: join(folder, "phishwatch.db"), port });
appendFileSync(
  config,
  `[traps]\nhits_per_minute = 1000000\n[log]\nlevel = "error"\n[[protected_domains]]\ndomain = "example-bank.com"\n`,
);
// The visitors name their networks in X-Forwarded-For.
const text = await Bun.file(config).text();
await Bun.write(config, text.replace("[storage]", `trusted_proxies = ["127.0.0.1/32"]\n[storage]`));

const server = await startServer({
  name: "phishwatch",
  command: [phishwatchExecutable, "serve", "--config", config],
  port,
  readyPath: "/healthz",
  cwd: folder,
});
try {
  const key = runCommand("keys", "create", "--plan", "enterprise");
  const path = new URL(runCommand("honeytokens", "create", "pixel", "--name", "bait")).pathname;
  const list = rawRequest("GET", "/v1/threats?per_page=20", { key });
  const latencies = [
    await measureLatency("no visits", list, null),
    await measureLatency("one visitor, repeatedly", list, { path, networks: "one" }),
    await measureLatency("unknown address", list, { path: "/t/abcdefghijklmnopqrstuvwxyz", networks: "one" }),
    await measureLatency("different networks", list, { path, networks: "many" }),
  ];
  await Bun.sleep(settleMs);
  const costs = [
    await measureCost("reading one page of the API's list", list),
    await measureCost("one visit by the same visitor", rawRequest("GET", path)),
  ];
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const header = ["visits", "responses/s", "server CPU", "API calls/s", "p50 ms", "p99 ms", "max ms"];
  console.log(formatTable(header, latencies));
  console.log(`\n${formatTable(["server CPU", "µs each"], costs)}\n`);
  console.log(metrics.match(/^phishwatch_trap_visits_total\{.*$/gm)!.join("\n"));
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** Measures API calls on one connection while visitors send requests. */
async function measureLatency(
  name: string,
  list: Uint8Array,
  visits: { path: string; networks: "one" | "many" } | null,
): Promise<string[]> {
  const visitors = visits === null ? undefined : startVisitors(visits);
  if (visitors !== undefined) await Bun.sleep(visitorsStartMs);
  const cpuBefore = server.cpuSeconds();
  const { latenciesMs, requests } = await load({
    port,
    connections: 1,
    durationMs,
    nextRequest: () => list,
  });
  const cpuShare = (server.cpuSeconds() - cpuBefore) / seconds;
  const result = { responses: 0, seconds: 1 };
  if (visitors !== undefined) {
    await visitors.stdin.end();
    Object.assign(result, JSON.parse(await new Response(visitors.stdout).text()));
  }
  return [
    name,
    Math.round(result.responses / result.seconds).toLocaleString("en"),
    `${Math.round(cpuShare * 100)} %`,
    Math.round(requests / seconds).toLocaleString("en"),
    quantile(latenciesMs, 0.5).toFixed(2),
    quantile(latenciesMs, 0.99).toFixed(2),
    latenciesMs.at(-1)!.toFixed(1),
  ];
}

function startVisitors({ path, networks }: { path: string; networks: "one" | "many" }) {
  const settings = JSON.stringify([port, path, visitsPerSecond, networks]);
  return Bun.spawn([process.execPath, join(import.meta.dir, "trap-visitors.ts"), settings], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
}

/** Measures the CPU time per request, including rows and events that are written later. */
async function measureCost(name: string, request: Uint8Array): Promise<string[]> {
  const cpuBefore = server.cpuSeconds();
  const { requests } = await load({
    port,
    connections: costConnections,
    durationMs,
    nextRequest: () => request,
  });
  await Bun.sleep(settleMs);
  return [name, (((server.cpuSeconds() - cpuBefore) * 1e6) / requests).toFixed(1)];
}

/** Runs a command of the executable and returns its output. */
function runCommand(...args: string[]): string {
  const { stdout, stderr, success } = Bun.spawnSync([phishwatchExecutable, ...args, "--config", config]);
  if (!success) throw new Error(stderr.toString());
  return stdout.toString().trim();
}
