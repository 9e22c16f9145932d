import { expect, test } from "bun:test";
import {
  backoffMs,
  durationMsMax,
  formatDuration,
  parseDuration,
  suggestDuration,
} from "../../../src/platform/lib/durations.ts";

test.each([
  ["500ms", 500],
  ["10s", 10_000],
  ["5m", 300_000],
  ["2h", 7_200_000],
  ["30d", 2_592_000_000],
  ["1ms", 1],
  ["007s", 7000],
  ["3650d", durationMsMax],
])("%s is %i milliseconds", (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each([
  "",
  "10",
  "s",
  "0s",
  "-1s",
  "+1s",
  "1.5h",
  "1h30m",
  "1 h",
  " 1h",
  "1h ",
  "1H",
  "1w",
  "1e3s",
  "٣s",
  "3651d",
  "9999999999999d",
])("%p is not a duration", (text) => {
  expect(parseDuration(text)).toBeNull();
});

test("formatDuration uses the largest unit that divides the duration, and parseDuration reads it back", () => {
  for (const [ms, text] of [
    [1, "1ms"],
    [1500, "1500ms"],
    [90_000, "90s"],
    [3_600_000, "1h"],
    [86_400_000, "1d"],
    [90_000_000, "25h"],
    [0, "0ms"],
  ] as const) {
    expect(formatDuration(ms)).toBe(text);
    if (ms > 0) expect(parseDuration(text)).toBe(ms);
  }
});

test.each([
  ["1.5h", "90m"],
  ["1h30m", "90m"],
  ["2 hours", "2h"],
  ["1 day 12 hours", "36h"],
  ["0.5 seconds", "500ms"],
  ["250 msec", "250ms"],
  ["10 MIN", "10m"],
  ["10", undefined],
  ["0s", undefined],
  ["9999d", undefined],
  ["soon", undefined],
  ["1.2.3s", undefined],
])("%p was probably meant to be %p", (text, meant) => {
  expect(suggestDuration(text)).toBe(meant);
});

test("The delay doubles with each failure in a row, up to its maximum", () => {
  const delays = [1, 2, 3, 4, 5, 2_000].map((failures) =>
    backoffMs({ failures, firstMs: 1_000, maxMs: 6_000 }),
  );
  expect(delays).toEqual([1_000, 2_000, 4_000, 6_000, 6_000, 6_000]);
});
