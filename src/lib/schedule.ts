import { Cron } from "croner";
import type { Clock, Instant, Timer } from "./clock.ts";

const stepMs = 60_000;

/** Work that recurs until it is stopped. */
export interface Schedule {
  stop(): void;
}

/** The next time that matches `pattern` (cron, UTC) after an instant; null: there is none. */
export function nextTime(pattern: string, after: Instant): Instant | null {
  return new Cron(pattern, { paused: true, utcOffset: 0 }).nextRun(new Date(after))?.getTime() ?? null;
}

/**
 * Runs `run` at every time that matches `pattern` (cron, UTC, with seconds where it has six fields). croner
 * says when, the clock arms the timer. A time that passes while `run` is at work is skipped, not made up for.
 * `run` has to handle its own errors.
 */
export function every({
  clock,
  pattern,
  run,
}: {
  clock: Clock;
  pattern: string;
  run: () => void | Promise<void>;
}): Schedule {
  // As an offset, for a time zone's name would load all time zones.
  const cron = new Cron(pattern, { paused: true, utcOffset: 0 });
  let timer: Timer | undefined;
  let stopped = false;
  const schedule = () => {
    const now = clock.now();
    const next = stopped ? null : cron.nextRun(new Date(now));
    if (next !== null) wait(next.getTime(), now);
  };
  // In steps, and not until an instant: a clock that is set back would otherwise hold up what recurs each
  // second by as much as it was set back.
  const wait = (next: Instant, since: Instant) => {
    timer = clock.after(Math.min(Math.max(1, next - since), stepMs), () => {
      const now = clock.now();
      if (now >= next) fire();
      else if (now < since) schedule();
      else wait(next, now);
    });
  };
  const fire = () => {
    const running = run();
    if (running === undefined) schedule();
    else void running.finally(schedule);
  };
  schedule();
  return {
    stop() {
      stopped = true;
      timer?.cancel();
    },
  };
}
