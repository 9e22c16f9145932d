import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { system } from "../../../src/access/audit/actor.ts";
import { honeytoken } from "../../../src/response/traps/kinds/honeytoken/honeytoken.ts";
import { openApi, type Api } from "../../support/api.ts";
import { sendRaw } from "../../support/raw-request.ts";

let api: Api;
let port: number;
beforeEach(() => {
  api = openApi();
  api.server.listen();
  port = api.server.port!;
});
afterEach(async () => {
  await api.server.stop();
  api.dispose();
});

/** Sends bytes as they are. Resolves with everything received when the server closes the connection. */
function exchange(bytes: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect(port, "127.0.0.1", () => socket.write(bytes, "latin1"));
  let text = "";
  socket.on("data", (data) => void (text += data.toString("latin1")));
  socket.on("error", reject);
  socket.on("close", () => resolve(text));
  return promise;
}

const isAlive = async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).status;

describe("input that never becomes a request", () => {
  const authorization = () => `Authorization: Bearer ${api.key()}`;

  test("with a head over the limit gets 431 without a body, and the server lives on", async () => {
    const query = `GET /v1/threats?domain=${"a".repeat(20_000)} HTTP/1.1\r\nHost: x\r\n${authorization()}\r\n\r\n`;
    const header = `GET /v1/threats HTTP/1.1\r\nHost: x\r\nX-A: ${"a".repeat(40_000)}\r\n\r\n`;
    for (const text of [query, header])
      expect(await exchange(text)).toMatch(
        /^HTTP\/1\.1 431 Request Header Fields Too Large\r\nConnection: close\r\n\r\n$/i,
      );
    expect(await isAlive()).toBe(200);
  });

  test("with a method that HTTP does not define closes the connection, and the server lives on", async () => {
    for (const method of ["FOO", "PATCHX", "get"])
      expect(await exchange(`${method} /v1/threats HTTP/1.1\r\nHost: x\r\n${authorization()}\r\n\r\n`)).toBe(
        "",
      );
    expect(await isAlive()).toBe(200);
  });

  test("with conflicting lengths or without a host gets 400 and a closed connection", async () => {
    for (const lines of [
      "Host: x\r\nContent-Length: abc",
      "Host: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked",
      "Connection: close",
    ])
      expect(await exchange(`POST /v1/candidates HTTP/1.1\r\n${lines}\r\n\r\n`)).toStartWith("HTTP/1.1 400 ");
    expect(await isAlive()).toBe(200);
  });
});

test("a restart of the server fills the buckets of the rate limit", async () => {
  const key = api.key({ plan: "free" });
  const headers = { authorization: `Bearer ${key}` };
  const remaining = async (server: Api["server"]) =>
    (await server.handle(new Request("http://localhost/v1/threats", { headers }))).headers.get(
      "x-ratelimit-remaining",
    );
  expect([await remaining(api.server), await remaining(api.server)]).toEqual(["59", "58"]);
  expect(await remaining(api.serve())).toBe("59");
});

describe("responses of traps", () => {
  test("carry X-Request-Id, the same for live and dead addresses", async () => {
    const { address } = api.traps.of(honeytoken).create({ kind: "url" }, { by: system });
    const live = `/t/${address}`;
    const get = (path: string, headers: Record<string, string> = {}) =>
      fetch(`http://127.0.0.1:${port}${path}`, { headers });
    const namesOf = (response: Response) => [...response.headers.keys()].sort();
    for (const path of [live, `/t/${"a".repeat(26)}`, `/b/${"a".repeat(26)}`]) {
      expect((await get(path, { "x-request-id": "mine-1" })).headers.get("x-request-id")).toBe("mine-1");
      const [first, second] = await Promise.all([get(path), get(path, { "x-request-id": "not valid" })]);
      expect(first.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
      expect(second.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"));
    }
    expect(namesOf(await get(live))).toEqual(namesOf(await get(`/t/${"a".repeat(26)}`)));
    expect((await sendRaw(port, { target: "/t/..\\x" })).head).toMatch(/x-request-id: [0-9a-f-]{36}/i);
    await api.traps.stop();
  });
});
