import { Database as Sqlite } from "bun:sqlite";
import { closeSync, fstatSync, openSync, readSync, rmSync } from "node:fs";
import { newCopyPath } from "../../../platform/database/files/pending-restore.ts";
import { sequencesOf } from "../../../platform/database/files/sequences.ts";
import type { FillRandom } from "../../../platform/lib/ids.ts";
import { copyCommittedPages, LogRestartedError, type CommittedPages } from "./write-ahead-log.ts";

const busyTimeoutMs = 10_000;
/** The log can be restarted only if the whole of it was copied into the file just before: rarely twice in a row. */
const attemptsMax = 100;
/** Contains locks of SQLite, and never content: https://www.sqlite.org/fileformat.html §1.6. */
const lockPosition = 0x4000_0000;
/** `user_version` in the header, with which a server recognizes its file. A copy is not this file. */
const markerPosition = 60;
const markerBytes = 4;

/** The state of a database at one moment, while others write to it. */
export interface DatabaseSnapshot {
  readonly bytes: number;
  /** See `BackupManifest`. */
  readonly schema: number;
  readonly sequences: Record<string, number>;
  /** Fills the buffer with the content at a position; both are multiples of the page size, or reach the end. */
  read(buffer: Buffer, position: number): void;
  close(): void;
}

/**
 * Opens a snapshot. Writers continue; the write-ahead log grows until it is closed.
 *
 * The file is read page by page, and not copied with `VACUUM INTO`: that needs room for a whole copy, takes three times as
 * long as a backup of a few changes, and moves most pages, so that two backups would have little in common.
 * @param descriptor of the file, if this process has the database open: closing another descriptor would release the
 * locks of the process (POSIX)
 */
export function openSnapshot({
  path,
  descriptor,
  fillRandom,
}: {
  path: string;
  descriptor: number | undefined;
  fillRandom: FillRandom;
}): DatabaseSnapshot {
  const sqlite = new Sqlite(path, { readonly: true, strict: true });
  const closers = [() => sqlite.close()];
  const close = () => {
    for (const closer of closers.splice(0)) closer();
  };
  try {
    sqlite.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    const { page_size: pageBytes } = sqlite.query<{ page_size: number }, []>("PRAGMA page_size").get()!;
    const copy = openCopy(path, fillRandom);
    closers.push(() => closeSync(copy));
    const { pages, schema, sequences } = beginReading({ path, sqlite, copy, pageBytes });
    const file = descriptor ?? openSync(path, "r");
    // After the connection, for its locks.
    if (descriptor === undefined) closers.push(() => closeSync(file));
    const bytes = pages.pages === undefined ? fstatSync(file).size : pages.pages * pageBytes;
    return {
      bytes,
      schema,
      sequences,
      read: (buffer, position) => readPages({ buffer, position, file, copy, pageBytes, pages }),
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** Opens a file without a name, for the pages of the log. A file of a killed process is deleted at the next start. */
function openCopy(path: string, fillRandom: FillRandom): number {
  const name = newCopyPath(path, fillRandom);
  const copy = openSync(name, "wx+", 0o600);
  // A server that starts may have deleted it already.
  rmSync(name, { force: true });
  return copy;
}

function beginReading({
  path,
  sqlite,
  copy,
  pageBytes,
}: {
  path: string;
  sqlite: Sqlite;
  copy: number;
  pageBytes: number;
}): { pages: CommittedPages } & Pick<DatabaseSnapshot, "schema" | "sequences"> {
  for (let attempt = 1; ; attempt++) {
    sqlite.run("BEGIN");
    // The first query acquires the lock.
    const schema = newestMigration(sqlite);
    const sequences = sequencesOf(sqlite);
    try {
      return { pages: copyLog(path, copy, pageBytes), schema, sequences };
    } catch (error) {
      if (!(error instanceof LogRestartedError) || attempt === attemptsMax) throw error;
      sqlite.run("COMMIT");
    }
  }
}

function copyLog(path: string, copy: number, pageBytes: number): CommittedPages {
  const log = openLog(`${path}-wal`);
  if (log === undefined) return { positions: new Map(), pages: undefined };
  try {
    return copyCommittedPages(log, copy, pageBytes);
  } finally {
    closeSync(log);
  }
}

/** Returns undefined if there is none: the connection that reads is the only one and has written nothing. */
function openLog(path: string): number | undefined {
  try {
    return openSync(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function newestMigration(sqlite: Sqlite): number {
  const row = sqlite
    .query<{ newest: number | null }, []>("SELECT max(created_at) AS newest FROM __drizzle_migrations")
    .get();
  return Number(row?.newest ?? 0);
}

function readPages({
  buffer,
  position,
  file,
  copy,
  pageBytes,
  pages,
}: {
  buffer: Buffer;
  position: number;
  file: number;
  copy: number;
  pageBytes: number;
  pages: CommittedPages;
}): void {
  // The end of the file may be missing: its pages are in the log.
  const read = readFile({ file, buffer, position, pageBytes });
  buffer.fill(0, read);
  for (let offset = 0; offset < buffer.length; offset += pageBytes) {
    const page = (position + offset) / pageBytes + 1;
    const place = pages.positions.get(page);
    if (place !== undefined) readSync(copy, buffer, offset, pageBytes, place);
  }
  if (position === 0) buffer.fill(0, markerPosition, markerPosition + markerBytes);
}

/** Reads around the page with the locks, which other systems than POSIX do not let anybody read. */
function readFile({
  file,
  buffer,
  position,
  pageBytes,
}: {
  file: number;
  buffer: Buffer;
  position: number;
  pageBytes: number;
}): number {
  const end = position + buffer.length;
  if (position > lockPosition || end <= lockPosition)
    return readSync(file, buffer, 0, buffer.length, position);
  const before = lockPosition - position;
  if (before > 0) readSync(file, buffer, 0, before, position);
  const after = Math.min(before + pageBytes, buffer.length);
  buffer.fill(0, before, after);
  return (
    after +
    (after === buffer.length ? 0 : readSync(file, buffer, after, buffer.length - after, position + after))
  );
}
