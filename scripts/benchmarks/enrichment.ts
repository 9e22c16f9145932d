import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { load, rawRequest } from "./load.ts";
import { freePort } from "./server-process.ts";
import { formatTable, median, quantile } from "./statistics.ts";

// What the API's callers notice of enrichment: latencies of the list while nothing is to be done, and while a
// thousand new threats are being looked at, with pages that take their time. From source, for the executable
// never looks at loopback.

const { values } = parseArgs({
  options: {
    threats: { type: "string", default: "1000" },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "1" },
    connections: { type: "string", default: "1" },
    "page-delay": { type: "string", default: "8000" },
  },
});
const key = "pw_benchmarkbenchmarkbenchmarkbench1";
const durationMs = Number(values.seconds) * 1000;
const connections = Number(values.connections);
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
    [process.execPath, join(import.meta.dir, "enrichment-world.ts"), values["page-delay"]],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  children.push(world);
  const ports = JSON.parse(await firstLine(world.stdout)) as Record<string, number>;
  const port = freePort();
  const settings = JSON.stringify({ folder, port, key, ...ports });
  const server = Bun.spawn([process.execPath, join(import.meta.dir, "enrichment-server.ts"), settings], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(server);
  const looks = { underWay: 0 };
  void (async () => {
    for await (const text of server.stdout.pipeThrough(new TextDecoderStream()))
      looks.underWay = Number.parseInt(text, 10);
  })();
  await answers(port);

  const list = rawRequest("GET", "/v1/threats?per_page=20", { key });
  const measure = async () => {
    const { latenciesMs } = await load({ port, connections, durationMs, nextRequest: () => list });
    return {
      p50: quantile(latenciesMs, 0.5),
      p99: quantile(latenciesMs, 0.99),
      p999: quantile(latenciesMs, 0.999),
    };
  };
  // A full page in both cases; these have been looked at before anything is measured.
  await submit(port, "first", 20);
  do await Bun.sleep(2_000);
  while (looks.underWay > 0);
  await measure();
  const idle = [];
  for (let round = 0; round < Number(values.rounds); round++) idle.push(await measure());
  await submit(port, "next", Number(values.threats));
  await Bun.sleep(Number(values["page-delay"]));
  const busy = [];
  const atWork: number[] = [];
  for (let round = 0; round < Number(values.rounds); round++) {
    busy.push(await measure());
    atWork.push(looks.underWay);
  }
  report(idle, busy, atWork);
}

type Measured = { p50: number; p99: number; p999: number };

function report(idle: Measured[], busy: Measured[], atWork: number[]): void {
  // The quietest round: what else runs on the machine only ever adds.
  const best = (runs: Measured[], part: keyof Measured) => Math.min(...runs.map((run) => run[part]));
  const parts: (keyof Measured)[] = ["p50", "p99", "p999"];
  const rows = parts.map((part) => {
    const [before, during] = [best(idle, part), best(busy, part)];
    return [part, before.toFixed(3), during.toFixed(3), (during / before).toFixed(2)];
  });
  console.log(formatTable(["GET /v1/threats, ms", "idle", "enriching", "times"], rows));
  console.log(`${values.threats} threats queued, ${median(atWork)} looks under way (median of rounds)`);
}

async function submit(port: number, name: string, count: number): Promise<void> {
  const domains = Array.from({ length: count }, (_, index) => `example-bank-${name}${index}.com`);
  const answer = await fetch(`http://127.0.0.1:${port}/v1/candidates`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ domains }),
  });
  const { meta } = (await answer.json()) as { meta: { created: number } };
  if (meta.created !== count) throw new Error(`${meta.created} threats created, not ${count}`);
}

async function answers(port: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    try {
      await fetch(`http://127.0.0.1:${port}/healthz`);
      return;
    } catch {
      await Bun.sleep(50);
    }
  }
  throw new Error("the server does not answer");
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const { value } = await stream.getReader().read();
  return new TextDecoder().decode(value);
}
