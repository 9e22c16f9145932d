import { accessSync, constants } from "node:fs";
import { dirname } from "node:path";
import { messageOf } from "../../lib/errors.ts";

/**
 * Turns SQLite's errors into messages that say what to do.
 * @param path file that could not be opened, to find out why
 */
export function explain(error: unknown, path?: string): string {
  const message = messageOf(error);
  const code = sqliteErrorCode(error) ?? "";
  const isOpening = /^(SQLITE_CANTOPEN|SQLITE_READONLY|EACCES|EPERM|ENOENT)/.test(code);
  if (code === "EROFS" || (isOpening && path !== undefined && isReadOnlyFileSystem(path)))
    return "its file system is read-only; mount it writable, or set storage.path to a folder on another one";
  if (code.startsWith("SQLITE_READONLY"))
    return "it is read-only; give this user write permission for the file and its folder";
  if (/^SQLITE_(NOTADB|CORRUPT)/.test(code)) {
    return `it is damaged or not a database (${message}); stop the server and run 'phishwatch database repair', or restore a backup with 'phishwatch restore'`;
  }
  if (code === "SQLITE_FULL" || code === "ENOSPC")
    return "the disk is full; make room (a running server continues without a restart)";
  if (/^(SQLITE_CANTOPEN|EACCES|EPERM)/.test(code)) {
    return `it cannot be opened (${message}); check that the folder exists and that this user may write there`;
  }
  if (isBusy(error)) return "another process holds it locked; stop that process and start again";
  return message;
}

/** SQLite reports a read-only file system like a missing permission or a missing folder. */
function isReadOnlyFileSystem(path: string): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    try {
      accessSync(folder, constants.W_OK);
      return false;
    } catch (error) {
      const code = sqliteErrorCode(error);
      // Root may write everywhere except on a read-only file system.
      if (code === "EROFS") return true;
      if (code !== "ENOENT" || folder === dirname(folder)) return false;
    }
  }
}

/**
 * Returns SQLite's extended result code, such as `SQLITE_CONSTRAINT_FOREIGNKEY`, or the system's, such as `EACCES`;
 * undefined for an error that has none. drizzle wraps errors, so causes are searched too.
 */
export function sqliteErrorCode(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause)
    if ("code" in at && typeof at.code === "string") return at.code;
  return undefined;
}

/** Whether another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(sqliteErrorCode(error) ?? "");
}
