import type { Database as Sqlite } from "bun:sqlite";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { targetOf } from "../../../src/messaging/channels/webhook/endpoint.ts";
import { openDatabase } from "../../../src/platform/database/database.ts";
import { systemClock } from "../../../src/platform/lib/clock.ts";
import { createIdFactory, type IdFactory } from "../../../src/platform/lib/ids.ts";
import { phishwatchProgram, shownCommand, type Subject } from "../figures.ts";
import { flush } from "../flush.ts";
import type { ServerProcess } from "../server-process.ts";
import { formatTable, quantile } from "../statistics.ts";
import { withoutIndexes } from "../seed/without-indexes.ts";
import { createCaller } from "./caller.ts";
import { apiKey, configure, fillRandom, sampleEvent, serve } from "./instance.ts";
import { startPlainReceiver } from "./plain-receiver.ts";

const endpointCount = 25;
const hourMs = 3_600_000;
/** Attempts after which the retry schedule waits for two hours. */
const attempts = 4;
const rowsPerTransaction = 100_000;
/** The startup work has ended once the server uses less CPU time than this in a period. It is given `periodsMax` periods. */
const settledSeconds = 0.1;
const periodMs = 2_000;
const periodsMax = 60;
const idleMs = 10_000;
const testPings = 50;

/**
 * Measures the server with many deliveries that are due in an hour, beside one without any: its memory and CPU time when
 * idle, how long a delivery takes from its commit to its record, and the longest wait of a caller.
 */
export async function pending(folder: string, deliveries: number): Promise<Subject[]> {
  const subjects: Subject[] = [];
  for (const count of [0, deliveries]) subjects.push(await measure(folder, count));
  const names = Object.keys(subjects[0]!.figures);
  const rows = subjects.map(({ name, figures }) => [
    name,
    ...names.map((figure) => figures[figure]![0]!.toFixed(1)),
  ]);
  console.log(`${formatTable(["", ...names], rows)}\n`);
  return subjects;
}

async function measure(folder: string, count: number): Promise<Subject> {
  const path = join(folder, `pending-${count}.db`);
  seed(path, count);
  const receiver = await startPlainReceiver();
  const instance = configure(path, [{ name: "healthy", url: `http://127.0.0.1:${receiver.port}/` }]);
  const server = await serve(instance);
  const base = `http://127.0.0.1:${server.port}`;
  const caller = createCaller(`${base}/v1/domains`);
  await settled(server);
  const callsMs = await caller.stop();
  const cpuBefore = server.cpuSeconds();
  await Bun.sleep(idleMs);
  const idleCpu = ((server.cpuSeconds() - cpuBefore) * 1e6) / idleMs;
  const laterCaller = createCaller(`${base}/v1/domains`);
  const arrivalMs: number[] = [];
  const headers = { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" };
  for (let index = 0; index < testPings; index += 1) {
    const before = await receiver.received();
    const startedAt = performance.now();
    const body = JSON.stringify({ domains: [`example-bank-${index}.com`] });
    const response = await fetch(`${base}/v1/candidates`, { method: "POST", headers, body });
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
    while ((await receiver.received()) === before) await Bun.sleep(0);
    arrivalMs.push(performance.now() - startedAt);
  }
  const metrics = performance.now();
  await (await fetch(`${base}/metrics`, { headers })).text();
  const metricsMs = performance.now() - metrics;
  const longestMs = Math.max(callsMs, await laterCaller.stop());
  const memory = server.residentBytes() / 2 ** 20;
  await server.stop();
  receiver.stop();
  rmSync(path, { force: true });
  return {
    name: `${count.toLocaleString("en")} pending deliveries to ${endpointCount} endpoints`,
    program: phishwatchProgram(),
    command: shownCommand(server.command),
    figures: {
      "memory, MiB": [memory],
      "CPU time, ms/s": [idleCpu],
      "start, ms": [server.startMs],
      "commit to arrival, ms": [
        quantile(
          arrivalMs.toSorted((a, b) => a - b),
          0.5,
        ),
      ],
      "metrics, ms": [metricsMs],
      "longest wait of a caller, ms": [longestMs],
    },
  };
}

/** Resolves when the server has finished its startup work: it checks the due times of all deliveries. */
async function settled(server: ServerProcess): Promise<void> {
  for (let period = 0; period < periodsMax; period += 1) {
    const before = server.cpuSeconds();
    await Bun.sleep(periodMs);
    if (server.cpuSeconds() - before < settledSeconds) return;
  }
}

/** Inserts rows with a few statements: millions of calls would take minutes. */
function seed(path: string, count: number): void {
  const database = openDatabase(path);
  const { sqlite } = database;
  sqlite.run("PRAGMA synchronous = OFF");
  const ids = createIdFactory(systemClock.now, fillRandom);
  const now = systemClock.now();
  database.transaction(() => addEndpoints(sqlite, ids));
  const numbers = `WITH RECURSIVE numbers(n) AS (SELECT $first UNION ALL SELECT n + 1 FROM numbers WHERE n < $last)`;
  const addEvents = sqlite.prepare(
    `${numbers} INSERT INTO events (seq, id, type, body, created_at, dispatched_at)
     SELECT n, printf('evt_%026d', n), 'threat.created', $body, $now, $now FROM numbers`,
  );
  const addDeliveries = sqlite.prepare(
    `${numbers} INSERT INTO deliveries (id, event_seq, recipient_seq, status, attempts, next_attempt_at, created_at)
     SELECT printf('dlv_%026d', n), (n - 1) / ${endpointCount} + 1, (n - 1) % ${endpointCount} + 1, 'pending',
       ${attempts}, $now + ${hourMs} + n % ${hourMs}, $now FROM numbers`,
  );
  const body = JSON.stringify(sampleEvent());
  const eventOf = (delivery: number) => Math.ceil(delivery / endpointCount);
  const insertFrom = (first: number) => {
    const last = Math.min(count, first + rowsPerTransaction - 1);
    addEvents.run({ first: eventOf(first), last: eventOf(last), body, now });
    addDeliveries.run({ first, last, now });
  };
  withoutIndexes(sqlite, "deliveries", () => {
    for (let first = 1; first <= count; first += rowsPerTransaction)
      database.transaction(() => insertFrom(first));
  });
  database.close();
  flush(path);
}

/** Adds endpoints that are sent none of the events of the measurement. */
function addEndpoints(sqlite: Sqlite, ids: IdFactory): void {
  const target = targetOf({
    url: "http://127.0.0.1:9/",
    secret: "benchmark-secret-1",
    previousSecret: null,
    previousSecretUntil: null,
    headers: {},
    caFile: null,
    clientCertFile: null,
    clientKeyFile: null,
  });
  const endpoint = sqlite.prepare(
    `INSERT INTO recipients (id, name, channel, target, events, origin, enabled, consecutive_failures, created_at, updated_at)
     VALUES (?, ?, 'webhook', ?, '["scan.completed"]', 'runtime', 1, 0, 0, 0)`,
  );
  for (let index = 1; index <= endpointCount; index += 1)
    endpoint.run(ids.nextWithPrefix("whk"), `e${index}`, JSON.stringify(target));
}
