import { existsSync, statSync } from "node:fs";
import type { Instant } from "../../lib/clock.ts";
import { StartError } from "../../lib/errors.ts";
import { logDropped, type Log } from "../../lib/log.ts";
import { replaceFile } from "../../lib/disk.ts";
import { readSmallFile } from "./other-users.ts";
import { identityOf, isSame, markerOf, type FileIdentity } from "./open-file.ts";

/** State of the server's database, in a file next to it: for `check`, and for the next start. */
export interface StoredState {
  /** File that the server opened last. */
  file: FileIdentity;
  log: FileIdentity | null;
  /** `user_version` of the file since then; null while it is being set, because a crash leaves either value. */
  marker: number | null;
  /** Problem that the server reports, while it stands. */
  problem: string | null;
  /** Last error of SQLite, even if it no longer stands. */
  lastError: SqliteFailure | null;
  /** Last complete check. */
  quickCheck: QuickCheck | null;
  /** Check that was not completed yet. Earlier versions stored none. */
  startedCheck?: StartedCheck | null;
}

/** An error of SQLite that concerns the file or its disk. */
export interface SqliteFailure {
  at: Instant;
  code: string;
  /** Explanation, and the remedy. */
  text: string;
}

/** Result of a check of all pages and indexes: "ok" or the first thing that is wrong. */
export interface QuickCheck {
  /** Start of the check. */
  at: Instant;
  result: string;
}

/** A check that has found nothing so far. */
export interface StartedCheck {
  at: Instant;
  /** Last row that was compared with the indexes of its table; null: none yet. */
  position: { table: string; row: number } | null;
}

const stateBytesMax = 1 << 16;

/** Returns the path of the file with the state of the database at `path`. */
export function statePathOf(path: string): string {
  return `${path}.health`;
}

/** Returns undefined for a missing or unreadable file. */
export function readState(path: string): StoredState | undefined {
  try {
    const file = statePathOf(path);
    const text = readSmallFile(file, stateBytesMax).bytes.toString();
    const value = JSON.parse(text) as Partial<StoredState> | null;
    return isState(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Only this product writes the file, but anybody may have edited it. */
function isState(value: Partial<StoredState> | null): value is StoredState {
  const { file, log, marker, problem, lastError, quickCheck, startedCheck = null } = value ?? {};
  const isIdentity = (one: FileIdentity | undefined) =>
    typeof one?.ino === "number" && typeof one.createdAtMs === "number";
  const isTimed = (one: { at: Instant } | null | undefined, ...texts: unknown[]) =>
    one === null || (typeof one?.at === "number" && texts.every((text) => typeof text === "string"));
  return (
    isIdentity(file) &&
    (log === null || isIdentity(log)) &&
    (marker === null || typeof marker === "number") &&
    (problem === null || typeof problem === "string") &&
    isTimed(lastError, lastError?.code, lastError?.text) &&
    isTimed(quickCheck, quickCheck?.result) &&
    isTimed(startedCheck, startedCheck?.position?.table ?? "") &&
    typeof (startedCheck?.position?.row ?? 0) === "number"
  );
}

/** @throws the system's error, for example because the disk is full */
function writeState(path: string, value: StoredState): void {
  // After a power cut, a marker of the file that the state does not know would look like another file.
  replaceFile(statePathOf(path), `${JSON.stringify(value)}\n`, { durable: value.marker === null });
}

/**
 * Returns a function that writes the state if it differs from the last one, and returns whether it is written. A
 * failure is logged once.
 */
export function createStateWriter(path: string, log: Log): (state: StoredState) => boolean {
  let written = "";
  let isFailing = false;
  return (state) => {
    const text = JSON.stringify(state);
    if (text === written) return true;
    try {
      writeState(path, state);
      written = text;
      isFailing = false;
      return true;
    } catch (error) {
      if (!isFailing) logDropped(log, error, "database.state_not_written");
      isFailing = true;
      return false;
    }
  };
}

/**
 * Rejects a write-ahead log that was left by a killed server of another database file: SQLite would write its content
 * into the present file and damage it. A backup has replaced the database without `restore`.
 * @throws StartError
 */
export function requireOwnLog(path: string): void {
  const log = `${path}-wal`;
  if (!existsSync(path) || (statSync(log, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
  const left = readState(path);
  if (left === undefined || left.log === null || !isSame(identityOf(log), left.log)) return;
  const isMarked = left.marker === null || markerOf(path) === left.marker;
  if (isMarked && isSame(identityOf(path), left.file)) return;
  throw new StartError(
    `database ${path}: ${log} belongs to another database file that was at this path before; ` +
      `to use the present file, move ${log} and ${path}-shm away (changes that are only in them are lost)`,
  );
}

/** Whether the database at `path` is still the one that the server opened. */
export function isServedFile(path: string, served: { file: FileIdentity }): boolean {
  return isSame(identityOf(path), served.file);
}
