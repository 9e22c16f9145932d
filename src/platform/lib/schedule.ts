import { Cron } from "croner";
import type { Clock, Instant, Timer } from "./clock.ts";

/** A time that the clock was set past is noticed this late. Shorter steps slow down a clock that lets a month pass. */
const stepMs = 10 * 60_000;

/** Recurring work that can be stopped. */
export interface Schedule {
  stop(): void;
}

interface Recurring<Pattern> {
  clock: Clock;
  pattern: Pattern;
  run: () => void | Promise<void>;
}

/** Returns the next time after `after` that matches `pattern` (cron, UTC), or null if there is none. */
export function nextTime(pattern: string, after: Instant): Instant | null {
  return new Cron(pattern, { paused: true, utcOffset: 0 }).nextRun(new Date(after))?.getTime() ?? null;
}

/**
 * Like `every`, with a pattern that can change; null: never. `update` applies a changed pattern, without effect on a run in
 * progress.
 */
export function everyConfigured(given: Recurring<() => string | null>): Schedule & { update(): void } {
  const { clock, pattern, run } = given;
  let current: { pattern: string; schedule: Schedule } | undefined;
  let running: Promise<unknown> | undefined;
  /** A run that the previous pattern has started must not overlap with one of the present pattern. */
  const runOnce = () => {
    if (running !== undefined) return;
    const begun = run();
    if (begun === undefined) return;
    running = begun.finally(() => (running = undefined));
    return begun;
  };
  const update = () => {
    const wanted = pattern();
    if (wanted === (current?.pattern ?? null)) return;
    current?.schedule.stop();
    const start = (on: string) => ({ pattern: on, schedule: every({ clock, pattern: on, run: runOnce }) });
    current = wanted === null ? undefined : start(wanted);
  };
  update();
  return { update, stop: () => current?.schedule.stop() };
}

/**
 * Calls `run` at every time that matches `pattern` (cron, UTC; six fields include seconds). croner computes the
 * times, the clock sets the timers. Times that pass while `run` is running are skipped. `run` must handle its own
 * errors.
 */
export function every({ clock, pattern, run }: Recurring<string>): Schedule {
  // An offset instead of a zone name: a name would load all time zones.
  const cron = new Cron(pattern, { paused: true, utcOffset: 0 });
  let timer: Timer | undefined;
  let stopped = false;
  const schedule = () => {
    const now = clock.now();
    const next = stopped ? null : cron.nextRun(new Date(now));
    if (next !== null) wait(next.getTime(), now);
  };
  // Waits in steps instead of until an instant: otherwise, setting the clock back by an hour would delay work
  // that recurs every second by an hour.
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
