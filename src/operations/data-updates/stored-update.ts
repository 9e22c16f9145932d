import { existsSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { readSmallFile, UnreadableFileError } from "../../platform/database/files/other-users.ts";
import { messageOf } from "../../platform/lib/errors.ts";
import { type ListName, listNames, type ListTexts } from "../../platform/lib/lists/list-texts.ts";
import { replaceFile } from "../../platform/lib/disk.ts";
import { listDefinitions } from "./list-definitions.ts";
import { projectKeys } from "./project-keys.ts";
import {
  compareVersions,
  type DataUpdate,
  DataUpdateError,
  dateOf,
  readUpdate,
  updateBytesMax,
} from "./update-file.ts";
import type { Instant } from "../../platform/lib/clock.ts";

/** Data update next to the database: none, one that is used, or one that cannot be used, with the reason. */
export type StoredUpdate =
  { state: "none" } | { state: "used"; update: DataUpdate } | { state: "unusable"; reason: string };

/** Returns the path of the data update for the database at `path`. */
export function updatePathOf(path: string): string {
  return `${path}.lists`;
}

/** Reads and verifies the update next to a database. @param ownKeys `data.trusted_keys` */
export function readStoredUpdate(path: string, ownKeys: readonly string[]): StoredUpdate {
  const file = updatePathOf(path);
  if (path === ":memory:" || !existsSync(file)) return { state: "none" };
  try {
    return { state: "used", update: verify(readFile(file), ownKeys) };
  } catch (error) {
    return { state: "unusable", reason: messageOf(error) };
  }
}

/** @throws DataUpdateError */
function verify(bytes: Uint8Array, ownKeys: readonly string[]): DataUpdate {
  return readUpdate(bytes, [...projectKeys, ...ownKeys]);
}

/** @throws DataUpdateError if it is too large or not a file, or the system's error */
function readFile(path: string): Uint8Array {
  try {
    return readSmallFile(path, updateBytesMax).bytes;
  } catch (error) {
    throw error instanceof UnreadableFileError ? new DataUpdateError(error.message) : error;
  }
}

/**
 * Copies a verified update next to the database. Whenever the process is killed, the previous or the new one is complete.
 * @throws DataUpdateError if the stored one is of a later version, unless `force` is set; or the system's error
 */
export function storeUpdate({
  file,
  path,
  ownKeys,
  force,
}: {
  file: string;
  /** Database. */
  path: string;
  ownKeys: readonly string[];
  force: boolean;
}): { update: DataUpdate; previous: StoredUpdate } {
  const bytes = readFile(file);
  const update = verify(bytes, ownKeys);
  const previous = readStoredUpdate(path, ownKeys);
  if (previous.state === "used" && !force && compareVersions(update.version, previous.update.version) < 0)
    throw new DataUpdateError(
      `version ${update.version} is older than ${previous.update.version}, which is in use; --force replaces it`,
    );
  const target = updatePathOf(path);
  // Root imports an update for the user of the server, who owns the folder and may create links in it.
  const owner = process.getuid?.() === 0 ? statSync(dirname(target)) : undefined;
  // The bytes that were verified, even if the file changes now.
  replaceFile(target, bytes, { owner });
  return { update, previous };
}

/** Deletes the update, so that the embedded lists are used again. Returns whether there was one. */
export function removeUpdate(path: string): boolean {
  const file = updatePathOf(path);
  if (path === ":memory:" || !existsSync(file)) return false;
  rmSync(file);
  return true;
}

/** Returns the texts that replace embedded ones. Only later ones do, because a newer program may contain newer lists. */
export function textsOf({ lists }: DataUpdate): ListTexts {
  const newer = Object.entries(lists).filter(([name, { date }]) => isNewer(name as ListName, date));
  return Object.fromEntries(newer.map(([name, { text }]) => [name, text]));
}

function isNewer(name: ListName, date: string): boolean {
  return date > listDefinitions[name].embeddedDate;
}

/** A list that is in effect. */
export interface ListInEffect {
  name: ListName;
  title: string;
  /** `update`: from the data update. */
  origin: "embedded" | "update";
  /** `2026-11-20` */
  date: string;
  ageMs: number;
  isOld: boolean;
}

/** Returns all lists, as a process that starts now uses them. */
export function listsInEffect(stored: StoredUpdate, now: Instant): ListInEffect[] {
  return listNames.map((name) => {
    const { ageMsMax, embeddedDate, title } = listDefinitions[name];
    const updated = stored.state === "used" ? stored.update.lists[name] : undefined;
    const isUpdated = updated !== undefined && isNewer(name, updated.date);
    const date = isUpdated ? updated.date : embeddedDate;
    const ageMs = now - (dateOf(date) ?? now);
    const isOld = ageMsMax !== null && ageMs > ageMsMax;
    return { name, title, origin: isUpdated ? "update" : "embedded", date, ageMs, isOld };
  });
}
