import type { Clock, Instant } from "../../platform/lib/clock.ts";
import { createTimerQueue } from "./timer-queue.ts";

/** A clock that stands still until it is moved, or runs with real time. */
export interface SandboxClock extends Clock {
  flows(): boolean;
  /** Runs with real time from now on. */
  run(): void;
  freeze(): void;
  /**
   * Lets `ms` milliseconds pass. Calls every timer that becomes due at exactly its time, and waits until what it
   * started has settled before time goes on. The clock then stands still. Concurrent calls run one after another.
   */
  advance(ms: number): Promise<void>;
  /** Advances to a time in the future. A time in the past only sets the clock: nothing is undone. */
  set(instant: Instant): Promise<void>;
  /** Drops all timers and ends every advance. */
  close(): void;
}

/**
 * @param monotonicMs real time, while the clock runs
 * @param settle resolves when nothing is in progress that depends on the clock
 */
export function createSandboxClock({
  start,
  monotonicMs,
  settle,
}: {
  start: Instant;
  monotonicMs: () => number;
  settle: () => Promise<void>;
}): SandboxClock {
  // The time of day is `origin` + elapsed time. Setting the clock back moves the origin.
  let origin = start;
  let elapsedBeforeMs = 0;
  let runningSince: number | undefined;
  let turns: Promise<void> = Promise.resolve();
  let closed = false;
  const elapsedMs = () =>
    runningSince === undefined ? elapsedBeforeMs : elapsedBeforeMs + Math.floor(monotonicMs() - runningSince);
  const timers = createTimerQueue({ elapsedMs, origin: () => origin });

  function freeze(): void {
    elapsedBeforeMs = elapsedMs();
    runningSince = undefined;
    timers.stopRealTime();
  }

  async function advanceTo(endMs: number): Promise<void> {
    for (;;) {
      await settle();
      if (closed) return;
      const nextMs = timers.nextDueMs();
      if (nextMs === undefined || nextMs > endMs) break;
      elapsedBeforeMs = Math.max(elapsedBeforeMs, nextMs);
      // Call all timers that are due at this time before anything is awaited.
      timers.callDue(elapsedBeforeMs);
    }
    elapsedBeforeMs = Math.max(elapsedBeforeMs, endMs);
  }

  function inTurn(work: () => Promise<void>): Promise<void> {
    const turn = turns.then(() => (closed ? undefined : work()));
    turns = turn.catch(() => {});
    return turn;
  }

  return {
    now: () => origin + elapsedMs(),
    monotonicMs: elapsedMs,
    at: (instant, callback) => timers.add({ due: { instant }, callback }),
    after: (delayMs, callback) => timers.add({ due: { elapsedMs: elapsedMs() + delayMs }, callback }),
    flows: () => runningSince !== undefined,
    run() {
      if (runningSince !== undefined || closed) return;
      runningSince = monotonicMs();
      timers.runInRealTime();
    },
    freeze,
    advance: (ms) =>
      inTurn(() => {
        freeze();
        return advanceTo(elapsedBeforeMs + ms);
      }),
    set: (instant) =>
      inTurn(async () => {
        freeze();
        const endMs = instant - origin;
        if (endMs >= elapsedBeforeMs) return advanceTo(endMs);
        await settle();
        origin = instant - elapsedBeforeMs;
      }),
    close() {
      freeze();
      closed = true;
      timers.clear();
    },
  };
}
