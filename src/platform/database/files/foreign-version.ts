import type { Database as Sqlite } from "bun:sqlite";
import { openWalIndexHeader, type WalIndexHeader } from "./wal-index.ts";

/** Version of a database that changes with every commit of another process, not with our own. */
export interface ForeignVersion {
  read(): number;
  /**
   * Makes `read` fast, which takes a millisecond once: SQLite locks and unlocks the database for each check, in 1.7 µs,
   * so `read` only lets it check after the header of the WAL index has changed, which takes 10 ns to see.
   */
  prepare(): void;
  /** Returns the size that the write-ahead log has at least; 0 if it is not known, as before `prepare`. */
  logBytes(): number;
  /** Call it after the connection is closed. */
  close(): void;
}

/** @param index the WAL index; undefined: there is none */
export function createForeignVersion(
  sqlite: Sqlite,
  index: Parameters<typeof openWalIndexHeader>[0] | undefined,
): ForeignVersion {
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
    prepare() {
      if (header === undefined) header = open(index);
    },
    logBytes: () => header?.logBytes() ?? 0,
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
