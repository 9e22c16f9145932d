import { delay, type Clock } from "../../../platform/lib/clock.ts";
import type { Needs } from "../../../platform/lib/needs.ts";
import { every, type Schedule } from "../../../platform/lib/schedule.ts";
import { logDropped, type Log } from "../../../platform/lib/log.ts";

/** Runs due jobs, with limits on concurrency and on starts per second. */
export type Worker = ReturnType<typeof createWorker>;

/** Runs the job of one threat, after which it is no longer due. A job that throws is logged and stays due. */
export type RunJob = (threatSeq: number, signal: AbortSignal) => Promise<void>;

const everySecond = "* * * * * *";
const secondMs = 1_000;
/** Number of consecutive failed jobs after which jobs are started one at a time, with pauses. */
const failuresMax = 10;
const pauseMsMin = 2_000;
const pauseMsMax = 60_000;

interface WorkerDependencies extends Needs<"clock" | "log"> {
  /** Name for the log. */
  name: "check" | "registration" | "network" | "screenshot";
  concurrencyMax: number;
  startsPerSecondMax: number;
  /** Called each second before jobs are taken. */
  prepare?: () => Promise<void>;
  take: (limit: number) => number[];
  run: RunJob;
}

/** @param take returns row numbers of due jobs, the most urgent first; may include those in progress. */
export function createWorker(dependencies: WorkerDependencies) {
  const { clock, log, name, concurrencyMax, startsPerSecondMax, prepare, take, run: runJob } = dependencies;
  const running = new Map<number, Promise<void>>();
  const pauses = createPauses(clock);
  let polling = false;
  let session: { poll: Schedule; aborting: AbortController } | undefined;

  /** A poll that waits for the write lock replaces the next ones. */
  async function poll(): Promise<void> {
    if (session === undefined || polling || pauses.isPaused()) return;
    const { signal } = session.aborting;
    polling = true;
    try {
      if (prepare !== undefined) await prepare();
      if (signal.aborted) return;
      const startsMax = pauses.isProbing() ? 1 - running.size : startsPerSecondMax;
      const free = Math.min(concurrencyMax - running.size, startsMax);
      if (free <= 0) return;
      const due = take(free + running.size).filter((threatSeq) => !running.has(threatSeq));
      // Spread over the second: started all at once, ten jobs would delay requests for ten times as long.
      due.slice(0, free).forEach((threatSeq, index) => {
        begin(threatSeq, (index * secondMs) / startsPerSecondMax, signal);
      });
    } catch (error) {
      // A full disk, for example. The next second retries.
      if (!signal.aborted) log.event("lookup.queue_delayed", { lookup: name, error });
    } finally {
      polling = false;
    }
  }

  function begin(threatSeq: number, delayMs: number, signal: AbortSignal): void {
    const done = runLater(threatSeq, delayMs, signal)
      .then(pauses.succeeded, (error: unknown) => {
        if (signal.aborted) return;
        pauses.failed();
        log.event("lookup.failed", { lookup: name, error });
      })
      .finally(() => running.delete(threatSeq));
    running.set(threatSeq, done);
  }

  async function runLater(threatSeq: number, delayMs: number, signal: AbortSignal): Promise<void> {
    if (delayMs > 0) await delay(clock, delayMs, signal);
    signal.throwIfAborted();
    await runJob(threatSeq, signal);
  }

  return {
    start() {
      session = { aborting: new AbortController(), poll: every({ clock, pattern: everySecond, run: poll }) };
      void poll();
    },

    /** Starts no more jobs and aborts those in progress, which stay due. */
    async stop() {
      if (session === undefined) return;
      const { poll: schedule, aborting } = session;
      session = undefined;
      schedule.stop();
      aborting.abort(new Error("stopped"));
      await Promise.all(running.values());
    },

    /** Number of jobs in progress, including a poll, which may start more. */
    running: () => running.size + (polling ? 1 : 0),
  };
}

/**
 * Pauses between jobs while all of them fail, for example because the database is lost: each would repeat its lookups
 * without saving their results, and add a line to the log.
 */
function createPauses(clock: Pick<Clock, "monotonicMs">) {
  let failures = 0;
  let pauseMs = 0;
  let endsAtMs = -Infinity;
  return {
    isPaused: () => clock.monotonicMs() < endsAtMs,
    isProbing: () => failures >= failuresMax,
    succeeded(): void {
      failures = 0;
      pauseMs = 0;
    },
    failed(): void {
      failures += 1;
      if (failures < failuresMax) return;
      pauseMs = Math.min(pauseMsMax, Math.max(pauseMsMin, 2 * pauseMs));
      endsAtMs = clock.monotonicMs() + pauseMs;
    },
  };
}

const failed = "an internal error occurred; the log has details";

/**
 * Awaits a lookup that has time limits of its own, in case one of them does not hold. A lookup that is late or throws
 * leaves a fact unknown and does no other harm.
 */
export async function guardedLookup<T>(
  work: Promise<T>,
  {
    log,
    signal,
    timeoutMs,
    unknown,
  }: { log: Log; signal: AbortSignal; timeoutMs: number; unknown: (reason: string) => T },
): Promise<T> {
  try {
    const late = () => unknown(`no response within ${timeoutMs / 1000} s`);
    return await within(work, { timeoutMs, signal, late });
  } catch (error) {
    signal.throwIfAborted();
    logDropped(log, error, "lookup.request_failed");
    return unknown(failed);
  }
}

/**
 * Resolves with the value of `work`, or of `late` if `work` has not finished after `timeoutMs`. Rejects when
 * `signal` aborts. A safety net around code that has timeouts of its own; a late result of `work` is dropped.
 */
async function within<T>(
  work: Promise<T>,
  { timeoutMs, signal, late }: { timeoutMs: number; signal: AbortSignal; late: () => T },
): Promise<T> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const timer = setTimeout(() => resolve(late()), timeoutMs);
  const giveUp = () => reject(signal.reason as Error);
  signal.addEventListener("abort", giveUp, { once: true });
  work.then(resolve, reject);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", giveUp);
  }
}
