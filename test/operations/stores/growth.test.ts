import { Database as Sqlite } from "bun:sqlite";
import { afterEach, expect, test } from "bun:test";
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { releaseFreePages, rewriteDatabase } from "../../../src/platform/database/health/housekeeping.ts";
import { freePageBytes } from "../../../src/platform/database/pragmas.ts";
import {
  computeGrowth,
  createStoreGrowth,
  daysUntilFull,
  storeFoldersOf,
  untilFullText,
  type GrowthSample,
} from "../../../src/operations/stores/growth.ts";
import {
  databaseStores,
  measureStores,
  readTableSizes,
  tableSizesStatement,
} from "../../../src/operations/stores/stores.ts";
import { createLog } from "../../../src/platform/lib/log.ts";
import { manualClock, temporaryFolder } from "../../support/appliance.ts";
import { commandFolder } from "../../support/command-line.ts";
import { openDatabase } from "../../../src/platform/database/database.ts";
import { openNewDatabase } from "../../support/new-database.ts";
import { until } from "../../support/until.ts";

const dayMs = 86_400_000;
const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanup.splice(0).reverse()) await step();
});

function openStores() {
  const folder = temporaryFolder();
  const path = join(folder.path, "phishwatch.db");
  const database = openNewDatabase(path);
  cleanup.push(folder.dispose, () => database.close());
  const body = JSON.stringify({ data: { text: "x".repeat(900) } });
  const addEvents = (count: number) => {
    const insert = database.sqlite.prepare(
      "INSERT INTO events (id, type, body, created_at, dispatched_at) VALUES (?, 'threat.created', ?, 1, 1)",
    );
    database.transaction(() => {
      for (let index = 0; index < count; index++) insert.run(crypto.randomUUID(), body);
    });
  };
  return { folder: folder.path, path, database, addEvents };
}

const sample = (day: number, bytes: Record<string, number>): GrowthSample => ({
  day: day * dayMs,
  sizes: Object.entries(bytes).map(([store, size]) => ({ store: store as "events", bytes: size })),
});

test("growth compares the newest sample with the oldest one of 30 days, store by store", () => {
  const samples = [
    sample(1, { events: 9_000 }),
    sample(60, { events: 1_000, threats: 500 }),
    sample(65, { events: 3_000, threats: 500 }),
    sample(70, { events: 6_000, threats: 300, facts: 100 }),
  ];
  const growth = computeGrowth(samples);
  expect(growth.days).toBe(10);
  expect([...growth.byStore]).toEqual([
    ["events", 500],
    ["threats", -20],
    ["facts", 10],
  ]);
  expect(growth.bytesPerDay).toBe(490);
  expect(daysUntilFull(49_500, growth)).toBe(101);
  expect(untilFullText(101)).toBe("at this rate, the disk is full in 101 days");
  expect(untilFullText(2_000)).toBe("at this rate, the disk lasts for more than three years");
});

test("without two days to compare, or without growth, nothing is said about the future", () => {
  for (const samples of [
    [],
    [sample(1, { events: 5 })],
    [sample(1, { events: 5 }), sample(40, { events: 9 })],
  ])
    expect(computeGrowth(samples)).toEqual({ byStore: new Map(), bytesPerDay: undefined, days: 0 });
  const shrinking = computeGrowth([sample(1, { events: 5 }), sample(2, { events: 3 })]);
  expect(shrinking.bytesPerDay).toBe(-2);
  expect(daysUntilFull(1_000, shrinking)).toBeUndefined();
});

/** Tables that stay small: what people, the configuration and the appliance itself declare. */
const smallTables = [
  "__drizzle_migrations",
  "account_links",
  "account_recovery_codes",
  "accounts",
  "api_keys",
  "archive_checks",
  "certificate_log_failures",
  "certificate_log_lists",
  "certificate_logs",
  "console_sessions",
  "database_versions",
  "dismissed_suggestions",
  "lists",
  "originals",
  "protected_domains",
  "recipients",
  "retention_notices",
  "saved_views",
  "settings",
  "source_pauses",
  "store_sizes",
  "subscriptions",
  "system_conditions",
  "trap_addresses",
  "traps",
];

test("every table belongs to a store, or stays small", () => {
  const { database } = openStores();
  const tables = database.sqlite
    .query<{ name: string }, []>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    )
    .all();
  const known = [...databaseStores.flatMap((store) => store.tables), ...smallTables];
  expect(tables.map(({ name }) => name).sort()).toEqual(known.sort());
});

test("the sizes of the stores add up to the file and the folders next to it", async () => {
  const { folder, path, database, addEvents } = openStores();
  addEvents(2_000);
  database.sqlite.run("DELETE FROM events WHERE seq % 2 = 0 AND seq < 1000");
  mkdirSync(join(folder, "screenshots/ab"), { recursive: true });
  writeFileSync(join(folder, "screenshots/ab/one.webp"), "x".repeat(1_234));
  writeFileSync(join(folder, "phishwatch.before-upgrade-0.2.0-20270115T120000.db"), "x".repeat(567));
  database.sqlite.run("PRAGMA wal_checkpoint(TRUNCATE)");
  const tables = readTableSizes(database.sqlite.query(tableSizesStatement).values()[0]![0]);
  const freeBytes = freePageBytes(database.sqlite);
  const sizes = new Map(
    (await measureStores(path, { tables, freeBytes, folders: storeFoldersOf(path) })).map(
      ({ store, bytes }) => [store, bytes],
    ),
  );
  expect(sizes.get("events")).toBeGreaterThan(1_500 * 900);
  expect(sizes.get("screenshots")).toBe(1_234);
  expect(sizes.get("copies")).toBe(567);
  expect(sizes.get("archive")).toBe(0);
  const inFile = [...sizes].reduce((sum, [, bytes]) => sum + bytes, 0) - 1_234 - 567;
  // SQLite's pages of pointers, 1 in 819 of 4 KiB, belong to no table.
  const pointerBytes = 4_096 * Math.ceil(statSync(path).size / 4_096 / 819);
  expect(statSync(path).size - inFile).toBeLessThanOrEqual(pointerBytes);
  expect(inFile).toBeLessThanOrEqual(statSync(path).size);
});

test("a server measures once a day, keeps the samples of 90 days, and computes the growth from them", async () => {
  const { database, addEvents } = openStores();
  const clock = manualClock();
  const log = createLog({ level: "warn", format: "json", clock, write: (line) => void lines.push(line) });
  const lines: string[] = [];
  const growth = createStoreGrowth({ clock, database, log });
  growth.start();
  cleanup.push(growth.stop);
  const days = () =>
    database.sqlite.query<{ day: number }, []>("SELECT DISTINCT day FROM store_sizes ORDER BY day").all();
  expect(growth.latest()).toMatchObject({ day: undefined, sizes: [] });
  clock.advance(60_000);
  await until(() => days().length === 1, "the first measurement is stored");
  addEvents(1_000);
  clock.advance(3_600_000);
  expect(days()).toHaveLength(1);
  clock.advance(dayMs);
  await until(() => days().length === 2, "the measurement of the next day is stored");
  const { growth: rate, sizes } = growth.latest();
  expect(rate.days).toBe(1);
  expect(rate.byStore.get("events")).toBeGreaterThan(900_000);
  expect(sizes.find(({ store }) => store === "events")!.bytes).toBeGreaterThan(900_000);
  clock.advance(100 * dayMs);
  await until(() => days().length === 1, "the old samples are deleted");
  expect(lines).toEqual([]);
});

test("free space is released in steps between which others write, and the content stays", async () => {
  const { path, database, addEvents } = openStores();
  addEvents(3_000);
  database.sqlite.run("DELETE FROM events WHERE seq > 500");
  const before = statSync(path).size + statSync(`${path}-wal`).size;
  const other = new Sqlite(path);
  other.run("PRAGMA busy_timeout = 0");
  let steps = 0;
  let written = 0;
  const result = await releaseFreePages(database, {
    isStopped() {
      steps++;
      // Fails at once if the lock is held between steps.
      other.run("UPDATE events SET dispatched_at = ? WHERE seq = 1", [++written]);
      return false;
    },
  });
  expect(result).toBe("done");
  expect(steps).toBeGreaterThan(1);
  expect(freePageBytes(database.sqlite)).toBe(0);
  expect(statSync(path).size).toBeLessThan(before / 4);
  expect(other.query("SELECT count(*) AS n, max(dispatched_at) AS written FROM events").get()).toEqual({
    n: 500,
    written,
  });
  expect(other.query("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
  other.close();
});

test("a stop ends the release after a step", async () => {
  const { database, addEvents } = openStores();
  addEvents(3_000);
  database.sqlite.run("DELETE FROM events");
  const free = freePageBytes(database.sqlite);
  let asked = 0;
  await releaseFreePages(database, { isStopped: () => ++asked > 1 });
  expect(freePageBytes(database.sqlite)).toBeLessThan(free);
  expect(freePageBytes(database.sqlite)).toBeGreaterThan(0);
});

test("a file that cannot release pages is rewritten, and can release them from then on", async () => {
  const folder = temporaryFolder();
  cleanup.push(folder.dispose);
  const path = join(folder.path, "old.db");
  const old = new Sqlite(path);
  old.run("PRAGMA auto_vacuum = NONE");
  old.run("CREATE TABLE filler (x)");
  old.close();
  const database = openDatabase(path);
  database.sqlite.run("INSERT INTO filler SELECT randomblob(100000) FROM json_each('[1,2,3,4,5,6,7,8,9]')");
  database.sqlite.run("DELETE FROM filler");
  expect(await releaseFreePages(database, { isStopped: () => false })).toBe("not_possible");
  database.sqlite.run("PRAGMA wal_checkpoint(TRUNCATE)");
  const before = statSync(path).size;
  rewriteDatabase(database);
  expect(statSync(path).size).toBeLessThan(before);
  expect(database.sqlite.query("PRAGMA auto_vacuum").get()).toEqual({ auto_vacuum: 2 });
});

test("database info and database compact report and release what a deletion left", async () => {
  const folder = commandFolder();
  cleanup.push(folder.dispose);
  await folder.runHere(["domains", "add", "example-shop.com"]);
  const path = join(folder.path, "data/test.db");
  const sqlite = new Sqlite(path);
  sqlite.run("CREATE TABLE filler (x)");
  sqlite.run("INSERT INTO filler SELECT randomblob(100000) FROM json_each('[1,2,3,4,5,6,7,8,9]')");
  sqlite.run("DROP TABLE filler");
  sqlite.run("INSERT INTO store_sizes VALUES (1795219200000, 'audit', 0), (1795305600000, 'audit', 2000000)");
  // Closing copies the log only if the statements above are no longer in memory.
  sqlite.run("PRAGMA wal_checkpoint(TRUNCATE)");
  sqlite.close();
  const found = await folder.runHere(["database", "info", "--json"]);
  expect(found.code).toBe(0);
  const info = JSON.parse(found.out) as {
    bytes_per_day: number;
    days_until_full: number;
    stores: { store: string; bytes: number; rows: number; kept: string }[];
  };
  expect(info.bytes_per_day).toBe(2_000_000);
  expect(info.days_until_full).toBeGreaterThan(0);
  expect(info.stores.find(({ store }) => store === "free")!.bytes).toBeGreaterThan(900_000);
  expect(info.stores.find(({ store }) => store === "audit")).toMatchObject({
    kept: "the newest 100,000 entries",
  });
  const text = await folder.runHere(["database", "info"]);
  expect(text.out).toMatch(/Free space in the file +\d/);
  expect(text.out).toContain("at this rate, the disk");

  const dry = await folder.runHere(["database", "compact", "--dry-run"]);
  expect(dry).toMatchObject({ code: 0, out: "" });
  const compacted = await folder.runHere(["database", "compact"]);
  expect(compacted.code).toBe(0);
  expect(compacted.out).toMatch(/^released 8\d\d KiB; the file has /);
  const rewritten = await folder.runHere(["database", "compact", "--rewrite"]);
  expect(rewritten).toMatchObject({ code: 0 });
});
