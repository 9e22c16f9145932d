import { existsSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { randomHex, type FillRandom } from "../../lib/ids.ts";
import { namesOfKilledRestore } from "./open-file.ts";

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
    `^(\\${incomingEnding}|\\.before-upgrade\\.partial|\\${copyEnding}${random}|\\.lost-[0-9T]+\\${partialEnding}|\\${indexPartialEnding}|\\.health\\.next|\\.server(\\.new)?)(-wal|-shm|-journal)?$`,
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
