import { expect, test } from "bun:test";
import { createTokenBucket } from "../../../src/platform/network/dns/token-bucket.ts";
import { manualClock } from "../../support/appliance.ts";

const settle = () => new Promise<void>((resolve) => void setImmediate(resolve));

test("a token bucket limits the rate and serves waiters in order of arrival", async () => {
  const clock = manualClock();
  const bucket = createTokenBucket({ clock, perSecond: () => 100 });
  const gone: number[] = [];
  for (let i = 0; i < 300; i++) void bucket.take().then(() => void gone.push(i));
  await settle();
  expect(gone.length).toBe(2);
  for (let second = 1; second <= 2; second++) {
    for (let ms = 0; ms < 1_000; ms++) clock.advance(1);
    await settle();
    expect(gone.length).toBeWithin(100 * second, 100 * second + 4);
  }
  expect(gone).toEqual(gone.toSorted((a, b) => a - b));
});

test("setting the clock does not delay waiters", async () => {
  const clock = manualClock();
  const bucket = createTokenBucket({ clock, perSecond: () => 10 });
  await bucket.take();
  clock.setBy(-3_600_000);
  let gone = false;
  void bucket.take().then(() => (gone = true));
  for (let ms = 0; ms < 100; ms++) clock.advance(1);
  await settle();
  expect(gone).toBe(true);
});

test("an aborted waiter resolves at once and takes no token", async () => {
  const clock = manualClock();
  const bucket = createTokenBucket({ clock, perSecond: () => 1 });
  await bucket.take();
  const abort = new AbortController();
  const given = bucket.take(abort.signal);
  const gone: string[] = [];
  void bucket.take().then(() => void gone.push("other"));
  abort.abort();
  await given;
  clock.advance(1_001);
  await settle();
  expect(gone).toEqual(["other"]);
  await bucket.take(AbortSignal.abort());
});
