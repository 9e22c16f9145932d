import { Database as Sqlite } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { copyDatabase } from "../../../../src/platform/database/backup.ts";
import { openDatabase, type Database } from "../../../../src/platform/database/database.ts";
import { createHousekeeping } from "../../../../src/platform/database/health/housekeeping.ts";
import { createLog } from "../../../../src/platform/lib/log.ts";
import { manualClock, temporaryFolder } from "../../../support/appliance.ts";

let folder: ReturnType<typeof temporaryFolder>;
let path: string;
let database: Database;
beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder.path, "phishwatch.db");
  database = openDatabase(path);
});
afterEach(() => {
  database.close();
  folder.dispose();
});

const log = createLog({ level: "silent", format: "json", clock: manualClock(), write: () => {} });
const mebibyte = 1 << 20;
const bytesOf = (file: string) => statSync(file).size;

/** Adds and deletes rows of 64 MiB. */
function growAndShrink(): void {
  const insert = database.sqlite.prepare(
    "INSERT INTO settings (name, value, updated_at) VALUES (?, zeroblob(1048576), 1)",
  );
  for (let row = 0; row < 64; row++) insert.run(`row ${row}`);
  database.sqlite.run("DELETE FROM settings");
  database.sqlite.run("PRAGMA wal_checkpoint(TRUNCATE)");
}

async function runAll(): Promise<number> {
  const housekeeping = createHousekeeping({ database, log });
  let steps = 1;
  while (await housekeeping.step()) steps++;
  return steps;
}

test("Free space is given back to the disk in slices, except for a reserve, and the log is cut", async () => {
  growAndShrink();
  expect(bytesOf(path)).toBeGreaterThan(60 * mebibyte);
  expect(await runAll()).toBeGreaterThan(3);
  database.sqlite.run("PRAGMA wal_checkpoint(PASSIVE)");
  expect(bytesOf(path)).toBeLessThan(20 * mebibyte);
  expect(bytesOf(`${path}-wal`)).toBeLessThan(9 * mebibyte);
  expect(database.sqlite.query("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
});

test("A write-ahead log that a reader kept growing is cut when the reader is gone", async () => {
  const reader = new Sqlite(path, { readonly: true });
  reader.run("BEGIN");
  reader.query("SELECT count(*) FROM settings").get();
  const insert = database.sqlite.prepare(
    "INSERT OR REPLACE INTO settings (name, value, updated_at) VALUES ('a', zeroblob(1048576), 1)",
  );
  for (let row = 0; row < 40; row++) insert.run();
  await runAll();
  expect(bytesOf(`${path}-wal`)).toBeGreaterThan(30 * mebibyte);
  reader.run("COMMIT");
  reader.close();
  await runAll();
  // The header of the log, and the page of the commit that restarted it.
  expect(bytesOf(`${path}-wal`)).toBe(32 + 24 + 4_096);
});

test("A backup of a database of an earlier version can give space back", () => {
  const old = join(folder.path, "old.db");
  const sqlite = new Sqlite(old, { create: true });
  sqlite.run("CREATE TABLE old (a)");
  sqlite.close();
  const copy = join(folder.path, "copy.db");
  copyDatabase(old, copy);
  const opened = new Sqlite(copy, { readonly: true });
  expect(opened.query("PRAGMA auto_vacuum").get()).toEqual({ auto_vacuum: 2 });
  opened.close();
});
