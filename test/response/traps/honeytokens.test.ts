import { afterEach, beforeEach, expect, test } from "bun:test";
import { system } from "../../../src/access/audit/actor.ts";
import { honeytoken } from "../../../src/response/traps/kinds/honeytoken/honeytoken.ts";
import { trapVisits } from "../../../src/response/traps/visits/tables.ts";
import type { VisitClass } from "../../../src/platform/vocabulary/traps.ts";
import { firefox, openTrapWorld, type RequestOptions, type TrapWorld } from "../../support/traps.ts";

let world: TrapWorld;
beforeEach(() => void (world = openTrapWorld()));
afterEach(() => world.dispose());

const written = () => world.restart();
const open = (address: string, options: RequestOptions = {}) =>
  world.request(`/t/${address}/salaries.xlsx?year=2026`, options);

test("a visit is reported with its headers, but without secrets of the visitor", async () => {
  const { id, name, address } = world.createHoneytoken({ kind: "url", name: "wiki", memo: "in the wiki" });
  const headers = {
    referer: "https://wiki.example-bank.com/",
    "accept-language": "de",
    cookie: "session=hunter2",
    authorization: "Bearer hunter2",
    "x-api-key": "hunter2",
    "x-long": "a".repeat(10_000),
  };
  open(address, { headers });
  await written();
  expect(world.stores.events()).toMatchObject([{ type: "token.accessed" }]);
  expect(world.events("token.accessed")[0]!.data).toEqual({
    token: { id, name, kind: "url" },
    access: {
      ip_address: "192.0.2.7",
      user_agent: firefox,
      referrer: "https://wiki.example-bank.com/",
      at: "2026-01-15T12:00:00.000Z",
    },
  });
  const [visit] = world.traps.visits.list(id, { limit: 9 });
  expect(visit).toMatchObject({ method: "GET", url: `/t/${address}/salaries.xlsx?year=2026` });
  expect(visit!.headers).toContainEqual(["accept-language", "de"]);
  expect(JSON.stringify(visit)).not.toContain("hunter2");
  expect(JSON.stringify(visit!.headers).length).toBeLessThan(6_000);
});

test("a URL returns the configured page, redirect, or 404, and a pixel returns an uncached image", async () => {
  const page = { kind: "page", title: "Sign <in>", text: "One\n\nTwo & three" } as const;
  const { address } = world.createHoneytoken({ kind: "url", response: page });
  expect(await open(address).text()).toContain(
    "<h1>Sign &lt;in&gt;</h1>\n<p>One</p>\n<p>Two &amp; three</p>",
  );
  const redirect = world.createHoneytoken({
    kind: "url",
    response: { kind: "redirect", url: "https://example-bank.com/" },
  });
  const response = open(redirect.address);
  expect([response.status, response.headers.get("location")]).toEqual([302, "https://example-bank.com/"]);
  expect(open(world.createHoneytoken({ kind: "url" }).address).status).toBe(404);
  const pixel = world.request(`/t/${world.createHoneytoken({ kind: "pixel" }).address}.gif`);
  expect(pixel.headers.get("cache-control")).toBe("no-store");
  const { width, height } = await new Bun.Image(await pixel.bytes()).metadata();
  expect([width, height]).toEqual([1, 1]);
});

test("creation fails for an invalid redirect, and for a response that the kind does not have", () => {
  for (const url of ["javascript:alert(1)", "/relative", "https://a b/"])
    expect(() => world.createHoneytoken({ kind: "url", response: { kind: "redirect", url } })).toThrow(
      "redirect to",
    );
  expect(() =>
    world.createHoneytoken({ kind: "url", response: { kind: "redirect", url: "https://example.com:0/" } }),
  ).toThrow("port 0");
  const page = { kind: "page", title: "Sign in", text: "" } as const;
  expect(() => world.createHoneytoken({ kind: "pixel", response: page })).toThrow("kind url");
  expect(() => world.createHoneytoken({ kind: "pixel", expiresAt: world.stores.clock.now() })).toThrow(
    "in the future",
  );
});

test.each([
  ["Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)", "link_preview"],
  ["facebookexternalhit/1.1", "link_preview"],
  ["Mozilla/5.0 (compatible; BarracudaCentral/1.0)", "mail_scanner"],
] as [string, VisitClass][])("a visit by %s is recorded as %s without an event", async (agent, name) => {
  const { id, address } = world.createHoneytoken({ kind: "url" });
  open(address, { headers: { "user-agent": agent } });
  await written();
  expect(world.stores.events()).toEqual([]);
  expect(world.traps.visits.list(id, { limit: 9 })).toMatchObject([{ class: name, userAgent: agent }]);
});

test("rotation changes the address, and keeps or drops the old one as requested", async () => {
  const tokens = world.traps.of(honeytoken);
  const { id, address: first } = world.createHoneytoken({ kind: "pixel" });
  const { address: second, oldAddresses } = tokens.rotate(id, { watchOld: true, by: system });
  expect(second).not.toBe(first);
  expect(oldAddresses).toEqual([first]);
  expect([open(first).status, open(second).status]).toEqual([200, 200]);
  const { address: third } = tokens.rotate(id, { watchOld: false, by: system });
  expect([open(first).status, open(second).status, open(third).status]).toEqual([404, 404, 200]);
  await written();
  expect(world.traps.visits.totals(id)).toMatchObject([{ total: 3 }]);
});

test("deletion removes a honeytoken with its addresses and visits", async () => {
  const { id, address } = world.createHoneytoken({ kind: "pixel" });
  open(address);
  await written();
  const tokens = world.traps.of(honeytoken);
  tokens.delete(id, { by: system });
  expect(open(address).status).toBe(404);
  expect(world.stores.database.query.select().from(trapVisits).all()).toEqual([]);
  expect(() => tokens.get(id)).toThrow("no honeytoken");
});
