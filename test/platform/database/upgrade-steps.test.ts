import { Database as Sqlite } from "bun:sqlite";
import { afterEach, expect, test } from "bun:test";
import { readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CheckResult } from "../../../src/cli/checks/result.ts";
import { checkUpgrade } from "../../../src/cli/checks/upgrade.ts";
import { openDatabase } from "../../../src/platform/database/database.ts";
import { takeServeLock, tryLock } from "../../../src/platform/database/lock.ts";
import {
  listUpgradeCopies,
  surplus,
  type UpgradeCopy,
} from "../../../src/platform/database/upgrade-copies.ts";
import { copyBeforeUpgrade, createUpgrade } from "../../../src/platform/database/upgrade/upgrade.ts";
import { readDatabaseVersion, recordVersion } from "../../../src/platform/database/versions.ts";
import { buildInfo } from "../../../src/platform/lib/build-info.ts";
import { createLog } from "../../../src/platform/lib/log.ts";
import { changesBetween } from "../../../src/manual/changes.ts";
import { manualClock } from "../../support/appliance.ts";
import { commandFolder } from "../../support/command-line.ts";
import { openReleased, releasedFolder, releasedVersions } from "../../support/released.ts";

const last = releasedVersions.at(-1)!;
const clock = manualClock(Date.UTC(2027, 0, 15, 12));
const at = clock.now();
const cleanup: (() => void)[] = [];
afterEach(() => {
  for (const step of cleanup.splice(0).reverse()) step();
});

function released() {
  const folder = releasedFolder(last);
  cleanup.push(folder.dispose);
  return folder;
}

function openLog() {
  const lines: { event: string; [field: string]: unknown }[] = [];
  const log = createLog({
    level: "info",
    format: "json",
    clock,
    write: (line) => void lines.push(JSON.parse(line)),
  });
  return { log, lines };
}

/** Opens the database like a server that is started. */
function upgrade(path: string, isLocked = true) {
  const { log, lines } = openLog();
  const steps = createUpgrade({ path, isLocked, clock, log });
  try {
    const database = openDatabase(path, { beforeMigration: steps.before });
    cleanup.push(() => database.close());
    recordVersion(database.sqlite, { version: buildInfo.version, at });
    return { database, lines, result: steps.finished() };
  } finally {
    steps.release();
  }
}

/** Makes the database one of a version of the future. */
function makeNewer(path: string): void {
  const sqlite = new Sqlite(path);
  sqlite.run("INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('x', 9999999999999)");
  sqlite.run(
    "INSERT INTO database_versions (version, migrations, migrated_at) SELECT '99.0.0', count(*), ? FROM __drizzle_migrations",
    [at],
  );
  sqlite.run("CREATE TEMP TABLE entries AS SELECT * FROM audit_log LIMIT 2");
  sqlite.run("UPDATE entries SET seq = NULL");
  sqlite.run("INSERT INTO audit_log SELECT * FROM entries");
  sqlite.close();
}

for (const one of releasedVersions)
  test(`a database of version ${one.version} is recognized`, () => {
    expect(readDatabaseVersion(openReleased(one))).toMatchObject({ version: one.version });
  });

test("a database of an earlier version is copied before it is migrated, and the log says so", () => {
  const { path } = released();
  const { database, lines, result } = upgrade(path);
  const copies = listUpgradeCopies(path);
  expect(copies).toMatchObject([{ version: last.version, at }]);
  expect(copies[0]!.path).toEndWith(`phishwatch.before-upgrade-${last.version}-20270115T120000.db`);
  const copy = new Sqlite(copies[0]!.path, { readonly: true });
  expect(readDatabaseVersion(copy)?.version).toBe(last.version);
  expect(copy.query("SELECT count(*) AS n FROM threats").get()).toEqual(
    openReleased(last).query("SELECT count(*) AS n FROM threats").get(),
  );
  copy.close();
  expect(lines.map(({ event }) => event)).toEqual(["database.upgrade_copied", "database.upgraded"]);
  expect(lines[1]).toMatchObject({
    from: last.version,
    version: buildInfo.version,
    migrations: result!.names.length,
  });
  expect(readDatabaseVersion(database.sqlite)).toEqual({ version: buildInfo.version, migratedAt: at });
});

test("a database of this version is neither copied nor recorded again", () => {
  const { path } = released();
  upgrade(path).database.close();
  const second = upgrade(path);
  expect(second.result).toBeUndefined();
  expect(second.lines).toEqual([]);
  const recorded = second.database.sqlite
    .query("SELECT count(*) AS n FROM database_versions WHERE version = ?")
    .get(buildInfo.version);
  expect(recorded).toEqual({ n: 1 });
});

test("without room for a copy, a warning is logged and no file is written", () => {
  const { folder, path } = released();
  const { log, lines } = openLog();
  const room = { databaseBytes: 2 ** 30, neededBytes: 2 ** 31, freeBytes: 2 ** 20 };
  expect(copyBeforeUpgrade({ path, from: last.version }, { at, log, room })).toBeUndefined();
  expect(lines).toMatchObject([{ level: "warn", event: "database.upgrade_copy_skipped" }]);
  expect(lines[0]!["reason"]).toBe("the disk has 1.0 MiB free, and a copy needs 2.0 GiB");
  expect(listUpgradeCopies(path)).toEqual([]);
  expect(readdirSync(folder).sort()).toEqual(["phishwatch.db", "phishwatch.toml"]);
});

test("a copy that fails although there is room ends the start before anything is migrated", () => {
  const { path } = released();
  const damaged = readFileSync(path);
  damaged.fill(0xff, 3 * 4_096, 40 * 4_096);
  writeFileSync(path, damaged);
  expect(() => upgrade(path)).toThrow("cannot be copied before its upgrade");
  expect(listUpgradeCopies(path)).toEqual([]);
});

test("a command does not migrate the database under a running server of an earlier version", () => {
  const { path } = released();
  const lock = tryLock(path, "lock")!;
  cleanup.push(() => lock.release());
  expect(() => upgrade(path, false)).toThrow(
    `is of version ${last.version}, and a server of that version is running; restart the server`,
  );
  const sqlite = new Sqlite(path, { readonly: true });
  expect(readDatabaseVersion(sqlite)?.version).toBe(last.version);
  sqlite.close();
});

test("a partly written copy of a killed upgrade is deleted by the next start", () => {
  const { folder, path } = released();
  writeFileSync(`${path}.before-upgrade.partial`, "half a copy");
  writeFileSync(`${path}.before-upgrade.partial-journal`, "");
  takeServeLock(path).release();
  expect(readdirSync(folder).filter((name) => name.includes("partial"))).toEqual([]);
});

test("the newest copy of each of the last two versions is kept", () => {
  const copy = (version: string, day: number): UpgradeCopy => ({
    path: `${version}-${day}`,
    version,
    at: day,
    bytes: 1,
  });
  const copies = [copy("0.4.0", 9), copy("0.4.0", 8), copy("0.3.0", 7), copy("0.2.0", 5), copy("0.2.0", 4)];
  expect(surplus(copies).map(({ path }) => path)).toEqual(["0.4.0-8", "0.2.0-5", "0.2.0-4"]);
  expect(surplus([])).toEqual([]);
});

test("a rejected downgrade names the version to run, and the copy to restore with what it lacks", () => {
  const { path } = released();
  upgrade(path).database.close();
  makeNewer(path);
  const [copy] = listUpgradeCopies(path);
  expect(() => openDatabase(path)).toThrow(
    `the database is of version 99.0.0 of phishwatch since 2027-01-15 12:00 UTC, and this is version ${buildInfo.version}, which cannot read it; run 99.0.0, or go back to a copy that was made before an upgrade:\n` +
      `  phishwatch restore ${copy!.path}   (version ${last.version}, 2027-01-15 12:00 UTC; loses 2 audit entries)`,
  );
});

test("serve --migrate-only upgrades the database, reports it and exits, and check --upgrade reports it in advance", async () => {
  const folder = commandFolder();
  cleanup.push(folder.dispose);
  folder.file("phishwatch.toml", '[storage]\npath = "old.db"\n[scan]\nschedule = ""\n');
  const path = folder.file("old.db", last.database);
  const before = await folder.run(["check", "--upgrade", "--json"]);
  expect(before.code).toBe(0);
  const results = before.out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { check: string; state: string; detail: string });
  expect(results.map(({ check, state }) => `${check} ${state}`).slice(0, 5)).toEqual([
    "configuration ok",
    "upgrade-version ok",
    "upgrade-migration ok",
    "upgrade-room ok",
    "upgrade-server ok",
  ]);
  expect(results[1]!.detail).toStartWith(`of version ${last.version}; version ${buildInfo.version} applies`);
  expect(results[2]!.detail).toStartWith("succeeds on a copy in memory, in");
  expect(results.map(({ check }) => check)).toContain("upgrade-changes");
  // Nothing was changed, and no file was left.
  expect(readFileSync(path)).toEqual(Buffer.from(last.database));
  expect(readdirSync(folder.path).sort()).toEqual(["old.db", "phishwatch.toml"]);

  const first = await folder.run(["serve", "--migrate-only"]);
  const [copy] = listUpgradeCopies(path);
  expect(first.code).toBe(0);
  expect(first.out).toMatch(
    new RegExp(
      `^upgraded .*old\\.db from version ${last.version} to ${buildInfo.version}: \\d+ migrations?\n`,
    ),
  );
  expect(first.out).toEndWith(`the copy before is ${copy!.path}\n`);
  const second = await folder.run(["serve", "--migrate-only"]);
  expect(second).toMatchObject({ code: 0, out: `${path} is up to date with version ${buildInfo.version}\n` });

  makeNewer(path);
  const rejected = await folder.run(["check", "--upgrade"]);
  expect(rejected.code).toBe(1);
  expect(rejected.out).toContain("the database is of version 99.0.0");
  expect(rejected.out).toContain(`phishwatch restore ${copy!.path}`);
});

test("check --upgrade estimates the time for a database that is too large to be copied into memory, and says so", () => {
  const { path } = released();
  truncateSync(path, 600 << 20);
  const results: CheckResult[] = [];
  checkUpgrade({ storage: { path } }, (result) => results.push(result));
  expect(results.find(({ check }) => check === "upgrade-migration")).toMatchObject({
    state: "skipped",
    detail:
      "not tried, because the database (600 MiB) is larger than 512 MiB; roughly estimated, it takes 30 s if everything is rewritten (at 20.0 MiB per second)",
  });
});

test("the changes between two versions are those of What's new, oldest version first", () => {
  const all = changesBetween("0.1.0", "0.3.0");
  expect(all.map(({ version }) => version)).toEqual(["0.2.0", "0.3.0"]);
  expect(all[0]!.changed).toContain("Beacons and honeytokens");
  expect(all[1]!.changed).toContain("Names of metrics");
  expect(changesBetween("0.2.0", "0.3.0")).toEqual(all.slice(1));
  expect(changesBetween("0.3.0", "0.3.0")).toEqual([]);
  expect(changesBetween(undefined, "0.3.0")).toEqual(all.slice(1));
});

test("serve --migrate-only without a database fails and creates none", async () => {
  const folder = commandFolder();
  cleanup.push(folder.dispose);
  folder.file("phishwatch.toml", '[storage]\npath = "none/old.db"\n');
  const ended = await folder.run(["serve", "--migrate-only"]);
  expect(ended.code).toBe(1);
  expect(ended.err).toContain("old.db does not exist, so there is nothing to migrate");
  expect(readdirSync(join(folder.path)).includes("old.db")).toBe(false);
});
