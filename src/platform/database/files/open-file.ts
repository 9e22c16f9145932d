import { closeSync, openSync, readdirSync, readSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { StartError } from "../../lib/errors.ts";

/**
 * Change to the files of an open database:
 * - `removed`: no file is at the path any more
 * - `replaced`: another file is at the path
 * - `overwritten`: the content of the open file was replaced
 * - `log_lost`: the write-ahead log or its index was removed or replaced
 * - `log_truncated`: the write-ahead log has lost transactions
 */
export type FileChange = "removed" | "replaced" | "overwritten" | "log_lost" | "log_truncated";

/** Identifies a file beyond the reuse of its inode. */
export interface FileIdentity {
  ino: number;
  createdAtMs: number;
}

/** The files that a connection has open, compared with those at their paths. */
export type OpenFile = ReturnType<typeof openFileAt>;

/** `user_version` in the header: https://www.sqlite.org/fileformat.html §1.3. SQLite itself does not use it. */
const markerOffset = 60;
const markerBytes = 4;
/** Ending of the name that `restore` gives to the replaced file. A killed restore leaves it as a second name. */
export const asideEnding = `.before-restore-`;

/** @param path file that a connection has open and has read from, so that its side files exist */
export function openFileAt(path: string) {
  const real = realpathSync(path);
  const sideFiles = [`${real}-wal`, `${real}-shm`].map((name) => ({ name, identity: identityOf(name) }));
  const [log, index] = sideFiles;
  const identity = identityOf(path)!;
  const buffer = Buffer.alloc(markerBytes);
  let expected: number | undefined;
  let descriptor: number | undefined;
  let plain: number | undefined;
  let changed: FileChange | undefined;
  let logBytesMin = () => 0;

  // While a file is open, its inode is not reused, so comparing inodes suffices.
  const inodeOf = (name: string) => statSync(name, { throwIfNoEntry: false })?.ino;
  const isOwn = (one: (typeof sideFiles)[number]) => inodeOf(one.name) === one.identity?.ino;

  function compare(): FileChange | undefined {
    const change = compareNames();
    // Twice, because another thread may truncate and fill it in the meantime.
    if (change !== undefined || !isLogShort() || !isLogShort()) return change;
    // A log that was removed after the first comparison has no size. It is still open, with all transactions.
    return compareNames() ?? "log_truncated";
  }

  function compareNames(): FileChange | undefined {
    // A file and its log may be removed after the check of the file, so a file without its log is checked again.
    return compareFile() ?? (sideFiles.every(isOwn) ? undefined : (compareFile() ?? "log_lost"));
  }

  function isLogShort(): boolean {
    const before = logBytesMin();
    if (before === 0) return false;
    const bytes = statSync(sideFiles[0]!.name, { throwIfNoEntry: false })?.size ?? 0;
    return bytes < Math.min(before, logBytesMin());
  }

  function compareFile(): FileChange | undefined {
    const inode = inodeOf(path);
    if (inode === undefined) return "removed";
    if (inode !== identity.ino) return "replaced";
    if (descriptor !== undefined && markerIn(descriptor, buffer) !== expected) return "overwritten";
    return undefined;
  }

  return {
    /** Path without symbolic links. */
    path: real,
    identity,
    /** Identity of the write-ahead log. */
    log: log?.identity,
    /** The index of the write-ahead log. */
    index: index?.identity && { path: index.name, inode: index.identity.ino },

    /** Compares, which takes about 5 µs. Once something changed, it stays so. */
    change: () => (changed ??= compare()),

    /** From now on, also compares the marker in the header of the open file. The file must have been checkpointed. */
    expectMarker(marker: number) {
      descriptor ??= openSync(path, "r");
      expected = marker;
    },

    /** From now on, also compares the size of the write-ahead log with the one that it has at least. */
    expectLog(bytesMin: () => number) {
      logBytesMin = bytesMin;
    },

    /** Reads from the open file, wherever its path leads. Requires `expectMarker`. */
    read: (target: Uint8Array, position: number) => readSync(descriptor!, target, 0, target.length, position),

    /**
     * Returns a descriptor for reading the file, which stays open: closing one would release the locks of the process
     * (POSIX).
     */
    descriptor: () => descriptor ?? (plain ??= openSync(path, "r")),

    /** Returns the paths of the log and its index that still belong to the open file. */
    ownSideFiles: () => sideFiles.filter(isOwn).map(({ name }) => name),

    /** Number of names of the file; 1 unless it has a hard link. */
    names: () => statSync(path, { throwIfNoEntry: false })?.nlink ?? 0,

    /** Close the connection first: closing any descriptor of a file releases all locks of the process (POSIX). */
    close() {
      for (const one of [descriptor, plain]) if (one !== undefined) closeSync(one);
      descriptor = plain = undefined;
    },
  };
}

/** Returns undefined for a missing file. */
export function identityOf(path: string): FileIdentity | undefined {
  const status = statSync(path, { throwIfNoEntry: false });
  return status === undefined ? undefined : { ino: status.ino, createdAtMs: status.birthtimeMs };
}

/** Returns whether both are the same file. Two missing files count as the same. */
export function isSame(one: FileIdentity | undefined, other: FileIdentity | undefined): boolean {
  return one?.ino === other?.ino && one?.createdAtMs === other?.createdAtMs;
}

/** Reads the marker of a file that no connection of this process has open. */
export function markerOf(path: string): number | undefined {
  const descriptor = openSync(path, "r");
  try {
    return markerIn(descriptor, Buffer.alloc(markerBytes));
  } finally {
    closeSync(descriptor);
  }
}

function markerIn(descriptor: number, buffer: Buffer): number | undefined {
  const read = readSync(descriptor, buffer, 0, markerBytes, markerOffset);
  return read < markerBytes ? undefined : buffer.readUInt32BE();
}

/**
 * Rejects a database with a second name (hard link). Each name would have its own write-ahead log and its own lock, so
 * two processes would damage the file without noticing.
 * @throws StartError
 */
export function requireOneName(path: string): void {
  const status = statSync(path, { throwIfNoEntry: false });
  if (status === undefined || !status.isFile() || status.nlink === 1) return;
  const leftovers = namesOfKilledRestore(path).length;
  if (status.nlink - leftovers === 1) return;
  throw new StartError(
    `database ${path}: the file has ${status.nlink} names (hard links), and processes that use different names would damage it; ` +
      `keep one name ('find DIRECTORY -samefile ${path}' lists them), or replace the others by symbolic links`,
  );
}

/** Names next to the database that a killed `restore` gave to the same file. */
export function namesOfKilledRestore(path: string): string[] {
  const real = realpathSync(path);
  const status = statSync(real);
  if (status.nlink === 1) return [];
  return readdirSync(dirname(real))
    .filter((name) => name.startsWith(`${basename(real)}${asideEnding}`))
    .map((name) => join(dirname(real), name))
    .filter((name) => isSame(identityOf(name), identityOf(real)));
}

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
