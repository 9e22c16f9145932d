import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { diskRoomFor, type DiskRoom } from "../../database/files/disk.ts";
import { isServedFile, readState, type StoredState } from "../../database/files/state-file.ts";
import { toPlainTime } from "../../lib/clock.ts";
import { messageOf } from "../../lib/errors.ts";
import type { CheckResult } from "./check-result.ts";

const diskStates = { ok: "ok", "nearly full": "warning", full: "error" } as const;

/** Checks the disk of the database, and what the server that runs or ran last has recorded about its file. */
export function checkStorage(path: string): CheckResult[] {
  const state = readState(path);
  return [diskResult(path), ...(state === undefined ? [] : serverResults(path, state))];
}

function diskResult(path: string): CheckResult {
  const what = "disk";
  try {
    return describeRoom(diskRoomFor(path));
  } catch (error) {
    if (!existsSync(dirname(path)))
      return {
        what,
        state: "ok",
        detail: `${dirname(path)} does not exist yet; 'phishwatch serve' creates it`,
      };
    return { what, state: "error", detail: messageOf(error) };
  }
}

function describeRoom({ level, text }: DiskRoom): CheckResult {
  const detail = level === "ok" ? text : `${level}: ${text}; make room on the disk of the database`;
  return { what: "disk", state: diskStates[level], detail };
}

function serverResults(path: string, state: StoredState): CheckResult[] {
  const { problem, lastError, quickCheck } = state;
  const results: CheckResult[] = [];
  if (problem !== null) results.push({ what: "database in the server", state: "error", detail: problem });
  else if (!isServedFile(path, state))
    results.push({
      what: "database in the server",
      state: "warning",
      detail: `the file at ${path} is not the one that the server opened last; if it runs, restart it`,
    });
  if (lastError !== null)
    results.push({
      what: "last database error",
      state: "warning",
      detail: `${toPlainTime(lastError.at)}: ${lastError.text} (${lastError.code})`,
    });
  if (quickCheck !== null)
    results.push({
      what: "last check of the whole file by the server",
      state: quickCheck.result === "ok" ? "ok" : "warning",
      detail: `${toPlainTime(quickCheck.at)}: ${quickCheck.result}`,
    });
  return results;
}
