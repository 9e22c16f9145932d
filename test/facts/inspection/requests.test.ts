import { afterEach, beforeEach, expect, test } from "bun:test";
import type { RequestOptions } from "../../../src/facts/inspection/inspections.ts";
import { createAdmission } from "../../../src/facts/inspection/queue/admission.ts";
import { createBudget } from "../../../src/facts/inspection/queue/budget.ts";
import { createSelection, createSiteShares } from "../../../src/facts/inspection/queue/pump.ts";
import { createInspectionStore, type InspectionStore } from "../../../src/facts/inspection/queue/store.ts";
import { inspectionCounts, inspections } from "../../../src/facts/inspection/model/tables.ts";
import { openStores } from "../../support/stores.ts";

const hourMs = 3_600_000;
const feed: RequestOptions = { priority: "feed", source: "feed", origin: { kind: "feed", name: "bad-urls" } };
const person: RequestOptions = {
  priority: "person",
  source: "submission",
  origin: { kind: "console", name: "ada" },
};

let stores: ReturnType<typeof openStores>;
let store: InspectionStore;
let config: { lookups: { enabled: boolean } };
let request: (addresses: readonly string[], options?: RequestOptions) => string[];

beforeEach(() => {
  stores = openStores();
  store = createInspectionStore(stores.database);
  config = { lookups: { enabled: true } };
  const { clock, database, domains, ids, log } = stores;
  const { enqueue } = createAdmission({
    clock,
    config,
    domains,
    ids,
    log,
    recordStored: () => {},
    store,
  });
  request = (addresses, options = feed) =>
    database.transaction(() =>
      enqueue(addresses, options).map((one) => (one.outcome === "refused" ? one.reason : one.outcome)),
    );
});
afterEach(() => stores.dispose());

/** Ends all that waits as inspected now. */
function finishAll(): void {
  const now = stores.clock.now();
  for (const { seq } of stores.database.query.select().from(inspections).all()) {
    store.start(seq, now);
    store.save(seq, {
      state: "done",
      dueAt: now,
      finishedAt: now,
      durationMs: 5,
      imitates: false,
      protectedDomain: null,
      score: null,
      verdicts: [],
      page: null,
      reason: null,
      threatSeq: null,
    });
  }
}

test("an address is queued once, whatever its form, and a person's request moves it to the front", () => {
  expect(
    request(["https://shop.evil.example/login#top", "hxxps://shop.evil[.]example/login", "evil.example"]),
  ).toEqual(["queued", "queued", "queued"]);
  expect(store.waiting()).toEqual({ person: 0, submission: 0, feed: 2 });
  expect(request(["http://user:secret@shop.evil.example/login"], person)).toEqual(["queued"]);
  expect(store.waiting()).toEqual({ person: 1, submission: 0, feed: 1 });
  expect(store.due("person", stores.clock.now(), 9)).toMatchObject([
    { address: "https://shop.evil.example/login", host: "shop.evil.example", attempts: 0, threatId: null },
  ]);
});

test("what cannot or must not be fetched is refused with the reason", () => {
  expect(
    request([
      "https://192.0.2.7/login",
      "ftp://evil.example/x",
      "https://www.example-bank.com/",
      "not a name",
    ]),
  ).toEqual([
    "names an IP address; threats have a host name",
    "has the scheme ftp; only http and https can be inspected",
    "is your own or an allowed name, which is never fetched",
    "contains a space; enter one name per line",
  ]);
  config.lookups.enabled = false;
  expect(request(["evil.example"], person)).toEqual([
    "is not inspected: pages are not fetched because lookups.enabled is false",
  ]);
  expect(store.waiting()).toEqual({ person: 0, submission: 0, feed: 0 });
});

test("within an hour, the same address returns its result, and another address of the host waits", () => {
  request(["https://evil.example/a"]);
  finishAll();
  stores.clock.advance(hourMs / 2);
  expect(request(["https://evil.example/a", "https://evil.example/b"], person)).toEqual(["known", "queued"]);
  expect(store.due("person", stores.clock.now(), 9)).toEqual([]);
  stores.clock.advance(hourMs / 2);
  expect(store.due("person", stores.clock.now(), 9)).toHaveLength(1);
  expect(request(["https://evil.example/a"], person)).toEqual(["queued"]);
});

test("a click of a person inspects a host again within the hour, at most six times", () => {
  const again = { ...person, again: true };
  request(["https://evil.example/a"]);
  finishAll();
  expect(request(["https://evil.example/b"])).toEqual(["queued"]);
  // An address that waits for the end of the hour starts now.
  expect(request(["https://evil.example/b"], again)).toEqual(["queued"]);
  expect(store.due("person", stores.clock.now(), 9)).toMatchObject([
    { address: "https://evil.example/b", reason: null },
  ]);
  finishAll();
  for (let count = 2; count < 6; count += 1) {
    expect(request(["https://evil.example/a"], again)).toEqual(["queued"]);
    expect(store.due("person", stores.clock.now(), 9)).toHaveLength(1);
    finishAll();
  }
  expect(request(["https://evil.example/a"], again)).toEqual([
    "is not inspected again: its host was inspected 6 times within the last hour",
  ]);
  stores.clock.advance(hourMs);
  expect(request(["https://evil.example/a"], again)).toEqual(["queued"]);
});

test("a feed that repeats its addresses has them inspected once a day", () => {
  request(["https://evil.example/a"]);
  finishAll();
  stores.clock.advance(23 * hourMs);
  expect(request(["https://evil.example/a"])).toEqual(["known"]);
  stores.clock.advance(hourMs);
  expect(request(["https://evil.example/a"])).toEqual(["queued"]);
});

test("at most ten addresses of one host wait", () => {
  const many = Array.from({ length: 12 }, (_, index) => `https://evil.example/${index}`);
  expect(request(many).slice(9)).toEqual([
    "queued",
    "is not inspected: 10 addresses of its host wait already",
    "is not inspected: 10 addresses of its host wait already",
  ]);
});

test("people come before programs, and of feeds the newest address comes first", () => {
  const { clock } = stores;
  request(["one.example"]);
  clock.advance(1);
  request(["two.example"]);
  const hosts = (priority: "feed" | "person") => store.due(priority, clock.now(), 9).map(({ host }) => host);
  expect(hosts("feed")).toEqual(["two.example", "one.example"]);
  expect(hosts("person")).toEqual([]);
  expect(store.dropOldest(clock.now(), "dropped")).toBe(true);
  expect(hosts("feed")).toEqual(["two.example"]);
});

test("what was dropped, requested by a person or begun since it was selected is started as it is now, or not at all", () => {
  const { clock, log } = stores;
  const selection = createSelection({
    budget: createBudget(clock.monotonicMs),
    clock,
    config: { ...config, inspection: { perMinute: 600, perDay: 100, browser: "never" } },
    log,
    store,
  });
  request(["one.example", "two.example", "three.example"]);
  const taken = selection.take({ concurrent: 9, unattended: 9 });
  expect(taken).toHaveLength(3);
  store.dropOldest(clock.now(), "dropped");
  request(["two.example"], person);
  const started = stores.database.transaction(() => selection.begin(taken, new Set()));
  expect(new Map(started.map(({ host, priority }) => [host, priority]))).toEqual(
    new Map([
      ["two.example", "person"],
      ["three.example", "feed"],
    ]),
  );
  expect(stores.database.transaction(() => selection.begin(taken, new Set()))).toEqual([]);
  expect(store.totals().started).toBe(2);
});

test("the budget of a minute holds in every minute, and that of a day spares people", () => {
  const { clock } = stores;
  const limits = { perMinute: 60, perDay: 100 };
  const budget = createBudget(clock.monotonicMs);
  let started = 0;
  for (let second = 0; second < 60; second += 1) {
    const { anyone } = budget.allowed(limits, 0);
    expect(anyone).toBeLessThanOrEqual(2);
    budget.start(anyone);
    started += anyone;
    clock.advance(1_000);
  }
  expect(started).toBe(60);
  expect(budget.lastMinute()).toBeLessThanOrEqual(60);
  clock.advance(60_000);
  expect(budget.allowed(limits, 99)).toEqual({ anyone: 2, unattended: 1 });
  expect(budget.allowed(limits, 200)).toEqual({ anyone: 2, unattended: 0 });
  budget.start(2);
  budget.giveBack(clock.monotonicMs());
  expect(budget.lastMinute()).toBe(1);
});

test("the hosts of one domain leave a fifth of the budget to others, and wait one after the other", () => {
  const { clock } = stores;
  const { take } = createSiteShares(clock.monotonicMs);
  const waits = Array.from({ length: 300 }, (_, index) => take(`h${index}.evil.example`, 600));
  const started = waits.filter((delayMs) => delayMs === 0).length;
  expect(started).toBeLessThanOrEqual(100);
  expect(new Set(waits.slice(started)).size).toBe(300 - started);
  expect(waits.at(-1)).toBeLessThan(30_000);
  expect(take("other.example", 600)).toBe(0);
  let later = 0;
  for (let second = 0; second < 60; second += 1) {
    clock.advance(1_000);
    for (let index = 0; index < 20; index += 1) later += take("h.evil.example", 600) === 0 ? 1 : 0;
  }
  expect(later).toBeGreaterThan(450);
  expect(later).toBeLessThanOrEqual(480);
});

test("counts are kept by day and over all time", () => {
  const { clock, database } = stores;
  store.add(clock.now(), "started", 3);
  clock.advance(24 * hourMs);
  store.add(clock.now(), "started", 2);
  expect(store.countToday(clock.now(), "started")).toBe(2);
  expect(store.totals().started).toBe(5);
  expect(database.query.select().from(inspectionCounts).all()).toHaveLength(3);
});
