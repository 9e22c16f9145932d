import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock, Instant, Timer } from "../../src/platform/lib/clock.ts";

/** Creates a temporary folder for a test; `dispose` deletes it. */
export function temporaryFolder(): { path: string; dispose: () => void } {
  const path = mkdtempSync(join(tmpdir(), "phishwatch-test-"));
  return { path, dispose: () => rmSync(path, { recursive: true, force: true }) };
}

export interface ManualClock extends Clock {
  advance(ms: number): void;
  /** Advances like a computer that slept: each timer that became due runs once, late. */
  jump(ms: number): void;
  /** Sets the time of day forward, or back if `ms` is negative, while no time passes. Runs no timer. */
  setBy(ms: number): void;
}

/** Returns a clock that stands still until it is advanced, which runs due timers in their order. */
export function manualClock(start: Instant = Date.UTC(2026, 0, 15, 12)): ManualClock {
  // The time of day is `origin` + elapsed time. Setting the clock moves the origin.
  let origin = start;
  let elapsedMs = 0;
  let timers: { dueMs: () => number; callback: () => void }[] = [];
  const add = (dueMs: () => number, callback: () => void): Timer => {
    const timer = { dueMs, callback };
    timers.push(timer);
    return { cancel: () => void (timers = timers.filter((other) => other !== timer)) };
  };
  const dueUntil = (endMs: number) =>
    timers.filter(({ dueMs }) => dueMs() <= endMs).sort((a, b) => a.dueMs() - b.dueMs());
  return {
    now: () => origin + elapsedMs,
    monotonicMs: () => elapsedMs,
    at: (instant, callback) => add(() => instant - origin, callback),
    after(delayMs, callback) {
      const endMs = elapsedMs + delayMs;
      return add(() => endMs, callback);
    },
    advance(ms) {
      const endMs = elapsedMs + ms;
      for (;;) {
        const [next] = dueUntil(endMs);
        if (next === undefined) break;
        timers = timers.filter((other) => other !== next);
        elapsedMs = Math.max(elapsedMs, next.dueMs());
        next.callback();
      }
      elapsedMs = endMs;
    },
    jump(ms) {
      elapsedMs += ms;
      const due = dueUntil(elapsedMs);
      timers = timers.filter((timer) => !due.includes(timer));
      for (const { callback } of due) callback();
    },
    setBy: (ms) => void (origin += ms),
  };
}

/** Fills with unpredictable bytes. */
export function fillRandom(bytes: Uint8Array): void {
  crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
}
