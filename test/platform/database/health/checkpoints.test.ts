import { Database as Sqlite } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { openDatabase, type Database } from "../../../../src/platform/database/database.ts";
import { isBusy } from "../../../../src/platform/database/files/errors.ts";
import { copyLog, createCheckpoints } from "../../../../src/platform/database/health/housekeeping.ts";
import { startFileTask } from "../../../../src/platform/database/files/file-worker.ts";
import { logBytesKept } from "../../../../src/platform/database/pragmas.ts";
import { createLog } from "../../../../src/platform/lib/log.ts";
import { manualClock, temporaryFolder } from "../../../support/appliance.ts";
import { until } from "../../../support/until.ts";

let folder: ReturnType<typeof temporaryFolder>;
let database: Database;
beforeEach(() => {
  folder = temporaryFolder();
  database = openDatabase(join(folder.path, "phishwatch.db"));
});
afterEach(() => {
  database.close();
  folder.dispose();
});

const lines: string[] = [];
const log = createLog({
  level: "warn",
  format: "json",
  clock: manualClock(),
  write: (line) => void lines.push(line),
});
const pages = 32;

/** Returns checkpoints, and a function that commits a change of 20 pages and returns the size of the log. */
function prepare() {
  const checkpoints = createCheckpoints(database, log, pages);
  database.observe({ failed() {}, changed: checkpoints.committed });
  const write = () => {
    database.sqlite.run(
      "INSERT OR REPLACE INTO settings (name, value, updated_at) VALUES ('a', zeroblob(80000), 1)",
    );
    return logPages();
  };
  return { checkpoints, write };
}

function logPages(): number {
  return database.sqlite.query<{ log: number }, []>("PRAGMA wal_checkpoint(NOOP)").get()!.log;
}

const limit = () =>
  database.sqlite.query<{ wal_autocheckpoint: number }, []>("PRAGMA wal_autocheckpoint").get()!
    .wal_autocheckpoint;

test("A thread copies the log into the file while transactions are committed, which restarts the log", async () => {
  const { checkpoints, write } = prepare();
  checkpoints.start();
  let before = 0;
  await until(() => {
    const present = write();
    const isRestarted = present < before;
    before = present;
    return isRestarted;
  }, "the log restarts");
  expect(limit()).toBeGreaterThan(1_000);
  await checkpoints.stop();
  expect(limit()).toBe(1_000);
  expect(lines).toEqual([]);
});

test("The thread restarts the log and shortens its file, so that no commit of the server waits for that", async () => {
  const { checkpoints } = prepare();
  checkpoints.start();
  database.sqlite.run("INSERT INTO settings (name, value, updated_at) VALUES ('a', zeroblob(20000000), 1)");
  await until(() => logPages() === 1, "the log restarts");
  await checkpoints.stop();
  expect(statSync(`${database.path}-wal`).size).toBe(logBytesKept);
  expect(lines).toEqual([]);
});

test("The error of a file task has SQLite's code, so that a lock is recognized", async () => {
  const other = new Sqlite(database.path);
  other.run("BEGIN IMMEDIATE");
  const { result } = startFileTask(database.path, "PRAGMA application_id = 0");
  expect(isBusy(await result.catch((error: unknown) => error))).toBe(true);
  other.close();
});

test("A lock that another process holds while the log is copied is no incident, because no change was rejected", async () => {
  database.serve(log);
  prepare().write();
  const other = new Sqlite(database.path);
  other.run("BEGIN IMMEDIATE");
  // The caller tries again later.
  expect(isBusy(await copyLog(database).catch((error: unknown) => error))).toBe(true);
  expect([database.lockIncident(), lines]).toEqual([undefined, []]);
  other.close();
});

test("Without a server, no thread copies the log", async () => {
  const { checkpoints, write } = prepare();
  for (let commit = 0; commit < 10; commit += 1) write();
  await checkpoints.stop();
  expect(logPages()).toBeGreaterThan(pages);
  expect(limit()).toBe(1_000);
});
