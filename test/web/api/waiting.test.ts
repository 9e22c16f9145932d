import { expect, test } from "bun:test";
import { connect } from "node:net";
import { untilResponse } from "../../../src/web/api/listener.ts";

test("a GET that takes longer than the idle timeout gets its response", async () => {
  const idleTimeout = 1;
  const idleEnded = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout,
    routes: {
      "/": untilResponse(async () => {
        asked.resolve();
        await idleEnded.promise;
        return new Response("late");
      }, idleTimeout),
    },
  });
  const response = fetch(server.url);
  await asked.promise;
  // This connection began later, so when it is closed, the time of the other one is over, too.
  const idle = connect(server.port!, "127.0.0.1").resume();
  idle.on("close", () => idleEnded.resolve());
  expect(await (await response).text()).toBe("late");
}, 30_000);

test("only a GET without an immediate response suspends the idle timeout, and it is set again in any case", async () => {
  const set: number[] = [];
  const server = { timeout: (_: Request, seconds: number) => void set.push(seconds) };
  const send = (method: string, response: () => Response | Promise<Response>) => {
    const request = Object.assign(new Request("http://localhost/", { method }), { params: {} });
    return untilResponse(response, 9)(request, server);
  };
  expect(await send("GET", () => new Response("now"))).toBeInstanceOf(Response);
  expect(await send("POST", async () => new Response("later"))).toBeInstanceOf(Response);
  expect(set).toEqual([]);
  expect(await send("GET", async () => new Response("later"))).toBeInstanceOf(Response);
  expect(set.splice(0)).toEqual([0, 9]);
  const failing = send("GET", () => Promise.reject(new Error("failed")));
  await expect(failing).rejects.toThrow("failed");
  expect(set).toEqual([0, 9]);
});
