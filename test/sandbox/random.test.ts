import { expect, test } from "bun:test";
import { createRandomStreams, type RandomStreams } from "../../src/sandbox/world/random.ts";

function take({ fillRandom }: RandomStreams, purpose?: string): string {
  const bytes = new Uint8Array(8);
  fillRandom(bytes, purpose);
  return bytes.toHex();
}

test("the random bytes for a purpose do not depend on what other purposes take, and differ from theirs", () => {
  const alone = createRandomStreams(1);
  const expected = [take(alone, "thr"), take(alone, "thr")];
  const shared = createRandomStreams(1);
  const others: string[] = [];
  const taken = [1, 2].map(() => {
    others.push(take(shared, "evt"), take(shared));
    return take(shared, "thr");
  });
  expect(taken).toEqual(expected);
  expect(new Set([...taken, ...others]).size).toBe(6);
});

test("random bytes resume from a saved state, for each purpose", () => {
  const random = createRandomStreams(1);
  const first = take(random, "thr");
  const saved = random.save();
  const next = [take(random, "thr"), take(random, "evt")];
  random.resumeFrom(saved);
  expect([take(random, "thr"), take(random, "evt")]).toEqual(next);
  random.resumeFrom(new Map());
  expect(take(random, "thr")).toBe(first);
});
