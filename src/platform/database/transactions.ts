import type { Database as Sqlite } from "bun:sqlite";
import { isBusy } from "./files/errors.ts";
import { withoutWaiting } from "./pragmas.ts";

/** Value of a transaction: not a promise, because SQLite would commit at the first `await`. */
export type Settled<T> = T extends PromiseLike<unknown> ? never : T;

/** One of several pieces of work that share a commit. */
export interface Part {
  work: () => unknown;
  settle: { resolve: (value: unknown) => void; reject: (reason: unknown) => void };
  /** Whether the commit must survive a power failure. */
  durable: boolean;
}

/** Transactions on one connection. See `Database` for those that callers use. */
export type Transactions = ReturnType<typeof createTransactions>;

export function createTransactions(sqlite: Sqlite) {
  const begin = sqlite.prepare("BEGIN");
  const beginImmediate = sqlite.prepare("BEGIN IMMEDIATE");
  const commit = sqlite.prepare("COMMIT");
  let callbacks: (() => void)[] = [];

  function runCallbacks(): void {
    const committed = callbacks;
    callbacks = [];
    for (const callback of committed) callback();
  }

  function transaction<T>(work: () => Settled<T>): T {
    if (sqlite.inTransaction) return work();
    let result: T;
    try {
      result = sqlite.transaction(work).immediate();
    } catch (error) {
      callbacks = [];
      throw error;
    }
    runCallbacks();
    return result;
  }

  function snapshot<T>(work: () => Settled<T>): T {
    if (sqlite.inTransaction) return work();
    begin.run();
    try {
      return work();
    } finally {
      // After a severe error, SQLite has already ended the transaction.
      if (sqlite.inTransaction) commit.run();
    }
  }

  /** Returns a function that settles the part; call it after the commit. */
  function runApart({ work, settle }: Part): () => void {
    const before = [...callbacks];
    try {
      // Within a transaction, this is a savepoint.
      const result = sqlite.transaction(work)();
      return () => settle.resolve(result);
    } catch (error) {
      // A severe error, such as a full disk, has ended the whole transaction.
      if (!sqlite.inTransaction) throw error;
      callbacks = before;
      return () => settle.reject(error);
    }
  }

  /**
   * Commits as many of the parts as fit into `sliceMs`, at least one, and settles them. A part that throws is rolled
   * back alone. If nothing can be committed, for example because one part fills the disk, those that were tried are
   * rejected, and the others can still be committed. Does not wait for the write lock.
   * @returns the number of parts that are settled
   * @throws SQLite's error if the lock is not free, or if no transaction can begin; no part is settled then
   */
  function commitTogether(parts: readonly Part[], { sliceMs }: { sliceMs: number }): number {
    const durable = parts.some((part) => part.durable);
    // In WAL mode, a later synced commit also makes this one durable: the log is one file, written in order.
    if (!durable) sqlite.run("PRAGMA synchronous = NORMAL");
    const outcomes: (() => void)[] = [];
    let tried = 0;
    try {
      withoutWaiting(sqlite, () => beginImmediate.run());
      const startedAt = performance.now();
      for (const part of parts) {
        tried += 1;
        outcomes.push(runApart(part));
        if (performance.now() - startedAt >= sliceMs) break;
      }
      commit.run();
    } catch (error) {
      if (sqlite.inTransaction) sqlite.run("ROLLBACK");
      callbacks = [];
      if (tried === 0 || isBusy(error)) throw error;
      // Nothing was committed, whatever each part reported.
      for (const { settle } of parts.slice(0, tried)) settle.reject(error);
      return tried;
    } finally {
      if (!durable) sqlite.run("PRAGMA synchronous = FULL");
    }
    // Settled first: what is committed must not be reported as failed because a callback throws.
    for (const settle of outcomes) settle();
    runCallbacks();
    return outcomes.length;
  }

  return {
    isInTransaction: () => sqlite.inTransaction,
    transaction,
    snapshot,
    afterCommit(callback: () => void) {
      if (!sqlite.inTransaction) callback();
      else if (!callbacks.includes(callback)) callbacks.push(callback);
    },
    commitTogether,
  };
}
