import { Database as Sqlite, type Statement } from "bun:sqlite";
import { closeSync, existsSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { drizzle, type BunSQLiteDatabase } from "drizzle-orm/bun-sqlite";
import { StartError, messageOf } from "../lib/errors.ts";
import { migrateDatabase } from "./migrate.ts";
import { isBusy, sqliteErrorCode } from "./sqlite-error.ts";

/** Value of a transaction: not a promise, because SQLite would commit at the first `await`. */
type Settled<T> = T extends PromiseLike<unknown> ? never : T;

/** An open SQLite database. All queries are synchronous. They wait for writers in other processes. */
export interface Database {
  /** Query builder. Use `statement()` for anything that runs more than once: unprepared, a query takes 10 times as long. */
  readonly query: BunSQLiteDatabase;
  /** Raw connection, for what drizzle cannot express (pragmas, online backup, hand-written SQL). */
  readonly sqlite: Sqlite;
  /** Path of the file, or ":memory:". */
  readonly path: string;
  /**
   * Runs `work` in one transaction that holds the write lock from its start. An exception rolls everything back.
   * Within a transaction, it joins that one.
   */
  transaction<T>(work: () => Settled<T>): T;
  /**
   * Runs `work` as a transaction that shares its commit with all others of the same turn of the event loop: a
   * hundred requests wait for one write to the disk instead of a hundred. Resolves when the commit is durable. If
   * `work` throws, only its own changes are rolled back.
   */
  groupCommit<T>(work: () => Settled<T>): Promise<T>;
  /**
   * Runs `work`, which may only read, on one consistent state of the database. Each query takes 1 µs less, because
   * the locks are acquired once.
   */
  snapshot<T>(work: () => Settled<T>): T;
  /** Calls `callback` once after the current transaction has committed; immediately outside of a transaction. */
  afterCommit(callback: () => void): void;
  /** Size on disk: the file, and the write-ahead log. Undefined in memory. */
  bytesOnDisk(): { file: number; log: number } | undefined;
  /** Version that changes with every commit of another process, not with our own. */
  foreignVersion(): number;
  close(): void;
}

// Another process (import, command line) holds the lock for at most one batch.
const busyTimeoutMs = 10_000;
const modePauseMs = 20;
const mmapBytesMax = 1 << 30;

/**
 * Opens the database, creates it if it does not exist, and migrates it.
 * @param image for ":memory:": database to start with, as returned by `serialize`.
 * @throws StartError with a message for the operator: no permission, disk full, corrupt, newer than this executable.
 */
export function openDatabase(path: string, image?: Uint8Array): Database {
  const sqlite = openFile(path, image);
  const finalizeAll = trackStatements(sqlite);
  try {
    prepareConnection(sqlite);
    migrateDatabase(sqlite);
  } catch (error) {
    finalizeAll();
    sqlite.close();
    if (error instanceof StartError) throw error;
    throw new StartError(`database ${path}: ${explain(error)}`, { exitCode: 1, cause: error });
  }
  return wrap(sqlite, path, finalizeAll);
}

function openFile(path: string, image: Uint8Array | undefined): Sqlite {
  try {
    if (image !== undefined) return Sqlite.deserialize(image, { strict: true });
    if (path !== ":memory:") mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // Readable by its owner only, because it contains secrets of webhook endpoints. SQLite fills an empty file.
    if (path !== ":memory:" && !existsSync(path)) closeSync(openSync(path, "a", 0o600));
    return new Sqlite(path, { create: true, readwrite: true, strict: true });
  } catch (error) {
    throw new StartError(`database ${path}: ${explain(error)}`, { exitCode: 1, cause: error });
  }
}

function prepareConnection(sqlite: Sqlite): void {
  sqlite.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  useWriteAheadLog(sqlite);
  // An acknowledged change and its event are a promise to the client: they survive a power failure.
  sqlite.run("PRAGMA synchronous = FULL");
  sqlite.run(`PRAGMA mmap_size = ${mmapBytesMax}`);
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

function wrap(sqlite: Sqlite, path: string, finalizeAll: () => void): Database {
  const foreignVersion = sqlite.prepare<{ data_version: number }, []>("PRAGMA data_version");
  const begin = sqlite.prepare("BEGIN");
  const end = sqlite.prepare("COMMIT");
  let callbacks: (() => void)[] = [];
  let waiting: { work: () => unknown; settle: PromiseWithResolvers<unknown> }[] = [];

  function transaction<T>(work: () => Settled<T>): T {
    if (sqlite.inTransaction) return work();
    let result: T;
    try {
      result = sqlite.transaction(work).immediate();
    } catch (error) {
      callbacks = [];
      throw error;
    }
    const committed = callbacks;
    callbacks = [];
    for (const callback of committed) callback();
    return result;
  }

  function snapshot<T>(work: () => Settled<T>): T {
    if (sqlite.inTransaction) return work();
    begin.run();
    try {
      return work();
    } finally {
      // After a severe error, SQLite has already ended the transaction.
      if (sqlite.inTransaction) end.run();
    }
  }

  function groupCommit<T>(work: () => Settled<T>): Promise<T> {
    const settle = Promise.withResolvers<unknown>();
    if (waiting.push({ work, settle }) === 1) setImmediate(commitGroup);
    return settle.promise as Promise<T>;
  }

  function commitGroup(): void {
    const group = waiting;
    waiting = [];
    let outcomes: (() => void)[];
    try {
      outcomes = transaction(() => group.map(({ work, settle }) => runApart(work, settle)));
    } catch (error) {
      // Nothing of the group was committed, whatever each part reported.
      outcomes = group.map(
        ({ settle }) =>
          () =>
            settle.reject(error),
      );
    }
    for (const settle of outcomes) settle();
  }

  /** Returns a function that settles the promise; call it after the commit. */
  function runApart(work: () => unknown, settle: PromiseWithResolvers<unknown>): () => void {
    const before = [...callbacks];
    try {
      // Within a transaction, this is a savepoint.
      const result = sqlite.transaction(work)();
      return () => settle.resolve(result);
    } catch (error) {
      callbacks = before;
      return () => settle.reject(error);
    }
  }

  return {
    query: drizzle({ client: sqlite }),
    sqlite,
    path,
    transaction,
    snapshot,
    groupCommit,
    afterCommit(callback) {
      if (!sqlite.inTransaction) callback();
      else if (!callbacks.includes(callback)) callbacks.push(callback);
    },
    bytesOnDisk: () =>
      path === ":memory:" ? undefined : { file: bytesOf(path), log: bytesOf(`${path}-wal`) },
    foreignVersion: () => foreignVersion.get()!.data_version,
    close() {
      finalizeAll();
      sqlite.close();
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

/** Turns SQLite's errors into messages that say what to do. */
export function explain(error: unknown): string {
  const message = messageOf(error);
  const code = sqliteErrorCode(error) ?? "";
  if (/^(SQLITE_READONLY|EROFS)/.test(code))
    return "it is read-only; give this user write permission for the file and its folder";
  if (/^SQLITE_(NOTADB|CORRUPT)/.test(code)) {
    return `it is damaged or not a database (${message}); move it away, or restore a backup with 'phishwatch restore'`;
  }
  if (code === "SQLITE_FULL" || code === "ENOSPC") return "the disk is full; make room and start again";
  if (/^(SQLITE_CANTOPEN|EACCES|EPERM)/.test(code)) {
    return `it cannot be opened (${message}); check that the folder exists and that this user may write there`;
  }
  if (isBusy(error)) return "another process holds it locked; stop that process and start again";
  return message;
}
