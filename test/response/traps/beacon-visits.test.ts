import type { SiteState } from "../../../src/platform/vocabulary/site.ts";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Match } from "../../../src/threats/threats/severity/similarity-reasons.ts";
import type { VisitClass } from "../../../src/platform/vocabulary/traps.ts";
import { archivedIn } from "../../support/archived.ts";
import { firefox, openTrapWorld, type TrapWorld } from "../../support/traps.ts";

let world: TrapWorld;
beforeEach(() => void (world = openTrapWorld()));
afterEach(() => world.dispose());

/** Waits until all visits are written. */
const written = () => world.restart();
const now = () => world.stores.clock.now();

describe("a beacon on a foreign host", () => {
  test("records a high-severity threat, and both events refer to it", async () => {
    const { id, address } = world.createBeacon();
    const url = "https://evil.top/login?step=2";
    world.showPage(address, url, { referrer: "https://mail.evil.top/", from: "192.0.2.7" });
    await written();
    const { stores, traps } = world;
    const [threat] = stores.threats.list({}, { page: 1, perPage: 9 }).threats;
    expect(threat).toMatchObject({
      domain: "evil.top",
      protectedDomain: "example-bank.com",
      type: "cloned_site",
      status: "active",
      severity: "high",
      similarity: 0,
      source: "beacon",
    });
    expect(stores.threats.get(threat!.id)!.reasons).toEqual([
      { code: "beacon_reported", params: { beacon: "example-bank.com" } },
    ]);
    expect(stores.events().map(({ type }) => type)).toEqual(["threat.created", "beacon.triggered"]);
    expect(world.events("beacon.triggered")[0]!.data).toEqual({
      beacon: { id, name: "example-bank.com", protected_domain: "example-bank.com" },
      hit: {
        hostname: "evil.top",
        url,
        referrer: "https://mail.evil.top/",
        ip_address: "192.0.2.7",
        user_agent: firefox,
        at: "2026-01-15T12:00:00.000Z",
      },
      threat: { id: threat!.id },
    });
    expect(traps.visits.list(id, { limit: 9 })).toMatchObject([{ class: "foreign", count: 1, url }]);
    expect(await archivedIn(stores.archive)).toEqual(["2026-01-15 beacon evil.top"]);
  });

  test("raises the severity of a threat that is already recorded for the host", async () => {
    const match: Match = {
      protectedDomain: "example-bank.com",
      type: "combosquatting",
      similarity: 0.8,
      reasons: [],
    };
    const { threats } = world.stores;
    const seen = { domain: "example-bank-login.top", match, source: "feed" as const, seenAt: now() };
    const [{ threatId } = { threatId: "" }] = threats.record([seen]);
    expect(threats.get(threatId)!.severity).toBe("low");
    world.showPage(world.createBeacon().address, "https://example-bank-login.top/");
    await written();
    expect(threats.get(threatId)).toMatchObject({ type: "combosquatting", severity: "high" });
    expect(world.events("threat.created")).toHaveLength(1);
    expect(world.events("beacon.triggered")[0]!.data["threat"]).toEqual({ id: threatId });
  });

  test("keeps the severity high for a week whatever a lookup finds; later only the lookup counts", async () => {
    world.showPage(world.createBeacon().address, "https://evil.top/");
    await written();
    const { clock, threats } = world.stores;
    const { id } = threats.list({}, { page: 1, perPage: 1 }).threats[0]!;
    const gone = { ipAddress: null, registrar: null, whois: {}, evidence: { exists: "no" as const } };
    expect(threats.updateFacts(id, gone, [])!.severity).toBe("high");
    clock.advance(8 * 86_400_000);
    expect(threats.updateFacts(id, gone, [])!.severity).toBe("low");
  });

  test("proves that the site is up for a week although lookups get no page, and back after it was down", async () => {
    const { address } = world.createBeacon();
    world.showPage(address, "https://evil.top/");
    await written();
    const { clock, threats } = world.stores;
    const { id } = threats.list({}, { page: 1, perPage: 1 }).threats[0]!;
    const check = (siteState: SiteState, exists: "yes" | "no" = "yes") =>
      threats.updateFacts(
        id,
        { ipAddress: null, registrar: null, whois: {}, siteState, evidence: { exists } },
        [],
      )!.siteState;
    expect(threats.get(id)!.siteState).toBe("up");
    expect(check("registered")).toBe("up");
    expect(check("unregistered", "no")).toBe("down");
    clock.advance(7_200_000);
    world.showPage(address, "https://evil.top/", { from: "198.51.100.77" });
    await written();
    expect(threats.get(id)!.siteState).toBe("back");
    expect(check("registered")).toBe("back");
    clock.advance(8 * 86_400_000);
    expect(check("registered")).toBe("down");
    expect(
      threats
        .history(id)
        .flatMap(({ field, before, after }) => (field === "site state" ? [[before, after]] : [])),
    ).toEqual([
      ["back", "down"],
      ["down", "back"],
      ["up", "down"],
    ]);
  });

  test("sends an event without a threat if the host is an IP address", async () => {
    world.showPage(world.createBeacon().address, "http://8.8.8.8/login");
    await written();
    expect(world.stores.events().map(({ type, data }) => [type, data["threat"]])).toEqual([
      ["beacon.triggered", null],
    ]);
  });

  test("reports a visitor once in the repeat interval, across restarts, and every other visitor", async () => {
    const { id, address } = world.createBeacon();
    const visit = (host: string, from: string, agent = firefox) =>
      world.showPage(address, `https://${host}/`, { from, headers: { "user-agent": agent } });
    visit("evil.top", "192.0.2.7");
    await world.restart();
    visit("evil.top", "192.0.2.200");
    visit("evil.top", "192.0.2.201");
    await world.restart();
    expect(world.events("beacon.triggered")).toHaveLength(1);
    visit("evil.top", "198.51.100.1");
    visit("evil.top", "192.0.2.7", "other");
    visit("login.evil.top", "192.0.2.7");
    visit("evil.top", "2001:db8:1:2::1");
    visit("evil.top", "2001:db8:1:3::1");
    visit("evil.top", "2001:db8:2::1");
    await world.restart();
    expect(world.events("beacon.triggered")).toHaveLength(6);
    expect(world.events("threat.created")).toHaveLength(2);
    world.stores.clock.advance(3_600_001);
    visit("evil.top", "192.0.2.7");
    await world.restart();
    expect(world.events("beacon.triggered")).toHaveLength(7);
    const counts = world.traps.visits.list(id, { limit: 20 }).map(({ count }) => count);
    expect(counts.toSorted()).toEqual([1, 1, 1, 1, 1, 2, 3]);
    expect(world.traps.visits.totals(id)).toMatchObject([{ class: "foreign", total: 10 }]);
  });

  test("reports visitors and records threats after the clock was set back, too", async () => {
    await world.restart({ hostsPerHour: 2 });
    const { address } = world.createBeacon();
    world.showPage(address, "https://evil.top/", { from: "192.0.2.7" });
    world.showPage(address, "https://copy.top/", { from: "192.0.2.7" });
    await world.restart({ hostsPerHour: 2 });
    world.stores.clock.setBy(-6 * 3_600_000);
    world.showPage(address, "https://evil.top/", { from: "192.0.2.7" });
    world.showPage(address, "https://other.top/", { from: "192.0.2.8" });
    await written();
    expect(world.events("beacon.triggered")).toHaveLength(4);
    expect(world.events("threat.created")).toHaveLength(3);
  });

  test("records a limited number of threats per hour, because anyone can forge reports", async () => {
    await world.restart({ hostsPerHour: 3 });
    const { id, address } = world.createBeacon();
    for (let host = 0; host < 10; host += 1) world.showPage(address, `https://forged-${host}.top/`);
    await written();
    expect(world.events("threat.created")).toHaveLength(3);
    expect(world.events("beacon.triggered")).toHaveLength(3);
    expect(world.traps.visits.list(id, { limit: 20 })).toHaveLength(10);
    // Another visitor of a known host is still reported.
    await world.restart({ hostsPerHour: 3 });
    world.showPage(address, "https://forged-0.top/", { from: "198.51.100.1" });
    await written();
    expect(world.events("beacon.triggered")).toHaveLength(4);
  });
});

describe("a beacon on any other page", () => {
  test.each([
    ["https://www.example-bank.com/", "own", 0],
    ["https://cdn.partner.test.example.net/", "own", 0],
    // Another protected domain.
    ["https://www.example-shop.com/", "own", 0],
    ["https://www-example--bank-com.translate.goog/", "translation_proxy", 1],
    ["https://web.archive.org/web/2026/https://example-bank.com/", "web_archive", 1],
    ["https://webcache.googleusercontent.com/search?q=x", "search_cache", 1],
    ["file:///home/me/saved.html", "local_file", 1],
    ["data:text/html,x", "no_host", 1],
    ["http://localhost:3000/", "local_network", 1],
  ] as [string, VisitClass, number][])("classifies %s as %s and sends no event", async (url, name, rows) => {
    const { id, address } = world.createBeacon({ allow: ["partner.test.example.net"] });
    world.showPage(address, url);
    await written();
    expect(world.stores.events()).toEqual([]);
    expect(world.traps.visits.totals(id)).toMatchObject([{ class: name, total: 1 }]);
    expect(world.traps.visits.list(id, { limit: 9 })).toHaveLength(rows);
  });

  test("sends an event without a threat for a class that traps.alarm_classes lists", async () => {
    await world.restart({ alarmClasses: ["local_file"] });
    world.showPage(world.createBeacon().address, "file:///home/me/saved.html");
    await written();
    expect(world.stores.events()).toMatchObject([
      {
        type: "beacon.triggered",
        data: { hit: { hostname: "", url: "file:///home/me/saved.html" }, threat: null },
      },
    ]);
  });

  test("reports a style sheet's request if it has a Referer, and only counts it otherwise", async () => {
    const { id, address } = world.createBeacon();
    world.request(`/b/${address}.gif`);
    world.request(`/b/${address}.gif`, { headers: { referer: "https://evil.top/" } });
    await written();
    const classes = world.traps.visits.totals(id).map((row) => row.class);
    expect(classes.toSorted()).toEqual(["foreign", "unknown"]);
    expect(world.events("beacon.triggered")).toMatchObject([{ data: { hit: { url: "https://evil.top/" } } }]);
  });

  test("returns the same response for own and foreign hosts", async () => {
    const { address } = world.createBeacon();
    const responses = await Promise.all(
      [
        world.showPage(address, "https://www.example-bank.com/"),
        world.showPage(address, "https://evil.top/"),
        world.showPage(address, "null"),
        world.request(`/b/${address}`),
      ].map(async (response) => [response.status, [...response.headers], await response.text()]),
    );
    for (const response of responses) expect(response).toEqual(responses[0]!);
    expect(responses[0]![0]).toBe(200);
  });
});
