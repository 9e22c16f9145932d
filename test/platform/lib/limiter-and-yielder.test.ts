import { expect, test } from "bun:test";
import { createLimiter } from "../../../src/platform/lib/limiter.ts";
import { createForeground, createYielder, createYielders } from "../../../src/platform/lib/yielder.ts";

test("a limiter runs at most the allowed number of tasks, in order of arrival", async () => {
  const limit = createLimiter(2);
  const begun: number[] = [];
  let running = 0;
  let most = 0;
  const work = (id: number) => async () => {
    begun.push(id);
    most = Math.max(most, ++running);
    await new Promise(setImmediate);
    running--;
    return id;
  };
  expect(await Promise.all([1, 2, 3, 4, 5].map((id) => limit(work(id))))).toEqual([1, 2, 3, 4, 5]);
  expect(begun).toEqual([1, 2, 3, 4, 5]);
  expect(most).toBe(2);
});

test("a failed task releases its slot", async () => {
  const limit = createLimiter(1);
  const failing = limit(() => Promise.reject(new Error("no")));
  const next = limit(() => Promise.resolve("yes"));
  await expect(failing).rejects.toThrow("no");
  expect(await next).toBe("yes");
});

test("a yielder is due after its slice, and a new slice begins after the pause", async () => {
  let elapsedMs = 0;
  const yielder = createYielder({ sliceMs: 10, elapsedMs: () => elapsedMs });
  elapsedMs = 9;
  expect(yielder.due()).toBeFalse();
  elapsedMs = 10;
  expect(yielder.due()).toBeTrue();
  await yielder.pause();
  expect(yielder.due()).toBeFalse();
});

test("timers and input are served during a pause", async () => {
  const yielder = createYielder({ sliceMs: 1, elapsedMs: () => performance.now() });
  using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("ok") });
  const answered: string[] = [];
  const answer = fetch(server.url).then(async (response) => void answered.push(await response.text()));
  for (let pauses = 0; answered.length === 0 && pauses < 100_000; pauses++) await yielder.pause();
  expect(answered).toEqual(["ok"]);
  await answer;
});

test("of all that waits for a slice, one begins in each iteration of the event loop, in turn between the owners", async () => {
  const yielders = createYielders({ sliceMs: 1, elapsedMs: () => performance.now() });
  const begun: string[] = [];
  const begin = async (name: string, owner?: string) => {
    await yielders(owner).pause();
    begun.push(name);
  };
  const all = [
    ...["a1", "a2", "a3"].map((name) => begin(name, "a")),
    ...["b1", "b2"].map((name) => begin(name, "b")),
    begin("c1"),
    begin("d1"),
  ];
  const numbers: number[] = [];
  while (begun.length < all.length) {
    await new Promise(setImmediate);
    numbers.push(begun.length);
  }
  await Promise.all(all);
  expect(begun).toEqual(["a1", "b1", "c1", "d1", "a2", "b2", "a3"]);
  expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

test("background work waits until all work that requests wait for has ended, even in an error", async () => {
  const foreground = createForeground();
  await foreground.idle();
  const first = Promise.withResolvers<number>();
  const second = Promise.withResolvers<number>();
  const works = [foreground.during(first.promise), foreground.during(second.promise)] as const;
  let isIdle = false;
  const idle = foreground.idle().then(() => (isIdle = true));
  first.resolve(1);
  expect(await works[0]).toBe(1);
  expect(isIdle).toBe(false);
  second.reject(new Error("failed"));
  await expect(works[1]).rejects.toThrow("failed");
  await idle;
});
