import { expect, test } from "bun:test";
import { relativeAge, relativeNext, relativeTime } from "../../../src/web/console/kit/times.ts";
import { createJumpDetector, systemClock } from "../../../src/platform/lib/clock.ts";
import { manualClock } from "../../support/appliance.ts";

test("a jump of the clock is detected once, in both directions, and passing time is none", () => {
  const clock = manualClock();
  const jumpedMs = createJumpDetector(clock);
  clock.advance(86_400_000);
  expect(jumpedMs()).toBe(0);
  clock.setBy(-3_600_000);
  clock.advance(500);
  expect([jumpedMs(), jumpedMs()]).toEqual([-3_600_000, 0]);
  clock.setBy(60_000);
  expect([jumpedMs(), jumpedMs()]).toEqual([60_000, 0]);
});

test("a clock that is adjusted slowly does not jump", () => {
  const clock = manualClock();
  const jumpedMs = createJumpDetector(clock);
  for (let step = 0; step < 100; step += 1) {
    clock.advance(1_000);
    clock.setBy(-500);
    expect(jumpedMs()).toBe(0);
  }
});

test("the system's monotonic time never goes back", () => {
  let last = systemClock.monotonicMs();
  for (let step = 0; step < 10_000; step += 1) {
    const next = systemClock.monotonicMs();
    expect(next).toBeGreaterThanOrEqual(last);
    last = next;
  }
});

test("an age is never negative, and only a due time lies ahead", () => {
  const now = Date.UTC(2026, 0, 15, 12);
  expect(relativeAge(now + 6 * 3_600_000, now)).toBe("now");
  expect(relativeAge(now - 6 * 3_600_000, now)).toBe("6 hours ago");
  expect(relativeTime(now + 6 * 3_600_000, now)).toBe("in 6 hours");
  expect(relativeNext(now + 6 * 3_600_000, now)).toBe("in 6 hours");
  expect(relativeNext(now - 7_000, now)).toBe("now");
});
