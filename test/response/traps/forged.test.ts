import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createLog } from "../../../src/platform/lib/log.ts";
import { createYielder } from "../../../src/platform/lib/yielder.ts";
import type { RawVisit } from "../../../src/response/traps/kind.ts";
import { threatNameOf } from "../../../src/response/traps/kinds/beacon/places.ts";
import { keptHeaders } from "../../../src/response/traps/kinds/honeytoken/kept-headers.ts";
import { createIntake } from "../../../src/response/traps/visits/intake.ts";
import { createNetworkLimit } from "../../../src/response/traps/visits/network-limit.ts";
import { createVisitStore, rowsPerTrapMax } from "../../../src/response/traps/visits/store.ts";
import { openTrapWorld, type TrapWorld } from "../../support/traps.ts";

const eventsPerHourMax = 300;
let logged: string[];
let world: TrapWorld;
beforeEach(() => {
  logged = [];
  const settings = { hitsPerMinute: 1_000_000, eventsPerHour: eventsPerHourMax };
  world = openTrapWorld(settings, { write: (line) => void logged.push(line) });
});
afterEach(() => world.dispose());

function forge(address: string, url: string, { from = "192.0.2.7", agent = "" } = {}): void {
  const query = new URLSearchParams({ u: url, r: "" });
  world.request(`/b/${address}?${query}`, { from, headers: { "user-agent": agent } });
}

describe("forged reports", () => {
  test("from one network do not use up all the threats that a beacon may record in an hour", async () => {
    const { address } = world.createBeacon();
    for (let host = 0; host < 200; host += 1) forge(address, `https://forged-${host}.top/`);
    await world.traps.flush();
    expect(world.events("threat.created")).toHaveLength(10);
    forge(address, "https://real-copy.top/", { from: "198.51.100.1" });
    await world.traps.flush();
    expect(world.events("threat.created")).toHaveLength(11);
    expect(logged.filter((line) => line.includes("trap host limit reached"))).toHaveLength(1);
  });

  test("send no more events than the hourly limit, whatever host, address, or browser they name", async () => {
    const { id, address } = world.createBeacon();
    for (let n = 0; n < eventsPerHourMax; n += 1) {
      forge(address, `https://8.8.${n >> 8}.${n & 255}/`);
      forge(address, "https://forged.top/", { agent: `browser ${n}` });
    }
    await world.traps.flush();
    expect(world.events("beacon.triggered")).toHaveLength(eventsPerHourMax);
    expect(world.traps.visits.countRows(id)).toBe(2 * eventsPerHourMax);
    // A new threat is still reported, and after an hour so is everything.
    forge(address, "https://real-copy.top/", { from: "198.51.100.1" });
    await world.traps.flush();
    expect(world.events("beacon.triggered")).toHaveLength(eventsPerHourMax + 1);
    world.stores.clock.advance(3_600_001);
    forge(address, "https://8.8.8.8/", { from: "198.51.100.1" });
    await world.traps.flush();
    expect(world.events("beacon.triggered")).toHaveLength(eventsPerHourMax + 2);
  });

  test("cost the same among ten thousand others as at the beginning", async () => {
    const { address } = world.createBeacon();
    let forged = 0;
    async function cost(reports: number): Promise<number> {
      const before = process.cpuUsage();
      for (let n = 0; n < reports; n += 1, forged += 1)
        forge(address, `https://forged-${forged}.top/`, { from: `10.${forged >> 8}.${forged & 255}.1` });
      await world.traps.flush();
      return process.cpuUsage(before).user;
    }
    await cost(500);
    const first = await cost(1_000);
    await cost(7_000);
    // Counting the rows of an hour for each report took eight times as long.
    expect(await cost(1_000)).toBeLessThan(4 * first);
  });

  test("do not push out the visits that were reported", () => {
    const { database } = world.stores;
    const store = createVisitStore(database);
    const nothing = { host: null, referrer: null, claimedUrl: null, ipAddress: null, userAgent: null };
    const row = { trapId: "bcn_1", class: "foreign", url: "/", method: null, count: 1 } as const;
    database.transaction(() => {
      for (let n = 0; n < rowsPerTrapMax + 10; n += 1) {
        const eventId = n === 0 ? "evt_1" : null;
        const times = { firstAt: n, lastAt: n };
        store.insert({ ...row, ...nothing, ...times, headers: [], visitor: `${n}`, eventId, threatId: null });
      }
      store.trim("bcn_1");
    });
    expect(store.countRows("bcn_1")).toBe(rowsPerTrapMax);
    expect(store.list("bcn_1", { limit: 1, offset: rowsPerTrapMax - 1 })[0]!.eventId).toBe("evt_1");
    expect(store.list("bcn_1", { limit: 1 })[0]!.visitor).toBe(`${rowsPerTrapMax + 9}`);
  });

  test("are compared with a limited number of additional hosts", () => {
    const allow = Array.from({ length: 201 }, (_, n) => `host-${n}.com`);
    expect(() => world.createBeacon({ allow })).toThrow("200");
  });

  test("record no threat for a host that is not a valid name", async () => {
    const { id, address } = world.createBeacon();
    const hosts = ["$(id).evil.top", `'"{}onx=1.evil.top`, "*.evil.top", "evil.top.", ".evil.top"];
    for (const host of [...hosts, "a b.evil.top", "evil..top"]) forge(address, `https://${host}/`);
    await world.traps.flush();
    const { threats } = world.stores.threats.list({}, { page: 1, perPage: 9 });
    expect(threats.map(({ domain }) => domain)).toEqual(["evil.top"]);
    expect(world.traps.visits.list(id, { limit: 9 }).map(({ host }) => host)).toContain("$(id).evil.top");
  });
});

test.each([
  ["evil.top", "evil.top"],
  ["a_b.evil.top", "a_b.evil.top"],
  ["x.$(y).login.evil.top", "login.evil.top"],
  [`${"a".repeat(64)}.evil.top`, "evil.top"],
  ["evil.top..", "evil.top"],
  ["evil..top", undefined],
  ["top", undefined],
  ["8.8.8.8", undefined],
  ["2606:4700::1", undefined],
  ["", undefined],
])("the threat for the host %s is recorded as %s", (host, name) => {
  expect(threatNameOf(host)).toBe(name);
});

test("a flood from more networks than the limit remembers does not block other networks", () => {
  const limit = createNetworkLimit({ hitsPerMinute: 2 });
  const flood = Array.from({ length: 20_000 }, (_, network) => limit.take(`2001:db8:${network}`, 0));
  expect(flood.every(Boolean)).toBe(true);
  expect([1, 2, 3].map(() => limit.take("192.0.2", 0))).toEqual([true, true, false]);
});

test.each([
  "authorization",
  "proxy-authorization",
  "cookie",
  "x-api-key",
  "x-auth-key",
  "cf-access-jwt-assertion",
  "x-amzn-oidc-data",
  "x-forwarded-client-cert",
])("only the length of a visitor's header %s is kept", (name) => {
  const headers = new Headers({ [name]: "a secret of a visitor !", accept: "*/*" });
  expect(Object.fromEntries(keptHeaders(headers))).toEqual({
    accept: "*/*",
    [name]: "(23 characters, not kept)",
  });
});

describe("a visit that cannot be written", () => {
  const visit = (trapId: string): RawVisit => ({
    kind: "honeytoken",
    trapId,
    at: 0,
    ipAddress: null,
    network: "",
    userAgent: null,
    observation: null,
  });
  function openIntake(write: (visit: RawVisit) => void) {
    const yielder = createYielder({ sliceMs: 5, elapsedMs: () => performance.now() });
    const { clock, database } = world.stores;
    const log = createLog({ level: "silent", format: "json", clock, write: () => {} });
    return createIntake<RawVisit>({
      clock,
      database,
      log,
      yielder,
      limit: createNetworkLimit({ hitsPerMinute: 100 }),
      write: (visits) => ({ mustBeDurable: true, apply: () => visits.forEach(write) }),
    });
  }

  test("does not block the others", async () => {
    const seen: string[] = [];
    const intake = openIntake(({ trapId }) => {
      if (trapId === "poison") throw new TypeError("an unforeseen error");
      seen.push(trapId);
    });
    for (const trapId of ["one", "poison", "two"]) intake.offer(visit(trapId));
    await intake.close();
    expect(seen.slice(-2)).toEqual(["one", "two"]);
    expect(intake.totals()).toEqual({ recorded: 2, limited: 0, dropped: 1 });
  });

  test("because the disk is full is written later", async () => {
    let full = true;
    const intake = openIntake(() => {
      if (full) throw Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });
    });
    intake.offer(visit("one"));
    await intake.flush();
    expect(intake.totals()).toMatchObject({ recorded: 0, dropped: 0 });
    full = false;
    await intake.close();
    expect(intake.totals()).toMatchObject({ recorded: 1, dropped: 0 });
  });
});

test("forged reports without a known address use up only one network's share of a beacon's threats", async () => {
  const { address } = world.createBeacon();
  const forgeAnonymously = (url: string) =>
    world.traps.respond(
      new Request(`http://traps.test/b/${address}?${new URLSearchParams({ u: url, r: "" })}`),
      undefined,
    );
  for (let host = 0; host < 100; host += 1) forgeAnonymously(`https://forged-${host}.top/`);
  await world.traps.flush();
  expect(world.events("threat.created")).toHaveLength(10);
  forge(address, "https://real-copy.top/", { from: "198.51.100.1" });
  await world.traps.flush();
  expect(world.events("threat.created")).toHaveLength(11);
});
