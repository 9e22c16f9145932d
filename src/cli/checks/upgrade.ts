import { constants, Database as Sqlite } from "bun:sqlite";
import { existsSync } from "node:fs";
import type { Config } from "../../platform/config/config.ts";
import { explain } from "../../platform/database/files/errors.ts";
import { tryLock } from "../../platform/database/lock.ts";
import {
  migrateDatabase,
  pendingMigrations,
  type PendingMigrations,
} from "../../platform/database/migrate.ts";
import { roomForUpgrade } from "../../platform/database/upgrade/upgrade.ts";
import { buildInfo } from "../../platform/lib/build-info.ts";
import { bytesText, spanText } from "../../platform/lib/durations.ts";
import { messageOf, StartError } from "../../platform/lib/errors.ts";
import { counted } from "../../platform/lib/wording.ts";
import { changesBetween } from "../../manual/changes.ts";
import { readOnlyUri } from "./database-copy.ts";
import { resultsOf, type CheckResult } from "./result.ts";

/** Databases up to this size are migrated in memory. Twice this is needed. */
const rehearsalBytesMax = 512 << 20;
/** Assumed rate of a migration that rewrites the largest tables, on a slow disk. It was not measured. */
const assumedBytesPerSecond = 20 << 20;
const busyTimeoutMs = 5_000;
/** Both bytes of the header say that the database uses a write-ahead log, which one in memory cannot have. */
const journalModeOffsets = [18, 19];

/** Reports what the start of this version will do to the database, and changes nothing. */
export function checkUpgrade(
  { storage: { path } }: Pick<Config, "storage">,
  report: (result: CheckResult) => void,
): void {
  const results = resultsOf("upgrade-version", "database");
  report(resultsOf("configuration", "configuration").ok("valid for this version"));
  if (path === ":memory:" || !existsSync(path))
    return report(results.ok("there is none yet, so nothing is upgraded"));
  try {
    reportUpgrade(path, report);
  } catch (error) {
    const message = error instanceof StartError ? messageOf(error) : `${path}: ${explain(error)}`;
    const [detail = "", ...remedies] = message.split("\n");
    const otherwise = "run the version that the database is of, or restore a copy or backup";
    const change = remedies.length === 0 ? otherwise : remedies.map((line) => line.trim()).join(" or ");
    report(results.error(detail, change));
  }
}

function reportUpgrade(path: string, report: (result: CheckResult) => void): void {
  using sqlite = new Sqlite(readOnlyUri(path), constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI);
  sqlite.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  const pending = pendingMigrations(sqlite);
  report(resultsOf("upgrade-version", "database").ok(describeVersions(pending)));
  if (pending.names.length === 0) return;
  report(rehearse(sqlite, path));
  report(room(path));
  report(server(path, pending));
  for (const change of changes(pending)) report(change);
}

function describeVersions({ from = "an unreleased version", names }: PendingMigrations): string {
  const { version } = buildInfo;
  if (names.length === 0) return `of this version (${version}), so nothing is migrated`;
  const range = names.length === 1 ? names[0] : `${names[0]} to ${names.at(-1)}`;
  return `of version ${from}; version ${version} applies ${counted(names.length, "migration")}: ${range}`;
}

/** Migrates a copy in memory, so that the outcome and the time are those of this database. */
function rehearse(sqlite: Sqlite, path: string): CheckResult {
  const results = resultsOf("upgrade-migration", "migration");
  const { databaseBytes } = roomForUpgrade(path);
  if (databaseBytes > rehearsalBytesMax) {
    const estimate = spanText((databaseBytes / assumedBytesPerSecond) * 1_000);
    return results.skipped(
      `not tried, because the database (${bytesText(databaseBytes)}) is larger than ${bytesText(rehearsalBytesMax)}; roughly estimated, it takes ${estimate} if everything is rewritten (at ${bytesText(assumedBytesPerSecond)} per second)`,
    );
  }
  const image = sqlite.serialize();
  for (const offset of journalModeOffsets) image[offset] = 1;
  const copy = Sqlite.deserialize(image, { strict: true });
  const startedAt = performance.now();
  try {
    migrateDatabase(copy);
    const took = spanText(performance.now() - startedAt);
    return results.ok(`succeeds on a copy in memory, in ${took}`);
  } catch (error) {
    const detail = `fails on a copy in memory: ${messageOf(error)}`;
    return results.error(detail, "keep the earlier version, and report the error");
  } finally {
    copy.close();
  }
}

function room(path: string): CheckResult {
  const results = resultsOf("upgrade-room", "disk");
  const { databaseBytes, neededBytes, freeBytes } = roomForUpgrade(path);
  const free = `${bytesText(freeBytes)} free`;
  return freeBytes >= neededBytes
    ? results.ok(
        `${free}; the copy takes ${bytesText(databaseBytes)} at most, and with the migrations ${bytesText(neededBytes)} are needed`,
      )
    : results.warning(
        `${free}, but ${bytesText(neededBytes)} are needed: the database would be migrated without a copy`,
        "make room, or run 'phishwatch backup' to another disk first",
      );
}

function server(path: string, { from = "the earlier version" }: PendingMigrations): CheckResult {
  return resultsOf("upgrade-server", "server").ok(
    isServed(path)
      ? `one of version ${from} is running; the upgrade begins when it is restarted`
      : "none is running; the next start upgrades the database",
  );
}

/** Without the file of the lock, no server has run, and taking the lock would create it. */
function isServed(path: string): boolean {
  if (!existsSync(`${path}.lock`)) return false;
  const lock = tryLock(path, "lock");
  lock?.release();
  return lock === undefined;
}

function changes({ from }: PendingMigrations): CheckResult[] {
  return changesBetween(from, buildInfo.version).map(({ version, changed }) =>
    resultsOf("upgrade-changes", `changes in ${version}`).ok(
      changed.length === 0
        ? "nothing that existed before"
        : `${changed.join("; ")}; see 'phishwatch help whats-new'`,
    ),
  );
}
