import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Database } from "bun:sqlite";
import { load, rawRequest, type RawRequest } from "./load.ts";
import { phishwatchExecutable, writeConfig } from "./phishwatch.ts";
import { randomFrom } from "./random.ts";
import { seededDatabase, type SeededDatabase } from "./seed.ts";
import { freePort, startServer, type ServerProcess } from "./server-process.ts";
import { formatTable, median, quantile } from "./statistics.ts";

// The API of the executable over a million threats, beside a bare Bun.serve and the same "get" built with
// fastify and better-sqlite3 on Node. All servers stand side by side and take turns, several rounds, so
// that a busy machine hurts all alike; CPU time per request is what is compared, for it does not depend
// on how the load generator and its neighbours share the cores.

const { values } = parseArgs({
  options: {
    threats: { type: "string", default: "1000000" },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "1" },
    connections: { type: "string", default: "16" },
    only: { type: "string" },
  },
});
const threatCount = Number(values.threats);
const rounds = Number(values.rounds);
const durationMs = Number(values.seconds) * 1000;
const connections = Number(values.connections);

const sampleSize = 20_000;
const batchSize = 100;
const deepPage = Math.min(25_000, threatCount / 40);
const deepList = `list, page ${deepPage}`;
const warmUpMs = 3_000;

interface Scenario {
  name: string;
  server: ServerProcess;
  nextRequest: () => RawRequest;
  /** Of each round. */
  cpuMicroseconds: number[];
  requestsPerSecond: number[];
  p50Ms: number[];
  p99Ms: number[];
  /** With one connection: how long a single caller waits, without a queue of its own making. */
  aloneP50Ms: number[];
  aloneP99Ms: number[];
}

const folder = mkdtempSync(join(tmpdir(), "phishwatch-bench-api-"));
const servers: ServerProcess[] = [];
try {
  await main();
} finally {
  await Promise.all(servers.map((server) => server.stop()));
  rmSync(folder, { recursive: true, force: true });
}

async function main(): Promise<void> {
  const seeded = seededDatabase(threatCount);
  const database = join(folder, "phishwatch.db");
  copyFileSync(seeded.path, database);

  const phishwatch = await startPhishwatch(database);
  const sample = sampleOf(database);
  const bodyBytes = await bodySize(phishwatch, sample.ids[0]!, seeded);
  const bare = await startBare(bodyBytes);
  const fastify = await startFastify(database);

  const all = scenariosOf({ phishwatch, bare, fastify }, seeded, sample);
  const scenarios = all.filter(({ name }) => values.only === undefined || name.includes(values.only));

  for (const scenario of scenarios) await run(scenario, connections, warmUpMs);
  for (let round = 0; round < rounds; round++) {
    for (const scenario of scenarios) await measure(scenario);
  }
  report(scenarios, bodyBytes);
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

/** Undefined where the peers cannot be installed; the rest is measured all the same. */
async function startFastify(database: string): Promise<ServerProcess | undefined> {
  const peers = join(import.meta.dir, "peers");
  if (Bun.which("node") === null || Bun.which("npm") === null) {
    console.error("No Node.js with npm: measured without fastify + better-sqlite3");
    return undefined;
  }
  if (!existsSync(join(peers, "node_modules"))) {
    console.error("Installing fastify and better-sqlite3 (once; may compile for a minute) ...");
    const installed = Bun.spawnSync(["npm", "ci"], { cwd: peers, stdio: ["ignore", "inherit", "inherit"] });
    if (!installed.success) {
      rmSync(join(peers, "node_modules"), { recursive: true, force: true });
      throw new Error("the peers could not be installed (better-sqlite3 needs Python and a C++ compiler)");
    }
  }
  const port = freePort();
  const command = ["node", join(peers, "fastify.js"), database, String(port)];
  return register(await startServer({ name: "fastify", command, port, readyPath: "/healthz", cwd: folder }));
}

function register(server: ServerProcess): ServerProcess {
  servers.push(server);
  return server;
}

interface Sample {
  ids: string[];
  domain: string;
}

/** Random threats, and the protected domain with the most of them. */
function sampleOf(path: string): Sample {
  const database = new Database(path, { readonly: true });
  const random = randomFrom(1);
  const byPosition = database.query<{ id: string }, [number]>("SELECT id FROM threats WHERE seq = ?");
  const ids = Array.from(
    { length: sampleSize },
    () => byPosition.get(1 + random.below(threatCount))?.id ?? "",
  );
  const busiest = database
    .query<{ domain: string }, []>(
      `SELECT p.domain FROM protected_domains p JOIN threat_counts c ON c.protected_domain_seq = p.seq
       GROUP BY p.seq ORDER BY sum(c.total) DESC LIMIT 1`,
    )
    .get();
  database.close();
  return { ids, domain: busiest?.domain ?? "" };
}

async function bodySize(server: ServerProcess, id: string, seeded: SeededDatabase): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${server.port}/v1/threats/${id}`, {
    headers: { authorization: `Bearer ${seeded.enterpriseKey}` },
  });
  if (answer.status !== 200) throw new Error(`get answers ${answer.status}: ${await answer.text()}`);
  return (await answer.bytes()).byteLength;
}

function scenariosOf(
  {
    phishwatch,
    bare,
    fastify,
  }: { phishwatch: ServerProcess; bare: ServerProcess; fastify: ServerProcess | undefined },
  { proKeys, enterpriseKey }: SeededDatabase,
  { ids, domain }: Sample,
): Scenario[] {
  const scenario = (name: string, server: ServerProcess, nextRequest: () => RawRequest): Scenario => ({
    name,
    server,
    nextRequest,
    cpuMicroseconds: [],
    requestsPerSecond: [],
    p50Ms: [],
    p99Ms: [],
    aloneP50Ms: [],
    aloneP99Ms: [],
  });
  // Made beforehand: the generator should only send.
  const gets = ids.map((id, index) =>
    rawRequest("GET", `/v1/threats/${id}`, { key: proKeys[index % proKeys.length]! }),
  );
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
  return [
    scenario("get, bare Bun.serve", bare, inTurn(gets)),
    ...(fastify ? [scenario("get, fastify + better-sqlite3", fastify, inTurn(gets))] : []),
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
    scenario("patch", phishwatch, inTurn(patches)),
    scenario(`batch of ${batchSize}`, phishwatch, inTurn(batches)),
  ];
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
  const alone = await run(scenario, 1, durationMs / 2);
  scenario.aloneP50Ms.push(quantile(alone.latenciesMs, 0.5));
  scenario.aloneP99Ms.push(quantile(alone.latenciesMs, 0.99));
}

function report(scenarios: Scenario[], bodyBytes: number): void {
  console.log(
    `${threatCount} threats, get answers ${bodyBytes} bytes; medians of ${rounds} rounds of ${durationMs} ms, ` +
      `${connections} connections, and "alone" with one\n`,
  );
  const rows = scenarios.map((scenario) => [
    scenario.name,
    median(scenario.requestsPerSecond).toFixed(0),
    median(scenario.cpuMicroseconds).toFixed(1),
    ...[scenario.p50Ms, scenario.p99Ms, scenario.aloneP50Ms, scenario.aloneP99Ms].map((ms) =>
      median(ms).toFixed(2),
    ),
  ]);
  const header = ["", "requests/s", "CPU us/request", "p50 ms", "p99 ms", "p50 alone", "p99 alone"];
  console.log(`${formatTable(header, rows)}\n`);

  const named = (name: string) => scenarios.find((scenario) => scenario.name === name);
  const cpu = (name: string) => {
    const found = named(name);
    return found ? median(found.cpuMicroseconds) : undefined;
  };
  const get = cpu("get");
  if (get === undefined) return;
  goal("get: CPU of bare Bun.serve / ours", ratio(cpu("get, bare Bun.serve"), get), 0.3, "at least");
  goal("get: CPU of fastify / ours", ratio(cpu("get, fastify + better-sqlite3"), get), 1.7, "at least");
  for (const { name, aloneP99Ms, cpuMicroseconds } of scenarios) {
    if (!name.startsWith("list")) continue;
    if (!name.startsWith(deepList)) goal(`${name}: CPU / get`, median(cpuMicroseconds) / get, 4, "at most");
    else goal(`${name}: p99 ms, one caller`, median(aloneP99Ms), 15, "at most");
  }
}

function ratio(above: number | undefined, below: number): number | undefined {
  return above === undefined ? undefined : above / below;
}

function goal(what: string, value: number | undefined, limit: number, kind: "at least" | "at most"): void {
  if (value === undefined) return;
  const reached = kind === "at least" ? value >= limit : value <= limit;
  console.log(`${what}: ${value.toFixed(2)} (goal: ${kind} ${limit}) ${reached ? "reached" : "MISSED"}`);
}
