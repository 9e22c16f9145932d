import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { apiOperations } from "../../../src/web/api/v1/operations.ts";
import { scopes } from "../../../src/platform/vocabulary/keys.ts";
import { openApi, type Api } from "../../support/api.ts";
import { analyst } from "../../support/stores.ts";

let api: Api;
beforeEach(() => void (api = openApi()));
afterEach(() => api.dispose());

/** Routes that respond without an API key. A new one must be added here on purpose. */
const open = [
  "/",
  // Protected by the sign-in of the console.
  "/console",
  "/console/*",
  "/docs",
  "/docs/:topic",
  "/docs/api",
  "/docs/clients/:file",
  "/favicon.ico",
  "/healthz",
  // Protected by the token in the address.
  "/lists",
  "/lists/*",
  // Protected by its own token if one is set.
  "/metrics",
  "/openapi.json",
  "/readyz",
  // Protected by being unguessable.
  "/b",
  "/b/*",
  "/t",
  "/t/*",
  "/lists",
  "/lists/*",
  "/screenshots/:id/:token",
];

const operations = apiOperations({ maxPerPage: 100, maxBatchIds: 1000 });
const id = "thr_01h455vb4pex5vsknk084sn02q";
const concrete = (path: string) => path.replace("{id}", id);
const unauthorized = {
  error: { code: "unauthorized", message: "Send an API key in the header Authorization: Bearer <API key>." },
};

describe("without a valid key", () => {
  test("every registered route responds with 401, unless it is listed as open", async () => {
    const registered = api.server.routes.filter(({ path }) => !open.includes(path));
    expect(registered.length).toBeGreaterThan(operations.length);
    for (const { method, path } of registered) {
      const url = path.replace(":id", id).replace("*", "anything");
      const response = await api.call(method === "ALL" ? "DELETE" : method, url);
      expect([method, path, response.status]).toEqual([method, path, 401]);
      expect(response.headers.get("www-authenticate")).toBe("Bearer");
      expect(response.json).toEqual(unauthorized);
    }
  });

  const paths = ["/v1", "/v1/", "/v1/nothing", "/v1/threats/", "/v1/threats/a/b", "/v1//"];
  const methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"];
  const cases = [...paths, "/v1/threats/%zz"].flatMap((path) => methods.map((method) => ({ method, path })));
  // Exists: it is a threat whose id is not valid percent-encoding, so its body is checked first.
  const patchOfMalformedId = { method: "PATCH", path: "/v1/threats/%zz" };
  for (const { method, path } of cases) {
    if (Bun.deepEquals({ method, path }, patchOfMalformedId)) continue;
    test(`${method} ${path} returns 401 without a key and 404 with one`, async () => {
      expect((await api.call(method, path)).status).toBe(401);
      expect((await api.call(method, path, { key: api.key() })).status).toBe(404);
    });
  }

  test("PATCH /v1/threats/%zz returns 401 without a key, and with one 400 without a body and 404 with one", async () => {
    const { method, path } = patchOfMalformedId;
    expect((await api.call(method, path)).status).toBe(401);
    expect((await api.call(method, path, { key: api.key() })).status).toBe(400);
    const body = { status: "resolved" };
    expect((await api.call(method, path, { key: api.key(), body })).status).toBe(404);
  });

  test("an unknown, revoked or expired key returns 401 and is not echoed", async () => {
    const revoked = api.key();
    api.keys.revoke(api.keys.list()[0]!.id, { by: analyst });
    const expired = api.key({ expiresAt: api.clock.now() + 1 });
    api.clock.advance(1);
    for (const key of ["pw_unknown", revoked, expired]) {
      const response = await api.call("GET", "/v1/threats", { key });
      expect(response.status).toBe(401);
      expect(response.json.error.message).toBe("This API key is unknown, revoked or expired.");
      expect(response.text).not.toContain(key);
      expect(response.headers.get("x-ratelimit-limit")).toBeNull();
    }
  });

  test("a token in the query is ignored", async () => {
    const response = await api.call("GET", `/v1/threats?access_token=${api.key()}`);
    expect(response.status).toBe(401);
  });

  test("malformed JSON, a wrong content type and an oversize body still return 401", async () => {
    for (const body of ["{", "x".repeat(2 << 20)]) {
      expect((await api.call("POST", "/v1/threats/batch", { body })).status).toBe(401);
      const headers = { "content-type": "text/html" };
      expect((await api.call("PATCH", "/v1/threats/thr_1", { body, headers })).status).toBe(401);
    }
  });
});

describe.each(operations)("$method $path", ({ method, path, scope, body }) => {
  test("checks key, rate limit, scope, query and body, in this order", async () => {
    // Everything about this call is wrong.
    const url = `${concrete(path)}?unknown=1`;
    const call = (key?: string) =>
      api.call(method, url, {
        ...(key === undefined ? {} : { key }),
        ...(body === undefined ? {} : { body: "{" }),
      });
    expect((await call()).json).toEqual(unauthorized);

    const lacking = scopes.filter((one) => one !== scope);
    const limited = api.key({ plan: "free", scopes: lacking });
    for (let count = 0; count < 60; count += 1) await call(limited);
    expect((await call(limited)).json.error.code).toBe("rate_limit_exceeded");

    const unscoped = await call(api.key({ scopes: lacking }));
    expect([unscoped.status, unscoped.json]).toEqual([
      403,
      {
        error: {
          code: "forbidden",
          message: `This API key lacks the scope ${scope}, which this operation needs.`,
        },
      },
    ]);

    const able = api.key({ scopes: [scope] });
    const badQuery = await call(able);
    expect([badQuery.status, badQuery.json.error.message]).toEqual([
      400,
      expect.stringContaining('There is no parameter "unknown"'),
    ]);

    if (body === undefined) return;
    const badBody = await api.call(method, concrete(path), { key: able, body: "{" });
    expect([badBody.status, badBody.json.error.message]).toEqual([400, "The body is not valid JSON."]);
  });

  test("returns 401 again once its key is revoked, even if the rate limit is exceeded", async () => {
    const key = api.key({ plan: "free" });
    const call = () => api.call(method, `${concrete(path)}?unknown=1`, { key });
    for (let count = 0; count < 60; count += 1) await call();
    expect((await call()).status).toBe(429);
    api.keys.revoke(api.keys.list()[0]!.id, { by: analyst });
    expect((await call()).status).toBe(401);
  });
});

describe("the rate limit", () => {
  const nowSeconds = () => Math.ceil(api.clock.now() / 1000);
  const headersOf = ({ headers }: { headers: Headers }) =>
    ["limit", "remaining", "reset"].map((name) => headers.get(`x-ratelimit-${name}`));

  test("is stated in every response, counts every response, and a 429 states when to try again", async () => {
    const key = api.key({ plan: "free", scopes: ["threats:read"] });
    const reset = `${nowSeconds() + 60}`;
    const calls = [
      ["GET", "/v1/threats", 200],
      ["GET", "/v1/threats?page=x", 400],
      ["PATCH", "/v1/threats/x", 403],
      ["GET", "/v1/threats/x", 404],
      ["DELETE", "/v1", 404],
      ["HEAD", "/v1/threats", 200],
    ] as const;
    let remaining = 60;
    for (const [method, path, status] of calls) {
      const response = await api.call(method, path, { key });
      expect(response.status).toBe(status);
      expect(headersOf(response)).toEqual(["60", `${(remaining -= 1)}`, reset]);
      expect(response.headers.get("retry-after")).toBeNull();
    }
    while ((remaining -= 1) >= 0) await api.call("GET", "/v1/threats", { key });
    api.clock.advance(1_500);
    const limited = await api.call("GET", "/v1/threats", { key });
    expect(limited.status).toBe(429);
    expect(limited.json.error).toEqual({
      code: "rate_limit_exceeded",
      message: "This API key may make 60 requests a minute; try again in 59 seconds.",
    });
    expect(headersOf(limited)).toEqual(["60", "0", reset]);
    expect(limited.headers.get("retry-after")).toBe("59");
    api.clock.advance(58_500);
    expect(headersOf(await api.call("GET", "/v1/threats", { key }))).toEqual([
      "60",
      "59",
      `${nowSeconds() + 60}`,
    ]);
  });

  test("is 600 for a pro key, and enterprise keys have none", async () => {
    expect(headersOf(await api.call("GET", "/v1/threats", { key: api.key({ plan: "pro" }) }))).toEqual([
      "600",
      "599",
      `${nowSeconds() + 60}`,
    ]);
    const key = api.key({ plan: "enterprise" });
    for (let count = 0; count < 700; count += 1) {
      const response = await api.call("GET", "/v1/threats", { key });
      expect([response.status, ...headersOf(response)]).toEqual([200, null, null, null]);
    }
  });
});

describe("every response", () => {
  test("carries the caller's request ID if it is well-formed, otherwise a new one", async () => {
    const key = api.key();
    const idFor = async (given: string, path = "/v1/threats") =>
      (await api.call("GET", path, { key, headers: { "x-request-id": given } })).headers.get("x-request-id");
    for (const given of ["a", "A.b_c-9", "x".repeat(128)]) expect(await idFor(given)).toBe(given);
    expect(await idFor("mine", "/v1/nothing")).toBe("mine");
    expect(await idFor("mine", "/nothing")).toBe("mine");
    for (const given of ["", "x".repeat(129), "a b", "a/b", "\u00e9"]) {
      expect(await idFor(given)).toMatch(/^[0-9a-f-]{36}$/);
    }
    expect(await idFor("")).not.toBe(await idFor(""));
  });

  test("must not be cached and has the content type JSON", async () => {
    const key = api.key();
    for (const [path, options] of [
      ["/v1/threats", { key }],
      ["/v1/threats", {}],
      ["/v1/threats?x=1", { key }],
      ["/v1/nothing", { key }],
      ["/nothing", {}],
    ] as const) {
      const { headers } = await api.call("GET", path, options);
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("content-type")).toMatch(/^application\/json/);
      expect(headers.get("x-request-id")).not.toBeNull();
    }
  });

  test("reveals nothing internal after an unexpected error; the log has the cause under the same request ID", async () => {
    const key = api.key();
    api.database.sqlite.run("alter table threats rename to elsewhere");
    const response = await api.call("GET", "/v1/threats/thr_01h455vb4pex5vsknk084sn02q", {
      key,
      headers: { "x-request-id": "broken-1" },
    });
    expect(response.status).toBe(500);
    expect(response.json).toEqual({
      error: {
        code: "internal_error",
        message: "Internal server error. The log has the cause under the X-Request-Id of this response.",
      },
    });
    expect(response.headers.get("x-request-id")).toBe("broken-1");
    const line = api.logged.map((text) => JSON.parse(text)).find(({ level }) => level === "error");
    expect(line.request).toBe("broken-1");
    expect(line.error.stack).toContain("threats");
    expect(api.logged.join("")).not.toContain(key);
  });
});
