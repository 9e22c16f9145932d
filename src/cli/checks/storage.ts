import { existsSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { ArchiveExtent } from "../../engines/archive/archive.ts";
import { archiveFolder } from "../../engines/archive/files/folder.ts";
import { folderExtent } from "../../engines/archive/files/reading.ts";
import type { RuleState } from "../../operations/retention/retention.ts";
import type { Config } from "../../platform/config/config.ts";
import { diskRoomFor } from "../../platform/lib/disk.ts";
import { isServedFile, readState, type StoredState } from "../../platform/database/files/state-file.ts";
import { findLockHolder, type LockHolder } from "../../platform/database/lock-watch.ts";
import { dayMs, delay, toIsoTime, toPlainTime, type Clock, type Instant } from "../../platform/lib/clock.ts";
import { bytesText, formatDuration, spanText } from "../../platform/lib/durations.ts";
import { messageOf } from "../../platform/lib/errors.ts";
import { counted, grouped } from "../../platform/lib/wording.ts";
import { resultsOf, type CheckResult } from "./result.ts";

/** Checks the disk of the database, and what the server that runs or ran last has recorded about its file. */
export function checkStorage(path: string): CheckResult[] {
  const state = readState(path);
  return [diskResult(path), ...(state === undefined ? [] : serverResults(path, state))];
}

function diskResult(path: string): CheckResult {
  const results = resultsOf("disk", "disk");
  const folder = dirname(path);
  try {
    const { level, missingBytes, text } = diskRoomFor(path);
    if (level === "ok") return results.ok(text);
    const change = `make ${bytesText(missingBytes)} of room on the disk of ${folder}`;
    return results[level === "full" ? "error" : "warning"](`${level}: ${text}`, change);
  } catch (error) {
    return existsSync(folder)
      ? results.error(messageOf(error), `let this user read ${folder}`)
      : results.ok(`${folder} does not exist yet; 'phishwatch serve' creates it`);
  }
}

function serverResults(path: string, state: StoredState): CheckResult[] {
  const { problem, lastError, quickCheck } = state;
  const of = (what: string) => resultsOf("database-server", what);
  const restore =
    "stop the server, and run 'phishwatch database repair', unless the latest check found nothing";
  const results: CheckResult[] = [];
  if (problem !== null)
    results.push(of("database in the server").error(problem, "follow the message, then restart the server"));
  else if (!isServedFile(path, state))
    results.push(
      of("database in the server").warning(
        `the file at ${path} is not the one that the server opened last; if it runs, restart it`,
        "restart the server",
      ),
    );
  if (lastError !== null) {
    const detail = `${toPlainTime(lastError.at)}: ${lastError.text} (${lastError.code})`;
    results.push(of("last database error").warning(detail, restore));
  }
  const whole = of("last check of the whole file by the server");
  if (quickCheck === null) return [...results, whole.skipped("not checked yet")];
  const detail = `${toPlainTime(quickCheck.at)}: ${quickCheck.result}`;
  return [...results, quickCheck.result === "ok" ? whole.ok(detail) : whole.warning(detail, restore)];
}

/** Checks whether the archive of names can be read, and reports how much it contains. */
export async function archiveResult({
  archive,
  storage,
}: Pick<Config, "archive" | "storage">): Promise<CheckResult> {
  const results = resultsOf("archive", "archive");
  const off = archive.enabled ? "" : "; off: no names are added (archive.enabled)";
  if (storage.path === ":memory:") return results.ok(`in memory${off}`);
  const folder = archiveFolder(storage.path);
  try {
    const extent = await folderExtent(folder);
    return results.ok(`${folder}: ${describeExtent(extent, archive.bytesMax)}${off}`);
  } catch (error) {
    return results.error(
      `${folder}: it cannot be read: ${messageOf(error)}`,
      `let the user of the server own ${folder} and all files in it (chown -R)`,
    );
  }
}

function describeExtent({ names, bytes, oldestDay }: ArchiveExtent, bytesMax: number): string {
  if (oldestDay === null) return "no names yet";
  const since = toIsoTime(oldestDay).slice(0, "2026-01-31".length);
  return `${counted(names, "name")} since ${since}, ${bytesText(bytes)} of ${bytesText(bytesMax)}`;
}

/** Says when each setting of the retention deletes. */
export function retentionResults(states: readonly RuleState[], now: number): CheckResult[] {
  return states.flatMap(({ ageMs, deletesFrom, rule }) => {
    if (ageMs === null) return [];
    const when =
      deletesFrom === null
        ? "24 hours after the server reads it"
        : deletesFrom > now
          ? `from ${toPlainTime(deletesFrom)} on`
          : "every hour";
    const detail = `${formatDuration(ageMs)}, deletes ${when}; 'phishwatch retention' shows what`;
    return [resultsOf("retention", `retention.${rule}`).ok(detail)];
  });
}

/** Far longer than a transaction takes. */
const heldMs = 1_000;
const intervalMs = 50;
const never = new AbortController().signal;

const locksFile = "/proc/locks";

/**
 * Checks that no process holds the write lock of the database at `path` for long: nobody else could write, and the server
 * would reject every change. Waits for a second while the lock is held. Linux only; elsewhere, the holder is not known.
 */
export async function writeLock(path: string, clock: Clock): Promise<CheckResult> {
  const results = resultsOf("write-lock", "write lock of the database");
  // A missing file has no lock. Otherwise, locks may be held that are not listed.
  if (existsSync(path) && !existsSync(locksFile))
    return results.skipped(`not known: the system does not list locks (${locksFile})`);
  const first = findLockHolder(path);
  const holder = first && (await holderThatStays(path, first, clock));
  if (holder === undefined) return results.ok("is free");
  const { command, pid, suspended } = holder;
  return results.error(
    `${command} (process ${pid}) holds it for more than a second, so nothing can be written`,
    `${suspended ? "resume or end" : "end"} process ${pid}`,
  );
}

async function holderThatStays(
  path: string,
  first: LockHolder,
  clock: Clock,
): Promise<LockHolder | undefined> {
  const endMs = clock.monotonicMs() + heldMs;
  const before = writtenIn(path);
  for (;;) {
    const holder = findLockHolder(path);
    // A process that writes much holds the lock at each look, but releases it in between.
    if (holder?.pid !== first.pid || writtenIn(path) !== before) return undefined;
    if (clock.monotonicMs() >= endMs) return holder;
    await delay(clock, intervalMs, never);
  }
}

/** Returns the state of the write-ahead log as text. Every transaction changes it. */
function writtenIn(path: string): string {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  return log === undefined ? "" : `${log.size} ${log.mtimeMs}`;
}

/** Fields of statfs(2). */
interface FileSystem {
  /** Magic number. */
  type: number;
  /** Inodes; 0 where they are not limited. */
  files: number;
  ffree: number;
}

const networkTypes = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB2"],
  [0x65735546, "FUSE"],
  [0x01021997, "9P"],
  [0x00c36400, "Ceph"],
  [0x5346414f, "AFS"],
]);
const tmpfsType = 0x01021994;

/** Checks the file system of the folder of the database. Returns no result if it cannot be read. */
export function fileSystemOf(path: string): CheckResult[] {
  if (path === ":memory:") return [];
  try {
    const { type, files, ffree } = statfsSync(dirname(path));
    return describeFileSystem({ type, files, ffree }, dirname(path));
  } catch {
    // A folder that does not exist yet. Others are reported with the disk.
    return [];
  }
}

export function describeFileSystem({ type, files, ffree }: FileSystem, folder: string): CheckResult[] {
  const results = resultsOf("file-system", "file system", "storage.path");
  // Some file systems report their number with its sign extended.
  const network = networkTypes.get(type >>> 0);
  const inTemporary = type >>> 0 === tmpfsType;
  const result =
    network !== undefined
      ? results.error(
          `${folder} is on a network or user-space file system (${network}), where the locks and shared memory of SQLite are not reliable, so the database can be damaged`,
          "set it to a path on a local disk",
        )
      : inTemporary
        ? results.warning(
            `${folder} is in memory (tmpfs): the database is lost when the machine restarts`,
            "set it to a path on a disk",
          )
        : results.ok("local disk");
  return [result, ...(files > 0 ? [inodes(ffree, folder)] : [])];
}

const inodesLeast = 10_000;
const inodesNone = 100;

function inodes(free: number, folder: string): CheckResult {
  const results = resultsOf("inodes", "inodes");
  const detail = `${grouped(free)} more files can be created`;
  if (free >= inodesLeast) return results.ok(detail);
  return results[free < inodesNone ? "error" : "warning"](
    `only ${detail}, although bytes may be free; each screenshot is a file`,
    `delete small files on the file system of ${folder}`,
  );
}

/** A database that is younger says little about its growth. */
const growthMsMin = 3 * dayMs;

/**
 * Returns a warning for each store whose limit in the configuration is larger than the room on the disk. The database is
 * expected to grow as it has so far, until the oldest event is deleted.
 */
export function growth(
  { archive, retention }: Pick<Config, "archive" | "retention">,
  facts: {
    now: Instant;
    freeBytes: number;
    databaseBytes: number;
    archiveBytes: number;
    /** Null without events. */
    oldestEventAt: Instant | null;
  },
): CheckResult[] {
  const { now, freeBytes, databaseBytes, archiveBytes, oldestEventAt } = facts;
  const { warning } = resultsOf("growth", "growth");
  const results: CheckResult[] = [];
  const archiveMore = archive.enabled ? archive.bytesMax - archiveBytes : 0;
  if (archiveMore > freeBytes)
    results.push(
      warning(
        `the archive may grow by ${bytesText(archiveMore)}, but the disk has room for ${bytesText(freeBytes)}`,
        `set it to "${Math.max(1, Math.floor((archiveBytes + freeBytes / 2) / 2 ** 20))}MiB" or less, or add room`,
        "archive.max_size",
      ),
    );
  const ageMs = oldestEventAt === null ? 0 : now - oldestEventAt;
  const keptMs = Math.max(retention.eventsMs, retention.deliveriesMs);
  if (ageMs < growthMsMin || ageMs >= keptMs) return results;
  const more = databaseBytes * (keptMs / ageMs - 1);
  if (more <= freeBytes) return results;
  const days = Math.floor((ageMs * (1 + freeBytes / databaseBytes)) / dayMs);
  const ofDatabase = warning(
    `the database grew to ${bytesText(databaseBytes)} in ${spanText(ageMs)}; until events and deliveries are deleted after ${formatDuration(keptMs)}, it needs ${bytesText(more)} more, but the disk has room for ${bytesText(freeBytes)}`,
    `set it to "${Math.max(1, days)}d" or less, or add room`,
    retention.deliveriesMs >= retention.eventsMs ? "retention.deliveries" : "retention.events",
  );
  return [...results, ofDatabase];
}
