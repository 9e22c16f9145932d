import { expect, test } from "bun:test";
import { lastFileAt, overdueOf } from "../../src/sources/feeds/overdue.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const now = Date.UTC(2026, 0, 15);
/** Files so many hours ago. */
const files = (...hours: number[]) => hours.map((ago) => ({ modifiedAt: now - ago * hourMs }));

test.each([
  ["daily, the last one today", files(2, 26, 50, 74), null],
  ["daily, two days late", files(60, 84, 108, 132), null],
  ["daily, four days late", files(96, 120, 144, 168), { usualMs: dayMs, sinceMs: 4 * dayMs }],
  [
    "daily with a holiday, in any order",
    files(120, 76, 100, 340, 316),
    { usualMs: dayMs, sinceMs: 76 * hourMs },
  ],
  ["hourly, an hour and a half late", files(1.5, 2.5, 3.5, 4.5), null],
  ["hourly, four hours late", files(4, 5, 6, 7), { usualMs: hourMs, sinceMs: 4 * hourMs }],
  ["too few to have a rhythm", files(500, 524, 548), null],
  ["put there all at once", files(500, 500, 500, 500, 500), null],
  ["none", [], null],
])("a feed is overdue when nothing came for three times as long as usual: %s", (_, given, expected) => {
  expect(overdueOf(given, now)).toEqual(expected);
});

test("the last file is the one that was written last, in whatever order they are", () => {
  expect(lastFileAt(files(5, 2, 9))).toBe(now - 2 * hourMs);
  expect(lastFileAt([])).toBeNull();
});
