import { expect, test } from "bun:test";
import { createSandboxClock } from "../../src/sandbox/instance/clock.ts";

const start = Date.UTC(2026, 0, 15, 12);

/** A clock over a real time that the test controls. */
function openClock({ settle = async () => {} } = {}) {
  let realMs = 0;
  const clock = createSandboxClock({ start, monotonicMs: () => realMs, settle });
  return { clock, passRealTime: (ms: number) => void (realMs += ms) };
}

test("a frozen clock stands still while real time passes, and a running one follows it", () => {
  const { clock, passRealTime } = openClock();
  passRealTime(1_000);
  expect([clock.now(), clock.flows()]).toEqual([start, false]);
  clock.run();
  passRealTime(2_000);
  expect([clock.now(), clock.flows()]).toEqual([start + 2_000, true]);
  clock.freeze();
  passRealTime(4_000);
  expect([clock.now(), clock.flows()]).toEqual([start + 2_000, false]);
});

test("advancing calls each timer at exactly its time, in order of time and of creation", async () => {
  const { clock } = openClock();
  const calls: [string, number][] = [];
  const note = (name: string) => () => void calls.push([name, clock.now() - start]);
  clock.after(300, note("third"));
  clock.at(start + 100, note("first"));
  clock.after(100, () => {
    note("second")();
    clock.after(150, note("added on the way"));
  });
  clock.after(200, note("cancelled")).cancel();
  clock.after(1_001, note("too late"));
  await clock.advance(1_000);
  expect(calls).toEqual([
    ["first", 100],
    ["second", 100],
    ["added on the way", 250],
    ["third", 300],
  ]);
  expect(clock.now()).toBe(start + 1_000);
});

test("advancing waits until the work that a timer started has settled before time goes on", async () => {
  let work: Promise<void> = Promise.resolve();
  const { clock } = openClock({ settle: () => work });
  let workedAt: number | undefined;
  clock.after(100, () => {
    work = (async () => {
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
      workedAt = clock.now() - start;
    })();
  });
  clock.after(200, () => {});
  await clock.advance(500);
  expect(workedAt).toBe(100);
});

test("setting the clock back moves timers of a time of day, but not timers of a delay", async () => {
  const { clock } = openClock();
  const calls: string[] = [];
  await clock.advance(10_000);
  clock.at(start + 11_000, () => void calls.push("time of day"));
  clock.after(1_000, () => void calls.push("delay"));
  await clock.set(start);
  await clock.advance(1_000);
  expect(calls).toEqual(["delay"]);
  await clock.advance(10_000);
  expect(calls).toEqual(["delay", "time of day"]);
});

test("a running clock calls its timers, and a callback that freezes the clock stops the next one", async () => {
  const { clock, passRealTime } = openClock();
  const { promise, resolve } = Promise.withResolvers<void>();
  const calls: string[] = [];
  clock.after(1, () => {
    calls.push("first");
    clock.freeze();
    resolve();
  });
  clock.after(2, () => void calls.push("second"));
  passRealTime(1);
  clock.run();
  passRealTime(1);
  await promise;
  expect(calls).toEqual(["first"]);
  await clock.advance(1);
  expect(calls).toEqual(["first", "second"]);
});

test("a closed clock calls no timer and ends every advance", async () => {
  const { clock } = openClock();
  let called = false;
  clock.after(100, () => void (called = true));
  clock.close();
  await clock.advance(1_000);
  clock.run();
  expect([called, clock.flows()]).toEqual([false, false]);
});
