import { Database as Sqlite } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../../../src/platform/database/database.ts";
import { openFileAt, type OpenFile } from "../../../src/platform/database/files/open-file.ts";

let folder: string;
let sqlite: Sqlite;
let file: OpenFile;
let log: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "phishwatch-open-file-"));
  const path = join(folder, "a.db");
  log = `${path}-wal`;
  sqlite = new Sqlite(path);
  sqlite.run("PRAGMA journal_mode = WAL");
  sqlite.run("CREATE TABLE numbers (n)");
  file = openFileAt(path);
});
afterEach(() => {
  sqlite.close();
  file.close();
  rmSync(folder, { recursive: true });
});

describe("an open file", () => {
  test("has a truncated log if the log has less than its least size", () => {
    const bytes = statSync(log).size;
    file.expectLog(() => bytes);
    expect(file.change()).toBeUndefined();
    truncateSync(log);
    expect(file.change()).toBe("log_truncated");
  });

  // The transactions are saved from the open log if it was removed, and from memory if it was truncated.
  test.each<[string, () => void]>([
    ["removed", () => {}],
    ["replaced by an empty one", () => writeFileSync(log, "")],
  ])("has lost its log, and not a part of it, if the log is %s during the comparison", (_, replace) => {
    const bytes = statSync(log).size;
    file.expectLog(() => {
      rmSync(log, { force: true });
      replace();
      return bytes;
    });
    expect(file.change()).toBe("log_lost");
  });
});

test("A commit is not rolled back if the log is truncated while its file is compared, and is not acknowledged either", () => {
  const database = openDatabase(join(folder, "b.db"));
  database.sqlite.run("BEGIN IMMEDIATE");
  database.sqlite.run("INSERT INTO settings (name, value, updated_at) VALUES ('a', 'b', 1)");
  let comparisons = 0;
  database.file!.expectLog(() => (comparisons++ === 0 ? 0 : Infinity));
  expect(() => database.sqlite.run("COMMIT")).toThrow("was truncated");
  expect(database.sqlite.inTransaction).toBe(false);
  expect(database.sqlite.query("SELECT value FROM settings WHERE name = 'a'").values()).toEqual([["b"]]);
  database.close();
});
