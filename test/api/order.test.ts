import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { openApi, type Api } from "../support/api.ts";
import { analyst } from "../support/stores.ts";

let api: Api;
beforeEach(() => void (api = openApi()));
afterEach(() => api.dispose());

/** What is answered without a key; everything else has to be listed here on purpose. */
const open = [
  "/",
  // Protected by the console's own sign-in.
  "/console",
  "/console/*",
  "/docs",
  "/docs/:asset",
  "/healthz",
  // Protected by its own token where one is set.
  "/metrics",
  "/openapi.json",
  "/readyz",
  // Protected by being unguessable.
  "/b",
  "/b/*",
  "/t",
  "/t/*",
  "/screenshots/:id/:token",
];

describe("without a valid key", () => {
  test("every registered route answers 401, unless it is listed as open", async () => {
    const registered = api.server.routes.filter(({ path }) => !open.includes(path));
    expect(registered.length).toBeGreaterThan(4);
    for (const { method, path } of registered) {
      const concrete = path.replace(":id", "thr_01h455vb4pex5vsknk084sn02q").replace("*", "anything");
      const answer = await api.call(method === "ALL" ? "DELETE" : method, concrete, { body: undefined });
      expect([method, path, answer.status]).toEqual([method, path, 401]);
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
      expect(answer.json).toEqual({
        error: {
          code: "unauthorized",
          message: "Send an API key in the header Authorization: Bearer <API key>.",
        },
      });
    }
  });

  const paths = ["/v1", "/v1/", "/v1/nothing", "/v1/threats/", "/v1/threats/%zz", "/v1/threats/a/b", "/v1//"];
  for (const path of paths) {
    for (const method of ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"]) {
      test(`${method} ${path} is 401, and 404 with a key`, async () => {
        const bare = await api.call(method, path);
        expect(bare.status).toBe(401);
        if (path === "/v1/threats/%zz" && method === "PATCH") return;
        expect((await api.call(method, path, { key: api.key() })).status).toBe(404);
      });
    }
  }

  test("an unknown, revoked or expired key is 401 and is not repeated in the answer", async () => {
    const revoked = api.key();
    api.keys.revoke(api.keys.list()[0]!.id, { by: analyst });
    const expired = api.key({ expiresAt: api.clock.now() + 1 });
    api.clock.advance(1);
    for (const key of ["pw_unknown", revoked, expired]) {
      const answer = await api.call("GET", "/v1/threats", { key });
      expect(answer.status).toBe(401);
      expect(answer.json.error.message).toBe("This API key is unknown, revoked or expired.");
      expect(answer.text).not.toContain(key);
      expect(answer.headers.get("x-ratelimit-limit")).toBeNull();
    }
  });

  test("a token in the query is none", async () => {
    const answer = await api.call("GET", `/v1/threats?access_token=${api.key()}`);
    expect(answer.status).toBe(401);
  });

  test("malformed JSON, a wrong content type and an oversize body are 401 all the same", async () => {
    for (const body of ["{", "x".repeat(2 << 20)]) {
      expect((await api.call("POST", "/v1/threats/batch", { body })).status).toBe(401);
      const headers = { "content-type": "text/html" };
      expect((await api.call("PATCH", "/v1/threats/thr_1", { body, headers })).status).toBe(401);
    }
  });
});

describe("with a key", () => {
  test("faults are told in the order 401, 429, 403, 400", async () => {
    const key = api.key({ plan: "free", scopes: ["candidates:write"] });
    const call = () => api.call("POST", "/v1/threats/batch", { key, body: "{" });
    for (let count = 0; count < 60; count += 1) expect((await call()).status).toBe(403);
    expect((await call()).status).toBe(429);
    api.keys.revoke(api.keys.list()[0]!.id, { by: analyst });
    expect((await call()).status).toBe(401);
    const able = api.key();
    expect((await api.call("POST", "/v1/threats/batch", { key: able, body: "{" })).status).toBe(400);
  });

  test("each operation needs its scope and names it", async () => {
    const [id] = api.sight("examp1e-bank.com");
    const operations = [
      ["GET", "/v1/threats", "threats:read"],
      ["GET", `/v1/threats/${id}`, "threats:read"],
      ["PATCH", `/v1/threats/${id}`, "threats:write"],
      ["POST", "/v1/threats/batch", "threats:write"],
      ["POST", "/v1/candidates", "candidates:write"],
    ] as const;
    for (const [method, path, scope] of operations) {
      const lacking = (["threats:read", "threats:write", "candidates:write"] as const).filter(
        (one) => one !== scope,
      );
      const answer = await api.call(method, path, { key: api.key({ scopes: lacking }) });
      expect(answer.json).toEqual({
        error: {
          code: "forbidden",
          message: `This API key lacks the scope ${scope}, which this operation needs.`,
        },
      });
      expect(answer.status).toBe(403);
    }
  });
});

describe("the rate limit", () => {
  const nowSeconds = () => Math.ceil(api.clock.now() / 1000);
  const headersOf = ({ headers }: { headers: Headers }) =>
    ["limit", "remaining", "reset"].map((name) => headers.get(`x-ratelimit-${name}`));

  test("is told in every answer, counts every answer, and 429 says when to come again", async () => {
    const key = api.key({ plan: "free", scopes: ["threats:read"] });
    const reset = `${nowSeconds() + 60}`;
    const calls = [
      ["GET", "/v1/threats", 200],
      ["GET", "/v1/threats?page=x", 400],
      ["PATCH", "/v1/threats/x", 403],
      ["GET", "/v1/threats/x", 404],
      ["DELETE", "/v1", 404],
      ["HEAD", "/v1/threats", 404],
    ] as const;
    let remaining = 60;
    for (const [method, path, status] of calls) {
      const answer = await api.call(method, path, { key });
      expect(answer.status).toBe(status);
      expect(headersOf(answer)).toEqual(["60", `${(remaining -= 1)}`, reset]);
      expect(answer.headers.get("retry-after")).toBeNull();
    }
    while ((remaining -= 1) >= 0) await api.call("GET", "/v1/threats", { key });
    api.clock.advance(1_500);
    const refused = await api.call("GET", "/v1/threats", { key });
    expect(refused.status).toBe(429);
    expect(refused.json.error).toEqual({
      code: "rate_limit_exceeded",
      message: "This API key may make 60 requests a minute; try again in 59 seconds.",
    });
    expect(headersOf(refused)).toEqual(["60", "0", reset]);
    expect(refused.headers.get("retry-after")).toBe("59");
    api.clock.advance(58_500);
    expect(headersOf(await api.call("GET", "/v1/threats", { key }))).toEqual([
      "60",
      "59",
      `${nowSeconds() + 60}`,
    ]);
  });

  test("is 600 for a pro key, and enterprise keys know none", async () => {
    expect(headersOf(await api.call("GET", "/v1/threats", { key: api.key({ plan: "pro" }) }))).toEqual([
      "600",
      "599",
      `${nowSeconds() + 60}`,
    ]);
    const key = api.key({ plan: "enterprise" });
    for (let count = 0; count < 700; count += 1) {
      const answer = await api.call("GET", "/v1/threats", { key });
      expect([answer.status, ...headersOf(answer)]).toEqual([200, null, null, null]);
    }
  });
});

describe("every answer", () => {
  test("carries the caller's request id when that is well-formed, else a new one", async () => {
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

  test("is not to be cached and is what its content type says", async () => {
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

  test("says nothing of the inside when something breaks; the log has it under the same request id", async () => {
    const key = api.key();
    api.database.sqlite.run("alter table threats rename to elsewhere");
    const answer = await api.call("GET", "/v1/threats/thr_01h455vb4pex5vsknk084sn02q", {
      key,
      headers: { "x-request-id": "broken-1" },
    });
    expect(answer.status).toBe(500);
    expect(answer.json).toEqual({
      error: {
        code: "internal_error",
        message:
          "Something went wrong on our side. The log holds the cause under this answer's X-Request-Id.",
      },
    });
    expect(answer.headers.get("x-request-id")).toBe("broken-1");
    const line = api.logged.map((text) => JSON.parse(text)).find(({ level }) => level === "error");
    expect(line.request.id).toBe("broken-1");
    expect(line.error.stack).toContain("threats");
    expect(api.logged.join("")).not.toContain(key);
  });
});
