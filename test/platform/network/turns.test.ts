import { expect, test } from "bun:test";
import { createTurns } from "../../../src/platform/network/turns.ts";

/** Resolves in the next turn of the event loop. */
const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));

test("Work that exceeds the time of a turn waits for later turns, in its order", async () => {
  let now = 0;
  const turns = createTurns({ sliceMs: 5, elapsedMs: () => now });
  const done: number[] = [];
  for (let index = 0; index < 6; index += 1)
    turns.run(() => {
      now += 3;
      done.push(index);
    });
  expect(done).toEqual([0, 1]);
  await turn();
  expect(done).toEqual([0, 1, 2, 3]);
  await turn();
  expect(done).toEqual([0, 1, 2, 3, 4, 5]);
});

test("Two long pieces of work never share a turn", async () => {
  const turns = createTurns();
  let turnsTaken = 0;
  const takenAt: number[] = [];
  for (let index = 0; index < 3; index += 1) void turns.next().then(() => takenAt.push(turnsTaken));
  while (takenAt.length < 3) {
    turnsTaken += 1;
    await turn();
  }
  expect(new Set(takenAt).size).toBe(3);
});

test("Work that throws does not stop the work that waits", async () => {
  let now = 0;
  const turns = createTurns({ sliceMs: 5, elapsedMs: () => now });
  const fail = () => {
    now += 9;
    throw new Error("failed");
  };
  expect(() => turns.run(fail)).toThrow("failed");
  await turns.next();
});
