import type { Instant, Timer } from "../../platform/lib/clock.ts";

interface PendingTimer {
  /** A time of day, which moves when the clock is set back, or an elapsed time. */
  due: { instant: Instant } | { elapsedMs: number };
  callback: () => void;
}

// setTimeout stores its delay in 32 bits.
const timeoutMsMax = 2 ** 31 - 1;

/** The timers of a clock. All times are elapsed milliseconds. */
export function createTimerQueue({
  elapsedMs,
  origin,
}: {
  elapsedMs: () => number;
  /** Time of day at elapsed time 0. */
  origin: () => Instant;
}) {
  const pending = new Set<PendingTimer>();
  let timeout: ReturnType<typeof setTimeout> | undefined;
  let inRealTime = false;
  const dueMs = ({ due }: PendingTimer) => ("elapsedMs" in due ? due.elapsedMs : due.instant - origin());

  function next(): PendingTimer | undefined {
    let first: PendingTimer | undefined;
    for (const timer of pending) if (first === undefined || dueMs(timer) < dueMs(first)) first = timer;
    return first;
  }

  /** Calls the timers that are due at `nowMs`: in order of time, and of creation within the same time. */
  function callDue(nowMs: number): void {
    for (let timer = next(); timer !== undefined && dueMs(timer) <= nowMs; timer = next()) {
      pending.delete(timer);
      timer.callback();
    }
  }

  function schedule(): void {
    clearTimeout(timeout);
    const timer = next();
    if (timer === undefined || !inRealTime) return;
    const delayMs = Math.min(Math.max(0, dueMs(timer) - elapsedMs()), timeoutMsMax);
    timeout = setTimeout(() => {
      callDue(elapsedMs());
      schedule();
    }, delayMs);
  }

  return {
    add(timer: PendingTimer): Timer {
      pending.add(timer);
      schedule();
      return {
        cancel() {
          pending.delete(timer);
        },
      };
    },
    nextDueMs() {
      const timer = next();
      return timer === undefined ? undefined : dueMs(timer);
    },
    callDue,

    /** Calls the timers as real time passes. */
    runInRealTime() {
      inRealTime = true;
      schedule();
    },
    stopRealTime() {
      inRealTime = false;
      clearTimeout(timeout);
    },
    clear: () => pending.clear(),
  };
}
