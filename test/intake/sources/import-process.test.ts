import { expect, test } from "bun:test";
import { hasEnded, ownProcess } from "../../../src/intake/sources/imports/import-store.ts";

const [pid, ticks, namespace] = ownProcess().split(" ");

test("this process has not ended", () => {
  expect(hasEnded(ownProcess())).toBe(false);
});

test("a process has ended once it is killed, and once another one has its id", async () => {
  const child = Bun.spawn(["sleep", "60"]);
  const identity = `${child.pid} - ${namespace}`;
  expect(hasEnded(identity)).toBe(false);
  child.kill("SIGKILL");
  await child.exited;
  expect(hasEnded(identity)).toBe(true);
  expect(hasEnded(`${pid} ${Number(ticks) - 1} ${namespace}`)).toBe(true);
});

test("nothing is claimed about processes of other containers and other users", () => {
  expect(hasEnded(`${pid} 1 pid:[1]`)).toBe(false);
  expect(hasEnded(`1 - ${namespace}`)).toBe(false);
  expect(hasEnded("")).toBe(false);
});
