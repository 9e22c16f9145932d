import { expect, test } from "bun:test";
import { createRateLimiter } from "../../src/access/keys/rate-limit.ts";

const start = Date.UTC(2026, 0, 15, 12, 0, 0, 500);

test("a minute starts with the first request and allows exactly the limit; then the bucket is full again", () => {
  const limiter = createRateLimiter();
  const resetSeconds = Math.ceil((start + 60_000) / 1000);
  for (let count = 1; count <= 60; count += 1) {
    const state = limiter.take(1, 60, start + count - 1);
    expect(state).toEqual({ limit: 60, remaining: 60 - count, resetSeconds, retryAfterSeconds: 0 });
  }
  expect(limiter.take(1, 60, start + 100)).toEqual({
    limit: 60,
    remaining: 0,
    resetSeconds,
    retryAfterSeconds: 60,
  });
  expect(limiter.take(1, 60, start + 59_999).retryAfterSeconds).toBe(1);
  expect(limiter.take(1, 60, start + 60_000)).toEqual({
    limit: 60,
    remaining: 59,
    resetSeconds: resetSeconds + 60,
    retryAfterSeconds: 0,
  });
});

test("a request after the returned waiting time is always allowed", () => {
  for (const offset of [0, 1, 499, 500, 999, 59_000, 59_001, 59_999]) {
    const limiter = createRateLimiter();
    limiter.take(1, 1, start);
    const rejected = limiter.take(1, 1, start + offset);
    expect(limiter.take(1, 1, start + offset + rejected.retryAfterSeconds * 1000).retryAfterSeconds).toBe(0);
    expect(rejected.resetSeconds * 1000).toBeGreaterThanOrEqual(start + 60_000);
  }
});

test("the bucket is not refilled gradually", () => {
  const limiter = createRateLimiter();
  for (let count = 0; count < 60; count += 1) limiter.take(1, 60, start);
  for (let ms = 1_000; ms < 60_000; ms += 1_000) {
    expect(limiter.take(1, 60, start + ms).retryAfterSeconds).toBeGreaterThan(0);
  }
});

test("each key has its own bucket", () => {
  const limiter = createRateLimiter();
  limiter.take(1, 1, start);
  expect(limiter.take(2, 1, start).retryAfterSeconds).toBe(0);
  expect(limiter.take(1, 1, start).retryAfterSeconds).toBe(60);
});

test("requests of the current minute still count after the plan changes", () => {
  const limiter = createRateLimiter();
  for (let count = 0; count < 100; count += 1) limiter.take(1, 600, start);
  expect(limiter.take(1, 60, start)).toMatchObject({ limit: 60, remaining: 0, retryAfterSeconds: 60 });
  expect(limiter.take(1, 600, start)).toMatchObject({ limit: 600, remaining: 499, retryAfterSeconds: 0 });
});

test("setting the clock back does not lock out a key", () => {
  const limiter = createRateLimiter();
  limiter.take(1, 1, start);
  expect(limiter.take(1, 1, start - 3_600_000).retryAfterSeconds).toBe(0);
  expect(limiter.take(1, 1, start - 3_600_000).retryAfterSeconds).toBe(60);
});

test("no minute that starts with a full bucket allows more requests than the limit", () => {
  const seed = Number(process.env["TEST_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
  console.log(`seed ${seed}`);
  let state = seed;
  const random = () => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
  const limiter = createRateLimiter();
  let now = start;
  let minuteEnd = 0;
  let passed = 0;
  for (let request = 0; request < 20_000; request += 1) {
    now += Math.floor(random() * 3_000);
    if (now >= minuteEnd) [minuteEnd, passed] = [now + 60_000, 0];
    const result = limiter.take(1, 37, now);
    if (result.retryAfterSeconds === 0) passed += 1;
    expect(passed).toBeLessThanOrEqual(37);
    expect(result.remaining).toBe(37 - passed);
    expect(result.retryAfterSeconds === 0 || passed === 37).toBe(true);
  }
});
