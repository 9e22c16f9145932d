import { expect, test } from "bun:test";
import { createTurns, inProgressMax, waitersMaxDefault, type Asker } from "../../../src/web/http/turns.ts";
import { createYielders } from "../../../src/platform/lib/yielder.ts";
import { until } from "../../support/until.ts";

function open() {
  const yielder = createYielders({ sliceMs: 1, elapsedMs: () => performance.now() });
  const turns = createTurns({ yielder });
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  /** Sends a request that goes on until `ends` has been called as often. */
  const send = (name: string, asker: Asker, signal = new AbortController().signal) =>
    turns.run(asker, signal, async () => {
      begun.push(name);
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.push(resolve);
      await promise;
      return name;
    });
  const untilBegun = (count: number) => until(() => begun.length === count, `${count} requests have begun`);
  return { begun, ends, send, untilBegun };
}

test("a few requests of one owner are in progress, the others wait in order, and another owner does not wait for them", async () => {
  const { begun, ends, send, untilBegun } = open();
  const mine = Array.from({ length: inProgressMax + 2 }, (_, index) => send(`${index}`, { owner: "me" }));
  await untilBegun(inProgressMax);
  const other = send("other", { owner: "other" });
  await untilBegun(inProgressMax + 1);
  expect(begun.at(-1)).toBe("other");
  for (let ended = 0; ended < inProgressMax + 3; ended += 1) {
    await untilBegun(Math.min(inProgressMax + 1 + ended, inProgressMax + 3));
    ends[ended]!();
  }
  expect(await Promise.all(mine)).toEqual(mine.map((_, index) => `${index}`));
  expect(await other).toBe("other");
  expect(begun.filter((name) => name !== "other")).toEqual(mine.map((_, index) => `${index}`));
});

test("the sessions of one account take turns, however many requests one of them sends", async () => {
  const { begun, ends, send, untilBegun } = open();
  const first = Array.from({ length: inProgressMax + 3 }, (_, index) =>
    send(`first ${index}`, { owner: "me", session: 1 }),
  );
  const second = send("second", { owner: "me", session: 2 });
  await untilBegun(inProgressMax);
  for (let ended = 0; ended < 2; ended += 1) {
    ends[ended]!();
    await untilBegun(inProgressMax + 1 + ended);
  }
  expect(begun.slice(inProgressMax)).toEqual([`first ${inProgressMax}`, "second"]);
  for (let ended = 2; ended < inProgressMax + 4; ended += 1) {
    await untilBegun(Math.min(inProgressMax + ended, inProgressMax + 4));
    ends[ended]!();
  }
  await Promise.all([...first, second]);
});

test("requests beyond the maximum learn when to try again, and those whose client is gone make room", async () => {
  const { begun, ends, send, untilBegun } = open();
  const asker = { owner: "me" };
  const gone = new AbortController();
  const running = Array.from({ length: inProgressMax }, () => send("running", asker));
  const leaving = send("leaving", asker, gone.signal);
  const waiting = Array.from({ length: waitersMaxDefault - 1 }, () => send("waiting", asker));
  await untilBegun(inProgressMax);
  await expect(send("too many", asker)).rejects.toMatchObject({
    code: "rate_limit_exceeded",
    retryAfterSeconds: 2,
  });
  gone.abort();
  await expect(leaving).rejects.toThrow("The connection was closed");
  await expect(send("too late", asker, gone.signal)).rejects.toThrow("The connection was closed");
  waiting.push(send("waiting", asker));
  for (let ended = 0; ended < inProgressMax + waitersMaxDefault; ended += 1) {
    await untilBegun(Math.min(inProgressMax + ended, inProgressMax + waitersMaxDefault));
    ends[ended]!();
  }
  await Promise.all([...running, ...waiting]);
  expect(begun).not.toContain("leaving");
  expect(begun).not.toContain("too many");
  expect(begun).not.toContain("too late");
});

test("fewer requests wait if each holds more than its connection", async () => {
  const { ends, send, untilBegun } = open();
  const asker = { owner: "me", session: 1, waitersMax: 1 };
  const accepted = Array.from({ length: inProgressMax + 1 }, () => send("accepted", asker));
  await untilBegun(inProgressMax);
  await expect(send("too many", asker)).rejects.toMatchObject({
    message: expect.stringContaining("try again in 2 seconds"),
  });
  for (let ended = 0; ended <= inProgressMax; ended += 1) {
    await untilBegun(Math.min(inProgressMax + ended, inProgressMax + 1));
    ends[ended]!();
  }
  await Promise.all(accepted);
});

test("a request that fails frees its place", async () => {
  const { ends, send, untilBegun } = open();
  const turns = createTurns({ yielder: () => ({ pause: async () => {} }) });
  const { signal } = new AbortController();
  const failing = Array.from({ length: inProgressMax * 3 }, () =>
    turns.run({ owner: "me" }, signal, () => Promise.reject(new Error("no"))),
  );
  const results = await Promise.allSettled(failing);
  expect(results.every(({ status }) => status === "rejected")).toBe(true);
  expect(await turns.run({ owner: "me" }, signal, async () => "yes")).toBe("yes");
  const sent = send("one", { owner: "me" });
  await untilBegun(1);
  ends[0]!();
  expect(await sent).toBe("one");
});
