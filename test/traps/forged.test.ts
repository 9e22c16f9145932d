import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { system } from "../../src/access/audit/actor.ts";
import { createLog } from "../../src/lib/log.ts";
import { createPacer } from "../../src/lib/pacer.ts";
import { createNetworkLimit } from "../../src/traps/network-limit.ts";
import { createHitStore, rowsPerTrapMax } from "../../src/traps/hits.ts";
import { createIntake, type RawHit } from "../../src/traps/intake.ts";
import { keptHeaders } from "../../src/traps/kept-headers.ts";
import { threatNameOf } from "../../src/traps/places.ts";
import { openStores, type Stores } from "../support/stores.ts";
import { openTraps } from "../support/traps.ts";

const eventsPerHourMax = 300;
let logged: string[];
let stores: Stores;
let traps: ReturnType<typeof openTraps>;
beforeEach(() => {
  stores = openStores();
  logged = [];
  const settings = { hitsPerMinute: 1_000_000, eventsPerHour: eventsPerHourMax };
  traps = openTraps(stores, settings, (line) => void logged.push(line));
});
afterEach(async () => {
  await traps.stop();
  stores.dispose();
});

const eventsOf = (type: string) => stores.events().filter((event) => event.type === type);
const beacon = () => traps.beacons.create({ protectedDomain: "example-bank.com" }, system);

function forge(address: string, url: string, { from = "192.0.2.7", agent = "" } = {}): void {
  const query = new URLSearchParams({ u: url, r: "" });
  const headers = { "user-agent": agent };
  traps.front.answer(new Request(`http://traps.test/b/${address}?${query}`, { headers }), from);
}

describe("a forged report", () => {
  test("of one network takes not all threats that a beacon may raise in an hour", async () => {
    const { address } = beacon();
    for (let host = 0; host < 200; host += 1) forge(address, `https://forged-${host}.top/`);
    await traps.flush();
    expect(eventsOf("threat.created")).toHaveLength(10);
    forge(address, "https://real-copy.top/", { from: "198.51.100.1" });
    await traps.flush();
    expect(eventsOf("threat.created")).toHaveLength(11);
    expect(logged.filter((line) => line.includes("some raise no threat"))).toHaveLength(1);
  });

  test("sends no more events than the bound of an hour, whatever host, address or browser it names", async () => {
    const { id, address } = beacon();
    for (let n = 0; n < eventsPerHourMax; n += 1) {
      forge(address, `https://8.8.${n >> 8}.${n & 255}/`);
      forge(address, "https://forged.top/", { agent: `browser ${n}` });
    }
    await traps.flush();
    expect(eventsOf("beacon.triggered")).toHaveLength(eventsPerHourMax);
    expect(traps.hits.rows(id)).toBe(2 * eventsPerHourMax);
    // A new threat is told of still, and after an hour so is everything.
    forge(address, "https://real-copy.top/", { from: "198.51.100.1" });
    await traps.flush();
    expect(eventsOf("beacon.triggered")).toHaveLength(eventsPerHourMax + 1);
    stores.clock.advance(3_600_001);
    forge(address, "https://8.8.8.8/", { from: "198.51.100.1" });
    await traps.flush();
    expect(eventsOf("beacon.triggered")).toHaveLength(eventsPerHourMax + 2);
  });

  test("costs the same among ten thousand of its kind as at the beginning", async () => {
    const { address } = beacon();
    let forged = 0;
    async function cost(hits: number): Promise<number> {
      const before = process.cpuUsage();
      for (let n = 0; n < hits; n += 1, forged += 1)
        forge(address, `https://forged-${forged}.top/`, { from: `10.${forged >> 8}.${forged & 255}.1` });
      await traps.flush();
      return process.cpuUsage(before).user;
    }
    await cost(500);
    const first = await cost(1_000);
    await cost(7_000);
    // It was eight times as much when each counted the rows of an hour.
    expect(await cost(1_000)).toBeLessThan(4 * first);
  });

  test("does not push out the visits that were told of", () => {
    const hits = createHitStore(stores.database);
    const nothing = { host: null, referrer: null, claimedUrl: null, ipAddress: null, userAgent: null };
    const row = { trapId: "bcn_1", class: "foreign", url: "/", headers: [], method: null, count: 1 } as const;
    stores.database.transaction(() => {
      for (let n = 0; n < rowsPerTrapMax + 10; n += 1) {
        const eventId = n === 0 ? "evt_1" : null;
        const times = { firstAt: n, lastAt: n };
        hits.insert({ ...row, ...nothing, ...times, headers: [], visitor: `${n}`, eventId, threatId: null });
      }
      hits.trim("bcn_1");
    });
    expect(hits.rows("bcn_1")).toBe(rowsPerTrapMax);
    expect(hits.list("bcn_1", { limit: 1, offset: rowsPerTrapMax - 1 })[0]!.eventId).toBe("evt_1");
    expect(hits.list("bcn_1", { limit: 1 })[0]!.visitor).toBe(`${rowsPerTrapMax + 9}`);
  });

  test("is compared with so many names at most", () => {
    const allow = Array.from({ length: 201 }, (_, n) => `host-${n}.com`);
    expect(() => traps.beacons.create({ protectedDomain: "example-bank.com", allow }, system)).toThrow("200");
  });

  test("makes no threat of what no host name can be", async () => {
    const { id, address } = beacon();
    const hosts = ["$(id).evil.top", `'"{}onx=1.evil.top`, "*.evil.top", "evil.top.", ".evil.top"];
    for (const host of [...hosts, "a b.evil.top", "evil..top"]) forge(address, `https://${host}/`);
    await traps.flush();
    const { threats } = stores.threats.list({}, { page: 1, perPage: 9 });
    expect(threats.map(({ domain }) => domain)).toEqual(["evil.top"]);
    expect(traps.hits.list(id, { limit: 9 }).map(({ host }) => host)).toContain("$(id).evil.top");
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
])("the threat behind the host %s is %s", (host, name) => {
  expect(threatNameOf(host)).toBe(name);
});

test("visits of more networks than are remembered keep no other out", () => {
  const limit = createNetworkLimit(2);
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
])("of a visitor's header %s only the length is kept", (name) => {
  const headers = new Headers({ [name]: "a secret of a passer-by", accept: "*/*" });
  expect(Object.fromEntries(keptHeaders(headers))).toEqual({
    accept: "*/*",
    [name]: "(23 characters, not kept)",
  });
});

describe("a visit that cannot be written", () => {
  const hit = (trapId: string): RawHit => ({
    trap: "token",
    trapId,
    at: 0,
    ipAddress: null,
    network: "",
    userAgent: null,
    method: "GET",
    url: "/",
    referrer: null,
    headers: [],
  });
  function openIntake(write: (hit: RawHit) => void) {
    const pacer = createPacer({ sliceMs: 5, elapsedMs: () => performance.now() });
    const { clock, database } = stores;
    const log = createLog({ level: "silent", format: "json", clock, write: () => {} });
    return createIntake({
      clock,
      database,
      log,
      pacer,
      limit: createNetworkLimit(100),
      write: (hits) => ({ needsDisk: true, apply: () => hits.forEach(write) }),
    });
  }

  test("holds up no other", async () => {
    const seen: string[] = [];
    const intake = openIntake(({ trapId }) => {
      if (trapId === "poison") throw new TypeError("nobody thought of this");
      seen.push(trapId);
    });
    for (const trapId of ["one", "poison", "two"]) intake.offer(hit(trapId));
    await intake.close();
    expect(seen.slice(-2)).toEqual(["one", "two"]);
    expect(intake.totals()).toEqual({ recorded: 2, limited: 0, dropped: 1 });
  });

  test("because the disk is full is tried again", async () => {
    let full = true;
    const intake = openIntake(() => {
      if (full) throw Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });
    });
    intake.offer(hit("one"));
    await intake.flush();
    expect(intake.totals()).toMatchObject({ recorded: 0, dropped: 0 });
    full = false;
    await intake.close();
    expect(intake.totals()).toMatchObject({ recorded: 1, dropped: 0 });
  });
});
