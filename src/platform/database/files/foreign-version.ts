import { dlopen, FFIType, toArrayBuffer } from "bun:ffi";
import type { Database as Sqlite } from "bun:sqlite";
import { closeSync, fstatSync, openSync } from "node:fs";

/**
 * Version of a database that changes with every commit of another process, not with our own.
 * @param index the WAL index; undefined: there is none
 */
export function createForeignVersion(
  sqlite: Sqlite,
  index: Parameters<typeof openWalIndexHeader>[0] | undefined,
) {
  const query = sqlite.prepare<{ data_version: number }, []>("PRAGMA data_version");
  const check = () => query.get()!.data_version;
  /** null: it cannot be read. */
  let header: WalIndexHeader | null | undefined;
  let known = { words: new Uint32Array(), version: 0 };

  return {
    read() {
      if (!header) return check();
      const { words } = header;
      if (areEqual(known.words, words)) return known.version;
      // In a transaction, SQLite may see an earlier state than the header shows.
      if (sqlite.inTransaction) return check();
      // Copied first, so that a commit in between is noticed the next time.
      known = { words: words.slice(), version: check() };
      return known.version;
    },

    /**
     * Makes `read` fast, which takes a millisecond once: SQLite locks and unlocks the database for each check, in 1.7 µs,
     * so `read` only lets it check after the header of the WAL index has changed, which takes 10 ns to see.
     */
    prepare() {
      if (header === undefined) header = open(index);
    },

    /** Returns the size that the write-ahead log has at least; 0 if it is not known, as before `prepare`. */
    logBytes: () => header?.logBytes() ?? 0,

    /** Call it after the connection is closed. */
    close() {
      header?.close();
      header = null;
    },
  };
}

function open(index: Parameters<typeof createForeignVersion>[1]): WalIndexHeader | null {
  if (index === undefined || process.platform !== "linux") return null;
  try {
    return openWalIndexHeader(index);
  } catch {
    // Without it, each check takes longer, and nothing else changes. A replaced file is reported at the next write.
    return null;
  }
}

function areEqual(some: Uint32Array, others: Uint32Array): boolean {
  for (let index = 0; index < others.length; index += 1) if (some[index] !== others[index]) return false;
  return true;
}

/**
 * The header of the WAL index, in shared memory: https://www.sqlite.org/walformat.html §2.2. Every commit of every
 * process changes it, because it contains a counter of transactions and a checksum of all pages in the log.
 */
export type WalIndexHeader = ReturnType<typeof openWalIndexHeader>;

/** Size of the first of the two copies of the header. A commit writes this one last. */
const headerBytes = 48;

/** Sizes of the headers in the write-ahead log: https://www.sqlite.org/fileformat.html §4.1. */
const logHeaderBytes = 32;
const frameHeaderBytes = 24;

/** Constants of Linux, the same on every processor that the executable is built for. */
const readable = 1;
const shared = 1;

/**
 * Maps the header into memory. `Bun.mmap` is no replacement: it closes its descriptor, which releases the locks of the
 * connection.
 * @param inode of the file that the connection has open
 * @throws Error if another file is at the path, or if the C library cannot be called
 */
export function openWalIndexHeader({ path, inode }: { path: string; inode: number }) {
  const { i32, i64, ptr, u64 } = FFIType;
  // musl provides its C library under this name, too.
  const { symbols } = dlopen("libc.so.6", {
    mmap: { args: [ptr, u64, i32, i32, i32, i64], returns: ptr },
    munmap: { args: [ptr, u64], returns: i32 },
  });
  const descriptor = openSync(path, "r");
  if (fstatSync(descriptor).ino !== inode) {
    closeSync(descriptor);
    throw new Error(`${path} was replaced`);
  }
  const address = symbols.mmap(null, headerBytes, readable, shared, descriptor, 0);
  // MAP_FAILED is no number here. The descriptor stays open, for the sake of the locks.
  if (typeof address !== "number") throw new Error(`${path} cannot be mapped into memory`);
  /** Its present words. */
  const words = new Uint32Array(toArrayBuffer(address, 0, headerBytes));
  return {
    words,

    /**
     * Returns the size that the write-ahead log has at least: SQLite announces a shorter one here before it shortens
     * the file.
     */
    logBytes() {
      const frames = words[4]!;
      // Little-endian, as all processors that the executable is built for. 1 stands for 65,536.
      const size = words[3]! >>> 16;
      return frames === 0 ? 0 : logHeaderBytes + frames * (frameHeaderBytes + (size === 1 ? 1 << 16 : size));
    },

    /**
     * Call it after the connection is closed: closing any descriptor of a file releases all locks of the process
     * (POSIX).
     */
    close() {
      symbols.munmap(address, headerBytes);
      closeSync(descriptor);
    },
  };
}
