import { describe, expect, test } from "bun:test";
import { shareLookups } from "../../../src/platform/network/shared-lookups.ts";
import { manualClock } from "../../support/appliance.ts";

/** Opens shared lookups of which the test decides the results. */
function open() {
  const clock = manualClock();
  const pending: { name: string; resolve: (addresses: string[]) => void; reject: (error: Error) => void }[] =
    [];
  const resolveHost = shareLookups({
    clock,
    resolveHost: (name) => new Promise((resolve, reject) => void pending.push({ name, resolve, reject })),
  });
  return { clock, pending, resolveHost };
}

describe("shared lookups", () => {
  test("run once for all callers that ask for the same name", async () => {
    const { pending, resolveHost } = open();
    const callers = [resolveHost("a.test"), resolveHost("A.test"), resolveHost("b.test")];
    expect(pending.map(({ name }) => name)).toEqual(["a.test", "b.test"]);
    for (const { name, resolve } of pending) resolve([`${name} resolved`]);
    expect(await Promise.all(callers)).toEqual([
      ["a.test resolved"],
      ["a.test resolved"],
      ["b.test resolved"],
    ]);
  });

  test("run again after a success, so that each connection uses current addresses", async () => {
    const { pending, resolveHost } = open();
    for (const address of ["192.0.2.1", "192.0.2.2"]) {
      const caller = resolveHost("a.test");
      pending.at(-1)!.resolve([address]);
      expect(await caller).toEqual([address]);
    }
    expect(pending).toHaveLength(2);
  });

  test("repeat a failure for five seconds, however the clock is set in the meantime", async () => {
    const { clock, pending, resolveHost } = open();
    const failing = resolveHost("a.test");
    pending[0]!.reject(new Error("no response"));
    await expect(failing).rejects.toThrow("no response");
    await failing.catch(() => {});
    clock.advance(4_999);
    await expect(resolveHost("a.test")).rejects.toThrow("no response");
    expect(pending).toHaveLength(1);
    clock.advance(1);
    const second = resolveHost("a.test");
    expect(pending).toHaveLength(2);
    pending[1]!.reject(new Error("no response"));
    await second.catch(() => {});
    clock.setBy(-3_600_000);
    await expect(resolveHost("a.test")).rejects.toThrow("no response");
    expect(pending).toHaveLength(2);
    clock.advance(5_000);
    const third = resolveHost("a.test");
    expect(pending).toHaveLength(3);
    pending[2]!.resolve(["192.0.2.1"]);
    expect(await third).toEqual(["192.0.2.1"]);
  });

  test("remember the failures of at most 1,000 names", async () => {
    const { pending, resolveHost } = open();
    for (let index = 0; index <= 1_000; index += 1) {
      const failing = resolveHost(`n${index}.test`);
      pending.at(-1)!.reject(new Error("no response"));
      await failing.catch(() => {});
    }
    void resolveHost("n1.test").catch(() => {});
    expect(pending).toHaveLength(1_001);
    void resolveHost("n0.test");
    expect(pending.at(-1)!.name).toBe("n0.test");
  });
});
