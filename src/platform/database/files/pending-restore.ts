import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { StartError } from "../../lib/errors.ts";
import { syncToDisk } from "./sync-to-disk.ts";
import { sideFileEndings } from "./leftovers.ts";
import { asideEnding } from "./open-file.ts";
import { statePathOf } from "./state-file.ts";

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
    { exitCode: 1 },
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
  writeFileSync(`${plan}.next`, JSON.stringify({ stamp }), { mode: 0o600, flush: true });
  renameSync(`${plan}.next`, plan);
  syncToDisk(folder);
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
