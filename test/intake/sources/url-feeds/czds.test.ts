import { afterEach, beforeEach, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import {
  listResponse,
  startListServer,
  type ListRequestSeen,
  type ListServer,
} from "../../../support/list-server.ts";
import { openFeedWorld, type FeedWorld } from "../../../support/url-feed-world.ts";

const hourMs = 3_600_000;
let world: FeedWorld;
let server: ListServer;
/** Zones of the account, as the names of their delegations. */
let zones: Record<string, string[]>;
/** Tokens that the service accepts. */
let tokens: Set<string>;
let issued: number;
let lifetimeMs: number;

beforeEach(() => {
  world = openFeedWorld();
  server = startListServer();
  zones = { shop: ["example-bank.shop", "other.shop"], online: ["another.online"] };
  tokens = new Set();
  issued = 0;
  lifetimeMs = 24 * hourMs;
  server.respond(serviceOf);
});
afterEach(async () => {
  await world.dispose();
  server.stop();
});

const zoneFile = (zone: string, names: readonly string[]) =>
  new Uint8Array(
    gzipSync(
      [
        `${zone}.\t900\tin\tsoa\ta.nic.${zone}. b.nic.${zone}. 1 2 3 4 5`,
        ...names.map((name) => `${name}.\t3600\tin\tns\tns1.example.net.`),
        "",
      ].join("\n"),
    ),
  );

function serviceOf(request: ListRequestSeen): Response {
  const { method, path, headers, body } = request;
  if (path === "/api/authenticate") {
    const { username, password } = JSON.parse(body) as { username: string; password: string };
    if (method !== "POST" || username !== "someone" || password !== "pa55word")
      return new Response("", { status: 401 });
    const claims = { exp: Math.floor((world.stores.clock.now() + lifetimeMs) / 1_000) };
    const token = `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.signature${++issued}`;
    tokens.add(token);
    return Response.json({ accessToken: token, message: "Authentication Successful" });
  }
  if (!tokens.has((headers.get("authorization") ?? "").replace("Bearer ", "")))
    return new Response("", { status: 401 });
  if (path === "/czds/downloads/links")
    return Response.json(Object.keys(zones).map((zone) => `${server.url}/czds/downloads/${zone}.zone`));
  const zone = /^\/czds\/downloads\/([a-z]+)\.zone$/.exec(path)?.[1] ?? "";
  const names = zones[zone];
  return names === undefined
    ? new Response("", { status: 404 })
    : listResponse(request, zoneFile(zone, names));
}

const start = (settings: Parameters<FeedWorld["start"]>[0] = {}) =>
  world.start({
    type: "czds",
    url: `${server.url}/`,
    username: "someone",
    password: "pa55word",
    ...settings,
  });
const requested = (method: string, path: RegExp) =>
  server.requests.filter((request) => request.method === method && path.test(request.path)).length;

test("all approved zones are downloaded, and look-alikes in them recorded", async () => {
  await start();
  expect(world.threats()).toEqual(["example-bank.shop"]);
  expect(world.status()).toMatchObject({
    state: "watching",
    problem: null,
    amounts: [{ count: 2 }, { count: 3 }],
  });
  expect(world.status().files.map(({ path, error }) => [path, error])).toEqual([
    ["online", null],
    ["shop", null],
  ]);
});

test("a zone that has not changed is asked for with HEAD and not downloaded; new names in another are scored", async () => {
  await start();
  zones["online"] = ["another.online", "example-shop.online"];
  await world.advance(7 * hourMs);
  expect(requested("GET", /shop\.zone/)).toBe(1);
  expect(requested("HEAD", /shop\.zone/)).toBe(1);
  expect(requested("GET", /online\.zone/)).toBe(2);
  expect(world.threats()).toEqual(["example-bank.shop", "example-shop.online"]);
});

test("the account authenticates once for as long as its token is valid, also across restarts", async () => {
  await start();
  await start();
  await world.advance(7 * hourMs);
  await world.advance(7 * hourMs);
  expect(requested("GET", /links/)).toBe(3);
  expect(requested("POST", /authenticate/)).toBe(1);
  await world.advance(24 * hourMs);
  expect(requested("POST", /authenticate/)).toBe(2);
});

test("a token that the service rejects is renewed once", async () => {
  await start();
  tokens.clear();
  await world.advance(7 * hourMs);
  expect(requested("POST", /authenticate/)).toBe(2);
  expect(world.status().problem).toBeNull();
});

test("a service that rejects every token is not asked for another one each time", async () => {
  server.respond((request) => {
    const response = serviceOf(request);
    tokens.clear();
    return response;
  });
  await start();
  expect(requested("POST", /authenticate/)).toBe(1);
  expect(world.status().problem).toContain("rejects a token that it has just issued");
});

test("a wrong password is reported, and tried again after hours or once it is corrected", async () => {
  await start({ password: "wrong" });
  expect(world.status().problem).toContain("rejects the user name or the password (status 401)");
  await world.advance(5 * hourMs);
  expect(requested("POST", /authenticate/)).toBe(1);
  await start();
  expect(world.threats()).toEqual(["example-bank.shop"]);
  expect(world.logText()).not.toContain("pa55word");
});

test("a zone that is not approved is reported by name, and the others are read", async () => {
  await start({ zones: ["shop", "com"] });
  expect(world.threats()).toEqual(["example-bank.shop"]);
  expect(world.status().problem).toMatch(/^com: The account may not download this zone/);
  expect(requested("GET", /online/)).toBe(0);
  zones["com"] = ["example-shop.com.com", "exampleshop.com"];
  await world.advance(7 * hourMs);
  expect(world.status().problem).toBeNull();
  expect(world.threats()).toContain("exampleshop.com");
});

test("a zone that fails is tried again without the list of zones, and stops no other", async () => {
  server.respond((request) =>
    request.path.endsWith("/online.zone") ? new Response("", { status: 500 }) : serviceOf(request),
  );
  await start();
  expect(world.threats()).toEqual(["example-bank.shop"]);
  expect(world.status().problem).toBe("online: The server responded with status 500.");
  server.respond(serviceOf);
  await world.advance(hourMs);
  expect(world.status().problem).toBeNull();
  expect(requested("GET", /links/)).toBe(1);
});

test("the token is not sent to an address outside of the service", async () => {
  const other = startListServer();
  server.respond((request) =>
    request.path.endsWith("/links")
      ? Response.json([`${other.url}/czds/downloads/evil.zone`, "file:///etc/passwd", 7, null])
      : serviceOf(request),
  );
  await start();
  other.stop();
  expect(other.requests).toHaveLength(0);
  expect(world.status().files).toEqual([]);
});

test.each<[string, () => Response]>([
  ["no JSON", () => new Response("<html>")],
  ["no list", () => Response.json({ error: "no" })],
  ["500", () => new Response("", { status: 500 })],
])("a list of zones that is %s is reported", async (_name, respond) => {
  server.respond((request) => (request.path.endsWith("/links") ? respond() : serviceOf(request)));
  await start();
  expect(world.status()).toMatchObject({
    state: "unavailable",
    problem: expect.stringContaining("list of zones"),
  });
});

test("the files of a zone that is not wanted any more are deleted", async () => {
  await start();
  expect(world.storedFiles()).toHaveLength(4);
  await start({ zones: ["shop"] });
  await start({ zones: ["shop"] });
  expect(world.storedFiles()).toHaveLength(2);
  expect(world.status().files.map(({ path }) => path)).toEqual(["shop"]);
});
