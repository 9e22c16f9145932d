import type { Log } from "../lib/log.ts";
import { createLockWatch, reportAfterMs, type LockIncident } from "./lock-watch.ts";
import { isBusy } from "./files/errors.ts";
import type { Part, Settled, Transactions } from "./transactions.ts";

/** Writes since the start. */
export interface WriteTotals {
  /** Writes that wait at present. */
  waiting: number;
  /** Writes that were committed or rejected, and how long they waited in all. */
  settled: number;
  waitedMs: number;
}

export interface WriteOptions {
  /**
   * The change survives the end of the process, but until the next synced commit not a power failure: for work that
   * would then be repeated anyway. It does not wait for the disk.
   */
  relaxed?: boolean;
  /** In a server: waits for the lock until shutdown: no request waits for the result. */
  patient?: boolean;
}

/** The write lock was not free in time. Nothing of this write has happened. */
export class DatabaseLockedError extends Error {
  readonly code = "SQLITE_BUSY";

  constructor(incident: LockIncident | undefined) {
    const { pid, command } = incident?.holder ?? {};
    super(
      pid === undefined
        ? "another process holds the database locked"
        : `another process (pid ${pid}, ${command}) holds the database locked`,
    );
    // Minification changes class names.
    this.name = "DatabaseLockedError";
  }
}

interface Waiting extends Part {
  patient: boolean;
  since: number;
  /** For `hold`, instead of `work`: writes through another connection. */
  held?: () => Promise<unknown>;
}

/** Time for which one commit may collect work, so that a long queue does not stop the event loop. */
const sliceMs = 10;
const retryMs = 10;
/** While the lock is held for long, attempts are rarer. */
const incidentRetryMs = 50;
const shutdownPatienceMs = 3_000;
const waitingMax = 20_000;

/**
 * Writes in the order in which they were requested. While another process holds the lock, all of them wait.
 * @param patienceMs how long a write of a command waits: it is alone in its process
 */
export function createWriteQueue(
  path: string,
  { commitTogether, isInTransaction }: Pick<Transactions, "commitTogether" | "isInTransaction">,
  patienceMs: number,
) {
  let watch = createLockWatch({ path, log: undefined });
  const patience = createPatience(patienceMs);
  let waiting: Waiting[] = [];
  let cancelNext: (() => void) | undefined;
  let closed = false;
  let isHeldRunning = false;
  const waits = createWaits();

  function attemptSoon(delayMs: number): void {
    // During an incident, attempts without work detect its end.
    const isIdle = waiting.length === 0 && watch.incident() === undefined;
    if (isIdle || cancelNext !== undefined || closed) return;
    cancelNext = runAfter(delayMs, attempt);
  }

  function enqueue<T>(part: Omit<Waiting, "settle" | "since">): Promise<T> {
    // A promise for a part of a transaction could only resolve after the transaction.
    if (isInTransaction()) throw new Error("a transaction must not wait for another write");
    if (closed) return Promise.reject(closedError());
    if (waiting.length >= waitingMax) return Promise.reject(new DatabaseLockedError(watch.incident()));
    const settle = Promise.withResolvers<unknown>();
    waiting.push({ ...part, settle, since: performance.now() });
    attemptSoon(0);
    return settle.promise as Promise<T>;
  }

  async function runHold(part: Waiting): Promise<void> {
    if (closed) return;
    isHeldRunning = true;
    const error = await runHeld(part);
    isHeldRunning = false;
    waits.add(waiting.splice(0, 1));
    if (isBusy(error)) watch.failed({ rejects: true });
    attemptSoon(0);
  }

  function attempt(): void {
    cancelNext = undefined;
    if (isHeldRunning) return;
    const writes = writesBeforeHold(waiting);
    if (writes.length === 0 && waiting.length > 0) return void runHold(waiting[0]!);
    let settled = 0;
    try {
      settled = commitTogether(writes, { sliceMs });
    } catch (error) {
      if (isBusy(error)) return retryLater();
      // No write can begin a transaction.
      rejectAll(() => error);
    }
    watch.succeeded();
    waits.add(waiting.slice(0, settled));
    waiting = waiting.slice(settled);
    attemptSoon(0);
  }

  function retryLater(): void {
    const { late, others } = patience.separateLate(waiting, watch.lockedSince());
    waiting = others;
    waits.add(late);
    watch.failed({ rejects: late.length > 0 });
    for (const { settle } of late) settle.reject(new DatabaseLockedError(watch.incident()));
    attemptSoon(watch.incident() === undefined ? retryMs : incidentRetryMs);
  }

  function rejectAll(reason: () => unknown): void {
    waits.add(waiting);
    for (const { settle } of waiting.splice(0)) settle.reject(reason());
  }

  return {
    write: <T>(work: () => Settled<T>, { relaxed = false, patient = false }: WriteOptions = {}) =>
      enqueue<T>({ work, durable: !relaxed, patient }),
    /** Runs `work`, which writes through another connection, while nothing else writes. */
    hold: <T>(held: () => Promise<T>) => enqueue<T>({ work() {}, durable: true, patient: false, held }),
    /** From now on, a write waits for the lock for a second instead of `patienceMs`, and incidents are logged. */
    serve(log: Log) {
      watch = createLockWatch({ path, log });
      patience.serve();
    },
    /** From now on, patient writes wait only as long as the shutdown permits. */
    endPatience: patience.endSoon,
    incident: () => watch.incident(),
    totals: (): WriteTotals => ({ waiting: waiting.length, ...waits.totals }),
    /** Commits what is still waiting, or rejects it if that is not possible at once. */
    close() {
      closed = true;
      cancelNext?.();
      for (let left = Infinity; waiting.length > 0 && waiting.length < left;) {
        left = waiting.length;
        attempt();
      }
      rejectAll(closedError);
    },
  };
}

const closedError = () => new Error("the database is closed");

/** Decides how long a write waits for the lock. */
function createPatience(patienceMs: number) {
  let serving = false;
  let endsAt = Infinity;
  return {
    serve: () => void (serving = true),
    endSoon: () => void (endsAt = performance.now() + shutdownPatienceMs),
    /**
     * Separates the writes that have waited for the lock for too long. Waiting for other writes of this process, such as
     * a large decision in a thread, does not count.
     */
    separateLate(waiting: readonly Waiting[], lockedSince?: number): { late: Waiting[]; others: Waiting[] } {
      const now = performance.now();
      const limitMs = serving ? reportAfterMs : patienceMs;
      const waitedMs = ({ since }: Waiting) => now - Math.max(since, lockedSince ?? now);
      const isLate = (part: Waiting) =>
        now >= endsAt || (!(part.patient && serving) && waitedMs(part) >= limitMs);
      return { late: waiting.filter(isLate), others: waiting.filter((part) => !isLate(part)) };
    },
  };
}

/** Returns the writes before the first held work. */
function writesBeforeHold(waiting: readonly Waiting[]): readonly Waiting[] {
  const end = waiting.findIndex(({ held }) => held !== undefined);
  return end < 0 ? waiting : waiting.slice(0, end);
}

/** Runs held work. Returns the error with which it was rejected. */
async function runHeld({ held, settle }: Waiting): Promise<unknown> {
  try {
    settle.resolve(await held!());
    return undefined;
  } catch (error) {
    settle.reject(error);
    return error;
  }
}

/** Returns a function that cancels the run. */
function runAfter(delayMs: number, run: () => void): () => void {
  if (delayMs === 0) {
    const immediate = setImmediate(run);
    return () => clearImmediate(immediate);
  }
  const timer = setTimeout(run, delayMs);
  return () => clearTimeout(timer);
}

/** Adds up how long writes waited. */
function createWaits() {
  const totals = { settled: 0, waitedMs: 0 };
  return {
    totals,
    add(parts: readonly Waiting[]): void {
      const now = performance.now();
      totals.settled += parts.length;
      for (const { since } of parts) totals.waitedMs += now - since;
    },
  };
}
