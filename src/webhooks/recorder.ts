import { eq, sql } from "drizzle-orm";
import type { Database } from "../database/database.ts";
import { placeholders } from "../database/placeholders.ts";
import { toIsoTime, type Clock, type Instant } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { AttemptResult } from "./attempt.ts";
import type { Health } from "./health.ts";
import { nextAttemptAt, type RetryPolicy } from "./schedule.ts";
import { deliveries, deliveryAttempts } from "./tables.ts";

/** One attempt that is over and has to be written down. */
export interface FinishedAttempt {
  endpointSeq: number;
  deliverySeq: number;
  /** Attempts of this delivery, this one included. */
  attempts: number;
  result: AttemptResult;
}

/** What was written down. */
export interface RecordedAttempt extends FinishedAttempt {
  /** When it is tried again; undefined when it is over. */
  nextAttemptAt: Instant | undefined;
}

/** Writes results, durably and in groups: waiting for the disk costs the same for one as for hundreds. */
export interface Recorder {
  add(attempt: FinishedAttempt): void;
  /** Whether it holds so much that no further attempt should be begun: the disk does not keep up, or is full. */
  full(): boolean;
  /** Whether nothing is held. */
  idle(): boolean;
  /** Writes at once what is held. */
  flush(): void;
  /** Writes at once what is held, and takes no more; what cannot be written is sent again after the next start. */
  close(): void;
}

const groupMax = 250;
// Real time, not the clock's: it only gathers what answers at nearly the same moment.
const groupMs = 5;
const rewriteMs = 1_000;
const heldMax = 4_000;

export function createRecorder({
  database,
  clock,
  log,
  policy,
  health,
  random,
  onRecorded,
}: {
  database: Database;
  clock: Clock;
  log: Log;
  policy: RetryPolicy;
  health: Health;
  /** 0 to 1. */
  random: () => number;
  /** Called after the commit. */
  onRecorded: (attempts: readonly RecordedAttempt[], endpointsChanged: boolean) => void;
}): Recorder {
  const { query } = database;
  const updateDelivery = query
    .update(deliveries)
    .set({
      status: sql`${sql.placeholder("status")}`,
      attempts: sql`${sql.placeholder("attempts")}`,
      nextAttemptAt: sql`${sql.placeholder("nextAttemptAt")}`,
      completedAt: sql`${sql.placeholder("completedAt")}`,
    })
    .where(eq(deliveries.seq, sql.placeholder("seq")))
    .returning({ id: deliveries.id })
    .prepare();
  const insertAttempt = query
    .insert(deliveryAttempts)
    .values(
      placeholders(
        "deliverySeq",
        "startedAt",
        "durationMs",
        "phases",
        "address",
        "statusCode",
        "failure",
        "error",
        "answer",
      ),
    )
    .prepare();
  let held: FinishedAttempt[] = [];
  let closed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function write(attempt: FinishedAttempt): RecordedAttempt {
    const { deliverySeq, attempts, result } = attempt;
    const now = clock.now();
    const next =
      result.failure === null
        ? undefined
        : nextAttemptAt({
            policy,
            attempts,
            endedAt: now,
            retryAfterMs: result.retryAfterMs,
            random: random(),
          });
    const status = result.failure === null ? "succeeded" : next === undefined ? "failed" : "pending";
    const row = updateDelivery.get({
      seq: deliverySeq,
      status,
      attempts,
      nextAttemptAt: next ?? null,
      completedAt: next === undefined ? now : null,
    });
    // The endpoint was removed meanwhile, with its deliveries.
    if (row === undefined) return { ...attempt, nextAttemptAt: undefined };
    insertAttempt.run({ deliverySeq, ...result });
    return { ...attempt, nextAttemptAt: next };
  }

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (held.length === 0) return;
    const group = held;
    let disabled: ReturnType<Health["update"]> = [];
    let recorded: RecordedAttempt[];
    try {
      recorded = database.transaction(() => {
        const written = group.map(write);
        disabled = health.update(group, clock.now());
        return written;
      });
    } catch (error) {
      // Nothing was written and nothing is lost: the results are held until they can be, and meanwhile
      // these deliveries are not sent again.
      log.error({ error, results: group.length }, "webhook results cannot be written; trying again");
      if (!closed) timer = setTimeout(flush, rewriteMs);
      return;
    }
    held = [];
    for (const { id, name, failingSince } of disabled) {
      log.warn(
        { endpoint: id, name, failingSince: toIsoTime(failingSince) },
        "webhook endpoint disabled: nothing but failures since then; enable it once it works again",
      );
    }
    onRecorded(recorded, disabled.length > 0);
  }

  return {
    add(attempt) {
      if (closed) return;
      held.push(attempt);
      if (held.length === groupMax) flush();
      else timer ??= setTimeout(flush, groupMs);
    },
    full: () => held.length >= heldMax,
    idle: () => held.length === 0,
    flush,
    close() {
      closed = true;
      flush();
    },
  };
}
