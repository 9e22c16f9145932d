import { expect, test } from "bun:test";
import { dayMs } from "../../../src/platform/lib/clock.ts";
import { ageInEffect, nextNotice, noticeMs, type Notice } from "../../../src/operations/retention/notices.ts";
import { randomFrom, seed } from "../../support/random.ts";

const start = Date.UTC(2026, 0, 15);
const age = (days: number) => days * dayMs;

/** Applies settings at days since the start, and returns the notice. */
function after(settings: readonly (readonly [day: number, days: number | null])[], restoredDay?: number) {
  let notice: Notice | undefined;
  for (const [day, days] of settings)
    notice = nextNotice(notice, days === null ? null : age(days), {
      isForward: false,
      now: start + age(day),
      restoredAt: restoredDay === undefined ? undefined : start + age(restoredDay),
    });
  return notice;
}

const inEffect = (notice: Notice | undefined, day: number) => {
  const found = notice === undefined ? null : ageInEffect(notice, start + age(day));
  return found === null ? null : found / dayMs;
};

test("a new setting takes effect after 24 hours, however often the server restarts meanwhile", () => {
  const once = after([[0, 180]]);
  const often = after([
    [0, 180],
    [0.3, 180],
    [0.9, 180],
  ]);
  expect(often).toEqual(once);
  expect([inEffect(often, 0.99), inEffect(often, 1)]).toEqual([null, 180]);
});

test("a shorter setting waits again, and the longer one stays in effect until then", () => {
  const notice = after([
    [0, 365],
    [10, 180],
  ]);
  expect([inEffect(notice, 10.5), inEffect(notice, 11)]).toEqual([365, 180]);
  // A second one before the first took effect does not put the first into effect.
  const twice = after([
    [0, 365],
    [0.5, 180],
  ]);
  expect([inEffect(twice, 1.4), inEffect(twice, 1.5)]).toEqual([null, 180]);
});

test("a longer setting takes effect at once, and switching off and on begins again", () => {
  const longer = after([
    [0, 180],
    [10, 365],
  ]);
  expect(inEffect(longer, 10)).toBe(365);
  const again = after([
    [0, 180],
    [10, null],
    [10.1, 180],
  ]);
  expect([inEffect(again, 11), inEffect(again, 11.2)]).toEqual([null, 180]);
});

test("a restored backup begins the notice again, and a clock that is set back does not prolong it for long", () => {
  const restored = after(
    [
      [0, 180],
      [10, 180],
      [10.5, 180],
    ],
    10,
  );
  expect([inEffect(restored, 10.9), inEffect(restored, 11)]).toEqual([null, 180]);
  const setBack = after([
    [100, 180],
    [3, 180],
  ]);
  expect([inEffect(setBack, 3.9), inEffect(setBack, 4)]).toEqual([null, 180]);
});

test(`no sequence of settings deletes what was not announced for 24 hours [seed ${seed}]`, () => {
  const random = randomFrom(seed);
  for (let run = 0; run < 200; run++) {
    let notice: Notice | undefined;
    let now = start;
    /** Since when each setting has been at most this long without a break. */
    const history: { at: number; ageMs: number | null }[] = [];
    for (let step = 0; step < 20; step++) {
      now += random(20) * 3_600_000;
      const ageMs = random(4) === 0 ? null : age(7 + random(5) * 10);
      notice = nextNotice(notice, ageMs, { isForward: false, now, restoredAt: undefined });
      history.push({ at: now, ageMs });
      const checkAt = now + random(30) * 3_600_000;
      const effective = notice === undefined ? null : ageInEffect(notice, checkAt);
      if (effective === null) continue;
      // Some setting that deletes at least as much was in place 24 hours before, and has been since.
      const since = history.findLastIndex((one) => one.ageMs === null || one.ageMs > effective);
      const announcedAt = history[since + 1]!.at;
      expect(checkAt - announcedAt).toBeGreaterThanOrEqual(noticeMs);
    }
  }
});
