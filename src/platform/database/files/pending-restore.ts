import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { StartError } from "../../lib/errors.ts";
import { syncToDisk, replaceFile } from "../../lib/disk.ts";
import { asideEnding, namesOfKilledRestore } from "./open-file.ts";
import { statePathOf } from "./state-file.ts";
import { type FillRandom, randomHex } from "../../lib/ids.ts";

/**
 * A restore of the database and the folders next to it. Everything is prepared in a folder, then a plan is written:
 * from then on, the restore is carried out, if necessary by the next process that takes the lock for serving. Before
 * that, it has not happened.
 */
const planFile = "plan.json";
const stampForm = /^[0-9TZ-]{1,30}$/;

/** Returns the folder in which a restore of the database at `path` is prepared. */
function stagingFolder(path: string): string {
  return `${path}.restoring`;
}

/** The files of an appliance in a folder, in which a backup is put back. */
export interface ApplianceFiles {
  database: string;
  screenshots: string;
  archive: string;
}

/** Returns the files of the appliance with this database. */
export function filesOf(path: string): ApplianceFiles {
  return { database: path, screenshots: join(dirname(path), "screenshots"), archive: `${path}.archive` };
}

/** Creates an empty folder for the files of a restore. The caller holds the lock for serving. */
export function prepareStaging(path: string): ApplianceFiles {
  const folder = stagingFolder(path);
  rmSync(folder, { recursive: true, force: true });
  // Fails if something else has been put in its place.
  mkdirSync(folder, { mode: 0o700 });
  for (const target of foldersOf(path)) requireMovable(target);
  return stagedFiles(path);
}

/** Deletes what was prepared. */
export function discardStaging(path: string): void {
  rmSync(stagingFolder(path), { recursive: true, force: true });
}

function stagedFiles(path: string): ApplianceFiles {
  const folder = stagingFolder(path);
  return {
    database: join(folder, "database"),
    screenshots: join(folder, "screenshots"),
    archive: join(folder, "archive"),
  };
}

function foldersOf(path: string): string[] {
  const { screenshots, archive } = filesOf(path);
  return [screenshots, archive];
}

function requireMovable(folder: string): void {
  const status = lstatSync(folder, { throwIfNoEntry: false });
  if (status === undefined || !status.isDirectory() || status.dev === statSync(dirname(folder)).dev) return;
  throw new StartError(
    `${folder} is a mount point, which cannot be replaced; mount the folder above it instead, or unmount it for the restore`,
  );
}

/**
 * Replaces the database and the folders with those that were prepared. Present folders are kept under another name;
 * the caller has kept the database.
 * @param stamp time as a part of the names
 * @returns the names of the folders that were kept
 */
export function carryOut(path: string, stamp: string): string[] {
  const folder = stagingFolder(path);
  const plan = join(folder, planFile);
  syncToDisk(folder);
  replaceFile(plan, JSON.stringify({ stamp }));
  return complete(path, stamp);
}

/**
 * Completes a restore that was killed, or deletes what one prepared. The caller holds the lock for serving.
 * @throws an error of the system
 */
export function completePendingRestore(path: string): void {
  const folder = stagingFolder(path);
  if (!existsSync(folder)) return;
  const plan = join(folder, planFile);
  if (existsSync(plan)) complete(path, stampIn(plan));
  discardStaging(path);
}

/** Only names depend on the content of a plan: a damaged one must not keep the server from starting. */
function stampIn(plan: string): string {
  try {
    const { stamp } = JSON.parse(readFileSync(plan, "utf8")) as { stamp?: unknown };
    if (typeof stamp === "string" && stampForm.test(stamp)) return stamp;
  } catch {
    // As for a plan of another form.
  }
  return "0";
}

/** Each step is a rename, and is not repeated. */
function complete(path: string, stamp: string): string[] {
  const staged = stagedFiles(path);
  const present = filesOf(path);
  const kept: string[] = [];
  for (const name of ["screenshots", "archive"] as const) {
    if (!existsSync(staged[name])) continue;
    if (lstatSync(present[name], { throwIfNoEntry: false }) !== undefined) {
      const aside = freeName(`${present[name]}${asideEnding}${stamp}`);
      renameSync(present[name], aside);
      kept.push(aside);
    }
    renameSync(staged[name], present[name]);
  }
  if (existsSync(staged.database)) {
    for (const ending of sideFileEndings) rmSync(path + ending, { force: true });
    rmSync(statePathOf(path), { force: true });
    renameSync(staged.database, path);
  }
  syncToDisk(dirname(path));
  discardStaging(path);
  return kept;
}

function freeName(name: string): string {
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name}-${number}`;
    if (lstatSync(candidate, { throwIfNoEntry: false }) === undefined) return candidate;
  }
}

/** A database or a folder that a restore replaced and kept. */
export interface KeptAside {
  path: string;
  bytes: number;
}

/** Lists what earlier restores of the database at `path` kept, the oldest first. */
export function listAside(path: string): KeptAside[] {
  const folder = dirname(path);
  if (!existsSync(folder)) return [];
  const starts = [path, ...foldersOf(path)].map((one) => `${basename(one)}${asideEnding}`);
  return readdirSync(folder)
    .filter((name) => starts.some((start) => name.startsWith(start)))
    .sort((a, b) => stampOf(a).localeCompare(stampOf(b)) || a.localeCompare(b))
    .map((name) => ({ path: join(folder, name), bytes: bytesBelow(join(folder, name)) }));
}

function stampOf(name: string): string {
  return name.slice(name.indexOf(asideEnding));
}

function bytesBelow(path: string): number {
  const status = lstatSync(path, { throwIfNoEntry: false });
  if (status === undefined || !status.isDirectory()) return status?.size ?? 0;
  return readdirSync(path).reduce((sum, name) => sum + bytesBelow(join(path, name)), 0);
}

/** Endings of the files that SQLite writes next to a database. */
export const sideFileEndings = ["-wal", "-shm", "-journal"];
/** Ending of the copy that `restore` prepares. */
export const incomingEnding = `.incoming`;
/** Ending of a temporary copy; a random part follows. */
const copyEnding = `.copy-`;
/** Ending of a partly written copy before an upgrade. */
export const upgradePartialEnding = `.before-upgrade.partial`;
/** Ending of a partly written copy of the threat index. */
export const indexPartialEnding = `.index.next`;
/** Ending of a partly written copy of a database whose file was lost. */
const partialEnding = `.partial`;

/**
 * Returns a new path for a temporary copy of the database, such as for a download or the check of a backup. A server that
 * starts deletes it, unless a process holds the lock for copies.
 */
export function newCopyPath(path: string, fillRandom: FillRandom): string {
  return `${path}${copyEnding}${randomHex(fillRandom, 8)}`;
}

/** Deletes a database that is not in use, with its side files. */
export function removeDatabase(path: string): void {
  for (const ending of ["", ...sideFileEndings]) rmSync(path + ending, { force: true });
}

/**
 * Deletes what servers, backups, restores and copies of the database at `path` leave if they are killed. The caller must
 * hold the lock for serving, so that no server, upgrade or restore is running.
 * @param copies whether temporary copies are deleted, too. The caller must hold their lock exclusively: backups that
 *   commands make do not need the lock for serving
 */
export function removeLeftovers(path: string, { copies }: { copies: boolean }): void {
  if (!existsSync(dirname(path))) return;
  const real = existsSync(path) ? realpathSync(path) : path;
  const base = basename(real);
  const random = "[0-9a-f]{16}";
  const pattern = new RegExp(
    `^(\\${incomingEnding}|\\.before-upgrade\\.partial|\\${copyEnding}${random}|\\.lost-[0-9T]+\\${partialEnding}|\\${indexPartialEnding}|\\.health\\.(next|new)|\\.server(\\.new)?)(-wal|-shm|-journal)?$`,
  );
  for (const name of readdirSync(dirname(real))) {
    const ending = name.startsWith(base) ? name.slice(base.length) : "";
    if (pattern.test(ending) && (copies || !ending.startsWith(copyEnding)))
      // The copy of a rehearsal is a folder.
      rmSync(join(dirname(real), name), { force: true, recursive: true });
  }
  // A second name of the database itself: a restore was killed before it replaced the file.
  if (existsSync(real)) for (const name of namesOfKilledRestore(real)) rmSync(name, { force: true });
}
