import type { Database as Sqlite, Statement } from "bun:sqlite";

/** Observes everything that runs on a connection. */
export interface ConnectionObserver {
  /** An error of a statement or transaction, which the caller receives as well. */
  failed(error: unknown): void;
  /**
   * Runs before a transaction that will change the database, and before and after its commit. By throwing, it keeps the
   * change from being acknowledged.
   */
  checkChange(): void;
  /**
   * Runs before the commit of a transaction that has changed the database. By throwing, it has the transaction rolled
   * back, which displaces the pages that it changed.
   */
  checkCommit(): void;
  /** A change was committed. */
  changed(): void;
}

const steps = ["get", "all", "values", "raw", "run", "iterate"] as const;
const begins = /^\s*begin\s+immediate\b/i;
const ends = /^\s*(commit|end)\b/i;
const controls = /^\s*(begin|savepoint|release|rollback|pragma|vacuum|attach|detach)\b/i;

type Call = (...values: unknown[]) => unknown;

/**
 * Observes a connection: its own methods, and the statements that they prepare. This is the one place that sees every
 * error, because drizzle and hand-written SQL both prepare here.
 */
export function watchConnection(sqlite: Sqlite, observer: ConnectionObserver): void {
  /** Whether the present transaction, begun by a statement, has changed something. */
  let wrote = false;

  function observed<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      observer.failed(error);
      throw error;
    }
  }

  /** Runs work that commits a change if it returns. */
  function committing<T>(work: () => T, check = observer.checkChange): T {
    check();
    const result = observed(work);
    // The file may have been taken away in the meantime: the commit is lost then, so it must not be acknowledged.
    observer.checkChange();
    observer.changed();
    return result;
  }

  function change<T>(work: () => T): T {
    if (!sqlite.inTransaction) return committing(work);
    wrote = true;
    return observed(work);
  }

  function end<T>(work: () => T): T {
    const changes = wrote;
    wrote = false;
    return changes ? committing(work, observer.checkCommit) : observed(work);
  }

  /** Like `observed`, without a function per call: a request that reads runs four statements. */
  function observedCall(call: Call, statement: Statement): Call {
    return (...values) => {
      try {
        return call.apply(statement, values);
      } catch (error) {
        observer.failed(error);
        throw error;
      }
    };
  }

  function watchCall(call: Call, sql: string, isReadonly: boolean): Call {
    if (ends.test(sql)) return (...values) => (wrote ? end(() => call(...values)) : call(...values));
    // A transaction that is rolled back displaces pages, which may be the last copies of what the log contained.
    if (begins.test(sql)) return (...values) => (observer.checkChange(), call(...values));
    return isReadonly || controls.test(sql) ? call : (...values) => change(() => call(...values));
  }

  function watch<S extends Statement>(statement: S, sql: string): S {
    for (const step of steps) {
      const call = observedCall(statement[step] as Call, statement);
      Object.defineProperty(statement, step, {
        value: watchCall(call, sql, statement.readonly),
        configurable: true,
        writable: true,
      });
    }
    return statement;
  }

  const prepare = sqlite.prepare.bind(sqlite);
  sqlite.prepare = ((...parameters: Parameters<typeof prepare>) =>
    watch(
      observed(() => prepare(...parameters)),
      parameters[0],
    )) as typeof sqlite.prepare;

  const query = sqlite.query.bind(sqlite);
  const known = new WeakSet<Statement>();
  sqlite.query = ((sql: string) => {
    // SQLite's wrapper returns the same statement for the same text.
    const statement = observed(() => query(sql));
    if (known.has(statement)) return statement;
    known.add(statement);
    return watch(statement, sql);
  }) as typeof sqlite.query;

  const runOnce = sqlite.run.bind(sqlite);
  sqlite.run = ((...parameters: Parameters<typeof runOnce>) => {
    const run = ends.test(parameters[0]) ? end : controls.test(parameters[0]) ? observed : change;
    return run(() => runOnce(...parameters));
  }) as typeof sqlite.run;

  watchTransactions(sqlite, { committing, observed });
}

/** Transactions begin and end with statements that the connection prepares out of reach. */
function watchTransactions(
  sqlite: Sqlite,
  { committing, observed }: Record<"committing" | "observed", <T>(work: () => T) => T>,
): void {
  const transaction = sqlite.transaction.bind(sqlite);
  const watched = (call: (...values: unknown[]) => unknown) => {
    return (...values: unknown[]) =>
      // Within a transaction, this is a savepoint.
      sqlite.inTransaction ? observed(() => call(...values)) : committing(() => call(...values));
  };
  sqlite.transaction = ((work: (...values: unknown[]) => unknown) => {
    const made = transaction(work);
    const { deferred, immediate, exclusive } = made;
    return Object.assign(watched(made), {
      deferred: watched(deferred),
      immediate: watched(immediate),
      exclusive: watched(exclusive),
    });
  }) as typeof sqlite.transaction;
}
