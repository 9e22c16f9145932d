import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openApi, type Api } from "../support/api.ts";

let api: Api;
let id: string;
const keys: Record<string, string> = {};
beforeAll(() => {
  api = openApi();
  [id = ""] = api.sight(...Array.from({ length: 30 }, (_, index) => `examp1e-bank-${index}.com`));
  keys["reader"] = api.key({ plan: "enterprise" });
  keys["writer"] = api.key({ plan: "enterprise", scopes: ["threats:write"] });
  keys["limited"] = api.key({ plan: "free" });
  api.server.listen();
});
afterAll(async () => {
  await api.server.stop(0);
  api.dispose();
});

/** Sends a request over the socket. The body is returned as it was sent. */
function send(
  method: string,
  path: string,
  { key, headers }: { key?: string; headers?: Record<string, string> } = {},
) {
  return fetch(`http://127.0.0.1:${api.server.port}${path.replace(":id", id)}`, {
    method,
    redirect: "manual",
    decompress: false,
    headers: {
      "accept-encoding": "identity",
      ...(key === undefined ? {} : { authorization: `Bearer ${keys[key]}` }),
      ...headers,
    },
  });
}

/** Returns the headers that do not differ between two requests. */
function stableHeaders({ headers }: Response): Record<string, string> {
  const { "x-request-id": _id, date: _date, ...stable } = Object.fromEntries(headers);
  return stable;
}

describe("HEAD", () => {
  const requests: [path: string, key: string | undefined, status: number][] = [
    ["/v1/threats", "reader", 200],
    ["/v1/threats?q=examp1e", "reader", 200],
    ["/v1/threats/:id", "reader", 200],
    ["/v1/threats/:id/history", "reader", 200],
    ["/v1/threats/export?format=csv", "reader", 200],
    ["/v1/threats/export?format=stix&q=examp1e", "reader", 200],
    ["/v1/threats", undefined, 401],
    ["/v1/threats", "writer", 403],
    ["/v1/threats/thr_nothing", "reader", 404],
    ["/v1/threats/batch/x", "reader", 404],
    ["/v1/threats?page=x", "reader", 400],
    ["/v1/threats/export?format=x", "reader", 400],
    ["/docs", undefined, 200],
    ["/docs/http-api", undefined, 200],
    ["/docs/api", undefined, 200],
    ["/docs/nothing", undefined, 404],
    ["/openapi.json", undefined, 200],
    ["/healthz", undefined, 200],
  ];
  for (const [path, key, status] of requests) {
    test(`${path} ${key === undefined ? "without a key" : `as ${key}`} has the status and headers of GET, and no body`, async () => {
      const caller = key === undefined ? {} : { key };
      const get = await send("GET", path, caller);
      const head = await send("HEAD", path, caller);
      const body = await get.arrayBuffer();
      expect([get.status, head.status]).toEqual([status, status]);
      expect(body.byteLength).toBeGreaterThan(0);
      expect((await head.arrayBuffer()).byteLength).toBe(0);
      // A file whose length is not known has a Transfer-Encoding instead.
      const { "transfer-encoding": _chunked, ...ofGet } = stableHeaders(get);
      expect(stableHeaders(head)).toMatchObject(ofGet);
    });
  }

  test("counts in the rate limit, and is limited like GET", async () => {
    for (let remaining = 59; remaining >= 0; remaining -= 1) {
      const { status, headers } = await send("HEAD", "/v1/threats/:id", { key: "limited" });
      expect([status, headers.get("x-ratelimit-remaining")]).toEqual([200, `${remaining}`]);
    }
    const limited = await send("HEAD", "/v1/threats/:id", { key: "limited" });
    expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "60"]);
  });

  test("leaves no export running", () => {
    expect(api.exports.running).toBe(0);
  });
});
