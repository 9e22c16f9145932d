import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { load, rawRequest } from "./load.ts";
import { readOptions } from "./options.ts";
import { freePort } from "./server-process.ts";
import { formatTable, printGoal, quantile } from "./statistics.ts";

// Runs from source, because the executable never opens loopback addresses.

const options = readOptions({
  benchmark: "inspection",
  summary:
    "Time to inspect a mixed list of addresses without a browser, and the latency of the list of threats meanwhile,\n" +
    "next to that of an idle server. All hosts are on loopback, in another process.",
  options: {
    addresses: { default: 1_000, value: "N", description: "addresses to inspect (at most 10000)" },
    "per-minute": { default: 600, value: "N", description: "inspection.per_minute" },
    seconds: { default: 1, value: "N", description: "duration of each measurement of the latency" },
    rounds: { default: 10, value: "N", description: "measurements while the server is idle" },
    connections: { default: 1, value: "N", description: "concurrent connections" },
  },
});
const key = "pw_benchmarkbenchmarkbenchmarkbench1";
/** Kinds of hosts and their share in percent, as in lists of reported addresses: many are gone. */
const mix: readonly [kind: string, percent: number][] = [
  ["dead", 25],
  ["refused", 10],
  ["copy", 10],
  ["news", 20],
  ["shop", 20],
  ["parked", 10],
  ["large", 3],
  ["slow", 2],
];
const timeGoalSeconds = 120;
const latencyGoal = 2;
const secondsPerDay = 86_400;
/** Attempts at refused hosts are repeated after some minutes, so that these stay queued. */
const repeated = ["refused"];

interface Report {
  waiting: number;
  running: number;
  totals: Record<"imitation" | "harmless" | "failed", number>;
  longestMs: number;
  residentMiB: number;
  /** CPU time of all threads of the server so far. */
  cpuSeconds: number;
}

const folder = mkdtempSync(join(tmpdir(), "phishwatch-bench-inspection-"));
const children: Bun.Subprocess[] = [];
try {
  await main();
} finally {
  for (const child of children) child.kill();
  rmSync(folder, { recursive: true, force: true });
}

async function main(): Promise<void> {
  const world = Bun.spawn([process.execPath, join(import.meta.dir, "inspection-world.ts")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(world);
  const ports = JSON.parse((await lines(world.stdout).next()).value!) as Record<string, number>;
  const port = freePort();
  const settings = JSON.stringify({ folder, port, key, perMinute: options["per-minute"], ...ports });
  const server = Bun.spawn([process.execPath, join(import.meta.dir, "inspection-server.ts"), settings], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(server);
  const reports: Report[] = [];
  let ended = false;
  void (async () => {
    for await (const line of lines(server.stdout)) reports.push(JSON.parse(line) as Report);
    ended = true;
  })();
  while (reports.length === 0) {
    if (ended) throw new Error("the server ended");
    await Bun.sleep(50);
  }

  const list = rawRequest("GET", "/v1/threats?per_page=20", { key });
  const measure = () =>
    load({
      port,
      connections: options.connections,
      durationMs: options.seconds * 1_000,
      nextRequest: () => list,
    });
  // Fills one page of the list, so that idle and busy responses have the same size.
  await submit(port, { domains: Array.from({ length: 20 }, (_, index) => `example-bank-${index}.com`) });
  await Bun.sleep(5_000);
  await measure();
  const idle: number[][] = [];
  for (let round = 0; round < options.rounds; round++) idle.push([...(await measure()).latenciesMs]);

  const addresses = addressesOf(options.addresses);
  const expected = addresses.filter(
    (address) => !repeated.some((kind) => address.includes(`.${kind}.`)),
  ).length;
  const cpuBefore = reports.at(-1)!.cpuSeconds;
  reports.length = 0;
  const startedMs = performance.now();
  await submit(port, { domains: addresses, inspect: true });
  const submittedMs = performance.now() - startedMs;
  const busy: number[][] = [];
  for (;;) {
    busy.push([...(await measure()).latenciesMs]);
    const { totals } = reports.at(-1)!;
    if (totals.imitation + totals.harmless + totals.failed >= expected) break;
  }
  const seconds = (performance.now() - startedMs) / 1_000;
  report({ idle, busy, cpuBefore, reports, seconds, submittedMs });
}

function addressesOf(count: number): string[] {
  const kinds = mix.flatMap(([kind, percent]) => Array.from({ length: percent }, () => kind));
  // 37 and 100 have no common divisor, so that the kinds alternate.
  return Array.from({ length: count }, (_, index) => {
    const kind = kinds[(index * 37) % kinds.length]!;
    return `http://host${index}.${kind}.test/account/login?id=${index}`;
  });
}

function report({
  idle,
  busy,
  cpuBefore,
  reports,
  seconds,
  submittedMs,
}: {
  idle: number[][];
  busy: number[][];
  cpuBefore: number;
  reports: Report[];
  seconds: number;
  submittedMs: number;
}): void {
  const all = (runs: number[][]) => runs.flat().toSorted((a, b) => a - b);
  const [before, during] = [all(idle), all(busy)];
  const rows = [0.5, 0.9, 0.99, 0.999].map((part) => {
    const [one, other] = [quantile(before, part), quantile(during, part)];
    return [`p${part * 100}`, one.toFixed(3), other.toFixed(3), (other / one).toFixed(2)];
  });
  console.log(formatTable(["GET /v1/threats, ms", "idle", "inspecting", "factor"], rows));
  const { totals } = reports.at(-1)!;
  const longest = Math.max(...reports.map(({ longestMs }) => longestMs));
  const resident = Math.max(...reports.map(({ residentMiB }) => residentMiB));
  console.log(
    `${totals.imitation} imitate, ${totals.harmless} do not, ${totals.failed} could not be opened; ` +
      `submitted in ${submittedMs.toFixed(0)} ms; longest block ${longest.toFixed(1)} ms; ${resident.toFixed(0)} MiB; ` +
      `${(reports.at(-1)!.cpuSeconds - cpuBefore).toFixed(1)} s of CPU, requests of the load included`,
  );
  console.log(`${((options.addresses / seconds) * secondsPerDay).toFixed(0)} addresses per day at this rate`);
  printGoal("seconds for all", seconds, { kind: "at most", limit: timeGoalSeconds, digits: 1 });
  printGoal("p99, factor", quantile(during, 0.99) / quantile(before, 0.99), {
    kind: "at most",
    limit: latencyGoal,
    digits: 2,
  });
}

async function submit(port: number, body: object): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/candidates`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`candidates: ${response.status} ${await response.text()}`);
}

async function* lines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const bytes of stream) {
    const parts = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = parts.pop()!;
    yield* parts;
  }
}
