import { statSync } from "node:fs";
import { join } from "node:path";
import { type Database, openDatabase } from "../../../src/platform/database/database.ts";
import { createCheckpoints, createHousekeeping } from "../../../src/platform/database/health/housekeeping.ts";
import { syncToDisk } from "../../../src/platform/lib/disk.ts";
import { createDeliveryHours } from "../../../src/messaging/deliveries/store/hours.ts";
import { createRetention } from "../../../src/messaging/deliveries/retention.ts";
import { systemClock } from "../../../src/platform/lib/clock.ts";
import { createLog } from "../../../src/platform/lib/log.ts";
import { createIdFactory } from "../../../src/platform/lib/ids.ts";
import type { Subject } from "../figures.ts";
import { formatTable, printGoal } from "../statistics.ts";
import { fillRandom, sampleEvent } from "./instance.ts";

const endpointCount = 25;
const dayMs = 86_400_000;
const ageMs = 60 * dayMs;
const rowsPerTransaction = 100_000;
/** Pause between two pieces of housekeeping, as in a server. */
const housekeepingPauseMs = 20;
/** About as long as the deletion, so that a rare wait is as probable. */
const idleMs = 10_000;
const goal = { kind: "at most", limit: 50 } as const;

/**
 * Deletes old deliveries and their events as a server does, and measures how long a read and a write of the same process
 * wait at most, and the size of the file before and after. Other processes cause waits as well, so it also measures how
 * long they wait without any work, and for how much of each wait this thread itself used the processor.
 */
export async function pruning(folder: string, deliveries: number): Promise<Subject["figures"]> {
  const path = join(folder, "pruning.db");
  seed(path, deliveries);
  // Otherwise, the first commits would wait until the system has written all of it.
  syncToDisk(path);
  const database = openDatabase(path);
  const write = (line: string) => process.stderr.write(line);
  const log = createLog({ level: "warn", format: "pretty", clock: systemClock, write });
  database.serve(log);
  const retention = createRetention({
    channels: new Map(),
    clock: systemClock,
    database,
    hours: createDeliveryHours(database),
    log,
    settings: { eventsMs: 30 * dayMs, deliveriesMs: 30 * dayMs },
  });
  const housekeeping = createHousekeeping({ database, log });
  const checkpoints = createCheckpoints(database, log);
  database.observe({ failed() {}, changed: checkpoints.committed });
  checkpoints.start();
  const mebibytes = () => statSync(path).size / 2 ** 20;
  const before = mebibytes();
  const probe = startProbe(database);
  await Bun.sleep(idleMs);
  const whenIdle = probe.longest();
  const startedAt = performance.now();
  await retention.run();
  const deletedAt = performance.now();
  const whileDeleting = probe.longest();
  while (await housekeeping.step()) await Bun.sleep(housekeepingPauseMs);
  const releasedAt = performance.now();
  const whileReleasing = await probe.stop();
  await checkpoints.stop();
  const after = mebibytes();
  database.close();
  const deleteSeconds = (deletedAt - startedAt) / 1_000;
  const releaseSeconds = (releasedAt - deletedAt) / 1_000;
  console.log(
    `${deliveries} old deliveries deleted in ${deleteSeconds.toFixed(1)} s, space released in ${releaseSeconds.toFixed(1)} s: ` +
      `${before.toFixed(0)} MiB before, ${after.toFixed(0)} MiB after`,
  );
  const waits = { "when idle": whenIdle, "while deleting": whileDeleting, "while releasing": whileReleasing };
  const rows = Object.entries(waits).map(([when, { readMs, writeMs, busyMs }]) => [
    when,
    ...[readMs, writeMs, busyMs].map((ms) => ms.toFixed(1)),
  ]);
  console.log(formatTable(["longest wait", "read, ms", "write, ms", "own work, ms"], rows));
  const longestOf = ({ readMs, writeMs }: LongestWaits) => Math.max(readMs, writeMs);
  const idleWaitMs = longestOf(whenIdle);
  const longestMs = Math.max(longestOf(whileDeleting), longestOf(whileReleasing));
  const busyMs = Math.max(whileDeleting.busyMs, whileReleasing.busyMs);
  printGoal(
    "longest wait while deleting or releasing, beyond that when idle, ms",
    longestMs - idleWaitMs,
    goal,
  );
  printGoal("own work during a wait, ms", busyMs, goal);
  console.log();
  return {
    "longest wait when idle, ms": [idleWaitMs],
    "longest wait, ms": [longestMs],
    "own work during a wait, ms": [busyMs],
    "delete, s": [deleteSeconds],
    "release, s": [releaseSeconds],
    "before, MiB": [before],
    "after, MiB": [after],
  };
}

/** In milliseconds; `busyMs` is the processor time of this thread in one of the waits. */
type LongestWaits = Record<"readMs" | "writeMs" | "busyMs", number>;

const noWaits: LongestWaits = { readMs: 0, writeMs: 0, busyMs: 0 };
const threadCpuMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/** Reads and writes all the time, as requests do, and returns how long they waited at most. */
function startProbe(database: Database) {
  const stopping = new AbortController();
  let longest = { ...noWaits };
  const read = database.sqlite.prepare("SELECT count(*) FROM recipients");
  const write = database.sqlite.prepare("UPDATE recipients SET updated_at = updated_at + 1 WHERE seq = 1");
  const repeat = async (kind: "readMs" | "writeMs", work: () => unknown) => {
    while (!stopping.signal.aborted) {
      const dueAt = performance.now() + 1;
      const cpuMs = threadCpuMs();
      await Bun.sleep(1);
      await work();
      longest[kind] = Math.max(longest[kind], performance.now() - dueAt);
      longest.busyMs = Math.max(longest.busyMs, threadCpuMs() - cpuMs);
    }
  };
  const running = Promise.all([
    repeat("readMs", () => read.get()),
    repeat("writeMs", () => database.write(() => void write.run())),
  ]);
  /** Returns the longest waits since the previous call. */
  const take = () => {
    const taken = longest;
    longest = { ...noWaits };
    return taken;
  };
  return {
    longest: take,
    async stop() {
      stopping.abort();
      await running;
      return take();
    },
  };
}

function seed(path: string, count: number): void {
  const database = openDatabase(path);
  const { sqlite } = database;
  sqlite.run("PRAGMA synchronous = OFF");
  const ids = createIdFactory(systemClock.now, fillRandom);
  const at = systemClock.now() - ageMs;
  const endpoint = sqlite.prepare(
    `INSERT INTO recipients (id, name, channel, target, events, origin, enabled, consecutive_failures, created_at, updated_at)
     VALUES (?, ?, 'webhook', '{}', '[]', 'runtime', 1, 0, 0, 0)`,
  );
  for (let index = 1; index <= endpointCount; index += 1)
    endpoint.run(ids.nextWithPrefix("whk"), `e${index}`);
  const event = sqlite.prepare(
    `INSERT INTO events (id, type, body, created_at, dispatched_at) VALUES (?, 'threat.created', ?, ?, ?)`,
  );
  const delivery = sqlite.prepare(
    `INSERT INTO deliveries (id, event_seq, recipient_seq, status, attempts, created_at, completed_at)
     VALUES (?, ?, ?, 'succeeded', 1, ?, ?)`,
  );
  const attempt = sqlite.prepare(
    `INSERT INTO delivery_attempts (delivery_seq, started_at, duration_ms, phases, address, status_code, answer)
     VALUES (?, ?, 12, '{"waitMs":11.2,"readMs":0.1}', '192.0.2.1', 200, 'ok')`,
  );
  const body = JSON.stringify(sampleEvent());
  for (let first = 0; first < count; first += rowsPerTransaction)
    database.transaction(() => {
      for (let index = first; index < Math.min(count, first + rowsPerTransaction); index += 1) {
        const eventSeq = Math.floor(index / endpointCount) + 1;
        const recipientSeq = (index % endpointCount) + 1;
        if (recipientSeq === 1) event.run(ids.next("event"), body, at, at);
        delivery.run(ids.next("delivery"), eventSeq, recipientSeq, at, at);
        attempt.run(index + 1, at);
      }
    });
  database.close();
}
