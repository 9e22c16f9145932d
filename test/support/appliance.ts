import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock, Instant, Timer } from "../../src/lib/clock.ts";

/** Creates a temporary folder for a test; `dispose` deletes it. */
export function temporaryFolder(): { path: string; dispose: () => void } {
  const path = mkdtempSync(join(tmpdir(), "phishwatch-test-"));
  return { path, dispose: () => rmSync(path, { recursive: true, force: true }) };
}

/** Returns a clock that stands still until it is advanced, which runs due timers in their order. */
export function manualClock(
  start: Instant = Date.UTC(2026, 0, 15, 12),
): Clock & { advance(ms: number): void; jump(ms: number): void } {
  let now = start;
  let timers: { instant: Instant; callback: () => void }[] = [];
  const at = (instant: Instant, callback: () => void): Timer => {
    const timer = { instant, callback };
    timers.push(timer);
    return { cancel: () => void (timers = timers.filter((other) => other !== timer)) };
  };
  return {
    now: () => now,
    at,
    after: (delayMs, callback) => at(now + delayMs, callback),
    advance(ms) {
      const end = now + ms;
      for (;;) {
        const next = timers.filter(({ instant }) => instant <= end).sort((a, b) => a.instant - b.instant)[0];
        if (next === undefined) break;
        timers = timers.filter((other) => other !== next);
        now = Math.max(now, next.instant);
        next.callback();
      }
      now = end;
    },
    /** Advances like a computer that slept: each timer that became due runs once, late. */
    jump(ms) {
      now += ms;
      const due = timers.filter(({ instant }) => instant <= now).sort((a, b) => a.instant - b.instant);
      timers = timers.filter((timer) => !due.includes(timer));
      for (const { callback } of due) callback();
    },
  };
}

/** Fills with unpredictable bytes. */
export function fillRandom(bytes: Uint8Array): void {
  crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
}
