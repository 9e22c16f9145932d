import { describe, expect, test } from "bun:test";
import {
  extended,
  jitterOf,
  longestWaitMs,
  nextAttemptAt,
  specifiedRetryDelaysMs,
} from "../../../src/messaging/deliveries/rules/retry-schedule.ts";

const minuteMs = 60_000;
const endedAt = Date.UTC(2026, 0, 15, 12);
const specified = { delaysMs: specifiedRetryDelaysMs, jitter: 0 };

function delayMs(
  attempts: number,
  { retryAfterMs = undefined as number | undefined, jitter = 0, random = 0 } = {},
) {
  const next = nextAttemptAt({ policy: { ...specified, jitter }, attempts, endedAt, retryAfterMs, random });
  return next === undefined ? undefined : next - endedAt;
}

describe("nextAttemptAt", () => {
  test.each([
    [1, 1],
    [2, 5],
    [3, 30],
    [4, 120],
  ])("the attempt after attempt %i is due in %i minutes", (attempts, minutes) => {
    expect(delayMs(attempts)).toBe(minutes * minuteMs);
  });

  test("there is no next attempt after the fourth retry or without a schedule", () => {
    expect(delayMs(5)).toBeUndefined();
    expect(delayMs(6)).toBeUndefined();
    const none = { delaysMs: [], jitter: 0 };
    expect(nextAttemptAt({ policy: none, attempts: 1, endedAt, random: 0 })).toBeUndefined();
  });

  // A receiver can only extend a delay, and only up to the next one in the schedule.
  test.each<[attempts: number, askedMinutes: number, minutes: number]>([
    [1, 0.5, 1],
    [1, 1, 1],
    [1, 3, 3],
    [1, 5, 5],
    [1, 6, 5],
    [1, 100_000, 5],
    [2, 29, 29],
    [3, 121, 120],
    [4, 100_000, 120],
  ])(
    "the attempt after attempt %i and a Retry-After of %d minutes is due in %d",
    (attempts, asked, minutes) => {
      expect(delayMs(attempts, { retryAfterMs: asked * minuteMs })).toBe(minutes * minuteMs);
    },
  );

  test("jitter never shortens a delay and extends it by at most a tenth", () => {
    expect(delayMs(1, { jitter: 0.1, random: 0 })).toBe(minuteMs);
    expect(delayMs(1, { jitter: 0.1, random: 0.5 })).toBe(1.05 * minuteMs);
    expect(delayMs(1, { jitter: 0.1, random: 1 })).toBe(1.1 * minuteMs);
    expect(delayMs(1, { jitter: 9, random: 1 })).toBe(1.1 * minuteMs);
    expect(longestWaitMs(specified, 4)).toBeWithin(132 * minuteMs, 132 * minuteMs + 2);
    expect(
      [0, 1, 2, 3].map((attempts) => Math.round((longestWaitMs(specified, attempts) / minuteMs) * 10) / 10),
    ).toEqual([0, 5.5, 33, 132]);
  });
});

test("the jitter of an attempt is the same whenever it ends, and differs between deliveries and attempts", () => {
  const all = Array.from({ length: 1_000 }, (_, index) => jitterOf(1 + (index >> 2), 1 + (index & 3)));
  expect(all.map((_, index) => jitterOf(1 + (index >> 2), 1 + (index & 3)))).toEqual(all);
  expect(new Set(all).size).toBe(1_000);
  // Each tenth of the range has its share: 100 of 1,000, give or take 3 standard deviations.
  for (let tenth = 0; tenth < 10; tenth += 1)
    expect(all.filter((one) => Math.floor(one * 10) === tenth).length).toBeWithin(70, 131);
});

test("a schedule is extended by its last delay, within limits, and none stays none", () => {
  const dayMs = 24 * 60 * minuteMs;
  const { delaysMs } = extended(specified, 3 * dayMs);
  expect(delaysMs.slice(0, 4)).toEqual([...specifiedRetryDelaysMs]);
  expect(new Set(delaysMs.slice(4))).toEqual(new Set([120 * minuteMs]));
  const totalMs = delaysMs.reduce((sum, one) => sum + one, 0);
  expect(totalMs).toBeGreaterThanOrEqual(3 * dayMs);
  expect(totalMs).toBeLessThan(3 * dayMs + 120 * minuteMs);
  expect(extended(specified, 0)).toEqual(specified);
  expect(extended({ delaysMs: [], jitter: 0 }, dayMs).delaysMs).toEqual([]);
  expect(extended({ delaysMs: [1], jitter: 0 }, dayMs).delaysMs).toHaveLength(101);
});
