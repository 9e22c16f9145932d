import { existsSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { namesOfKilledRestore } from "./open-file.ts";

/** Endings of the files that SQLite writes next to a database. */
export const sideFileEndings = ["-wal", "-shm", "-journal"];
/** Ending of the copy that `restore` prepares. */
export const incomingEnding = `.incoming`;
/** Ending of a copy for a download; a random part follows. */
export const liveCopyEnding = `.copy-`;
/** Ending of a partly written copy before an upgrade. */
export const upgradePartialEnding = `.before-upgrade.partial`;
/** Ending of a partly written copy of the threat index. */
export const indexPartialEnding = `.index.next`;
/** Ending of a partly written copy of a database whose file was lost. */
const partialEnding = `.partial`;

/** Deletes a database that is not in use, with its side files. */
export function removeDatabase(path: string): void {
  for (const ending of ["", ...sideFileEndings]) rmSync(path + ending, { force: true });
}

/**
 * Deletes what servers, backups, restores and copies of the database at `path` leave if they are killed. The caller must
 * hold the lock for serving, so that none of them is running.
 */
export function removeLeftovers(path: string): void {
  if (!existsSync(dirname(path))) return;
  const real = existsSync(path) ? realpathSync(path) : path;
  const base = basename(real);
  const random = "[0-9a-f]{16}";
  const pattern = new RegExp(
    `^(\\${incomingEnding}|\\.before-upgrade\\.partial|\\${liveCopyEnding}${random}|\\.lost-[0-9T]+\\${partialEnding}|\\${indexPartialEnding}|\\.health\\.next|\\.server(\\.new)?)(-wal|-shm|-journal)?$`,
  );
  for (const name of readdirSync(dirname(real))) {
    if (name.startsWith(base) && pattern.test(name.slice(base.length)))
      rmSync(join(dirname(real), name), { force: true });
  }
  // A second name of the database itself: a restore was killed before it replaced the file.
  if (existsSync(real)) for (const name of namesOfKilledRestore(real)) rmSync(name, { force: true });
}
