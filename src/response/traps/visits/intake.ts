import type { Database } from "../../../platform/database/database.ts";
import type { Needs } from "../../../platform/database/needs.ts";
import type { Clock, Instant } from "../../../platform/lib/clock.ts";
import { logDropped, type Log } from "../../../platform/lib/log.ts";
import type { Yielder } from "../../../platform/lib/yielder.ts";
import type { NetworkLimit } from "./network-limit.ts";

/** Number of visits since the start, by outcome. */
export interface IntakeTotals {
  recorded: number;
  /** Beyond the limit of their network: the visitor got a response, and nothing was recorded. */
  limited: number;
  /** Lost because the queue was full or the visit could not be written. */
  dropped: number;
}

/**
 * The queue of visits to be written. They are written in batches, so that thousands per second cost a few
 * transactions, and with pauses between batches, so that no request waits long behind them.
 */
export interface Intake<Visit> {
  /** Never blocks, never throws. */
  offer(visit: Visit): void;
  totals(): IntakeTotals;
  /** Writes the queue now. */
  flush(): Promise<void>;
  /** Writes the queue; later visits are written immediately. Visits that cannot be written are lost. */
  close(): Promise<void>;
}

/** Classifies a batch. `apply` writes it and must run within a transaction. */
export type WriteBatch<Visit> = (visits: readonly Visit[]) => { mustBeDurable: boolean; apply: () => void };

const queueLengthMax = 20_000;
const batchLengthMax = 200;
// Real time, not the clock's: it only collects visits that arrive at almost the same moment.
const collectMs = 20;
const retryMs = 1_000;
const warnEveryMs = 60_000;

export function createIntake<Visit extends { network: string; at: Instant }>({
  clock,
  database,
  limit,
  log,
  yielder,
  write,
}: Needs<"database" | "log"> & {
  clock: Pick<Clock, "monotonicMs">;
  limit: NetworkLimit;
  yielder: Yielder;
  write: WriteBatch<Visit>;
}): Intake<Visit> {
  const totals: IntakeTotals = { recorded: 0, limited: 0, dropped: 0 };
  const warnOfLoss = createLossWarning({ clock, log });
  let queue: Visit[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let writing: Promise<void> | undefined;
  let closed = false;

  /** Writes visits one by one, so that one that cannot be written does not block the others. */
  async function writeEach(visits: readonly Visit[]): Promise<void> {
    for (const visit of visits) {
      try {
        await writeBatch([visit], { database, write });
        totals.recorded += 1;
      } catch (error) {
        if (isTemporary(error)) throw error;
        logDropped(log, error, "trap.visit_dropped");
        totals.dropped += 1;
      }
      queue.shift();
    }
  }

  /** Returns whether to go on; if not, the batch stays in the queue. */
  async function writeNext(): Promise<boolean> {
    const batch = queue.slice(0, batchLengthMax);
    try {
      try {
        await writeBatch(batch, { database, write });
      } catch (error) {
        if (isTemporary(error)) throw error;
        await writeEach(batch);
        return true;
      }
    } catch (error) {
      logDropped(log, error, "trap.visits_not_written");
      return false;
    }
    queue = queue.slice(batch.length);
    totals.recorded += batch.length;
    return true;
  }

  async function writeAll(): Promise<void> {
    // One turn of the event loop may serve a thousand visits, so the yielder limits time, not a number of visits.
    await yielder.pause();
    while (queue.length > 0) {
      if (!(await writeNext())) return void arm(retryMs);
      if (yielder.due()) await yielder.pause();
    }
  }

  function begin(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    writing ??= writeAll().finally(() => (writing = undefined));
    return writing;
  }

  function arm(delayMs: number): void {
    if (timer !== undefined || closed) return;
    timer = setTimeout(() => void begin(), delayMs);
    // The timer must not keep the process alive: `close` writes the queue.
    timer.unref();
  }

  return {
    offer(visit) {
      if (!limit.take(visit.network, visit.at)) totals.limited += 1;
      else if (queue.length >= queueLengthMax) {
        totals.dropped += 1;
        warnOfLoss(totals.dropped);
      } else {
        queue.push(visit);
        if (closed && writing === undefined) void begin();
        else if (writing === undefined) arm(collectMs);
      }
    },
    totals: () => ({ ...totals }),
    flush: begin,
    close() {
      closed = true;
      return begin();
    },
  };
}

function writeBatch<Visit>(
  visits: readonly Visit[],
  { database, write }: { database: Database; write: WriteBatch<Visit> },
): Promise<void> {
  const { mustBeDurable, apply } = write(visits);
  return database.write(apply, { relaxed: !mustBeDurable, patient: true });
}

/** Returns a function that logs, at most once a minute, how many visits were lost. */
function createLossWarning({ clock, log }: { clock: Pick<Clock, "monotonicMs">; log: Log }) {
  let warnedAtMs = -Infinity;
  return (dropped: number) => {
    const nowMs = clock.monotonicMs();
    if (nowMs < warnedAtMs + warnEveryMs) return;
    warnedAtMs = nowMs;
    log.event("trap.visits_lost", { dropped });
  };
}

/** A full disk or a lock passes. Any other error is caused by the visit itself and would occur again. */
function isTemporary(error: unknown): boolean {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  return temporaryCodes.test(String(cause?.code ?? code));
}
const temporaryCodes = /^SQLITE_(FULL|BUSY|LOCKED|IOERR|READONLY|CANTOPEN|NOMEM|PROTOCOL)/;
