import { Database as Sqlite } from "bun:sqlite";
import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { StartError } from "../lib/errors.ts";
import { explain } from "./database.ts";
import { migrateDatabase } from "./migrate.ts";
import { isBusy } from "./sqlite-error.ts";

const busyTimeoutMs = 10_000;

/**
 * Writes a consistent copy of the database to a file that does not exist yet, for its owner's eyes only. A
 * server may write meanwhile: the copy is the state of one moment.
 * @throws StartError with a message for the operator.
 */
export function copyDatabase(path: string, target: string): void {
  if (!existsSync(path)) throw failure(`there is no file ${path}`);
  let made = false;
  try {
    // SQLite fills an empty file; making it first settles who may read it and that nothing is overwritten.
    closeSync(openSync(target, "wx", 0o600));
    made = true;
    fillCopy(path, target);
  } catch (error) {
    if (made) rmSync(target, { force: true });
    const { code } = error as { code?: string };
    if (code === "EEXIST") throw failure(`${target} exists already and is left as it is; name another file`);
    if (code === "ENOENT") throw failure(`${target} cannot be written: its folder does not exist`);
    throw failure(`${path} cannot be copied to ${target}: ${explain(error)}`, error);
  }
}

function fillCopy(path: string, target: string): void {
  const source = new Sqlite(path, { readonly: true, strict: true });
  try {
    source.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    source.run("VACUUM INTO ?", [target]);
  } finally {
    source.close();
  }
  // SQLite does not wait for the disk here (https://www.sqlite.org/lang_vacuum.html#vacuuminto).
  for (const file of [target, dirname(target)]) {
    const descriptor = openSync(file, "r");
    fsyncSync(descriptor);
    closeSync(descriptor);
  }
}

/**
 * Puts a copy in the place of the database, which has to be locked for serving. The copy is copied, checked
 * and brought up to date beside the database first, so that nothing is touched before it is known to be good.
 * @param aside where the present database is kept.
 * @param adapt changes the copy of the copy before it takes the place.
 * @throws StartError with a message for the operator.
 */
export function restoreDatabase(
  copy: string,
  path: string,
  aside: string,
  adapt: (incoming: Sqlite) => void = () => {},
): { keptAs: string | undefined } {
  const incoming = `${path}.incoming`;
  const leftovers = ["", "-wal", "-shm"].map((ending) => incoming + ending);
  for (const file of leftovers) rmSync(file, { force: true });
  try {
    copyDatabase(copy, incoming);
    check(incoming, copy, adapt);
    const present = existsSync(path);
    if (present) {
      foldLog(path);
      // A second name for the file, so that there is a database at its place at every moment.
      linkSync(path, aside);
    }
    for (const ending of ["-wal", "-shm"]) rmSync(path + ending, { force: true });
    renameSync(incoming, path);
    return { keptAs: present ? aside : undefined };
  } finally {
    for (const file of leftovers) rmSync(file, { force: true });
  }
}

function check(incoming: string, copy: string, adapt: (incoming: Sqlite) => void): void {
  const sqlite = new Sqlite(incoming, { readwrite: true, strict: true });
  try {
    const [first] = sqlite.query<{ integrity_check: string }, []>("PRAGMA integrity_check").all();
    if (first?.integrity_check !== "ok")
      throw failure(`${copy} is damaged: ${first?.integrity_check ?? "no answer"}`);
    const ours = sqlite
      .query("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '__drizzle_migrations'")
      .get();
    if (ours === null) throw failure(`${copy} is a database, but none of phishwatch`);
    migrateDatabase(sqlite);
    adapt(sqlite);
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw failure(`${copy}: ${explain(error)}`, error);
  } finally {
    sqlite.close();
  }
}

/**
 * Brings what still lies in the write-ahead log into the file that is kept. That needs the database to be
 * open nowhere else. A damaged one is kept as it is: being damaged is the very reason to restore.
 */
function foldLog(path: string): void {
  let sqlite: Sqlite | undefined;
  try {
    sqlite = new Sqlite(path, { readwrite: true });
    sqlite.run("PRAGMA journal_mode = DELETE");
  } catch (error) {
    if (isBusy(error)) throw failure(`another command is using ${path}; try again when it has ended`, error);
  } finally {
    sqlite?.close();
  }
}

function failure(message: string, cause?: unknown): StartError {
  return new StartError(message, { exitCode: 1, cause });
}
