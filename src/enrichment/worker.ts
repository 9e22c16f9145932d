import type { Clock } from "../lib/clock.ts";
import { logDropped, type Log } from "../lib/log.ts";
import { every, type Schedule } from "../lib/schedule.ts";

/** Works through what is due, so much at a time and so much a second. */
export interface Worker {
  start(): void;
  /** Begins nothing more and gives up what is under way, which stays due. */
  stop(): Promise<void>;
  /** How many pieces of work are under way. */
  running(): number;
}

const everySecond = "* * * * * *";
const secondMs = 1_000;

/**
 * @param take numbers of what is due, the first to be done first; may name what is under way
 * @param work does one piece, and makes it due no more; what it throws is logged and leaves it due
 */
export function createWorker({
  clock,
  log,
  name,
  concurrencyMax,
  startsPerSecondMax,
  prepare = () => {},
  take,
  work,
}: {
  clock: Clock;
  log: Log;
  /** For the log. */
  name: string;
  concurrencyMax: number;
  startsPerSecondMax: number;
  /** Called each second before work is taken. */
  prepare?: () => void;
  take: (limit: number) => number[];
  work: (number: number, signal: AbortSignal) => Promise<void>;
}): Worker {
  const running = new Map<number, Promise<void>>();
  let run: { poll: Schedule; giveUp: AbortController } | undefined;

  function poll(): void {
    if (run === undefined) return;
    const { signal } = run.giveUp;
    try {
      prepare();
      const free = Math.min(concurrencyMax - running.size, startsPerSecondMax);
      if (free <= 0) return;
      const due = take(free + running.size).filter((number) => !running.has(number));
      // One by one over the second: all at once they would hold up requests for as long as ten take.
      due.slice(0, free).forEach((number, index) => {
        begin(number, (index * secondMs) / startsPerSecondMax, signal);
      });
    } catch (error) {
      // A full disk, say; the next second tries again.
      logDropped(log, error, `${name} is held up`);
    }
  }

  function begin(number: number, delayMs: number, signal: AbortSignal): void {
    const done = turn(delayMs, signal)
      .then(() => work(number, signal))
      .catch((error: unknown) => {
        if (!signal.aborted) logDropped(log, error, `${name} failed`);
      })
      .finally(() => running.delete(number));
    running.set(number, done);
  }

  async function turn(delayMs: number, signal: AbortSignal): Promise<void> {
    if (delayMs > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = clock.after(delayMs, resolve);
      const giveUp = () => resolve();
      signal.addEventListener("abort", giveUp);
      await promise;
      signal.removeEventListener("abort", giveUp);
      timer.cancel();
    }
    signal.throwIfAborted();
  }

  return {
    start() {
      run = { giveUp: new AbortController(), poll: every({ clock, pattern: everySecond, run: poll }) };
      poll();
    },
    async stop() {
      if (run === undefined) return;
      const { poll: schedule, giveUp } = run;
      run = undefined;
      schedule.stop();
      giveUp.abort(new Error("stopped"));
      await Promise.all(running.values());
    },
    running: () => running.size,
  };
}
