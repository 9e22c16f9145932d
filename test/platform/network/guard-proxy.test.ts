import { afterEach, describe, expect, test } from "bun:test";
import { request } from "node:http";
import net from "node:net";
import { systemClock } from "../../../src/platform/lib/clock.ts";
import { startGuardProxy, type GuardProxy } from "../../../src/platform/network/http/guard-proxy.ts";
import type { ResolveHost } from "../../../src/platform/network/resolve.ts";
import { startReceiver } from "../../support/receiver.ts";

const closing: (() => unknown)[] = [];
afterEach(() => Promise.all(closing.splice(0).map((close) => close())));

async function open({
  allowPrivateNetworks = true,
  resolveHost = async () => ["127.0.0.1"],
  bytesMax = 1_000_000,
}: { allowPrivateNetworks?: boolean; resolveHost?: ResolveHost; bytesMax?: number } = {}) {
  const proxy = await startGuardProxy({
    rules: { allowPrivateNetworks },
    clock: systemClock,
    resolveHost,
    bytesMax,
    refusedHosts: ["home.example"],
  });
  const receiver = startReceiver(() => new Response("hello from inside"));
  closing.push(
    () => proxy.close(),
    () => receiver.stop(),
  );
  return { proxy, receiver };
}

/** A plain request by way of the proxy, as a browser makes it. */
function get(proxy: GuardProxy, url: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const { host } = new URL(url);
    const asked = request(
      { host: "127.0.0.1", port: proxy.port, path: url, headers: { host }, agent: false },
      (response) => {
        let body = "";
        response.on("data", (data: Buffer) => (body += data.toString()));
        response.on("end", () => resolve({ status: response.statusCode!, body }));
        response.on("error", reject);
      },
    );
    asked.on("error", reject);
    asked.end();
  });
}

/** Sends bytes and returns everything received until the proxy closes. */
function raw(proxy: GuardProxy, text: string): Promise<string> {
  return new Promise((resolve) => {
    let response = "";
    const socket = net.connect(proxy.port, "127.0.0.1", () => void socket.write(text));
    socket.on("data", (data) => (response += data.toString()));
    socket.on("error", () => {});
    socket.on("close", () => resolve(response));
  });
}

describe("the guard proxy", () => {
  test("forwards plain requests to the address that it checked, without proxy headers", async () => {
    const { proxy, receiver } = await open();
    const response = await get(proxy, `http://examp1e-bank.com:${receiver.port}/path?x=1`);
    expect(response).toEqual({ status: 200, body: "hello from inside" });
    expect(receiver.received[0]!.headers["host"]).toBe(`examp1e-bank.com:${receiver.port}`);
    expect(proxy.refused()).toEqual([]);
  });

  test("opens tunnels to the address that it checked", async () => {
    const { proxy, receiver } = await open();
    const response = await raw(
      proxy,
      `CONNECT examp1e-bank.com:${receiver.port} HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    expect(response).toStartWith("HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 200 OK");
    expect(response).toContain("hello from inside");
  });

  test.each([
    ["a loopback address", "127.0.0.1"],
    ["a name of a loopback address", "inside.example"],
    ["another way to write one", "2130706433"],
    ["the IPv6 one", "[::1]"],
  ])("blocks %s, for requests and tunnels, and nothing arrives there", async (_what, host) => {
    const { proxy, receiver } = await open({ allowPrivateNetworks: false });
    expect((await get(proxy, `http://${host}:${receiver.port}/`)).status).toBe(403);
    const tunnel = await raw(proxy, `CONNECT ${host}:${receiver.port} HTTP/1.1\r\n\r\n`);
    expect(tunnel).toStartWith("HTTP/1.1 403");
    expect(receiver.received).toEqual([]);
    expect(proxy.refused().length).toBe(2);
    expect(proxy.refused()).toEqual([]);
  });

  test("blocks metadata services even where private networks are allowed, and hosts to which a browser reports", async () => {
    const { proxy } = await open();
    expect((await get(proxy, "http://169.254.169.254/latest/meta-data/")).status).toBe(403);
    expect((await get(proxy, "http://home.example/")).status).toBe(403);
  });

  test("checks every connection, so a name that later resolves to an internal address is blocked", async () => {
    let asked = 0;
    const { proxy, receiver } = await open({
      resolveHost: async () => [asked++ === 0 ? "127.0.0.1" : "169.254.169.254"],
    });
    const url = `http://rebinding.example:${receiver.port}/`;
    expect((await get(proxy, url)).status).toBe(200);
    expect((await get(proxy, url)).status).toBe(403);
    expect(receiver.received.length).toBe(1);
  });

  test("returns 502 for a name that does not exist and 400 for an invalid proxy request", async () => {
    const { proxy } = await open({ resolveHost: () => Promise.reject(new Error("ENOTFOUND")) });
    expect((await get(proxy, "http://nowhere.example/")).status).toBe(502);
    for (const line of [
      "GET /path HTTP/1.1",
      "GET file:///etc/passwd HTTP/1.1",
      "nonsense",
      "GET ftp://x/ HTTP/1.1",
    ])
      expect(await raw(proxy, `${line}\r\n\r\n`)).toStartWith("HTTP/1.1 400");
  });

  test("cuts off responses that never end", async () => {
    const { proxy } = await open({ bytesMax: 100_000 });
    const endless = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () =>
        new Response(
          new ReadableStream({
            pull: (controller) => void controller.enqueue(new Uint8Array(16_384)),
          }),
        ),
    });
    closing.push(() => endless.stop(true));
    const response = await raw(
      proxy,
      `GET http://endless.example:${endless.port}/ HTTP/1.1\r\nHost: x\r\n\r\n`,
    );
    expect(response.length).toBeLessThan(400_000);
  });

  test("closes the connection when the request head is too long", async () => {
    const { proxy } = await open();
    expect(await raw(proxy, `GET http://x/ HTTP/1.1\r\nx: ${"x".repeat(100_000)}`)).toBe("");
  });
});
