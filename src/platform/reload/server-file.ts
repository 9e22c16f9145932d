import { createHash } from "node:crypto";
import { rmSync, statSync } from "node:fs";
import { readSmallFile } from "../database/files/other-users.ts";
import type { ConfigSource } from "../config/config.ts";
import { buildInfo } from "../lib/build-info.ts";
import type { Instant } from "../lib/clock.ts";
import { replaceFile } from "../lib/disk.ts";
import { listsVersion } from "../lib/lists/list-texts.ts";
import type { ReloadOutcome } from "./reload.ts";
import { undefinedIfMissing } from "../lib/errors.ts";

/**
 * State of a running server, in a file next to the database: `phishwatch reload` requests a reload and reads its outcome,
 * and `phishwatch check` compares what the server uses. It contains no setting. A server that was killed leaves it behind;
 * the lock on the database says whether one runs, and the next one deletes it.
 */
export interface ServerState {
  pid: number;
  startedAt: Instant;
  uses: ServerUse;
  /** Null: nothing was reloaded since the start. */
  lastReload: ReloadOutcome | null;
}

/** Program, configuration and lists of a server. */
export type ServerUse = ReturnType<typeof usedWith>;

/** Returns what this process uses with a configuration file. */
export function usedWith({ path, text }: Pick<ConfigSource, "path" | "text">) {
  const { version, commit } = buildInfo;
  const sha256 = createHash("sha256").update(text).digest("hex");
  return {
    version,
    commit,
    /** Path of its configuration file. */
    configuration: path,
    /** SHA-256 of the content of that file, hexadecimal. */
    sha256,
    /** Version of its data update; null: it uses the embedded lists. */
    lists: listsVersion(),
  };
}

/** An outcome lists all changes of a file with thousands of entries. */
const stateBytesMax = 1 << 24;

/** Returns the path of the file. */
function serverFileOf(databasePath: string): string {
  return `${databasePath}.server`;
}

/** Replaces the file in one step. */
export function writeServerState(databasePath: string, state: ServerState): void {
  replaceFile(serverFileOf(databasePath), JSON.stringify(state), { durable: false });
}

/**
 * Returns undefined if there is no file. The user of the server can write anything into it, and root reads it.
 * @throws an error of the system if it cannot be read, or an error that says why it cannot be used
 */
export function readServerState(databasePath: string): ServerState | undefined {
  const path = serverFileOf(databasePath);
  let file;
  try {
    file = readSmallFile(path, stateBytesMax);
  } catch (error) {
    return undefinedIfMissing(error);
  }
  const state: unknown = JSON.parse(file.bytes.toString());
  if (!isState(state)) throw new Error(`${path} is damaged; restart the server`);
  if (process.geteuid?.() === 0 && ownerOfProcess(state.pid) !== file.uid)
    throw new Error(
      `${path} names a process that does not belong to its owner, or has ended; restart the server`,
    );
  return state;
}

/** Returns the user of a process, or undefined if it has ended. */
function ownerOfProcess(pid: number): number | undefined {
  if (process.platform === "linux") return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid;
  const { stdout } = Bun.spawnSync(["/bin/ps", "-o", "uid=", "-p", String(pid)], { stdin: "ignore" });
  const text = stdout.toString().trim();
  return text === "" ? undefined : Number(text);
}

function isState(value: unknown): value is ServerState {
  const { pid, startedAt, uses, lastReload } = (value ?? {}) as Partial<ServerState>;
  return (
    // 0 and negative numbers are groups of processes.
    Number.isSafeInteger(pid) &&
    pid! > 0 &&
    isTime(startedAt) &&
    isUse(uses) &&
    (lastReload === null || isOutcome(lastReload))
  );
}

function isUse(value: ServerUse | undefined): boolean {
  const { version, commit, configuration, sha256, lists } = value ?? {};
  const texts = [version, commit, configuration, sha256, lists === null ? "" : lists];
  return texts.every((one) => typeof one === "string");
}

function isOutcome(value: ReloadOutcome | undefined): boolean {
  const { startedAt, endedAt, result, applied, restart, errors, exitCode } = value ?? {};
  const isTexts = (given: unknown) => Array.isArray(given) && given.every((one) => typeof one === "string");
  return (
    isTime(startedAt) &&
    isTime(endedAt) &&
    ["applied", "unchanged", "failed"].includes(result!) &&
    [applied, restart, errors].every(isTexts) &&
    [0, 1, 2].includes(exitCode!)
  );
}

/** The time is in the range of `Date`. */
function isTime(value: unknown): boolean {
  return typeof value === "number" && Math.abs(value) <= 8.64e15;
}

export function removeServerState(databasePath: string): void {
  rmSync(serverFileOf(databasePath), { force: true });
}
