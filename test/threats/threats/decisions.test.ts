import { EventEmitter } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { getPriority } from "node:os";
import { Worker } from "node:worker_threads";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "bun:test";
import type { Actor } from "../../../src/access/audit/actor.ts";
import { createLog } from "../../../src/platform/lib/log.ts";
import { createDecisions, type Decisions } from "../../../src/threats/threats/triage/decisions.ts";
import type { StartWorker } from "../../../src/platform/vocabulary/threads.ts";
import { caseSettings, openStores, type Stores } from "../../support/stores.ts";

const program: Actor = { channel: "api", name: "ci", address: null };
const person: Actor = { channel: "console", name: null, address: "192.0.2.7" };
const threatCount = 60;

let stores: Stores;
let ids: string[];
let started: number;
let announced: number;
let decisions: Decisions;
let lines: string[];

beforeEach(() => {
  stores = openStores();
  started = 0;
  announced = 0;
  ids = stores.threats
    .record(
      Array.from({ length: threatCount }, (_, index) => ({
        domain: `example-bank-${index}.com`,
        match: { protectedDomain: "example-bank.com", type: "combosquatting", similarity: 0.9, reasons: [] },
        source: "feed" as const,
        seenAt: stores.clock.now(),
      })),
    )
    .map(({ threatId }) => threatId);
  stores.outbox.onRecorded(() => void (announced += 1));
  open((task) => new Worker(join(import.meta.dir, "../../../src/main.ts"), { workerData: { task } }));
});
afterEach(async () => {
  await decisions.stop();
  stores.dispose();
});

function open(startWorker: StartWorker): void {
  const counted: StartWorker = (task) => {
    started += 1;
    return startWorker(task);
  };
  const { clock, database, outbox, threats } = stores;
  lines = [];
  const log = createLog({ level: "warn", format: "json", clock, write: (line) => void lines.push(line) });
  const { triage } = threats;
  decisions = createDecisions({ cases: caseSettings, database, log, outbox, startWorker: counted, triage });
}

const statusesNow = () => [...new Set(ids.map((id) => stores.threats.get(id)!.status))];

test("a large decision in a thread has the results, events and history of any other, and can be undone there", async () => {
  const before = stores.events().length;
  const unknown = "thr_01h455vb4pex5vsknk084sn02q";
  const outcomes = await decisions.changeStatus([...ids, unknown], "false_positive", { by: program });
  expect(outcomes).toEqual([
    ...ids.map((id) => ({ id, outcome: "updated" as const, status: "false_positive" as const })),
    { id: unknown, outcome: "not_found" },
  ]);
  expect(statusesNow()).toEqual(["false_positive"]);
  expect(stores.events().slice(before)).toHaveLength(threatCount);
  expect(announced).toBe(1);
  expect(stores.threats.history(ids[0]!)[0]).toMatchObject({ after: "false_positive", by: program });

  const { batch, changed } = await decisions.change(ids, "resolved", { by: person });
  expect(changed).toBe(threatCount);
  expect(stores.auditLog.list({}, { limit: 1, offset: 0 })[0]).toMatchObject({
    action: "threat.change_status",
    subject: `${threatCount} threats`,
  });
  expect(await decisions.undo(batch!, { by: person })).toMatchObject({ restored: threatCount });
  expect(statusesNow()).toEqual(["false_positive"]);
  expect(started).toBe(1);
});

test("writes keep the order of the calls around a large decision", async () => {
  const steps: string[] = [];
  const step = (name: string) => () => void steps.push(`${name} ${statusesNow().join()}`);
  await Promise.all([
    stores.database.write(step("before")),
    decisions.changeStatus(ids, "resolved", { by: program }),
    stores.database.write(step("after")),
  ]);
  expect(steps).toEqual(["before active", "after resolved"]);
});

test.skipIf(process.platform !== "linux")(
  "the thread of a large decision yields to requests, but only a little, because all writes wait for it",
  async () => {
    await decisions.changeStatus(ids, "resolved", { by: program });
    const niceValues = readdirSync("/proc/self/task").map((id) => {
      const stat = readFileSync(`/proc/self/task/${id}/stat`, "utf8");
      // The 19th field. The name, which is the second, may contain spaces.
      return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]);
    });
    expect(Math.max(...niceValues)).toBe(Math.min(19, getPriority() + 3));
  },
);

test("a small decision starts no thread, and one above the limit is rejected as a whole", async () => {
  await decisions.changeStatus(ids.slice(0, 2), "resolved", { by: program });
  const many = Array.from({ length: 1_001 }, (_, index) => `thr_${index}`);
  await expect(decisions.change([...ids, ...many], "resolved", { by: person })).rejects.toThrow("at most");
  expect(started).toBe(0);
});

test("a decision whose thread ends early is rejected, and the next one starts another thread", async () => {
  const dying = () => {
    const worker = Object.assign(new EventEmitter(), {
      postMessage: () => void setImmediate(() => worker.emit("exit", 1)),
      terminate: () => Promise.resolve(0),
    });
    return worker as unknown as Worker;
  };
  open(dying);
  for (const wanted of [1, 2]) {
    const outcome = decisions.changeStatus(ids, "resolved", { by: program });
    expect(await outcome.catch((error: Error) => error.message)).toContain("exited early");
    expect(started).toBe(wanted);
  }
  expect(await stores.database.write(statusesNow)).toEqual(["active"]);
});

test("a thread that has ended while it was idle is replaced", async () => {
  const workers: Worker[] = [];
  open((task) => {
    const worker = new Worker(join(import.meta.dir, "../../../src/main.ts"), { workerData: { task } });
    workers.push(worker);
    return worker;
  });
  await decisions.changeStatus(ids, "resolved", { by: program });
  await workers[0]!.terminate();
  expect(await decisions.changeStatus(ids, "active", { by: program })).toHaveLength(threatCount);
  expect(started).toBe(2);
});

test("the stop waits for decisions that were requested, and no later one starts a thread", async () => {
  const steps: string[] = [];
  const wanted = (["resolved", "active"] as const).map((status) =>
    decisions.changeStatus(ids, status, { by: program }).then(() => steps.push(status)),
  );
  await decisions.stop().then(() => steps.push("stopped"));
  await Promise.all(wanted);
  expect(steps).toEqual(["resolved", "active", "stopped"]);
  await decisions.changeStatus(ids, "false_positive", { by: program });
  expect(statusesNow()).toEqual(["false_positive"]);
  expect(started).toBe(1);
});

test("a decision for which no thread can be started is carried out in this one, which is logged", async () => {
  open(() => {
    throw Object.assign(new Error("too many open files"), { code: "EMFILE" });
  });
  const outcomes = await decisions.changeStatus(ids, "resolved", { by: program });
  expect(outcomes).toHaveLength(threatCount);
  expect(statusesNow()).toEqual(["resolved"]);
  expect({ announced, started }).toEqual({ announced: 1, started: 1 });
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
    expect.objectContaining({ event: "database.decision_thread_not_started", level: "warn" }),
  ]);
});

test("a decision that cannot be written reports SQLite's error, and changes nothing", async () => {
  stores.database.sqlite.run(
    "CREATE TRIGGER refused BEFORE INSERT ON threat_history WHEN NEW.threat_seq = 40 BEGIN SELECT raise(abort, 'refused'); END",
  );
  const failed: unknown[] = [];
  stores.database.observe({ failed: (error) => void failed.push(error), changed() {} });
  const before = stores.events().length;
  const error = await decisions
    .changeStatus(ids, "resolved", { by: program })
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ message: "refused", code: "SQLITE_CONSTRAINT_TRIGGER" });
  expect(failed).toEqual([error]);
  expect(statusesNow()).toEqual(["active"]);
  expect(stores.events()).toHaveLength(before);
  expect(announced).toBe(0);
});
