import { Database as Sqlite } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hasUnreadTransactions } from "../../../src/platform/database/files/log-damage.ts";
import { temporaryFolder } from "../../support/appliance.ts";

let folder: ReturnType<typeof temporaryFolder>;
let path: string;
beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder.path, "a.db");
});
afterEach(() => folder.dispose());

const rows = 12;
const frameBytes = 4_096 + 24;
const headerAndFrame = 32 + frameBytes;

/** Returns the log that a killed process leaves, after an earlier run of the log that was longer. */
function leftLog(): Buffer {
  const sqlite = new Sqlite(path);
  sqlite.run("PRAGMA journal_mode = WAL");
  sqlite.run("CREATE TABLE things (name TEXT, filler BLOB)");
  for (let row = 0; row < 3 * rows; row++) sqlite.run("INSERT INTO things VALUES ('old', zeroblob(100))");
  sqlite.run("PRAGMA wal_checkpoint(RESTART)");
  for (let row = 0; row < rows; row++) sqlite.run("INSERT INTO things VALUES ('new', zeroblob(3000))");
  copyFileSync(path, `${path}.left`);
  const log = readFileSync(`${path}-wal`);
  sqlite.close();
  return log;
}

/** Returns how many rows SQLite has after it opened the log. */
function read(log: Buffer): number {
  copyFileSync(`${path}.left`, `${path}.read`);
  writeFileSync(`${path}.read-wal`, log);
  const sqlite = new Sqlite(`${path}.read`);
  const [[count] = []] = sqlite.query("SELECT count(*) FROM things WHERE name = 'new'").values();
  sqlite.close();
  return Number(count);
}

function isFound(log: Buffer): boolean {
  writeFileSync(`${path}.left-wal`, log);
  return hasUnreadTransactions(`${path}.left`);
}

test("A flipped bit anywhere in the log is found if SQLite drops more than the last transaction because of it", () => {
  const log = leftLog();
  expect([read(log), isFound(log)]).toEqual([rows, false]);
  let found = 0;
  for (let at = 3; at < log.length; at += 991) {
    const damaged = Buffer.from(log);
    damaged[at]! ^= 4;
    const left = read(damaged);
    // The last transaction may have been torn by the end of the process.
    expect([at, isFound(damaged)]).toEqual([at, left < rows - 1]);
    if (left < rows - 1) found++;
  }
  expect(found).toBeGreaterThan(10);
});

test("A log that ends in the middle of a transaction is the usual end of a process", () => {
  const log = leftLog();
  writeFileSync(`${path}.left-wal`, log);
  for (const bytes of [0, 10, 32, 32 + frameBytes - 1, 32 + 5 * frameBytes, 32 + 5 * frameBytes + 100]) {
    truncateSync(`${path}.left-wal`, bytes);
    expect(hasUnreadTransactions(`${path}.left`)).toBe(false);
    writeFileSync(`${path}.left-wal`, log);
  }
  expect(hasUnreadTransactions(`${path}.missing`)).toBe(false);
});

test("The log of a database behind a symbolic link is checked, and one that cannot be read is left to SQLite", () => {
  const log = leftLog();
  log[headerAndFrame]! ^= 4;
  writeFileSync(`${path}.left-wal`, log);
  symlinkSync(`${path}.left`, `${path}.link`);
  expect(hasUnreadTransactions(`${path}.link`)).toBe(true);
  mkdirSync(`${path}.folder-wal`);
  writeFileSync(`${path}.folder`, "");
  expect(hasUnreadTransactions(`${path}.folder`)).toBe(false);
});
