import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import type { Config } from "../../platform/config/config.ts";
import { memoryLimitBytes } from "../../web/http/body/memory-limit.ts";
import { dayMs, toPlainTime, type Instant } from "../../platform/lib/clock.ts";
import { bytesText, formatDuration, spanText } from "../../platform/lib/durations.ts";
import { grouped } from "../../platform/lib/wording.ts";
import { resultOf, type CheckResult } from "../check-results/check-result.ts";
import { statOf } from "./file-access.ts";

/** A server with everything enabled took at most 281 MiB. */
const serverBytes = 384 * 2 ** 20;
/** One Chromium at a time, with a heavy page. */
const chromiumBytes = 384 * 2 ** 20;
/** Tolerated difference of clocks. */
const futureMsMax = 120_000;
const inodesLeast = 10_000;
const inodesNone = 100;
/** A database that is younger says little about its growth. */
const growthMsMin = 3 * dayMs;

/** @param takesScreenshots whether Chromium is available */
export function memory(takesScreenshots: boolean, limitBytes = memoryLimitBytes()): CheckResult {
  const neededBytes = serverBytes + (takesScreenshots ? chromiumBytes : 0);
  const detail = `at most ${bytesText(limitBytes)}`;
  const suffix = takesScreenshots ? " with Chromium" : "";
  return resultOf(
    { check: "memory", what: "memory" },
    detail,
    limitBytes >= neededBytes
      ? undefined
      : {
          state: "warning",
          detail: `${detail}, but a busy server${suffix} needs ${bytesText(neededBytes)}: the system may end it`,
          ...(takesScreenshots ? { setting: "scan.screenshots" } : {}),
          change: takesScreenshots
            ? `set it to "off", which needs ${bytesText(serverBytes)}, or give the machine or container more memory`
            : "give the machine or container more memory",
        },
  );
}

/**
 * Compares the clock with the past: with the build of the program and with what the database has recorded. That needs
 * no network, and finds a clock that is behind. A clock that is ahead cannot be found without another clock.
 * @param known times that have certainly passed, each with what happened then
 */
export function clock(now: Instant, known: readonly { what: string; at: Instant }[]): CheckResult {
  const [latest] = known.filter(({ at }) => at > now + futureMsMax).sort((left, right) => right.at - left.at);
  const detail = toPlainTime(now);
  return resultOf(
    { check: "clock", what: "clock" },
    detail,
    latest && {
      state: "error",
      detail: `${detail}, but ${latest.what} is of ${toPlainTime(latest.at)}: the clock is at least ${spanText(latest.at - now)} behind, or it was ahead before`,
      change: "set the clock and synchronize it (NTP), for example with 'timedatectl set-ntp true'",
    },
  );
}

/** Returns the times at which the files of the database were changed. */
export function fileTimes(path: string): { what: string; at: Instant }[] {
  return [path, `${path}-wal`].flatMap((file) => {
    const at = statOf(file)?.mtimeMs;
    return at === undefined ? [] : [{ what: `the last change of ${file}`, at }];
  });
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
  // Some file systems report their number with its sign extended.
  const network = networkTypes.get(type >>> 0);
  const base = { check: "file-system", what: "file system" } as const;
  const setting = "storage.path";
  const results: CheckResult[] = [];
  if (network !== undefined)
    results.push({
      ...base,
      state: "error",
      detail: `${folder} is on a network or user-space file system (${network}), where the locks and shared memory of SQLite are not reliable, so the database can be damaged`,
      setting,
      change: "set it to a path on a local disk",
    });
  else if (type >>> 0 === tmpfsType)
    results.push({
      ...base,
      state: "warning",
      detail: `${folder} is in memory (tmpfs): the database is lost when the machine restarts`,
      setting,
      change: "set it to a path on a disk",
    });
  else results.push({ ...base, state: "ok", detail: "local disk" });
  if (files > 0) results.push(inodes(ffree, folder));
  return results;
}

function inodes(free: number, folder: string): CheckResult {
  const detail = `${grouped(free)} more files can be created`;
  return resultOf(
    { check: "inodes", what: "inodes" },
    detail,
    free >= inodesLeast
      ? undefined
      : {
          state: free < inodesNone ? "error" : "warning",
          detail: `only ${detail}, although bytes may be free; each screenshot is a file`,
          change: `delete small files on the file system of ${folder}`,
        },
  );
}

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
  const base = { check: "growth", what: "growth", state: "warning" } as const;
  const results: CheckResult[] = [];
  const archiveMore = archive.enabled ? archive.bytesMax - archiveBytes : 0;
  if (archiveMore > freeBytes)
    results.push({
      ...base,
      detail: `the archive may grow by ${bytesText(archiveMore)}, but the disk has room for ${bytesText(freeBytes)}`,
      setting: "archive.max_size",
      change: `set it to "${Math.max(1, Math.floor((archiveBytes + freeBytes / 2) / 2 ** 20))}MiB" or less, or add room`,
    });
  const ageMs = oldestEventAt === null ? 0 : now - oldestEventAt;
  const keptMs = Math.max(retention.eventsMs, retention.deliveriesMs);
  if (ageMs < growthMsMin || ageMs >= keptMs) return results;
  const more = databaseBytes * (keptMs / ageMs - 1);
  if (more > freeBytes) {
    const days = Math.floor((ageMs * (1 + freeBytes / databaseBytes)) / dayMs);
    results.push({
      ...base,
      detail: `the database grew to ${bytesText(databaseBytes)} in ${spanText(ageMs)}; until events and deliveries are deleted after ${formatDuration(keptMs)}, it needs ${bytesText(more)} more, but the disk has room for ${bytesText(freeBytes)}`,
      setting: retention.deliveriesMs >= retention.eventsMs ? "retention.deliveries" : "retention.events",
      change: `set it to "${Math.max(1, days)}d" or less, or add room`,
    });
  }
  return results;
}
