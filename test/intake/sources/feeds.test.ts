import { afterEach, beforeEach, expect, test } from "bun:test";
import { appendFileSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { createLog } from "../../../src/platform/lib/log.ts";
import { createYielder } from "../../../src/platform/lib/yielder.ts";
import { createCandidates } from "../../../src/intake/sources/candidates.ts";
import type { Feed } from "../../../src/intake/sources/feeds/feed-reader.ts";
import type { InspectFeed } from "../../../src/intake/sources/needs.ts";
import { createFeeds, createFolderFeeds, type Feeds } from "../../../src/intake/sources/feeds/feeds.ts";
import { analyst, openStores, type Stores } from "../../support/stores.ts";

let stores: Stores;
let folder: string;
let running: Feeds | undefined;
let log: { message: string; [field: string]: unknown }[];

beforeEach(() => {
  stores = openStores();
  folder = join(dirname(stores.path), "feed");
  mkdirSync(folder);
  log = [];
});
afterEach(async () => {
  await stop();
  running = undefined;
  stores.dispose();
});

function start(feed: Partial<Feed> = {}, inspectFeed: InspectFeed = () => undefined): Feeds {
  const { clock, database, pauses } = stores;
  const yielder = () => createYielder({ sliceMs: 10, elapsedMs: () => performance.now() });
  const candidates = createCandidates({ ...stores, yielder });
  const write = (line: string) => void log.push(JSON.parse(line));
  const open = createFolderFeeds({
    database,
    pauses,
    candidates,
    clock,
    inspectFeed,
    log: createLog({ level: "info", format: "json", clock, write }),
  });
  const watchers = [
    open({ name: "nrd", path: folder, format: "auto", column: null, inspect: false, ...feed }),
  ];
  running = createFeeds({ auditLog: stores.auditLog, database, watchers: () => watchers });
  for (const source of running.sources) source.start();
  return running;
}

async function stop(): Promise<void> {
  for (const source of running?.sources ?? []) await source.stop();
}

/** Advances the clock, check after check, until the condition holds. */
async function until(condition: () => boolean, what: string): Promise<void> {
  for (let step = 0; step < 400; step++) {
    if (condition()) return;
    await advance();
  }
  throw new Error(`never: ${what}; status ${JSON.stringify(running?.status())}`);
}

/** Advances the clock by the time in which a file would be complete, growing or overdue for a check. */
async function settle(): Promise<void> {
  for (let step = 0; step < 200; step++) await advance();
}

/** Advances the clock and waits for the checks that are due by then. */
async function advance(): Promise<void> {
  stores.clock.advance(250);
  await running!.idle();
}

const threats = () =>
  stores.threats
    .list({}, { page: 1, perPage: 100 })
    .threats.map(({ domain }) => domain)
    .sort();
const fileNamed = (name: string) => running!.status()[0]!.files.find(({ path }) => path.endsWith(name));
const complete = (name: string) => () => (fileNamed(name)?.completedAt ?? null) !== null;
const readings = () => log.filter(({ message }) => message === "feed file read").length;

function put(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

test("files in the folder and files that are added later are read once each", async () => {
  put("a.txt", "example-bank.net\nother.org\n");
  start();
  await until(complete("a.txt"), "a.txt is read");
  expect(threats()).toEqual(["example-bank.net"]);
  put("b.csv.gz", gzipSync("rank,domain\n1,example-shop.net\nx\n"));
  await until(complete("b.csv.gz"), "b.csv.gz is read");
  expect(threats()).toEqual(["example-bank.net", "example-shop.net"]);
  expect(fileNamed("b.csv.gz")).toMatchObject({ lines: 3, invalid: 1, matched: 1, created: 1, error: null });
  await settle();
  expect(readings()).toBe(2);
});

test("an email in the folder is read once it has settled, and its links are inspected if the feed says so", async () => {
  const inspected: string[] = [];
  start({ inspect: true }, () => (addresses) => {
    expect(stores.database.sqlite.inTransaction).toBeTrue();
    inspected.push(...addresses);
  });
  const email =
    "From: x <x@evil.example>\nSubject: y\n\nhxxps://example-bank[.]net/a and https://other.org/b";
  writeFileSync(join(folder, "report.eml"), email);
  await until(() => threats().length > 0, "it is read");
  expect(threats()).toEqual(["example-bank.net"]);
  await settle();
  expect(inspected).toEqual(["https://example-bank.net/a", "https://other.org/b"]);
});

test("a restart reads no file a second time", async () => {
  put("a.txt", "example-bank.net\n");
  start();
  await until(complete("a.txt"), "a.txt is read");
  await stop();
  start();
  await settle();
  expect(readings()).toBe(1);
  expect(running!.status()[0]!.files).toHaveLength(1);
});

test.each([-6, 6])(
  "a file that is settling is read in time although the clock is set by %i hours",
  async (hours) => {
    stores.clock.setBy(Date.now() - stores.clock.now());
    put("a.txt", "example-bank.net\n");
    start();
    await advance();
    stores.clock.setBy(hours * 3_600_000);
    await settle();
    expect(threats()).toEqual(["example-bank.net"]);
    put("b.txt", "example-shop.net\n");
    await settle();
    expect(threats()).toEqual(["example-bank.net", "example-shop.net"]);
  },
);

test("A paused feed reads nothing, also after a restart, and resumes where it stopped; both are in the audit log", async () => {
  put("a.txt", "example-bank.net\n");
  start();
  await until(complete("a.txt"), "a.txt is read");
  const pausing = () => running!.sources[0]!.pausing!;
  expect(pausing().pause({ by: analyst })).toBe(true);
  expect(pausing().pause({ by: analyst })).toBe(false);
  put("b.txt", "example-shop.net\n");
  await settle();
  await stop();
  start();
  await settle();
  expect(running!.status()[0]!.state).toBe("paused");
  expect(pausing().current()).toMatchObject({ by: { channel: "console", name: null } });
  expect(threats()).toEqual(["example-bank.net"]);
  expect(() => running!.readAgain("nrd", join(folder, "a.txt"), { by: analyst })).toThrow("is paused");
  expect(pausing().resume({ by: analyst })).toBe(true);
  expect(pausing().resume({ by: analyst })).toBe(false);
  await until(complete("b.txt"), "b.txt is read");
  expect(running!.status()[0]!.state).toBe("watching");
  expect(readings()).toBe(2);
  const actions = stores.auditLog
    .list({}, { limit: 10, offset: 0 })
    .map(({ action, subject }) => [action, subject]);
  expect(actions.slice(0, 2)).toEqual([
    ["source.resume", "nrd"],
    ["source.pause", "nrd"],
  ]);
});

test("A feed that is paused in the middle of a file stops there and reads the rest once after it is resumed", async () => {
  const count = 1_000;
  put("a.txt", Array.from({ length: count }, (_, n) => `example-bank-${n}.com\n`).join(""));
  start();
  while ((fileNamed("a.txt")?.lines ?? 0) === 0) {
    stores.clock.advance(250);
    await new Promise<void>((resolve) => void setImmediate(resolve));
  }
  const pausing = running!.sources[0]!.pausing!;
  pausing.pause({ by: analyst });
  await running!.idle();
  const total = () => stores.threats.list({}, { page: 1, perPage: 1 }).total;
  expect(total()).toBeLessThan(count);
  expect(fileNamed("a.txt")).toMatchObject({ lines: total(), created: total(), completedAt: null });
  pausing.resume({ by: analyst });
  await until(complete("a.txt"), "a.txt is read");
  expect(total()).toBe(count);
  expect(stores.activity.totals()).toMatchObject([
    { kind: "feed", name: "nrd", names: count, matched: count, created: count },
  ]);
});

test("only the lines that were appended to a file are read", async () => {
  const path = put("a.txt", "example-bank.net\n");
  start();
  await until(complete("a.txt"), "a.txt is read");
  appendFileSync(path, "example-shop.net\n");
  await until(() => threats().length === 2, "the appended line is read");
  await until(complete("a.txt"), "a.txt is read again");
  expect(fileNamed("a.txt")).toMatchObject({ lines: 2, matched: 2, created: 2 });
  expect(log.at(-1)).toMatchObject({ origin: "feed", lines: 1, matched: 1, durationMs: expect.any(Number) });
});

test("a line that is still being written is read once it is complete", async () => {
  const path = put("a.txt", "other.org\n");
  start();
  await until(complete("a.txt"), "a.txt is read");
  // The file keeps changing, so that it never settles: "example-bank.ne" alone would be a name as well.
  appendFileSync(path, "example-shop.net\nexample-bank.ne");
  for (let step = 0; step < 30; step++) {
    utimesSync(path, new Date(), new Date(Date.now() + step));
    await advance();
  }
  appendFileSync(path, "t\n");
  await until(() => threats().length === 2, "both are read");
  await settle();
  expect(threats()).toEqual(["example-bank.net", "example-shop.net"]);
});

test("a last line without a line feed is read once the file has settled", async () => {
  put("a.txt", "other.org\nexample-bank.net");
  start();
  await until(complete("a.txt"), "a.txt is read");
  expect(threats()).toEqual(["example-bank.net"]);
});

test("a file that is replaced is read from its start", async () => {
  const path = put("a.txt", "example-bank.net\nother.org\n");
  start();
  await until(complete("a.txt"), "a.txt is read");
  const other = put(".new", "example-shop.net\nmore.org\nand-more.org\n");
  renameSync(other, path);
  await until(() => threats().length === 2, "the new content is read");
  await until(complete("a.txt"), "a.txt is read from its start");
  expect(fileNamed("a.txt")).toMatchObject({ lines: 3, matched: 1 });
});

test("temporary files, hidden files and subfolders are ignored until they are renamed", async () => {
  put("a.txt.part", "example-bank.net\n");
  put(".b.txt", "example-shop.net\n");
  mkdirSync(join(folder, "sub"));
  put("sub/c.txt", "example-mail.net\n");
  start();
  await settle();
  expect(threats()).toEqual([]);
  renameSync(join(folder, "a.txt.part"), join(folder, "a.txt"));
  await until(complete("a.txt"), "a.txt is read");
  expect(threats()).toEqual(["example-bank.net"]);
});

test("Of a MISP feed in a folder, the events are read, without the files that list them", async () => {
  const uuid = "5f1e1e4c-0000-4000-8000-000000000000";
  put("manifest.json", JSON.stringify({ [uuid]: { info: "example-mail.net", Orgc: { name: "x" } } }));
  put("hashes.csv", `d41d8cd98f00b204e9800998ecf8427e,${uuid}\n`);
  const attributes = [
    { type: "domain", value: "example-bank.net" },
    { type: "url", value: "https://example-shop.net/x" },
  ];
  put(`${uuid}.json`, JSON.stringify({ Event: { uuid, Attribute: attributes } }, null, 1));
  start();
  await until(complete(`${uuid}.json`), "the event is read");
  expect(threats()).toEqual(["example-bank.net", "example-shop.net"]);
  await settle();
  expect(running!.status()[0]!.files).toMatchObject([{ matched: 2, invalid: 0, error: null }]);
});

test("A JSON document that is still being written is read once it is complete, also if it grows for long", async () => {
  const path = put("online-valid.json", '[\n{"url":"https://example-bank.net/"},\n{"url":"https://exam');
  start();
  await settle();
  expect(fileNamed("online-valid.json")).toMatchObject({
    created: 1,
    error: "ends in the middle of the JSON document",
  });
  appendFileSync(path, 'ple-shop.net/"}\n]\n');
  await until(() => threats().length === 2, "the rest is read");
  await until(complete("online-valid.json"), "it is complete");
  expect(fileNamed("online-valid.json")).toMatchObject({ error: null, invalid: 0 });
});

test("a truncated archive is reported once and read again when it is complete", async () => {
  const packed = gzipSync(
    Array.from({ length: 5_000 }, (_, i) => `name${i * 7919}.org\n`).join("") + "example-bank.net\n",
  );
  const path = put("a.txt.gz", packed.subarray(0, packed.length - 100));
  start();
  await until(() => (fileNamed("a.txt.gz")?.error ?? null) !== null, "the problem is reported");
  expect(fileNamed("a.txt.gz")!.error).toContain("is truncated");
  await settle();
  expect(log.filter(({ message }) => message === "feed file not read to its end")).toHaveLength(1);
  writeFileSync(path, packed);
  await until(complete("a.txt.gz"), "it is read");
  expect(threats()).toEqual(["example-bank.net"]);
  expect(running!.status()[0]!.problem).toBeNull();
});

test("a missing folder is reported by the status and one warning, and is read once it exists", async () => {
  rmSync(folder, { recursive: true });
  start();
  await settle();
  expect(running!.status()[0]).toMatchObject({ state: "unavailable", problem: "the path does not exist" });
  expect(log.filter(({ level }) => level === "warn")).toHaveLength(1);
  mkdirSync(folder);
  put("a.txt", "example-bank.net\n");
  await until(complete("a.txt"), "a.txt is read");
  await until(() => running!.status()[0]!.state === "watching", "it is watched");
  expect(running!.status()[0]!.problem).toBeNull();
});

test("a feed can be a single file", async () => {
  const path = put("a.txt", "domain;x\nexample-bank.net;1\n");
  start({ path, format: "csv" });
  await until(complete("a.txt"), "a.txt is read");
  expect(threats()).toEqual(["example-bank.net"]);
});

test("reading resumes where a stop interrupted it, without missing a line or counting one twice", async () => {
  const names = Array.from({ length: 3_000 }, (_, i) => `example-bank-${i}.com\n`).join("");
  put("a.txt", names);
  start();
  while ((fileNamed("a.txt")?.lines ?? 0) === 0) {
    stores.clock.advance(250);
    await new Promise<void>((resolve) => void setImmediate(resolve));
  }
  await stop();
  const row = stores.database.sqlite
    .query<{ lines: number; created: number }, []>("SELECT * FROM feed_files")
    .get();
  const total = () => stores.threats.list({}, { page: 1, perPage: 1 }).total;
  expect(total()).toBeLessThan(3_000);
  expect(row).toMatchObject({ lines: total(), created: total(), completed_at: null });
  start();
  await until(complete("a.txt"), "a.txt is read to its end");
  expect(fileNamed("a.txt")).toMatchObject({ lines: 3_000, matched: 3_000, created: 3_000 });
  expect(total()).toBe(3_000);
});

test("a file can be read again for domains that were protected later, unless it is gone or unknown", async () => {
  const path = put("a.txt", "example-bank.net\nexample-mail.net\n");
  start();
  await until(complete("a.txt"), "a.txt is read");
  expect(threats()).toEqual(["example-bank.net"]);
  stores.domains.add({ domain: "example-mail.com" }, { by: analyst });
  await until(() => running!.status()[0]!.state === "watching", "the file is closed");
  running!.readAgain("nrd", path, { by: analyst });
  await until(() => threats().length === 2, "it is read again");
  await until(complete("a.txt"), "it is read to its end");
  expect(fileNamed("a.txt")).toMatchObject({ lines: 2, matched: 2, created: 1 });
  expect(() => running!.readAgain("nrd", `${path}x`, { by: analyst })).toThrow(
    "There is no file with this path",
  );
  expect(() => running!.readAgain("other", path, { by: analyst })).toThrow("There is no file with this path");
  rmSync(path);
  await settle();
  expect(() => running!.readAgain("nrd", path, { by: analyst })).toThrow("There is no file with this path");
});
