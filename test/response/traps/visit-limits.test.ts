import { afterEach, beforeEach, expect, test } from "bun:test";
import { createVisitStore, rowsPerTrapMax, type NewVisit } from "../../../src/response/traps/visits/store.ts";
import { openTrapWorld, type TrapWorld } from "../../support/traps.ts";

let world: TrapWorld;
beforeEach(() => void (world = openTrapWorld()));
afterEach(() => world.dispose());

test("visits of one network beyond its limit per minute get a response and are not recorded", async () => {
  await world.restart({ hitsPerMinute: 5 });
  const { id, address } = world.createHoneytoken({ kind: "pixel" });
  const statuses = Array.from({ length: 20 }, () => world.request(`/t/${address}.gif`).status);
  expect(new Set(statuses)).toEqual(new Set([200]));
  world.request(`/t/${address}.gif`, { from: "198.51.100.1" });
  expect(world.traps.totals().limited).toBe(15);
  await world.restart();
  expect(world.traps.visits.totals(id)).toMatchObject([{ total: 6 }]);
});

test("visits beyond the length of the queue are counted as dropped and do not block", async () => {
  await world.restart({ hitsPerMinute: 1_000_000 });
  const { id, address } = world.createHoneytoken({ kind: "pixel" });
  for (let visit = 0; visit < 20_100; visit += 1) world.request(`/t/${address}.gif`);
  expect(world.traps.totals()).toEqual({ recorded: 0, limited: 0, dropped: 100 });
  await world.restart();
  expect(world.traps.visits.totals(id)).toMatchObject([{ total: 20_000 }]);
});

test("visits beyond the limit of events per hour are recorded without an event", async () => {
  await world.restart({ eventsPerHour: 3 });
  const { id, address } = world.createHoneytoken({ kind: "pixel" });
  const visit = (from: string) => world.request(`/t/${address}.gif`, { from });
  for (let visitor = 0; visitor < 5; visitor += 1) visit(`10.1.${visitor}.1`);
  await world.traps.stop();
  expect([world.events("token.accessed").length, world.traps.visits.countRows(id)]).toEqual([3, 5]);
  world.stores.clock.advance(3_600_000);
  visit("10.2.1.1");
  await world.traps.flush();
  expect(world.events("token.accessed")).toHaveLength(4);
});

test("a visit during shutdown is written", async () => {
  const { id, address } = world.createHoneytoken({ kind: "pixel" });
  await world.traps.stop();
  world.request(`/t/${address}.gif`);
  await world.traps.flush();
  expect(world.traps.visits.countRows(id)).toBe(1);
});

test("a trap keeps its newest ten thousand rows", () => {
  const { database } = world.stores;
  const store = createVisitStore(database);
  const row: Omit<NewVisit, "visitor" | "firstAt" | "lastAt"> = {
    trapId: "tok_1",
    class: "visit",
    url: "/",
    headers: [],
    method: "GET",
    count: 1,
    host: null,
    referrer: null,
    claimedUrl: null,
    ipAddress: null,
    userAgent: null,
    eventId: null,
    threatId: null,
  };
  database.transaction(() => {
    for (let visit = 0; visit < rowsPerTrapMax + 10; visit += 1)
      store.insert({ ...row, visitor: `${visit}`, firstAt: visit, lastAt: visit });
    store.trim("tok_1");
  });
  expect(store.countRows("tok_1")).toBe(rowsPerTrapMax);
  expect(store.list("tok_1", { limit: 1 })[0]!.visitor).toBe(`${rowsPerTrapMax + 9}`);
});

test("visits are deleted after retention.hits, and their totals are kept", async () => {
  const { id, address } = world.createHoneytoken({ kind: "pixel" });
  world.request(`/t/${address}.gif`);
  await world.restart({ hitsKeptMs: 86_400_000 });
  world.traps.start();
  expect(world.traps.visits.list(id, { limit: 9 })).toHaveLength(1);
  world.stores.clock.jump(2 * 86_400_000);
  expect(world.traps.visits.list(id, { limit: 9 })).toEqual([]);
  expect(world.traps.visits.totals(id)).toMatchObject([{ total: 1 }]);
});
