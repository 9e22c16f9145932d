import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openApi, type Api } from "../../support/api.ts";
import { analyst } from "../../support/stores.ts";
import { until } from "../../support/until.ts";

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
      // Both have a Transfer-Encoding instead of a length that is not known.
      expect(stableHeaders(head)).toEqual(stableHeaders(get));
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

  test("leaves no export running, compressed or not", async () => {
    for (const encoding of ["identity", "gzip"]) {
      const headers = { "accept-encoding": encoding };
      const head = await send("HEAD", "/v1/threats/export?format=csv", { key: "reader", headers });
      expect([head.status, head.headers.get("content-length")]).toEqual([200, null]);
      await until(() => api.exports.running === 0, "the export is freed");
    }
  });
});

const gunzipped = async (response: Response) =>
  new TextDecoder().decode(Bun.gunzipSync(await response.bytes()));

describe("compression", () => {
  const large = [
    "/v1/threats?per_page=30",
    "/v1/threats?per_page=30&q=examp1e",
    "/v1/threats/export?format=csv",
    "/v1/threats/export?format=stix",
    "/openapi.json",
    "/docs",
    "/docs/http-api",
    "/docs/api",
    "/docs/manual.css",
  ];
  for (const path of large) {
    test(`${path} is compressed for clients that accept gzip, and the same for others`, async () => {
      const caller = path.startsWith("/v1") ? { key: "reader" } : {};
      const plain = await send("GET", path, caller);
      expect([plain.status, plain.headers.get("content-encoding"), plain.headers.get("vary")]).toEqual([
        200,
        null,
        "accept-encoding",
      ]);
      const text = await plain.text();
      for (const accepted of ["gzip", "br, GZIP;q=0.5"]) {
        const response = await send("GET", path, { ...caller, headers: { "accept-encoding": accepted } });
        const {
          "content-encoding": encoding,
          "content-length": _length,
          ...others
        } = stableHeaders(response);
        expect(encoding).toBe("gzip");
        expect(others["vary"]).toBe("accept-encoding");
        // The identifier of a STIX bundle is that of the export.
        const withoutId = (one: string) => one.replace(/"id":"bundle--[^"]+"/, "");
        expect(withoutId(await gunzipped(response))).toBe(withoutId(text));
      }
      for (const refused of ["br", "gzip;q=0", "gzip; q=0.000, br"]) {
        const response = await send("GET", path, { ...caller, headers: { "accept-encoding": refused } });
        expect(response.headers.get("content-encoding")).toBeNull();
        expect((await response.text()).length).toBe(text.length);
      }
    });
  }

  test("leaves small responses, errors and the console as they are", async () => {
    const headers = { "accept-encoding": "gzip" };
    for (const [path, caller] of [
      ["/v1/threats?per_page=1", { key: "reader" }],
      ["/v1/threats?page=x", { key: "reader" }],
      ["/healthz", {}],
      ["/console", {}],
    ] as const) {
      const response = await send("GET", path, { ...caller, headers });
      expect([path, response.headers.get("content-encoding"), response.headers.get("vary")]).toEqual([
        path,
        null,
        null,
      ]);
    }
  });

  test("frees a compressed export whose client disconnects, and breaks off one that fails", async () => {
    const stopping = new AbortController();
    const url = `http://127.0.0.1:${api.server.port}/v1/threats/export?format=csv`;
    const headers = { authorization: `Bearer ${keys["reader"]}`, "accept-encoding": "gzip" };
    api.database.sqlite.run(`
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000)
      insert into threats (id, protected_domain_seq, domain, type, status, severity, similarity, source, reasons,
        severity_reasons, first_seen, created_at, status_changed_at, whois, screenshot_token, registrar)
      select printf('thr_%026d', i), 1, 'name-' || i || '.com', 'combosquatting', 'active', 'low', 0.75, 'feed', '[]',
        '[]', 1700000000000 - i, 0, 0, '{}', printf('%022d', i), hex(randomblob(2500))
      from n`);
    await fetch(url, { headers, signal: stopping.signal });
    expect(api.exports.running).toBe(1);
    stopping.abort();
    await until(() => api.exports.running === 0, "the export is freed");
    const failing = await fetch(url, { headers });
    expect(failing.headers.get("content-encoding")).toBe("gzip");
    api.clock.advance(3_600_001);
    await expect(failing.bytes()).rejects.toThrow();
    await until(() => api.exports.running === 0, "the export is freed");
  });
});

describe("the entity tag of a read", () => {
  const conditional = (path: string, tag: string, headers: Record<string, string> = {}) =>
    send("GET", path, { key: "reader", headers: { "if-none-match": tag, ...headers } });

  for (const path of [
    "/v1/threats/:id",
    "/v1/threats?per_page=30",
    "/v1/threats?per_page=100&q=examp1e",
    "/v1/threats/:id/history",
  ]) {
    test(`of ${path} leads to 304 without a body until something changes, in each encoding`, async () => {
      const { headers } = await send("GET", path, { key: "reader" });
      const tag = headers.get("etag")!;
      expect(tag).toMatch(/^W\/"[0-9a-f]+"$/);
      for (const sent of [tag, tag.slice(2), `"other", ${tag}`, tag.replace(/"$/, '-gzip"'), "*"]) {
        for (const encoding of ["gzip", "identity"]) {
          const response = await conditional(path, sent, { "accept-encoding": encoding });
          expect([response.status, response.headers.get("etag"), await response.text()]).toEqual([
            304,
            tag,
            "",
          ]);
          expect(response.headers.get("vary")).toBe(headers.get("vary"));
        }
      }
      api.threats.changeStatus([id], "resolved", { by: analyst });
      const changed = await conditional(path, tag);
      expect(changed.status).toBe(200);
      expect(changed.headers.get("etag")).not.toBe(tag);
      api.threats.changeStatus([id], "active", { by: analyst });
    });
  }

  test("does not hide an error, and a request with it counts in the rate limit", async () => {
    expect(
      (await send("GET", "/v1/threats/thr_nothing", { key: "reader", headers: { "if-none-match": "*" } }))
        .status,
    ).toBe(404);
    expect((await send("GET", "/v1/threats", { headers: { "if-none-match": "*" } })).status).toBe(401);
    api.clock.advance(60_000);
    const { status, headers } = await send("GET", "/v1/threats", {
      key: "limited",
      headers: { "if-none-match": "*" },
    });
    expect([status, headers.get("x-ratelimit-remaining")]).toEqual([304, "59"]);
  });
});
