import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOptions } from "./options.ts";
import { phishwatchExecutable, writeConfig } from "./phishwatch.ts";
import { randomFrom } from "./random.ts";
import { sampleThreats, seededDatabase } from "./seed.ts";
import { freePort, startServer, type ServerProcess } from "./server-process.ts";
import { formatTable, printGoal, quantile } from "./statistics.ts";

const { threats: threatCount, requests } = readOptions({
  benchmark: "export",
  summary:
    "Exports of all threats by the executable in each format, read by curl, while one client reads single threats. Also\n" +
    "the filters of the list that the index in memory answers, and a MISP feed that the command writes.",
  options: {
    threats: { default: 1_000_000, value: "N", description: "threats in the database" },
    requests: { default: 200, value: "N", description: "requests per filter, and while nothing is exported" },
  },
});
const formats = ["csv", "jsonl", "stix"];
const filters = [
  "status=active",
  "type=homograph",
  "type=homograph&source=feed&page=1000",
  "min_similarity=0.9",
  "q=example-bank-1",
  "q=nothing-like-this",
  "since=2025-12-31T00:00:00Z",
  "since=2025-01-01T00:00:00Z&severity=high&page=500",
];
const pauseMs = 2;
/** A request waits for the slice of the export that is running, and for the loop to come around. */
const p99MsMax = 20;
/** Garbage between two collections, which grows with the memory that is in use, not with the export. */
const residentMibMax = 400;
const mebibyte = 2 ** 20;

const folder = mkdtempSync(join(tmpdir(), "phishwatch-bench-export-"));
let server: ServerProcess | undefined;
try {
  await main();
} finally {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function main(): Promise<void> {
  const database = join(folder, "phishwatch.db");
  const { path, enterpriseKey } = seededDatabase(threatCount);
  copyFileSync(path, database);
  const random = randomFrom(7);
  const { ids } = sampleThreats(database, { threatCount, sampleSize: 1_000, seed: 7 });
  const port = freePort();
  const config = writeConfig({ database, port });
  const command = [phishwatchExecutable, "serve", "--config", config];
  server = await startServer({ name: "phishwatch", command, port, readyPath: "/healthz", cwd: folder });
  const running = server;
  const headers = { authorization: `Bearer ${enterpriseKey}` };
  const url = `http://127.0.0.1:${port}/v1/threats`;
  const timed = async (address: string) => {
    const startedAt = performance.now();
    const response = await fetch(address, { headers });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`${address} returned ${response.status}`);
    return performance.now() - startedAt;
  };
  const readWhile = async (goesOn: (count: number) => boolean) => {
    const times: number[] = [];
    while (goesOn(times.length)) {
      times.push(await timed(`${url}/${random.pick(ids)}`));
      await Bun.sleep(pauseMs);
    }
    return Float64Array.from(times).sort();
  };

  await readWhile((count) => count < requests);
  const idle = await readWhile((count) => count < requests);
  console.log(
    `${threatCount} threats; one threat while nothing is exported: p99 ${quantile(idle, 0.99).toFixed(1)} ms\n`,
  );
  let isBuilt = false;
  const building = timed(`${url}?q=example`).then((ms) => {
    isBuilt = true;
    return ms;
  });
  const meanwhile = await readWhile(() => !isBuilt);
  console.log(
    `first filter after the start, which builds the index: ${(await building).toFixed(0)} ms; one threat meanwhile: p99 ${quantile(meanwhile, 0.99).toFixed(1)} ms\n`,
  );

  const filterRows: string[][] = [];
  for (const filter of filters) {
    const times: number[] = [];
    for (let index = 0; index < requests; index += 1) times.push(await timed(`${url}?${filter}`));
    const sorted = Float64Array.from(times).sort();
    filterRows.push([filter, quantile(sorted, 0.5).toFixed(1), quantile(sorted, 0.99).toFixed(1)]);
  }
  console.log(`${formatTable(["filter", "p50 ms", "p99 ms"], filterRows)}\n`);

  const rows: string[][] = [];
  let worstP99 = 0;
  let worstMib = 0;
  for (const format of formats) {
    const before = running.residentBytes();
    let most = before;
    const reader = Bun.spawn([
      "curl",
      "-fsS",
      "-o",
      "/dev/null",
      "-w",
      "%{size_download} %{time_total}",
      "-H",
      `Authorization: ${headers.authorization}`,
      `${url}/export?format=${format}`,
    ]);
    const times = await readWhile(() => {
      most = Math.max(most, running.residentBytes());
      return reader.exitCode === null;
    });
    const [bytes, seconds] = (await new Response(reader.stdout).text()).split(" ").map(Number);
    if (reader.exitCode !== 0) throw new Error(`curl exited with ${reader.exitCode}`);
    const p99 = quantile(times, 0.99);
    const more = (most - before) / mebibyte;
    worstP99 = Math.max(worstP99, p99);
    worstMib = Math.max(worstMib, more);
    rows.push([
      format,
      seconds!.toFixed(1),
      (bytes! / 1e6).toFixed(0),
      more.toFixed(0),
      ...[quantile(times, 0.5), p99, times.at(-1)!].map((ms) => ms.toFixed(1)),
    ]);
  }
  const misp = await timedCommand([
    "threats",
    "export",
    "--format",
    "misp",
    "--output",
    join(folder, "misp"),
    "--config",
    config,
  ]);
  const again = await timedCommand([
    "threats",
    "export",
    "--format",
    "misp",
    "--output",
    join(folder, "misp"),
    "--config",
    config,
  ]);
  console.log(formatTable(["format", "s", "MB", "MiB more", "GET p50 ms", "GET p99 ms", "GET max ms"], rows));
  console.log(`\nMISP feed: first ${misp.toFixed(1)} s, again without a change ${again.toFixed(1)} s\n`);
  printGoal("GET p99 ms during an export", worstP99, { kind: "at most", limit: p99MsMax, digits: 1 });
  printGoal("more resident memory, MiB", worstMib, { kind: "at most", limit: residentMibMax });
}

async function timedCommand(args: string[]): Promise<number> {
  const startedAt = performance.now();
  const child = Bun.spawn([phishwatchExecutable, ...args], { cwd: folder, stderr: "pipe" });
  const [text, code] = [await new Response(child.stderr).text(), await child.exited];
  if (code !== 0) throw new Error(text);
  return (performance.now() - startedAt) / 1000;
}
