import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { system } from "../../../src/access/audit/actor.ts";
import { beacon } from "../../../src/response/traps/kinds/beacon/beacon.ts";
import { honeytoken } from "../../../src/response/traps/kinds/honeytoken/honeytoken.ts";
import { openApi, type Api } from "../../support/api.ts";
import { sendRaw, type RawRequest } from "../../support/raw-request.ts";

let api: Api;
function open(options: Parameters<typeof openApi>[0] = {}): void {
  api = openApi(options);
  api.server.listen();
}
beforeEach(() => open());
afterEach(async () => {
  await api.server.stop(0);
  await api.traps.stop();
  api.dispose();
});

const send = (request: RawRequest) => sendRaw(api.server.port!, request);
const createBeacon = () =>
  api.traps.of(beacon).create({ protectedDomain: "example-bank.com" }, { by: system });
const createHoneytoken = () => api.traps.of(honeytoken).create({ kind: "pixel" }, { by: system });
const loggedAboveDebug = () => api.logged.filter((line) => !/"level":"(?:debug|trace)"/.test(line));

const invalidHosts = [
  "1.2.3.4.5",
  "999999999999",
  "a:99999",
  "xn--",
  "",
  "a b",
  "a/v2?x=",
  "a\\b",
  "a@b",
  "[::1",
];

describe("a request with an invalid Host", () => {
  test.each(invalidHosts)("gets 400 on every path and leaves nothing in the log, Host %p", async (host) => {
    const { address } = createBeacon();
    const targets = [
      `/b/${address}?u=https://copy.top/`,
      "/b/aaaaaaaaaaaaaaaaaaaaaaaaaa?u=x",
      "/console/x?access_token=SECRETKEY",
      "/v1/threats",
      "/healthz",
      "/metrics",
      "/",
      "/nothing",
      "/a//b",
    ];
    for (const target of targets)
      expect([target, (await send({ target, host })).status]).toEqual([target, 400]);
    expect(loggedAboveDebug()).toEqual([]);
    expect(api.logged.join("")).not.toContain("SECRETKEY");
  });

  test("gets the same response from a live trap as from none, which does not reveal the product", async () => {
    const { address } = createBeacon();
    const host = "1.2.3.4.5";
    const withoutDate = (head: string) => head.replace(/^(date|x-request-id):.*$/gim, "");
    const live = await send({ target: `/b/${address}?u=x`, host });
    const dead = await send({ target: `/b/${"a".repeat(26)}?u=x`, host });
    expect([live.body, withoutDate(live.head)]).toEqual([dead.body, withoutDate(dead.head)]);
    expect(live.head + live.body).not.toMatch(/phishwatch|internal_error|bad_request/i);
  });
});

describe("a client", () => {
  test.each(["x", "abc", null])("keeps its address with the Host %p", async (host) => {
    const { id, address } = createHoneytoken();
    expect((await send({ target: `/t/${address}.gif`, host })).status).toBe(200);
    await api.traps.stop();
    expect(api.traps.visits.list(id, { limit: 9 })).toMatchObject([
      { ipAddress: "127.0.0.1", url: `/t/${address}.gif` },
    ]);
    await send({ target: "/v1/threats", host });
    expect(api.logged.at(-1)).toContain('"client":"127.0.0.1"');
  });

  test("whose X-Forwarded-For is trusted keeps that address with a short Host", async () => {
    await api.server.stop(0);
    await api.traps.stop();
    api.dispose();
    open({ server: { trustedProxies: ["127.0.0.1/32"] } });
    const { id, address } = createHoneytoken();
    await send({ target: `/t/${address}.gif`, host: "x", headers: ["X-Forwarded-For: 198.51.100.7"] });
    await api.traps.stop();
    expect(api.traps.visits.list(id, { limit: 9 })).toMatchObject([{ ipAddress: "198.51.100.7" }]);
  });
});

const ambiguousTargets = [
  "/t/..\\metrics",
  "/t/..\\console/sign-in",
  "/b/..\\v1\\threats",
  "/t/.%2e\\console",
  "/x\\..\\console",
  "/x\\..\\metrics",
  "/v1\\threats",
  "/v1/../v1/threats",
  "/b/../v1/threats",
  "/t/../metrics",
  "/t/%2e%2e/metrics",
  "/t/%2E./metrics/",
  "/t/..",
  "/t/..#",
  "/t/.",
  "/v1/./threats",
  "/v1/threats/..",
  "/v1/threats/%2e",
  "/t/a%5cb",
  "/t/a%2f..%2fb",
  "/t/a/b/c/d/e/f/g/../../../../../../../../metrics",
  "/t//../../metrics",
  "//t/../../metrics",
  "/unknown/../metrics",
  "/unknown//../../metrics",
  "http://elsewhere.test/t/..\\metrics",
];

describe("a path", () => {
  test.each(ambiguousTargets)("that a proxy could read differently gets 400: %s", async (target) => {
    const headers = [`Authorization: Bearer ${api.key()}`];
    for (const method of ["GET", "POST"]) expect((await send({ method, target, headers })).status).toBe(400);
    expect(loggedAboveDebug()).toEqual([]);
  });

  test("below /v1 that gets 400 is refused before the key is checked, and does not count", async () => {
    const limited = api.key({ plan: "free" });
    const keys = [[], ["Authorization: Bearer pw_unknown"], [`Authorization: Bearer ${limited}`]];
    const refused = [
      ...["/v1/threats/%2e%2e", "/v1/threats/..%2fx", "/v1\\threats"].map((target) => ({ target })),
      { target: "/v1/threats", host: "not a host" },
    ];
    for (const headers of keys) {
      for (const request of refused) {
        const { status, head, body } = await send({ ...request, headers });
        expect([request, status, JSON.parse(body).error.code]).toEqual([request, 400, "bad_request"]);
        expect(head).not.toMatch(/x-ratelimit|www-authenticate/i);
        expect(head).toMatch(/x-request-id: /i);
      }
    }
    const { headers } = await api.call("GET", "/v1/threats", { key: limited });
    expect(headers.get("x-ratelimit-remaining")).toBe("59");
  });

  test("with a backslash or dots in its query or in a longer segment is served", async () => {
    const { id, address } = createHoneytoken();
    const targets = [`/t/${address}?u=C:\\..\\x/../y`, `/t/${address}/...`, `/t/${address}/..a/b.`];
    for (const target of targets) expect((await send({ target })).status).toBe(200);
    await api.traps.stop();
    expect(api.traps.visits.totals(id)).toMatchObject([{ total: 3 }]);
  });

  test("of a honeytoken may have empty and many segments", async () => {
    const { id, address } = createHoneytoken();
    const targets = [`/t/${address}/`, `/t/${address}//x`, `/t/${address}/1/2/3/4/5/6/7/8/9`];
    for (const target of targets) expect((await send({ target })).status).toBe(200);
    await api.traps.stop();
    expect(api.traps.visits.totals(id)).toMatchObject([{ total: 3 }]);
  });

  test("that is unknown gets 404, or 401 below /v1 without a key", async () => {
    const statuses: [string, number][] = [
      ["/nothing", 404],
      ["/nothing/at/all/", 404],
      ["//metrics", 404],
      ["/metrics/", 404],
      ["/v1/threats/", 401],
      ["/v1//threats", 401],
      ["/v1/1/2/3/4/5/6/7/8/9", 401],
      ["/docs//api", 404],
    ];
    for (const [target, status] of statuses)
      expect([target, (await send({ target })).status]).toEqual([target, status]);
  });

  test("as a proxy's absolute form is served", async () => {
    expect((await send({ target: "http://elsewhere.test/healthz" })).status).toBe(200);
  });
});

const known = [
  "/",
  "/console",
  "/console/sign-in",
  "/metrics",
  "/readyz",
  "/openapi.json",
  "/docs",
  "/docs/api",
];
const openToAll = ["/healthz", "/v1/threats"];

describe("under a host name that is not configured", () => {
  test("paths without a key get 400 with a message that names the setting", async () => {
    for (const target of [...known, "/screenshots/thr_1/token"]) {
      const { status, body } = await send({ target, host: "rebind.evil.test" });
      expect([target, status]).toEqual([target, 400]);
      expect(JSON.parse(body)).toEqual({
        error: { code: "bad_request", message: expect.stringContaining("server.allowed_hosts") },
      });
    }
  });

  test("the API, liveness and traps respond", async () => {
    const { address } = createHoneytoken();
    const headers = [`Authorization: Bearer ${api.key()}`];
    for (const target of [...openToAll, `/t/${address}.gif`])
      expect([target, (await send({ target, host: "rebind.evil.test", headers })).status]).toEqual([
        target,
        200,
      ]);
  });
});

test("paths without a key respond under an IP address, localhost, and each configured name", async () => {
  await api.server.stop(0);
  await api.traps.stop();
  api.dispose();
  open({
    server: { publicUrl: "https://watch.example.com/base", allowedHosts: ["inside.lan"] },
    trapConfig: { publicUrl: "https://traps.example.com" },
  });
  const hosts = [
    "192.0.2.1:80",
    "[::1]",
    "localhost",
    "watch.example.com",
    "traps.example.com:1",
    "INSIDE.lan.",
    null,
  ];
  for (const host of hosts)
    for (const target of known)
      expect([host, target, (await send({ host, target })).status]).not.toEqual([host, target, 400]);
  expect((await send({ host: "example.com", target: "/metrics" })).status).toBe(400);
});

describe("traps.listen", () => {
  beforeEach(async () => {
    await api.server.stop(0);
    await api.traps.stop();
    api.dispose();
    open({ trapConfig: { listen: { host: "127.0.0.1", port: 0 } } });
  });

  test("serves traps under any host, with the client's address", async () => {
    const { id, address } = createHoneytoken();
    expect((await sendRaw(api.server.trapsPort!, { target: `/t/${address}.gif`, host: "x" })).status).toBe(
      200,
    );
    await api.traps.stop();
    expect(api.traps.visits.list(id, { limit: 9 })).toMatchObject([{ ipAddress: "127.0.0.1" }]);
    expect(api.server.trapsUrl).toBe(`http://127.0.0.1:${api.server.trapsPort}`);
  });

  test("returns 404 for everything else, and reveals nothing", async () => {
    const targets = [
      ...known,
      ...openToAll,
      "/screenshots/a/b",
      "/b",
      "/t/x",
      "/nothing",
      "//",
      "/console//x",
    ];
    for (const target of targets) {
      const { status, head, body } = await sendRaw(api.server.trapsPort!, { target });
      expect([target, status]).toEqual([target, 404]);
      expect(head + body).not.toMatch(/phishwatch|not_found|docs/i);
    }
    for (const target of ambiguousTargets)
      expect([target, (await sendRaw(api.server.trapsPort!, { target })).status]).toEqual([target, 400]);
  });
});
