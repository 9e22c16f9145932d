import { Database as Sqlite } from "bun:sqlite";
import { closeSync, fstatSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { newCopyPath } from "../../../platform/database/files/pending-restore.ts";
import { sequencesOf } from "../restoring/open-database.ts";
import type { FillRandom } from "../../../platform/lib/ids.ts";
import type { Needs } from "../repository/needs.ts";
import { undefinedIfMissing } from "../../../platform/lib/errors.ts";

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
export function openSnapshot(
  path: string,
  { descriptor, fillRandom }: Needs<"fillRandom"> & { descriptor: number | undefined },
): DatabaseSnapshot {
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
    const { pages, schema, sequences } = beginReading(path, sqlite, copy, pageBytes);
    const file = descriptor ?? openSync(path, "r");
    // After the connection, for its locks.
    if (descriptor === undefined) closers.push(() => closeSync(file));
    const bytes = pages.pages === undefined ? fstatSync(file).size : pages.pages * pageBytes;
    const read = (buffer: Buffer, position: number) => {
      // The end of the file may be missing: its pages are in the log.
      buffer.fill(0, readFile(file, buffer, position, pageBytes));
      for (let offset = 0; offset < buffer.length; offset += pageBytes) {
        const place = pages.positions.get((position + offset) / pageBytes + 1);
        if (place !== undefined) readSync(copy, buffer, offset, pageBytes, place);
      }
      if (position === 0) buffer.fill(0, markerPosition, markerPosition + markerBytes);
    };
    return { bytes, schema, sequences, read, close };
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

function beginReading(
  path: string,
  sqlite: Sqlite,
  copy: number,
  pageBytes: number,
): { pages: CommittedPages } & Pick<DatabaseSnapshot, "schema" | "sequences"> {
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
    return undefinedIfMissing(error);
  }
}

function newestMigration(sqlite: Sqlite): number {
  const row = sqlite
    .query<{ newest: number | null }, []>("SELECT max(created_at) AS newest FROM __drizzle_migrations")
    .get();
  return Number(row?.newest ?? 0);
}

/** Reads around the page with the locks, which only POSIX systems allow to read. */
function readFile(file: number, buffer: Buffer, position: number, pageBytes: number): number {
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

/**
 * Reads SQLite's write-ahead log: https://www.sqlite.org/fileformat.html §4. The log begins with a header of 32 bytes.
 * Each frame has a header of 24 bytes and one page. Its checksum covers all frames before it.
 */
const headerBytes = 32;
const frameHeaderBytes = 24;
const magic = 0x377f0682;
const framesPerRead = 256;

/** The committed pages of a log. */
export interface CommittedPages {
  /** Position of the latest content of each page in the copy, by page number; the first page is 1. */
  positions: Map<number, number>;
  /** Size of the database in pages after the last commit; undefined: nothing is committed. */
  pages: number | undefined;
}

/** The log was restarted while it was read. */
class LogRestartedError extends Error {
  constructor() {
    super("the write-ahead log was restarted while it was read");
    this.name = "LogRestartedError";
  }
}

/**
 * Copies the pages of all complete transactions of a log, and says where they are in the copy.
 *
 * The caller holds a read transaction. Then the database file with these pages is the state after one transaction:
 * either SQLite cannot restart the log, and it copies only frames into the file that were committed before the read
 * transaction began, all of which are in this result. Or the read transaction does not use the log, because all of it
 * had been copied into the file: then SQLite can restart the log, but copies nothing into the file. A restart writes a
 * new header before anything else, so the header is compared after the last read.
 * @param log descriptor of the log
 * @param copy descriptor of an empty file
 * @throws LogRestartedError if it has to be read again
 */
function copyCommittedPages(log: number, copy: number, pageBytes: number): CommittedPages {
  const header = readHeader(log);
  const result: CommittedPages =
    header === undefined
      ? { positions: new Map(), pages: undefined }
      : readFrames(log, copy, header, pageBytes);
  const now = readHeader(log);
  if (header === undefined ? now !== undefined : now === undefined || !header.bytes.equals(now.bytes))
    throw new LogRestartedError();
  return result;
}

interface Header {
  bytes: Buffer;
  isBigEndian: boolean;
  sums: [number, number];
}

/** Returns undefined for an empty log, or one whose header is not complete. */
function readHeader(log: number): Header | undefined {
  const bytes = Buffer.alloc(headerBytes);
  if (readSync(log, bytes, 0, headerBytes, 0) < headerBytes) return undefined;
  const isBigEndian = (bytes.readUInt32BE(0) & 1) === 1;
  if ((bytes.readUInt32BE(0) & ~1) >>> 0 !== magic) return undefined;
  const sums: [number, number] = [0, 0];
  addToChecksum(sums, bytes.subarray(0, 24), isBigEndian);
  if (bytes.readUInt32BE(24) !== sums[0] || bytes.readUInt32BE(28) !== sums[1]) return undefined;
  return { bytes, isBigEndian, sums };
}

function readFrames(log: number, copy: number, header: Header, pageBytes: number): CommittedPages {
  const result: CommittedPages = { positions: new Map(), pages: undefined };
  const { bytes: head, isBigEndian } = header;
  const sums: [number, number] = [...header.sums];
  const frameBytes = frameHeaderBytes + pageBytes;
  const buffer = Buffer.alloc(framesPerRead * frameBytes);
  /** Pages of the transaction whose last frame has not been read. */
  let uncommitted: [page: number, position: number][] = [];
  for (let frame = 0; ;) {
    const read = readSync(log, buffer, 0, buffer.length, headerBytes + frame * frameBytes);
    const frames = Math.floor(read / frameBytes);
    for (let index = 0; index < frames; index++, frame++) {
      const bytes = buffer.subarray(index * frameBytes, (index + 1) * frameBytes);
      // Frames of the log before its last restart follow the present ones.
      if (bytes.compare(head, 16, 24, 8, 16) !== 0) return result;
      addToChecksum(sums, bytes.subarray(0, 8), isBigEndian);
      addToChecksum(sums, bytes.subarray(frameHeaderBytes), isBigEndian);
      if (bytes.readUInt32BE(16) !== sums[0] || bytes.readUInt32BE(20) !== sums[1]) return result;
      writeSync(copy, bytes, frameHeaderBytes, pageBytes, frame * pageBytes);
      uncommitted.push([bytes.readUInt32BE(0), frame * pageBytes]);
      const pages = bytes.readUInt32BE(4);
      if (pages === 0) continue;
      for (const [page, position] of uncommitted) result.positions.set(page, position);
      result.pages = pages;
      uncommitted = [];
    }
    if (frames === 0) return result;
  }
}

/** Adds bytes to SQLite's checksum. Their number is a multiple of 8. */
function addToChecksum(sums: [number, number], bytes: Buffer, isBigEndian: boolean): void {
  let [first, second] = sums;
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const isLittleEndian = !isBigEndian;
  for (let offset = 0; offset < bytes.length; offset += 8) {
    first = (first + words.getUint32(offset, isLittleEndian) + second) >>> 0;
    second = (second + words.getUint32(offset + 4, isLittleEndian) + first) >>> 0;
  }
  sums[0] = first;
  sums[1] = second;
}
