import type { Database } from "../database/database.ts";
import { relaxedTransaction } from "../database/relaxed.ts";
import type { Clock, Instant } from "../lib/clock.ts";
import { logDropped, type Log } from "../lib/log.ts";
import type { Pacer } from "../lib/pacer.ts";
import type { BeaconReport } from "./judge.ts";
import type { NetworkLimit } from "./network-limit.ts";

/** A visit as it came in, before anything was decided about it. */
export type RawHit = {
  trapId: string;
  at: Instant;
  ipAddress: string | null;
  network: string;
  userAgent: string | null;
} & (
  | { trap: "beacon"; report: BeaconReport }
  | {
      trap: "token";
      method: string;
      /** From the path on. */
      url: string;
      referrer: string | null;
      headers: [name: string, value: string][];
    }
);

/** What became of visits since the start. */
export interface IntakeTotals {
  recorded: number;
  /** Beyond what one network may make in a minute: answered, and nothing else. */
  limited: number;
  /** There was no room for them. */
  dropped: number;
}

/**
 * Where visits wait to be written down: together, so that thousands a second cost a few transactions, and in
 * pieces, so that no request waits for long behind them.
 */
export interface Intake {
  /** Never blocks, never throws. */
  offer(hit: RawHit): void;
  totals(): IntakeTotals;
  /** Writes all that waits, at once. */
  flush(): Promise<void>;
  /** Writes all that waits; what comes later is written at once. What cannot be written is lost. */
  close(): Promise<void>;
}

const heldMax = 20_000;
const pieceMax = 200;
// Real time, not the clock's: it only gathers what comes at nearly the same moment.
const gatherMs = 20;
const rewriteMs = 1_000;
const tellMs = 60_000;

export function createIntake({
  clock,
  database,
  limit,
  log,
  pacer,
  write,
}: {
  clock: Clock;
  database: Database;
  limit: NetworkLimit;
  log: Log;
  pacer: Pacer;
  /** Has to run within a transaction; judges first, and answers whether it has to be durable. */
  write: (hits: readonly RawHit[]) => { needsDisk: boolean; apply: () => void };
}): Intake {
  const totals: IntakeTotals = { recorded: 0, limited: 0, dropped: 0 };
  let held: RawHit[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let writing: Promise<void> | undefined;
  let closed = false;
  let toldAt = -Infinity;

  function drop(hits: number): void {
    totals.dropped += hits;
    const now = clock.now();
    if (now < toldAt + tellMs && now >= toldAt) return;
    toldAt = now;
    log.warn(
      { dropped: totals.dropped },
      "visits to traps come faster than they can be written; some are lost",
    );
  }

  function writeDown(hits: readonly RawHit[]): void {
    const { needsDisk, apply } = write(hits);
    if (needsDisk) database.transaction(apply);
    else relaxedTransaction(database, apply);
  }

  /** One that nobody foresaw must not keep all others from being written. */
  function writeEach(hits: readonly RawHit[]): void {
    for (const hit of hits) {
      try {
        writeDown([hit]);
        totals.recorded += 1;
      } catch (error) {
        if (isOfDatabase(error)) throw error;
        logDropped(log, error, "a visit to a trap cannot be written and is left out");
        totals.dropped += 1;
      }
      held.shift();
    }
  }

  function writePiece(): boolean {
    const piece = held.slice(0, pieceMax);
    try {
      try {
        writeDown(piece);
      } catch (error) {
        if (isOfDatabase(error)) throw error;
        writeEach(piece);
        return true;
      }
    } catch (error) {
      logDropped(log, error, "visits to traps cannot be written; trying again");
      return false;
    }
    held = held.slice(piece.length);
    totals.recorded += piece.length;
    return true;
  }

  async function writeAll(): Promise<void> {
    // A turn may serve a thousand visits before it comes back here, so a turn's worth is time and not a number.
    await pacer.pause();
    while (held.length > 0) {
      if (!writePiece()) return void arm(rewriteMs);
      if (pacer.due()) await pacer.pause();
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
    // What waits is written when the appliance stops.
    timer.unref();
  }

  return {
    offer(hit) {
      if (!limit.take(hit.network, hit.at)) totals.limited += 1;
      else if (held.length >= heldMax) drop(1);
      else {
        held.push(hit);
        if (closed && writing === undefined) writePiece();
        else if (writing === undefined) arm(gatherMs);
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

/** A full disk or a lock passes; anything else is the visit's own fault and would be so again. */
function isOfDatabase(error: unknown): boolean {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  return passing.test(String(cause?.code ?? code));
}
const passing = /^SQLITE_(FULL|BUSY|LOCKED|IOERR|READONLY|CANTOPEN|NOMEM|PROTOCOL)/;
