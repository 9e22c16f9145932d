import type { FileChange } from "./open-file.ts";

/** Code in the log and of the error. */
export const databaseFileChangedCode = "database_file_changed";

/** A change was not acknowledged, because the database file is no longer the one that is open. */
export class DatabaseFileChangedError extends Error {
  readonly code = databaseFileChangedCode;

  constructor(change: FileChange) {
    super(`the database file was changed from outside (${describeChange(change)}); no change is accepted`);
    // Minification changes class names.
    this.name = "DatabaseFileChangedError";
  }
}

/** Code of the error. */
export const databaseDamagedCode = "database_damaged";

/** A change was not made, because the database file is known to be damaged. */
export class DatabaseDamagedError extends Error {
  readonly code = databaseDamagedCode;

  constructor(problem: string) {
    super(`the database was not changed: ${problem}`);
    // Minification changes class names.
    this.name = "DatabaseDamagedError";
  }
}

const described: Record<FileChange, string> = {
  removed: "its file was removed or renamed",
  replaced: "another file is at its path",
  overwritten: "its file was overwritten",
  log_lost: "its write-ahead log (-wal or -shm) was removed",
  log_truncated: "its write-ahead log (-wal) was truncated",
};

/** Returns words that follow "the database file was changed from outside", such as "its file was overwritten". */
export function describeChange(change: FileChange): string {
  return described[change];
}
