import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type { ArchiveExtent } from "../../engines/archive/archive.ts";
import { archiveFolder } from "../../engines/archive/files/folder.ts";
import { folderExtent } from "../../engines/archive/files/reading.ts";
import type { Config } from "../../platform/config/config.ts";
import { diskRoomFor, type DiskRoom } from "../../platform/database/files/disk.ts";
import { isServedFile, readState, type StoredState } from "../../platform/database/files/state-file.ts";
import { toIsoTime, toPlainTime } from "../../platform/lib/clock.ts";
import { bytesText, formatDuration } from "../../platform/lib/durations.ts";
import { messageOf } from "../../platform/lib/errors.ts";
import { counted } from "../../platform/lib/wording.ts";
import type { RuleState } from "../../operations/retention/retention.ts";
import { resultOf, type CheckResult } from "../check-results/check-result.ts";

const diskStates = { "nearly full": "warning", full: "error" } as const;

/** Checks the disk of the database, and what the server that runs or ran last has recorded about its file. */
export function checkStorage(path: string): CheckResult[] {
  const state = readState(path);
  return [diskResult(path), ...(state === undefined ? [] : serverResults(path, state))];
}

function diskResult(path: string): CheckResult {
  const base = { check: "disk", what: "disk" } as const;
  const folder = dirname(path);
  try {
    return describeRoom(diskRoomFor(path), folder);
  } catch (error) {
    if (!existsSync(folder))
      return {
        ...base,
        state: "ok",
        detail: `${folder} does not exist yet; 'phishwatch serve' creates it`,
      };
    const change = `let this user read ${folder}`;
    return { ...base, state: "error", detail: messageOf(error), change };
  }
}

function describeRoom({ level, missingBytes, text }: DiskRoom, folder: string): CheckResult {
  const base = { check: "disk", what: "disk" } as const;
  if (level === "ok") return { ...base, state: "ok", detail: text };
  const change = `make ${bytesText(missingBytes)} of room on the disk of ${folder}`;
  return { ...base, state: diskStates[level], detail: `${level}: ${text}`, change };
}

function serverResults(path: string, state: StoredState): CheckResult[] {
  const { problem: reported, lastError, quickCheck } = state;
  const check = "database-server";
  const restore =
    "stop the server, and run 'phishwatch database repair', unless the latest check found nothing";
  const results: CheckResult[] = [];
  if (reported !== null)
    results.push({
      check,
      what: "database in the server",
      state: "error",
      detail: reported,
      change: "follow the message, then restart the server",
    });
  else if (!isServedFile(path, state))
    results.push({
      check,
      what: "database in the server",
      state: "warning",
      detail: `the file at ${path} is not the one that the server opened last; if it runs, restart it`,
      change: "restart the server",
    });
  if (lastError !== null)
    results.push({
      check,
      what: "last database error",
      state: "warning",
      detail: `${toPlainTime(lastError.at)}: ${lastError.text} (${lastError.code})`,
      change: restore,
    });
  const what = "last check of the whole file by the server";
  if (quickCheck === null) results.push({ check, what, state: "skipped", detail: "not checked yet" });
  else {
    const detail = `${toPlainTime(quickCheck.at)}: ${quickCheck.result}`;
    const problem = { state: "warning", detail, change: restore } as const;
    results.push(resultOf({ check, what }, detail, quickCheck.result === "ok" ? undefined : problem));
  }
  return results;
}

/** Checks whether the archive of names can be read, and reports how much it contains. */
export async function archiveResult({
  archive,
  storage,
}: Pick<Config, "archive" | "storage">): Promise<CheckResult> {
  const base = { check: "archive", what: "archive" } as const;
  const off = archive.enabled ? "" : "; off: no names are added (archive.enabled)";
  if (storage.path === ":memory:") return { ...base, state: "ok", detail: `in memory${off}` };
  const folder = archiveFolder(storage.path);
  try {
    const extent = await folderExtent(folder);
    return { ...base, state: "ok", detail: `${folder}: ${describeExtent(extent, archive.bytesMax)}${off}` };
  } catch (error) {
    return {
      ...base,
      state: "error",
      detail: `${folder}: it cannot be read: ${messageOf(error)}`,
      change: `let the user of the server own ${folder} and all files in it (chown -R)`,
    };
  }
}

function describeExtent({ names, bytes, oldestDay }: ArchiveExtent, bytesMax: number): string {
  if (oldestDay === null) return "no names yet";
  const since = toIsoTime(oldestDay).slice(0, "2026-01-31".length);
  return `${counted(names, "name")} since ${since}, ${bytesText(bytes)} of ${bytesText(bytesMax)}`;
}

/** Says when each setting of the retention deletes, so that nobody is surprised. */
export function retentionResults(states: readonly RuleState[], now: number): CheckResult[] {
  return states.flatMap(({ ageMs, deletesFrom, rule }): CheckResult[] => {
    if (ageMs === null) return [];
    const when =
      deletesFrom === null
        ? "24 hours after the server reads it"
        : deletesFrom > now
          ? `from ${toPlainTime(deletesFrom)} on`
          : "every hour";
    const detail = `${formatDuration(ageMs)}, deletes ${when}; 'phishwatch retention' shows what`;
    return [{ check: "retention", what: `retention.${rule}`, state: "ok", detail }];
  });
}
