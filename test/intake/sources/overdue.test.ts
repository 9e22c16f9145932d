import { expect, test } from "bun:test";
import { lastFileAt, overdueOf } from "../../../src/intake/sources/feeds/feed-status.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const now = Date.UTC(2026, 0, 15);
/** Returns files that were written these numbers of hours ago. */
const files = (...hours: number[]) => hours.map((ago) => ({ modifiedAt: now - ago * hourMs }));

test.each([
  ["daily files, the last one today", files(2, 26, 50, 74), null],
  ["daily files, two days late", files(60, 84, 108, 132), null],
  ["daily files, four days late", files(96, 120, 144, 168), { usualMs: dayMs, sinceMs: 4 * dayMs }],
  [
    "daily files with a holiday, in any order",
    files(120, 76, 100, 340, 316),
    { usualMs: dayMs, sinceMs: 76 * hourMs },
  ],
  ["hourly files, an hour and a half late", files(1.5, 2.5, 3.5, 4.5), null],
  ["hourly files, four hours late", files(4, 5, 6, 7), { usualMs: hourMs, sinceMs: 4 * hourMs }],
  ["too few files for a rhythm", files(500, 524, 548), null],
  ["files that were added at once", files(500, 500, 500, 500, 500), null],
  ["no files", [], null],
])("a feed is overdue if nothing new arrives for three times the usual gap: %s", (_, given, expected) => {
  expect(overdueOf(given, now)).toEqual(expected);
});

test("lastFileAt returns the time of the newest file in any order", () => {
  expect(lastFileAt(files(5, 2, 9))).toBe(now - 2 * hourMs);
  expect(lastFileAt([])).toBeNull();
});
