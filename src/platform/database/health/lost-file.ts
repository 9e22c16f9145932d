import {
  closeSync,
  copyFileSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { fileStamp } from "../../lib/clock.ts";
import { logDropped } from "../../lib/log.ts";
import type { Database } from "../database.ts";
import {
  databaseFileChangedCode,
  describeChange,
  type FileChange,
  type OpenFile,
} from "../files/open-file.ts";
import { truncateLogNow } from "./housekeeping.ts";
import type { Database as Sqlite } from "bun:sqlite";
import { unmark } from "../backup.ts";
import { syncToDisk } from "../../lib/disk.ts";
import { readPragma } from "../pragmas.ts";
import type { FillRandom } from "../../lib/ids.ts";
import type { Needs } from "../needs.ts";
import type { ErrorsSeen } from "./errors-seen.ts";

/** Saves what can be saved after the file of an open database was changed from outside. */
export function createLostFile(
  given: Needs<"clock" | "log"> & { database: Pick<Database, "sqlite" | "path">; file: OpenFile },
) {
  const { database, file, clock, log } = given;
  let done = false;
  /** File with the data, once it is complete. */
  let keptAs: string | undefined;
  let reported = false;
  const stamp = () => fileStamp(clock.now());

  /** Copies everything into the open file, which is complete then without its log. */
  function complete(): boolean {
    return truncateLogNow(database);
  }

  /** SQLite would mix them with the file that is now at the path. */
  function removeSideFiles(): void {
    for (const path of file.ownSideFiles()) rmSync(path, { force: true });
  }

  async function save(): Promise<void> {
    if (!complete()) return;
    removeSideFiles();
    const target = `${file.path}.lost-${stamp()}`;
    await copyOpenFile(file, target);
    keptAs = target;
    done = true;
    log.event("database.copy_saved", { file: target });
  }

  /**
   * The log belongs to the content that is gone. SQLite still has it open, and would copy it into the new content when
   * the process ends: it is emptied, so that there is nothing to copy.
   */
  function setLogAside(): void {
    for (const path of file.ownSideFiles()) {
      if (path.endsWith("-wal")) {
        copyFileSync(path, `${path}.set-aside-${stamp()}`);
        truncateSync(path);
      }
      rmSync(path);
    }
    done = true;
  }

  function keepLog(): void {
    if (!hasForeignLog(file) && !complete()) return;
    removeSideFiles();
    done = true;
  }

  function saveFromMemory(): void {
    const target = `${file.path}.lost-${stamp()}`;
    try {
      copyFromMemory(database.sqlite, target);
      keptAs = target;
      log.event("database.copy_saved", { file: target });
    } catch (error) {
      // The content of the file without its log remains.
      logDropped(log, error, "database.maintenance_failed");
    }
    // SQLite would put what is left of it over newer pages of the file.
    setLogAside();
  }

  return {
    /** Continues the rescue. Call it regularly once the file has changed. */
    async step(change: FileChange) {
      if (!reported) {
        reported = true;
        const reason = describeChange(change);
        log.event("database.file_changed", {
          code: databaseFileChangedCode,
          change,
          file: file.path,
          reason,
        });
      }
      if (done) return;
      if (change === "overwritten") setLogAside();
      else if (change === "log_lost") keepLog();
      else if (change === "log_truncated") saveFromMemory();
      else await save();
    },

    /** Describes the problem, and what to do. */
    describe(change: FileChange) {
      const kept =
        keptAs === undefined ? "" : `; what it contained is in ${keptAs}, which 'phishwatch restore' accepts`;
      return `${describeChange(change)} while the server had it open; changes are refused until it is restarted${kept}`;
    },
  };
}

/** Returns whether another process has begun a log of its own: both cannot be merged. That of a reader is empty. */
function hasForeignLog(file: OpenFile): boolean {
  const path = `${file.path}-wal`;
  if (file.ownSideFiles().includes(path)) return false;
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

const chunkBytes = 1 << 20;
/** Memory that the rescue of a database may take. Of a larger one, pages may be missing. */
const cacheKibMax = 1 << 20;

/**
 * Copies the open file, which no longer is at its path, to `target`. Yields after each chunk.
 * @throws the system's error, for example because the disk is full
 */
async function copyOpenFile(file: Pick<OpenFile, "read">, target: string): Promise<void> {
  const partial = `${target}.partial`;
  const descriptor = openSync(partial, "wx", 0o600);
  try {
    const buffer = Buffer.alloc(chunkBytes);
    for (let position = 0; ;) {
      const bytes = file.read(buffer, position);
      if (bytes === 0) break;
      let written = 0;
      while (written < bytes) written += writeSync(descriptor, buffer, written, bytes - written);
      position += bytes;
      await new Promise((resolve) => setImmediate(resolve));
    }
    fsyncSync(descriptor);
    renameSync(partial, target);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Copies a database whose log is gone to `target`. The pages that it contained are only in the memory of this connection, which
 * wrote most of them. Reading must not displace them there.
 * @throws SQLite's or the system's error, for example because a page is missing
 */
function copyFromMemory(sqlite: Sqlite, target: string): void {
  const partial = `${target}.partial`;
  const kib = (readPragma(sqlite, "page_count") * readPragma(sqlite, "page_size")) / 1_024;
  const before = readPragma(sqlite, "cache_size");
  try {
    closeSync(openSync(partial, "wx", 0o600));
    sqlite.run(`PRAGMA cache_size = -${Math.ceil(Math.min(cacheKibMax, kib))}`);
    sqlite.run("VACUUM INTO ?", [partial]);
    unmark(partial);
    syncToDisk(partial);
    renameSync(partial, target);
  } finally {
    rmSync(partial, { force: true });
    sqlite.run(`PRAGMA cache_size = ${before}`);
  }
}

const probeIntervalMs = 5_000;

/** Marks the file of this server, so that other content in the same file can be recognized. */
export function createMarking(
  given: Needs<"clock" | "database"> & { file: OpenFile; errors: ErrorsSeen; marker: number },
) {
  const { database, file, clock, errors, marker } = given;
  const { sqlite } = database;
  let isMarked = false;
  let probedAtMs = -Infinity;

  let isWriting = false;

  function write(): void {
    isWriting = true;
    try {
      sqlite.transaction(() => sqlite.run(`PRAGMA user_version = ${marker}`)).immediate();
    } finally {
      isWriting = false;
    }
  }

  return {
    isMarked: () => isMarked,

    /** Whether the marker is being written, which is harmless also in a damaged file. */
    isWriting: () => isWriting,

    /** Writes the marker into the header of the file, if it is not there yet. */
    mark() {
      if (isMarked) return;
      try {
        write();
        // Until the marker is in the file itself, the file would look overwritten.
        if (!truncateLogNow(database)) return;
        file.expectMarker(marker);
        isMarked = true;
      } catch {
        // The disk is full or the database is locked. The next attempt follows soon.
      }
    },

    /** After a write has failed, tries from time to time to write a page: nothing else may be written for hours. */
    probe() {
      const nowMs = clock.monotonicMs();
      if (errors.standing("write") === undefined || nowMs - probedAtMs < probeIntervalMs) return;
      probedAtMs = nowMs;
      try {
        write();
      } catch {
        // The observer of the connection has seen it.
      }
    },
  };
}

/** Returns a positive number: copies of the database have 0. */
export function newMarker(fillRandom: FillRandom): number {
  const bytes = Buffer.alloc(4);
  fillRandom(bytes);
  return (bytes.readUInt32BE() >>> 1) | 1;
}
