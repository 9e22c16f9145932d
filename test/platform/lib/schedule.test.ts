import { describe, expect, test } from "bun:test";
import { every } from "../../../src/platform/lib/schedule.ts";
import { manualClock } from "../../support/appliance.ts";

const minuteMs = 60_000;
const noon = Date.UTC(2026, 0, 15, 12);

function runsOf(pattern: string, advances: number[]): string[] {
  const clock = manualClock(noon);
  const runs: string[] = [];
  const schedule = every({ clock, pattern, run: () => void runs.push(new Date(clock.now()).toISOString()) });
  for (const ms of advances) clock.advance(ms);
  schedule.stop();
  clock.advance(10 * minuteMs);
  return runs;
}

describe("a schedule", () => {
  test.each<[string, number[], string[]]>([
    ["* * * * * *", [2_500], ["2026-01-15T12:00:01.000Z", "2026-01-15T12:00:02.000Z"]],
    ["*/2 * * * *", [5 * minuteMs], ["2026-01-15T12:02:00.000Z", "2026-01-15T12:04:00.000Z"]],
    ["17 3 * * *", [24 * 60 * minuteMs], ["2026-01-16T03:17:00.000Z"]],
    ["0 0 29 2 *", [24 * 60 * minuteMs], []],
  ])("%s runs at its times in UTC, and not once it is stopped", (pattern, advances, expected) => {
    expect(runsOf(pattern, advances)).toEqual(expected);
  });

  test("skips times that pass while the work is running", async () => {
    const clock = manualClock(noon);
    let begun = 0;
    let end = () => {};
    const schedule = every({
      clock,
      pattern: "* * * * * *",
      run() {
        begun += 1;
        return new Promise<void>((resolve) => (end = resolve));
      },
    });
    clock.advance(5_000);
    expect(begun).toBe(1);
    end();
    await new Promise(setImmediate);
    clock.advance(1_000);
    expect(begun).toBe(2);
    schedule.stop();
    end();
    await new Promise(setImmediate);
    clock.advance(5_000);
    expect(begun).toBe(2);
  });

  test("continues without delay when the clock is set back", () => {
    const clock = manualClock(noon);
    let offsetMs = 0;
    let runs = 0;
    const jumping = { ...clock, now: () => clock.now() + offsetMs };
    const schedule = every({ clock: jumping, pattern: "* * * * * *", run: () => void (runs += 1) });
    clock.advance(2_000);
    expect(runs).toBe(2);
    offsetMs = -24 * 60 * minuteMs;
    clock.advance(3_000);
    expect(runs).toBeGreaterThanOrEqual(4);
    schedule.stop();
  });
});
