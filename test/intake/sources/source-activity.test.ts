import { afterEach, beforeEach, expect, test } from "bun:test";
import { startOfDay } from "../../../src/platform/lib/clock.ts";
import { createYielder } from "../../../src/platform/lib/yielder.ts";
import { createSourceActivity } from "../../../src/intake/sources/activity/source-activity.ts";
import { createCandidates, type Candidates } from "../../../src/intake/sources/candidates.ts";
import { batchOfNames } from "../../support/name-batches.ts";
import { openStores, type Stores } from "../../support/stores.ts";
import { until } from "../../support/until.ts";

const dayMs = 86_400_000;
let stores: Stores;
let candidates: Candidates;
beforeEach(() => {
  stores = openStores();
  const yielder = () => createYielder({ sliceMs: 10, elapsedMs: () => performance.now() });
  candidates = createCandidates({ ...stores, yielder });
});
afterEach(() => stores.dispose());

const feed = { kind: "feed", name: "nrd" };
const today = () => startOfDay(stores.clock.now());

test("Names are counted by source and day (UTC), with the invalid ones, the matches and the new threats", async () => {
  const submit = (names: string[], name: string) =>
    candidates.submit(names, { source: "submission", origin: { kind: "submission", name } });
  await submit(["example-bank.net", "other.org", "a b"], "siem");
  await submit(["example-bank.net"], "siem");
  await submit(["example-bank.net"], "other");
  stores.clock.advance(dayMs);
  await submit(["example-shop.net"], "siem");
  const days = stores.activity.since(0);
  expect(days).toMatchObject([
    { kind: "submission", name: "other", day: today() - dayMs, names: 1, invalid: 0, matched: 1, created: 0 },
    { kind: "submission", name: "siem", day: today() - dayMs, names: 4, invalid: 1, matched: 2, created: 1 },
    { kind: "submission", name: "siem", day: today(), names: 1, invalid: 0, matched: 1, created: 1 },
  ]);
  expect(stores.activity.totals()).toEqual([
    {
      kind: "submission",
      name: "other",
      names: 1,
      invalid: 0,
      matched: 1,
      created: 0,
      lastAt: days[0]!.lastAt,
    },
    {
      kind: "submission",
      name: "siem",
      names: 5,
      invalid: 1,
      matched: 3,
      created: 2,
      lastAt: days[2]!.lastAt,
    },
  ]);
});

test("A batch that could not be recorded is not counted, and its names are counted once when it is read again", async () => {
  async function* names() {
    yield batchOfNames(["example-bank.net", "other.org"], { start: 0, end: 1 });
  }
  const failing = candidates.process(names(), {
    source: "feed",
    origin: feed,
    onCommit() {
      throw new Error("disk full");
    },
  });
  expect(await failing.catch((error: Error) => error.message)).toBe("disk full");
  expect(stores.activity.since(0)).toEqual([]);
  await candidates.process(names(), { source: "feed", origin: feed });
  expect(stores.activity.since(0)).toMatchObject([{ ...feed, names: 2, matched: 1, created: 1 }]);
});

test("Days older than 400 are deleted, and the totals still contain them", () => {
  const { activity, clock, database } = stores;
  const add = (names: number) =>
    database.transaction(() => activity.add(feed, { names, invalid: 0, matched: 0, created: 0 }));
  add(5);
  clock.advance(401 * dayMs);
  add(2);
  expect(activity.since(dayMs)).toMatchObject([{ day: today(), names: 2 }]);
  expect(activity.totals()).toMatchObject([{ ...feed, names: 7, lastAt: clock.now() }]);
  // Another process adds to the totals as well.
  const other = createSourceActivity(stores);
  database.transaction(() => other.add(feed, { names: 1, invalid: 0, matched: 0, created: 0 }));
  expect(activity.totals()).toMatchObject([{ names: 8 }]);
});

test("Counts of names without a match are shown at once, and written within seconds", async () => {
  const { activity, clock, database, log } = stores;
  const changes = () => database.sqlite.query("select total_changes() as n").get();
  const before = changes();
  for (const name of ["harmless.example", "not a name"])
    await candidates.submit([name], { source: "submission", origin: feed });
  expect(changes()).toEqual(before);
  const expected = [{ ...feed, day: today(), names: 2, invalid: 1, matched: 0 }];
  expect(activity.since(dayMs)).toMatchObject(expected);
  expect(activity.totals()).toMatchObject([{ names: 2 }]);
  const stored = () => createSourceActivity({ database, clock, log }).since(dayMs);
  expect(stored()).toEqual([]);
  clock.advance(5_000);
  await until(() => stored().length > 0, "the counts are written");
  expect(stored()).toMatchObject(expected);
  expect(activity.since(dayMs)).toMatchObject(expected);
});

test("What is taken back never makes the count of a day negative", () => {
  const { activity, database } = stores;
  const scan = { kind: "scan", name: "scans" };
  for (const names of [3, -5])
    database.transaction(() => activity.add(scan, { names, invalid: 0, matched: 0, created: 0 }));
  expect(activity.since(today())).toMatchObject([{ names: 0 }]);
});
