import { Database as Sqlite, type Statement } from "bun:sqlite";
import { closeSync, existsSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { type BunSQLiteDatabase, drizzle } from "drizzle-orm/bun-sqlite";
import { StartError } from "../lib/errors.ts";
import type { Log } from "../lib/log.ts";
import { explain, isBusy } from "./files/errors.ts";
import { createForeignVersion } from "./files/foreign-version.ts";
import {
  DatabaseDamagedError,
  DatabaseFileChangedError,
  type FileChange,
  type OpenFile,
  openFileAt,
  requireOneName,
} from "./files/open-file.ts";
import { requireOwnLog } from "./files/state-file.ts";
import { type ConnectionObserver, watchConnection } from "./files/watched-connection.ts";
import type { LockIncident } from "./lock-watch.ts";
import { migrateDatabase, type PendingMigrations } from "./migrate.ts";
import { canReleasePages, logBytesKept, logPagesMax } from "./pragmas.ts";
import { preparing, type Prepare } from "./sql-statement.ts";
import { createTransactions, type Settled } from "./transactions.ts";
import { createWriteQueue, type WriteOptions, type WriteTotals } from "./write-queue.ts";

/**
 * An open SQLite database. Queries are synchronous; reads never wait. In a command, a transaction waits for writers
 * in other processes. A server must not wait, because it has one thread: after `serve`, everything that runs in
 * response to requests or timers uses `write`.
 */
export interface Database {
  /** Query builder. Use `statement()` for anything that runs more than once: unprepared, a query takes 10 times as long. */
  readonly query: BunSQLiteDatabase;
  /** For what drizzle cannot express, or only with more words than SQL. Anything else is a `statement()`. */
  readonly prepare: Prepare;
  /** Raw connection, for pragmas, images of the database, and functions that also work on other files. */
  readonly sqlite: Sqlite;
  /** Path of the file, or ":memory:". */
  readonly path: string;
  /** Whether other processes can write to it: false in memory. What only notices their writes need not run then. */
  readonly isShared: boolean;
  /**
   * Runs `work` in one transaction that holds the write lock from its start. An exception rolls everything back.
   * Within a transaction, it joins that one.
   */
  transaction<T>(work: () => Settled<T>): T;
  /**
   * Runs `work` as a transaction as soon as the write lock is free, and blocks nothing until then. All writes of one
   * turn of the event loop share their commit: a hundred requests wait for one write to the disk instead of a hundred.
   * Resolves when the commit is durable. If `work` throws, only its own changes are rolled back. Writes run in the order
   * of the calls.
   * @throws DatabaseLockedError if another process holds the lock for too long; nothing has happened then
   */
  write<T>(work: () => Settled<T>, options?: WriteOptions): Promise<T>;
  /**
   * Runs `work`, which commits a transaction in another thread (`openThreadConnection`), in the order of the calls of
   * `write`. Observers see its error or commit as if this connection had made it.
   */
  writeInThread<T>(work: () => Promise<T>): Promise<T>;
  /** Runs `work`, which changes no data, while nothing is written, in the order of the calls of `write`. */
  holdWrites<T>(work: () => Promise<T>): Promise<T>;
  /** From now on, waits for the write lock for a second at most, and logs who holds it for longer. */
  serve(log: Log): void;
  /** Limits how long the writes of background work may still wait. */
  endPatience(): void;
  /** Returns who holds the write lock, if it has been held for more than a second. */
  lockIncident(): LockIncident | undefined;
  /** Returns how many writes wait and waited. */
  writeTotals(): WriteTotals;
  /**
   * Runs `work`, which may only read, on one consistent state of the database. Each query takes 1 µs less, because
   * the locks are acquired once.
   */
  snapshot<T>(work: () => Settled<T>): T;
  /** The open files; undefined in memory. Once they change, every further change throws. */
  readonly file: OpenFile | undefined;
  /** Observes errors of statements, and commits. */
  observe(observer: DatabaseObserver): void;
  /** From now on, every change throws while `damage` returns what is damaged. */
  refuseIf(damage: () => string | undefined): void;
  /** Calls `callback` once after the current transaction has committed; immediately outside of a transaction. */
  afterCommit(callback: () => void): void;
  /** Size on disk: the file, and the write-ahead log. Undefined in memory. */
  bytesOnDisk(): { file: number; log: number } | undefined;
  /** Version that changes with every commit of another connection, not with our own. */
  foreignVersion(): number;
  close(): void;
}

export interface DatabaseObserver {
  /** An error of a statement or transaction, which its caller receives as well. May be called twice for one error. */
  failed(error: unknown): void;
  /** A change was committed. */
  changed(): void;
}

// Another process (import, command line) holds the lock for at most one batch.
const busyTimeoutMs = 10_000;
/** For the few statements of a server that are no `write`: they block the event loop. */
const servingTimeoutMs = 50;
/** For another thread of a server, which has no event loop that others wait for. */
const threadTimeoutMs = 1_000;
const modePauseMs = 20;

export interface OpenOptions {
  /** For ":memory:": database to start with, as returned by `serialize`. */
  image?: Uint8Array | undefined;
  /** Is called before a database of an earlier version is migrated. It may throw. */
  beforeMigration?: ((pending: PendingMigrations) => void) | undefined;
}

/**
 * Opens the database, creates it if it does not exist, and migrates it.
 * @throws StartError with a message for the operator: no permission, disk full, corrupt, newer than this executable.
 */
export function openDatabase(path: string, { image, beforeMigration }: OpenOptions = {}): Database {
  const sqlite = openFile(path, image);
  const finalizeAll = trackStatements(sqlite);
  const observers: DatabaseObserver[] = [];
  let file: OpenFile | undefined;
  let damage: () => string | undefined = () => undefined;
  function refuseAfter(change: FileChange | undefined): void {
    if (change !== undefined) throw new DatabaseFileChangedError(change);
    const damaged = damage();
    if (damaged !== undefined) throw new DatabaseDamagedError(damaged);
  }
  const observer: ConnectionObserver = {
    failed: (error) => observers.forEach((one) => one.failed(error)),
    changed: () => observers.forEach((one) => one.changed()),
    checkChange: () => refuseAfter(file?.change()),
    checkCommit() {
      // The pages of the lost log are only in memory, and a rollback would displace some of them. The commit leaves them
      // there until they are saved. It is not acknowledged either: the file is checked again after it. Compared once: the
      // log may be truncated at any moment.
      const change = file?.change();
      if (change !== "log_truncated") refuseAfter(change);
    },
  };
  watchConnection(sqlite, observer);
  try {
    prepareConnection(sqlite);
    migrateDatabase(sqlite, undefined, { before: beforeMigration });
    if (path !== ":memory:") file = openFileAt(path);
  } catch (error) {
    finalizeAll();
    sqlite.close();
    throw asStartError(error, path);
  }
  const refuseIf: Database["refuseIf"] = (one) => void (damage = one);
  return wrap({ sqlite, path, file, observers, observer, refuseIf, finalizeAll });
}

/**
 * Opens a database for another thread of the process that has it open: the file is not checked, because closing it
 * would release the locks of the process (POSIX).
 */
export function openThreadConnection(path: string): Database {
  const sqlite = new Sqlite(path, { create: false, readwrite: true, strict: true });
  const finalizeAll = trackStatements(sqlite);
  const observer: ConnectionObserver = { failed() {}, changed() {}, checkChange() {}, checkCommit() {} };
  prepareConnection(sqlite);
  sqlite.run(`PRAGMA busy_timeout = ${threadTimeoutMs}`);
  // The thread that waits for the result lets another one copy the log.
  sqlite.run(`PRAGMA wal_autocheckpoint = ${logPagesMax}`);
  return wrap({ sqlite, path, file: undefined, observers: [], observer, refuseIf() {}, finalizeAll });
}

function openFile(path: string, image: Uint8Array | undefined): Sqlite {
  try {
    if (path !== ":memory:") {
      requireOneName(path);
      requireOwnLog(path);
    }
    if (image !== undefined) return Sqlite.deserialize(image, { strict: true });
    if (path !== ":memory:") mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // Readable by its owner only, because it contains secrets of webhook endpoints. SQLite fills an empty file.
    if (path !== ":memory:" && !existsSync(path)) closeSync(openSync(path, "a", 0o600));
    return new Sqlite(path, { create: true, readwrite: true, strict: true });
  } catch (error) {
    throw asStartError(error, path);
  }
}

function asStartError(error: unknown, path: string): StartError {
  if (error instanceof StartError) return error;
  return new StartError(`database ${path}: ${explain(error, path)}`, { cause: error });
}

function prepareConnection(sqlite: Sqlite): void {
  sqlite.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  // An existing file keeps its mode until it is rewritten, as a backup does. Not for a file that has this mode already:
  // SQLite would write it again and wait for the disk.
  if (!canReleasePages(sqlite)) sqlite.run("PRAGMA auto_vacuum = INCREMENTAL");
  useWriteAheadLog(sqlite);
  sqlite.run(`PRAGMA journal_size_limit = ${logBytesKept}`);
  // An acknowledged change and its event are a promise to the client: they survive a power failure.
  sqlite.run("PRAGMA synchronous = FULL");
  // The file is not mapped into memory: a truncated file or a bad sector would end the process with SIGBUS instead of
  // causing an error that is reported.
  sqlite.run("PRAGMA mmap_size = 0");
  sqlite.run("PRAGMA cache_size = -65536");
  sqlite.run("PRAGMA temp_store = MEMORY");
  sqlite.run("PRAGMA trusted_schema = OFF");
}

/** Retries, because SQLite fails at once if two processes change the mode of a new file. */
function useWriteAheadLog(sqlite: Sqlite): void {
  for (let attempt = 1; ; attempt++) {
    try {
      sqlite.run("PRAGMA journal_mode = WAL");
      return;
    } catch (error) {
      if (!isBusy(error) || attempt * modePauseMs > busyTimeoutMs) throw error;
      Bun.sleepSync(modePauseMs);
    }
  }
}

interface Opened extends Pick<Database, "sqlite" | "path" | "file" | "refuseIf"> {
  observers: DatabaseObserver[];
  observer: ConnectionObserver;
  finalizeAll: () => void;
}

function wrap({ sqlite, path, file, observers, observer, refuseIf, finalizeAll }: Opened): Database {
  const foreignVersion = createForeignVersion(sqlite, file?.index);
  const transactions = createTransactions(sqlite);
  const { transaction, snapshot, afterCommit } = transactions;
  const queue = createWriteQueue(path, transactions, busyTimeoutMs);
  return {
    query: drizzle({ client: sqlite }),
    prepare: preparing(sqlite),
    sqlite,
    path,
    isShared: path !== ":memory:",
    transaction,
    write: queue.write,
    writeInThread: (work) =>
      queue.hold(async () => {
        observer.checkChange();
        try {
          const result = await work();
          observer.checkChange();
          observer.changed();
          return result;
        } catch (error) {
          observer.failed(error);
          throw error;
        }
      }),
    holdWrites: queue.hold,
    serve(log) {
      sqlite.run(`PRAGMA busy_timeout = ${servingTimeoutMs}`);
      foreignVersion.prepare();
      file?.expectLog(foreignVersion.logBytes);
      queue.serve(log);
    },
    endPatience: queue.endPatience,
    lockIncident: queue.incident,
    writeTotals: queue.totals,
    snapshot(work) {
      // Before the transaction, in which a new version could not be noted.
      foreignVersion.prepare();
      if (!sqlite.inTransaction) foreignVersion.read();
      return snapshot(work);
    },
    file,
    observe: (one) => void observers.push(one),
    refuseIf,
    afterCommit,
    bytesOnDisk: () =>
      path === ":memory:" ? undefined : { file: bytesOf(path), log: bytesOf(`${path}-wal`) },
    foreignVersion: foreignVersion.read,
    close() {
      queue.close();
      // SQLite would remove or copy files of the same names that are no longer its own. The system closes everything.
      if (file?.change() !== undefined) return;
      finalizeAll();
      sqlite.close();
      foreignVersion.close();
      file?.close();
    },
  };
}

/** Returns 0 for a missing file. */
function bytesOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * Tracks prepared statements, to finalize them at the end: SQLite keeps a connection with open statements alive as a
 * zombie, with its lock and its two side files.
 */
function trackStatements(sqlite: Sqlite): () => void {
  const prepare = sqlite.prepare.bind(sqlite);
  let statements: WeakRef<Statement>[] = [];
  let pruneAt = 1_000;
  sqlite.prepare = ((...parameters: Parameters<typeof prepare>) => {
    const statement = prepare(...parameters);
    statements.push(new WeakRef(statement));
    if (statements.length > pruneAt) {
      statements = statements.filter((reference) => reference.deref() !== undefined);
      pruneAt = 2 * statements.length + 1_000;
    }
    return statement;
  }) as typeof sqlite.prepare;
  return () => {
    for (const reference of statements) reference.deref()?.finalize();
  };
}

/**
 * Runs `work` in a transaction that does not wait for the disk: it survives the end of the process, but until the next
 * synced commit not a power failure. For work that would then be repeated anyway. Within a transaction, it joins
 * that one.
 */
export function relaxedTransaction<T>(
  database: Database,
  work: Parameters<typeof database.transaction<T>>[0],
): T {
  if (database.sqlite.inTransaction) return database.transaction(work);
  // In WAL mode, a later synced commit also makes this one durable: the log is one file, written in order.
  database.sqlite.run("PRAGMA synchronous = NORMAL");
  try {
    return database.transaction(work);
  } finally {
    database.sqlite.run("PRAGMA synchronous = FULL");
  }
}
