import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  bunProgram,
  jsonOption,
  phishwatchProgram,
  shownCommand,
  writeFigures,
  type Subject,
} from "./figures.ts";
import { flush } from "./flush.ts";
import { load, rawRequest, type RawRequest } from "./load.ts";
import { readOptions } from "./options.ts";
import { peerVersion, peersFolder, peersInstalled } from "./peers.ts";
import { phishwatchExecutable, writeConfig } from "./phishwatch.ts";
import { sampleThreats, seededDatabase, type SeededDatabase, type ThreatSample } from "./seed.ts";
import { freePort, startServer, type ServerProcess } from "./server-process.ts";
import { formatTable, median, printGoal, quantile, type Goal } from "./statistics.ts";

// All servers run at the same time and take turns in several rounds, so that other load on the machine affects them
// equally. Requests that change what phishwatch has in memory have rounds of their own, after the others. The goals compare
// CPU time per request, because it does not depend on how the load generator and other processes share the cores.

const {
  threats: threatCount,
  rounds,
  seconds,
  connections,
  only,
  json,
} = readOptions({
  benchmark: "api",
  summary:
    "API requests to the executable with many threats, next to a bare Bun.serve and to the same GET implemented with\n" +
    "fastify and better-sqlite3 on Node.",
  options: {
    threats: { default: 1_000_000, value: "N", description: "threats in the database" },
    rounds: { default: 5, value: "N", description: "rounds; the medians are reported" },
    seconds: { default: 1, value: "N", description: "duration of each measurement" },
    connections: { default: 16, value: "N", description: "concurrent connections" },
    only: { default: null, value: "TEXT", description: "run only the scenarios whose name contains TEXT" },
    json: jsonOption,
  },
});
const durationMs = seconds * 1000;

/** Threats of `get`, which phishwatch keeps in memory. */
const sampleSize = 20_000;
/** Threats of `get, random`: several times as many as phishwatch keeps in memory. */
const randomSampleSize = 100_000;
const batchSize = 100;
const deepPage = Math.max(1, Math.floor(threatCount / 40));
/** A page that no earlier request has read, shortly after the start. */
const coldPageMsMax = 50;
const deepList = `list, page ${deepPage}`;
const warmUpMs = 3_000;

interface Scenario {
  name: string;
  server: ServerProcess;
  nextRequest: () => RawRequest;
  /** CPU time per request, one value per round, as in the other lists. */
  cpuMicroseconds: number[];
  requestsPerSecond: number[];
  p50Ms: number[];
  p99Ms: number[];
  /** Latency with a single connection, and therefore without a queue. */
  singleP50Ms: number[];
  singleP99Ms: number[];
}

const folder = mkdtempSync(join(tmpdir(), "phishwatch-bench-api-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const servers: ServerProcess[] = [];
try {
  await main();
} finally {
  await Promise.all(servers.map((server) => server.stop()));
}

async function main(): Promise<void> {
  const seeded = seededDatabase(threatCount);
  const database = join(folder, "phishwatch.db");
  copyFileSync(seeded.path, database);
  flush(database);

  const phishwatch = await startPhishwatch(database);
  const coldPageMs = await timeColdPage(phishwatch, seeded);
  await phishwatch.untilIdle();
  const sample = sampleThreats(database, { threatCount, sampleSize, seed: 1 });
  const { ids: randomIds } = sampleThreats(database, { threatCount, sampleSize: randomSampleSize, seed: 2 });
  const bodyBytes = await bodySize(phishwatch, sample.ids[0]!, seeded);
  const bare = await startBare(bodyBytes);
  const fastify = await startFastify(database);

  const groups = scenariosOf({ phishwatch, bare, fastify }, seeded, { ...sample, randomIds }).map((group) =>
    group.filter(({ name }) => only === null || name.includes(only)),
  );
  const scenarios = groups.flat();
  if (scenarios.length === 0) throw new Error(`no scenario contains ${only}`);

  for (const group of groups) {
    for (const scenario of group) await run(scenario, connections, warmUpMs);
    for (let round = 0; round < rounds; round++) for (const scenario of group) await measure(scenario);
  }
  report(scenarios, bodyBytes);
  goal(`${deepList}: ms of the first request after the start`, coldPageMs, coldPageMsMax, "at most");
  writeFigures(json, scenarios.map(subjectOf));
}

function subjectOf({ name, server, ...measured }: Scenario): Subject {
  const programs: Record<string, () => string> = {
    phishwatch: phishwatchProgram,
    "Bun.serve": () => bunProgram,
    fastify: () => ["fastify", "better-sqlite3"].map(peerVersion).join(", "),
  };
  return {
    name,
    program: programs[server.name]!(),
    command: shownCommand(server.command),
    figures: {
      "CPU time, µs": measured.cpuMicroseconds,
      "requests/s": measured.requestsPerSecond,
      "median, ms": measured.singleP50Ms,
      "99 %, ms": measured.singleP99Ms,
    },
  };
}

async function startPhishwatch(database: string): Promise<ServerProcess> {
  const port = freePort();
  const config = writeConfig({ database, port });
  const command = [phishwatchExecutable, "serve", "--config", config];
  return register(
    await startServer({ name: "phishwatch", command, port, readyPath: "/healthz", cwd: folder }),
  );
}

async function startBare(bodyBytes: number): Promise<ServerProcess> {
  const port = freePort();
  const command = [process.execPath, join(import.meta.dir, "bare-server.ts")];
  const environment = { PORT: String(port), BODY_BYTES: String(bodyBytes) };
  return register(
    await startServer({ name: "Bun.serve", command, port, readyPath: "/", cwd: folder, environment }),
  );
}

/** Starts the server with fastify. Returns undefined if it is not installed: the benchmark then runs without it. */
async function startFastify(database: string): Promise<ServerProcess | undefined> {
  if (Bun.which("node") === null || !peersInstalled()) {
    console.error("fastify is not installed (scripts/bench all --install-peers): running without it");
    return undefined;
  }
  const port = freePort();
  const command = ["node", join(peersFolder, "fastify.js"), database, String(port)];
  return register(await startServer({ name: "fastify", command, port, readyPath: "/healthz", cwd: folder }));
}

function register(server: ServerProcess): ServerProcess {
  servers.push(server);
  return server;
}

/** Returns the time of the first request for a page in the middle, after one that opens the connection. */
async function timeColdPage({ port }: ServerProcess, { enterpriseKey }: SeededDatabase): Promise<number> {
  const get = async (page: number) => {
    const response = await fetch(`http://127.0.0.1:${port}/v1/threats?per_page=20&page=${page}`, {
      headers: { authorization: `Bearer ${enterpriseKey}` },
    });
    if (response.status !== 200) throw new Error(`page ${page} returned ${response.status}`);
    await response.bytes();
  };
  await get(1);
  const startedAt = performance.now();
  await get(deepPage);
  return performance.now() - startedAt;
}

async function bodySize(server: ServerProcess, id: string, seeded: SeededDatabase): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${server.port}/v1/threats/${id}`, {
    headers: { authorization: `Bearer ${seeded.enterpriseKey}` },
  });
  if (response.status !== 200) throw new Error(`get returned ${response.status}: ${await response.text()}`);
  return (await response.bytes()).byteLength;
}

/** Returns groups of scenarios that take turns. */
function scenariosOf(
  {
    phishwatch,
    bare,
    fastify,
  }: { phishwatch: ServerProcess; bare: ServerProcess; fastify: ServerProcess | undefined },
  { proKeys, enterpriseKey }: SeededDatabase,
  { ids, randomIds, domain }: ThreatSample & { randomIds: string[] },
): Scenario[][] {
  const scenario = (name: string, server: ServerProcess, nextRequest: () => RawRequest): Scenario => ({
    name,
    server,
    nextRequest,
    cpuMicroseconds: [],
    requestsPerSecond: [],
    p50Ms: [],
    p99Ms: [],
    singleP50Ms: [],
    singleP99Ms: [],
  });
  // Built in advance, so that the load generator only sends.
  const getsOf = (some: readonly string[]) =>
    some.map((id, index) =>
      rawRequest("GET", `/v1/threats/${id}`, { key: proKeys[index % proKeys.length]! }),
    );
  const [gets, randomGets] = [getsOf(ids), getsOf(randomIds)];
  const withFastify = (name: string, requests: RawRequest[]) =>
    fastify ? [scenario(`${name}, fastify + better-sqlite3`, fastify, inTurn(requests))] : [];
  const lists = (query: string) =>
    proKeys.map((key) => rawRequest("GET", `/v1/threats?per_page=20${query}`, { key }));
  const patches = ["resolved", "active"].flatMap((status) =>
    ids.map((id) => rawRequest("PATCH", `/v1/threats/${id}`, { key: enterpriseKey, body: { status } })),
  );
  const batches = ["resolve", "reactivate"].flatMap((action) =>
    Array.from({ length: ids.length / batchSize }, (_, index) => {
      const body = { ids: ids.slice(index * batchSize, (index + 1) * batchSize), action };
      return rawRequest("POST", "/v1/threats/batch", { key: enterpriseKey, body });
    }),
  );
  const reads = [
    scenario("get, bare Bun.serve", bare, inTurn(gets)),
    ...withFastify("get", gets),
    scenario("get", phishwatch, inTurn(gets)),
    scenario("list, page 1", phishwatch, inTurn(lists(""))),
    scenario("list, page 1, status", phishwatch, inTurn(lists("&status=active"))),
    scenario("list, page 1, domain", phishwatch, inTurn(lists(`&domain=${domain}`))),
    scenario(
      "list, page 1, all filters",
      phishwatch,
      inTurn(lists(`&domain=${domain}&status=active&severity=high`)),
    ),
    scenario(deepList, phishwatch, inTurn(lists(`&page=${deepPage}`))),
    scenario(`${deepList}, status`, phishwatch, inTurn(lists(`&page=${deepPage}&status=active`))),
  ];
  const randomReads = [
    ...withFastify("get, random", randomGets),
    scenario("get, random", phishwatch, inTurn(randomGets)),
  ];
  const writes = [
    scenario("patch", phishwatch, inTurn(patches)),
    scenario(`batch of ${batchSize}`, phishwatch, inTurn(batches)),
  ];
  return [reads, randomReads, writes];
}

function inTurn(requests: readonly RawRequest[]): () => RawRequest {
  let index = 0;
  return () => requests[index++ % requests.length]!;
}

async function run({ name, server, nextRequest }: Scenario, connectionCount: number, forMs: number) {
  const { port } = server;
  const cpuBefore = server.cpuSeconds();
  try {
    const result = await load({ port, connections: connectionCount, durationMs: forMs, nextRequest });
    return { ...result, cpuSeconds: server.cpuSeconds() - cpuBefore };
  } catch (error) {
    await server.requireAlive();
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
  }
}

async function measure(scenario: Scenario): Promise<void> {
  const busy = await run(scenario, connections, durationMs);
  scenario.cpuMicroseconds.push((busy.cpuSeconds * 1e6) / busy.requests);
  scenario.requestsPerSecond.push((busy.requests * 1000) / busy.durationMs);
  scenario.p50Ms.push(quantile(busy.latenciesMs, 0.5));
  scenario.p99Ms.push(quantile(busy.latenciesMs, 0.99));
  const single = await run(scenario, 1, durationMs / 2);
  scenario.singleP50Ms.push(quantile(single.latenciesMs, 0.5));
  scenario.singleP99Ms.push(quantile(single.latenciesMs, 0.99));
}

function report(scenarios: Scenario[], bodyBytes: number): void {
  console.log(
    `${threatCount} threats, get returns ${bodyBytes} bytes; medians of ${rounds} rounds of ${durationMs} ms with ` +
      `${connections} connections ("single": with one)\n`,
  );
  const rows = scenarios.map((scenario) => [
    scenario.name,
    median(scenario.requestsPerSecond).toFixed(0),
    median(scenario.cpuMicroseconds).toFixed(1),
    ...[scenario.p50Ms, scenario.p99Ms, scenario.singleP50Ms, scenario.singleP99Ms].map((ms) =>
      median(ms).toFixed(2),
    ),
  ]);
  const header = ["", "requests/s", "CPU µs/request", "p50 ms", "p99 ms", "p50 single", "p99 single"];
  console.log(`${formatTable(header, rows)}\n`);

  const cpu = (name: string) => {
    const scenario = scenarios.find((one) => one.name === name);
    return scenario && median(scenario.cpuMicroseconds);
  };
  const get = cpu("get");
  if (get === undefined) return;
  const getGoals: [name: string, other: number | undefined, limit: number][] = [
    ["bare Bun.serve", cpu("get, bare Bun.serve"), 0.3],
    ["fastify", cpu("get, fastify + better-sqlite3"), 1.7],
  ];
  for (const [name, other, limit] of getGoals) {
    if (other !== undefined) goal(`get: CPU of ${name} / phishwatch`, other / get, limit, "at least");
  }
  for (const { name, singleP99Ms, cpuMicroseconds } of scenarios) {
    if (!name.startsWith("list")) continue;
    if (!name.startsWith(deepList)) goal(`${name}: CPU / get`, median(cpuMicroseconds) / get, 4, "at most");
    else goal(`${name}: p99 ms, single connection`, median(singleP99Ms), 15, "at most");
  }
}

function goal(name: string, value: number, limit: number, kind: Goal["kind"]): void {
  printGoal(name, value, { kind, limit, digits: 2 });
}
