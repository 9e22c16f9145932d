import { describe, expect, test } from "bun:test";
import {
  afterFailure,
  afterSuccess,
  beforeRequest,
  isDue,
  newDownload,
  unchangedOf,
} from "../../../../src/intake/sources/url-feeds/download-state.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const now = Date.UTC(2026, 0, 15, 12);
const row = { ...newDownload("nrd", "", "https://lists.example/"), requestHash: "same" };
const every6h = "0 */6 * * *";

describe("the next request", () => {
  test.each([
    [0, now + 6 * hourMs],
    [0.5, now + 6 * hourMs + 5 * minuteMs],
  ])(
    "after a success is due at the next time of the schedule, with a jitter of up to 10 minutes (random %p)",
    (random, dueAt) => {
      expect(afterSuccess(every6h, { now, random })).toMatchObject({ dueAt, failures: 0, problem: null });
    },
  );

  test("of a schedule with short intervals has a jitter of at most a tenth of an interval", () => {
    expect(afterSuccess("*/5 * * * *", { now, random: 0.999 }).dueAt).toBeLessThan(now + 5.5 * minuteMs);
  });

  test.each([
    [0, null, 5 * minuteMs],
    [1, null, 10 * minuteMs],
    [5, null, 160 * minuteMs],
    [7, null, 6 * hourMs],
    [5_000, null, 6 * hourMs],
    [0, 8 * hourMs, 8 * hourMs],
    [7, 1_000, 6 * hourMs],
  ])("after %i failures and a Retry-After of %p ms is due after %i ms", (failures, retryAfterMs, delayMs) => {
    const failure = { problem: "no", retryAfterMs };
    const after = afterFailure({ failures }, failure, { now, random: 0 });
    expect(after).toMatchObject({ dueAt: now + delayMs, failures: failures + 1, problem: "no" });
  });

  test("that the process did not survive is due at once, the next ones as after failures", () => {
    const first = beforeRequest(row, { now, random: 0 });
    expect(first).toMatchObject({ dueAt: now, failures: 1 });
    const second = beforeRequest({ failures: first.failures! }, { now, random: 0 });
    expect(second).toMatchObject({ dueAt: now + 5 * minuteMs, failures: 2 });
    expect(beforeRequest({ failures: 2 }, { now, random: 0 }).dueAt).toBe(now + 10 * minuteMs);
  });

  test("is due at once if there was none, the settings have changed, or the clock was set back", () => {
    const waiting = { ...row, dueAt: now + 1, attemptedAt: now - 1 };
    expect(isDue(row, "same", now)).toBe(true);
    expect(isDue(waiting, "same", now)).toBe(false);
    expect(isDue(waiting, "same", now + 1)).toBe(true);
    expect(isDue(waiting, "other", now)).toBe(true);
    expect(isDue({ ...waiting, attemptedAt: now + 1 }, "same", now)).toBe(true);
  });
});

describe("a list is reported as unchanged", () => {
  const fetchedAt = now;
  test.each([
    ["never checked", null, null, null],
    ["checked after two intervals", 12 * hourMs, null, null],
    ["checked after three intervals", 18 * hourMs, null, 6 * hourMs],
    ["checked after three intervals, but published once a day", 18 * hourMs, 24 * hourMs, null],
    ["checked after three days, and published once a day", 72 * hourMs, 24 * hourMs, 24 * hourMs],
  ])("or not, if it was %s", (_name, checkedMs, gapMs, usualMs) => {
    const checkedAt = checkedMs === null ? null : fetchedAt + checkedMs;
    const found = unchangedOf({ fetchedAt, checkedAt, gapMs }, every6h, now + 100 * hourMs);
    expect(found).toEqual(usualMs === null ? null : { usualMs, sinceMs: 100 * hourMs });
  });

  test("after three intervals also if it is fetched every minute", () => {
    const after = (checkedMs: number) =>
      unchangedOf({ fetchedAt, checkedAt: fetchedAt + checkedMs, gapMs: null }, "* * * * *", now + hourMs);
    expect([after(0), after(2 * minuteMs)]).toEqual([null, null]);
    expect(after(3 * minuteMs)).toEqual({ usualMs: minuteMs, sinceMs: hourMs });
  });
});
