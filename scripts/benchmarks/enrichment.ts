import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { load, rawRequest } from "./load.ts";
import { readOptions } from "./options.ts";
import { freePort } from "./server-process.ts";
import { formatTable, median, quantile } from "./statistics.ts";

// Runs from source, because the executable never looks up loopback addresses.

const options = readOptions({
  benchmark: "enrichment",
  summary:
    "Latency of the list of threats while the server is idle and while it enriches new threats with slow pages.",
  options: {
    threats: { default: 1_000, value: "N", description: "threats to enrich (at most 1000)" },
    rounds: { default: 5, value: "N", description: "rounds; the one with the lowest latency counts" },
    seconds: { default: 1, value: "N", description: "duration of each measurement" },
    connections: { default: 1, value: "N", description: "concurrent connections" },
    "page-delay": { default: 8_000, value: "MS", description: "milliseconds before a page responds" },
  },
});
const { connections, rounds } = options;
const durationMs = options.seconds * 1000;
const key = "pw_benchmarkbenchmarkbenchmarkbench1";
/** Fills one page of the list, so that idle and busy responses have the same size. */
const firstThreats = 20;
const pollMs = 2_000;
const folder = mkdtempSync(join(tmpdir(), "phishwatch-bench-enrichment-"));
const children: Bun.Subprocess[] = [];
try {
  await main();
} finally {
  for (const child of children) child.kill();
  rmSync(folder, { recursive: true, force: true });
}

async function main(): Promise<void> {
  const world = Bun.spawn(
    [process.execPath, join(import.meta.dir, "enrichment-world.ts"), String(options["page-delay"])],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  children.push(world);
  const ports = JSON.parse(await firstLine(world.stdout)) as Record<string, number>;
  const port = freePort();
  const settings = JSON.stringify({ folder, port, key, ...ports });
  const server = Bun.spawn([process.execPath, join(import.meta.dir, "enrichment-server.ts"), settings], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(server);
  const lookups = { inFlight: 0 };
  void (async () => {
    for await (const text of server.stdout.pipeThrough(new TextDecoderStream()))
      lookups.inFlight = Number.parseInt(text, 10);
  })();
  await waitUntilReady(port);

  const list = rawRequest("GET", "/v1/threats?per_page=20", { key });
  const measure = async () => {
    const { latenciesMs } = await load({ port, connections, durationMs, nextRequest: () => list });
    return {
      p50: quantile(latenciesMs, 0.5),
      p99: quantile(latenciesMs, 0.99),
      p999: quantile(latenciesMs, 0.999),
    };
  };
  // Enrich these before the first measurement.
  await submit(port, "first", firstThreats);
  do await Bun.sleep(pollMs);
  while (lookups.inFlight > 0);
  await measure();
  const idle = [];
  for (let round = 0; round < rounds; round++) idle.push(await measure());
  await submit(port, "next", options.threats);
  await Bun.sleep(options["page-delay"]);
  const busy = [];
  const inFlight: number[] = [];
  for (let round = 0; round < rounds; round++) {
    busy.push(await measure());
    inFlight.push(lookups.inFlight);
  }
  report(idle, busy, inFlight);
}

type Measured = { p50: number; p99: number; p999: number };

function report(idle: Measured[], busy: Measured[], inFlight: number[]): void {
  // The minimum, because other load on the machine only ever adds latency.
  const best = (runs: Measured[], part: keyof Measured) => Math.min(...runs.map((run) => run[part]));
  const parts: (keyof Measured)[] = ["p50", "p99", "p999"];
  const rows = parts.map((part) => {
    const [before, during] = [best(idle, part), best(busy, part)];
    return [part, before.toFixed(3), during.toFixed(3), (during / before).toFixed(2)];
  });
  console.log(formatTable(["GET /v1/threats, ms", "idle", "enriching", "factor"], rows));
  console.log(`${options.threats} threats queued, ${median(inFlight)} lookups in flight (median of rounds)`);
}

async function submit(port: number, name: string, count: number): Promise<void> {
  const domains = Array.from({ length: count }, (_, index) => `example-bank-${name}${index}.com`);
  const response = await fetch(`http://127.0.0.1:${port}/v1/candidates`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ domains }),
  });
  const { meta } = (await response.json()) as { meta: { created: number } };
  if (meta.created !== count) throw new Error(`${meta.created} threats created, not ${count}`);
}

async function waitUntilReady(port: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    try {
      await fetch(`http://127.0.0.1:${port}/healthz`);
      return;
    } catch {
      await Bun.sleep(50);
    }
  }
  throw new Error("the server did not become ready");
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const { value } = await stream.getReader().read();
  return new TextDecoder().decode(value);
}
