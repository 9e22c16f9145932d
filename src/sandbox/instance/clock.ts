import type { Clock, Instant, Timer } from "../../lib/clock.ts";

/** A clock that stands still until it is moved, or flows when it is let go. */
export interface SandboxClock extends Clock {
  flows(): boolean;
  /** Lets it flow with real time from where it stands. */
  run(): void;
  freeze(): void;
  /**
   * Lets so much time pass: every timer that becomes due on the way is called at exactly its time, and what it
   * begins has settled before time goes on. The clock stands still afterwards. One after another, if several ask.
   */
  advance(ms: number): Promise<void>;
  /** Like `advance` towards a time to come. Back to one that is past nothing is undone: only the clock is set. */
  set(instant: Instant): Promise<void>;
  /** Calls no timer any more, and ends every advance. */
  close(): void;
}

interface Pending {
  /** Time of day (moves when the clock is set back), or passed time. */
  due: { instant: Instant } | { elapsedMs: number };
  callback: () => void;
}

// setTimeout holds its delay in 32 bits.
const timeoutMsMax = 2 ** 31 - 1;

/**
 * @param monotonicMs real time that passes, for as long as the clock flows.
 * @param settle resolves when nothing is under way that the clock's time belongs to.
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
  // The time of day is `origin` + what has passed; setting the clock back moves the origin.
  let origin = start;
  let passedMs = 0;
  let flowingSince: number | undefined;
  let alarm: ReturnType<typeof setTimeout> | undefined;
  let queue: Promise<void> = Promise.resolve();
  let closed = false;
  const pending = new Set<Pending>();

  const elapsed = () =>
    flowingSince === undefined ? passedMs : passedMs + Math.floor(monotonicMs() - flowingSince);
  const dueAt = ({ due }: Pending) => ("elapsedMs" in due ? due.elapsedMs : due.instant - origin);

  /** In the order of time, and of those of one time the one that was made first. */
  function earliest(): Pending | undefined {
    let first: Pending | undefined;
    for (const one of pending) if (first === undefined || dueAt(one) < dueAt(first)) first = one;
    return first;
  }

  function add(timer: Pending): Timer {
    pending.add(timer);
    arm();
    return {
      cancel() {
        pending.delete(timer);
      },
    };
  }

  function call(timer: Pending): void {
    pending.delete(timer);
    timer.callback();
  }

  function arm(): void {
    clearTimeout(alarm);
    const next = earliest();
    if (flowingSince === undefined || next === undefined) return;
    alarm = setTimeout(callDue, Math.min(Math.max(0, dueAt(next) - elapsed()), timeoutMsMax));
  }

  function callDue(): void {
    for (let next = earliest(); next !== undefined && dueAt(next) <= elapsed(); next = earliest()) call(next);
    arm();
  }

  function freeze(): void {
    passedMs = elapsed();
    flowingSince = undefined;
    clearTimeout(alarm);
  }

  async function advanceTo(endMs: number): Promise<void> {
    for (;;) {
      await settle();
      if (closed) return;
      const next = earliest();
      if (next === undefined || dueAt(next) > endMs) break;
      passedMs = Math.max(passedMs, dueAt(next));
      // Whatever is due at this very time is called before anybody waits.
      for (let due: Pending | undefined = next; due !== undefined && dueAt(due) <= passedMs; due = earliest())
        call(due);
    }
    passedMs = Math.max(passedMs, endMs);
  }

  function inTurn(work: () => Promise<void>): Promise<void> {
    const turn = queue.then(() => (closed ? undefined : work()));
    queue = turn.catch(() => {});
    return turn;
  }

  return {
    now: () => origin + elapsed(),
    at: (instant, callback) => add({ due: { instant }, callback }),
    after: (delayMs, callback) => add({ due: { elapsedMs: elapsed() + delayMs }, callback }),
    flows: () => flowingSince !== undefined,
    run() {
      if (flowingSince !== undefined || closed) return;
      flowingSince = monotonicMs();
      arm();
    },
    freeze,
    advance: (ms) =>
      inTurn(() => {
        freeze();
        return advanceTo(passedMs + ms);
      }),
    set: (instant) =>
      inTurn(async () => {
        freeze();
        const endMs = instant - origin;
        if (endMs >= passedMs) return advanceTo(endMs);
        await settle();
        origin = instant - passedMs;
      }),
    close() {
      freeze();
      closed = true;
      pending.clear();
    },
  };
}
