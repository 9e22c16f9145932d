import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { openApi, type Api, type Call } from "../../support/api.ts";

let api: Api;
let key: string;
let id: string;
beforeEach(() => {
  api = openApi();
  key = api.key();
  [id] = api.sight("examp1e-bank.com") as [string];
});
afterEach(() => api.dispose());

/** Expects 400 with a matching message, and that nothing changed. */
async function expectRejection(method: string, path: string, call: Call, message: RegExp): Promise<void> {
  const events = api.events().length;
  const response = await api.call(method, path.replace(":id", id), { key, ...call });
  expect(response.json?.error?.message).toMatch(message);
  expect(response.json.error.code).toBe("bad_request");
  expect(response.status).toBe(400);
  expect(response.text.length).toBeLessThan(400);
  expect(api.threats.get(id)?.status).toBe("active");
  expect(api.events().length).toBe(events);
}

describe("PATCH /v1/threats/:id rejects invalid input:", () => {
  const allowed = "allowed: active, resolved, false_positive";
  const bodies: [string, unknown, RegExp][] = [
    ["invalid JSON", "{", /^The body is not valid JSON\.$/],
    ["no content", "", /^The body is empty; send JSON\.$/],
    ["single quotes", "{'status':'resolved'}", /^The body is not valid JSON/],
    ["text after the JSON", '{"status":"resolved"} x', /^The body is not valid JSON/],
    ["a comment", '{"status":"resolved"/**/}', /^The body is not valid JSON/],
    ["NaN", '{"status":NaN}', /^The body is not valid JSON/],
    ["null", null, /^The body is not an object; send an object with: status\.$/],
    ["an array", [], /^The body is not an object/],
    ["a string", '"resolved"', /^The body is not an object/],
    ["a number", "1", /^The body is not an object/],
    ["no status", {}, new RegExp(`^"status" is missing; ${allowed}\\.$`)],
    ["another status", { status: "open" }, new RegExp(`^"status" is not an allowed value; ${allowed}\\.$`)],
    ["another case", { status: "Resolved" }, /^"status" is not an allowed value/],
    ["a status in an array", { status: ["resolved"] }, /^"status" is not an allowed value/],
    ["a status that is null", { status: null }, /^"status" is not an allowed value/],
    ["a status that is true", { status: true }, /^"status" is not an allowed value/],
    ["a status with a NUL byte", { status: "resolved\0" }, /^"status" is not an allowed value/],
    ["another field", { status: "resolved", why: "x" }, /^There is no field "why"; remove it\.$/],
    ["__proto__", '{"status":"resolved","__proto__":{}}', /^There is no field "__proto__"/],
    ["status in the prototype", '{"__proto__":{"status":"resolved"}}', /"(status|__proto__)"/],
    ["a field twice", '{"status":"active","status":"resolved"}', /^The body has the key "status" twice\.$/],
    ["a field twice, escaped", '{"status":"active","st\\u0061tus":"resolved"}', /the key "status" twice/],
    ["a field with a hidden name", { status: "resolved", "\u202ex": 1 }, /"\\u\{202e\}x"/],
    ["a field with a long name", { status: "resolved", ["x".repeat(5_000)]: 1 }, /"x{99}…"/],
    ["objects nested too deeply", `${'{"a":'.repeat(40)}1${"}".repeat(40)}`, /nested more than 32 levels/],
    ["arrays nested absurdly", "[".repeat(400_000) + "]".repeat(400_000), /nested more than 32 levels/],
    ["brackets without end", "[".repeat(1_000_000), /nested more than 32 levels/],
    ["quotes without end", `"${'\\"'.repeat(500_000)}`, /^The body is not valid JSON/],
    ["bytes that are not UTF-8", new Uint8Array([0x22, 0xff, 0x22]), /^The body is not UTF-8\.$/],
    ["a lone surrogate's bytes", new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22]), /^The body is not UTF-8/],
    ["NUL bytes", new Uint8Array(16), /^The body is not valid JSON/],
    ["more than 1 MiB", `"${"x".repeat(1 << 20)}"`, /^The body is longer than 1048576 bytes/],
  ];
  for (const [what, body, message] of bodies) {
    test(`a body with ${what} returns 400`, () =>
      expectRejection("PATCH", "/v1/threats/:id", { body }, message));
  }

  const types: [string, RegExp][] = [
    ["", /^Content-Type is (missing|""); send application\/json\.$/],
    ["text/plain", /^Content-Type is "text\/plain"; send application\/json\.$/],
    ["application/x-www-form-urlencoded", /^Content-Type is "application\/x-www-form-urlencoded"/],
    ["multipart/form-data; boundary=x", /^Content-Type is "multipart\/form-data"/],
    ["application/jsonx", /^Content-Type is "application\/jsonx"/],
    ["application/json; charset=utf-16", /^Content-Type names another charset than UTF-8/],
    ["x".repeat(4_000), /^Content-Type is "x{99}…"/],
  ];
  for (const [type, message] of types) {
    test(`the content type ${JSON.stringify(type.slice(0, 50))} returns 400`, () =>
      expectRejection(
        "PATCH",
        "/v1/threats/:id",
        { body: { status: "resolved" }, headers: { "content-type": type } },
        message,
      ));
  }

  test.each(["gzip", "br", " GZIP ", "deflate, gzip", "x".repeat(4_000)])(
    "a body with the Content-Encoding %j returns 400, and the message names the header",
    (encoding) =>
      expectRejection(
        "PATCH",
        "/v1/threats/:id",
        {
          body: Bun.gzipSync(JSON.stringify({ status: "resolved" })),
          headers: { "content-encoding": encoding },
        },
        /^Content-Encoding is ".{1,101}"; send the body uncompressed, without it\.$/,
      ),
  );

  test("a query parameter returns 400", () =>
    expectRejection(
      "PATCH",
      "/v1/threats/:id?force=1",
      { body: { status: "resolved" } },
      /^There is no parameter "force"; there are none here\.$/,
    ));
});

describe("PATCH /v1/threats/:id", () => {
  test("accepts a body with the Content-Encoding identity, which means none", async () => {
    const headers = { "content-encoding": "identity" };
    const body = { status: "resolved" };
    const response = await api.call("PATCH", `/v1/threats/${id}`, { key, body, headers });
    expect(response.json.data.status).toBe("resolved");
  });

  const bodies: [string, unknown, string][] = [
    ["white space and a byte order mark", '\ufeff {\n"status" : "resolved"\t} ', "application/json"],
    ["a charset", { status: "resolved" }, 'Application/JSON; Charset="UTF-8"'],
    ["an escaped key", '{"st\\u0061tus":"resolved"}', "application/json"],
  ];
  for (const [what, body, type] of bodies) {
    test(`accepts ${what} in a body`, async () => {
      const headers = { "content-type": type };
      const response = await api.call("PATCH", `/v1/threats/${id}`, { key, body, headers });
      expect(response.json.data.status).toBe("resolved");
    });
  }
});

describe("POST /v1/threats/batch", () => {
  const action = "resolve";
  const bodies: [string, unknown, RegExp][] = [
    ["no ids", { action }, /^"ids" is missing; send an array of 1 to 1000 strings\.$/],
    [
      "no action",
      { ids: ["a"] },
      /^"action" is missing; allowed: resolve, mark_false_positive, reactivate\.$/,
    ],
    ["an empty array", { ids: [], action }, /^"ids" has the wrong number of items/],
    ["ids that are a string", { ids: "thr_1", action }, /^"ids" is not an array; send an array/],
    ["ids that are an object", { ids: { 0: "thr_1", length: 1 }, action }, /^"ids" is not an array/],
    ["an id that is a number", { ids: ["a", 5], action }, /^"ids\[1\]" is not a string; send a string\.$/],
    ["an id that is null", { ids: [null], action }, /^"ids\[0\]" is not a string/],
    ["another action", { ids: ["a"], action: "delete" }, /^"action" is not an allowed value/],
    ["another field", { ids: ["a"], action, dry_run: true }, /^There is no field "dry_run"/],
    ["ids twice", `{"ids":["a"],"ids":["b"],"action":"resolve"}`, /^The body has the key "ids" twice/],
  ];
  for (const [what, body, message] of bodies) {
    test(`rejects a body with ${what}`, () =>
      expectRejection("POST", "/v1/threats/batch", { body }, message));
  }

  test("accepts IDs that look like JSON keys or braces", async () => {
    const body = `{"ids":["ids","action","\\"ids\\":","{","}","a:b"],"action":"resolve"}`;
    const response = await api.call("POST", "/v1/threats/batch", { key, body });
    expect(response.json.meta.not_found).toBe(6);
  });

  test("reports an ID of 4,000 characters as not found", async () => {
    const long = "x".repeat(4_000);
    const response = await api.call("POST", "/v1/threats/batch", { key, body: { ids: [long], action } });
    expect(response.json.data).toEqual([{ id: long, outcome: "not_found" }]);
  });
});

test("a batch that fails partway changes nothing and returns 500", async () => {
  const ids = [id, ...api.sight("a1.com", "a2.com")];
  api.database.sqlite.run(
    `create trigger broken before update on threats when new.id = '${ids[2]}' begin select raise(abort, 'disk on fire'); end`,
  );
  const events = api.events().length;
  const response = await api.call("POST", "/v1/threats/batch", { key, body: { ids, action: "resolve" } });
  expect(response.status).toBe(500);
  expect(response.text).not.toContain("fire");
  expect(ids.map((one) => api.threats.get(one)?.status)).toEqual(["active", "active", "active"]);
  expect(api.events().length).toBe(events);
});
