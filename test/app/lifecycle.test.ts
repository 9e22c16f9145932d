import { expect, test } from "bun:test";
import { createLifecycle, stopServices } from "../../src/app/lifecycle.ts";

test("a service that fails to stop keeps none of the others from stopping, and its error is thrown at the end", async () => {
  const stopped: string[] = [];
  const service = (name: string) => ({ stop: () => Promise.resolve().then(() => void stopped.push(name)) });
  const failing = {
    stop() {
      throw new Error("the disk is full");
    },
  };
  const stopping = stopServices([
    [failing, service("first"), undefined],
    [service("second"), { stop: () => Promise.reject(new Error("the file is gone")) }],
    [service("third")],
  ]);
  await expect(stopping).rejects.toThrow("the disk is full; the file is gone");
  expect(stopped).toEqual(["first", "second", "third"]);
  await expect(stopServices([[failing], [service("fourth")]])).rejects.toThrow(/^the disk is full$/);
  expect(stopped.at(-1)).toBe("fourth");
});

test("services start in the reverse order of their stop, except for the first ones, and then the appliance is running", async () => {
  const calls: string[] = [];
  const service = (name: string) => ({
    start: () => void calls.push(`start ${name}`),
    stop: () => void calls.push(`stop ${name}`),
  });
  const [index, traps, deliveries] = [service("index"), service("traps"), service("deliveries")];
  const lifecycle = createLifecycle([[traps, undefined], [deliveries, { stop: () => {} }], [index]], {
    first: [traps],
  });
  const pause = () => Promise.resolve(void calls.push("pause"));
  const starting = lifecycle.start(pause);
  expect([calls[0], lifecycle.isRunning()]).toEqual(["start traps", false]);
  await starting;
  expect(lifecycle.isRunning()).toBe(true);
  await lifecycle.stop();
  expect(lifecycle.isRunning()).toBe(false);
  expect(calls).toEqual([
    "start traps",
    "pause",
    "start index",
    "pause",
    "start deliveries",
    "stop traps",
    "stop deliveries",
    "stop index",
  ]);
});
