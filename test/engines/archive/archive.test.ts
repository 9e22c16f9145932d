/** The archive on disk, with real files, and its counterpart in memory. */
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Archive, ArchivePosition } from "../../../src/engines/archive/archive.ts";
import { openArchive } from "../../../src/engines/archive/storing/open-archive.ts";
import { archiveFolder, listFolder } from "../../../src/engines/archive/files/folder.ts";
import { tryLock } from "../../../src/platform/database/lock.ts";
import { systemClock, type Clock } from "../../../src/platform/lib/clock.ts";
import { manualClock } from "../../support/appliance.ts";
import { until } from "../../support/until.ts";

const folder = mkdtempSync(join(tmpdir(), "phishwatch-archive-"));
afterAll(() => rmSync(folder, { recursive: true }));

const dayMs = 86_400_000;
const mebibyte = 1 << 20;
const today = Date.parse("2026-05-20T00:00:00Z");
const noon = today + dayMs / 2;
let databases = 0;

function openAt(
  databasePath: string,
  { now = noon, enabled = true, bytesMax = 64 * mebibyte, ageMsMax = 90 * dayMs, inThread = false } = {},
): Archive {
  const clock: Clock = { ...systemClock, now: () => now };
  return openArchive({
    folder: databasePath === ":memory:" ? undefined : archiveFolder(databasePath),
    settings: { enabled, bytesMax, ageMsMax },
    clock,
    onProblem: () => {},
    tryLock,
    fillRandom: (bytes) => void crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>),
    startWorker: inThread
      ? (task) => new Worker(join(import.meta.dir, "../../../src/main.ts"), { workerData: { task } })
      : undefined,
  });
}

const newDatabase = () => join(folder, `${++databases}.db`);
const bytesOf = (...names: string[]) => Buffer.from(names.map((name) => `${name}\n`).join(""));

interface Read {
  date: string;
  source: string;
  names: string[];
  position: ArchivePosition;
}

async function readAll(archive: Archive, start?: ArchivePosition): Promise<Read[]> {
  const read: Read[] = [];
  const { signal } = new AbortController();
  for await (const { day, source, names, count, position } of archive.read({ start, signal })) {
    const texts = Buffer.from(names).toString().split("\n").slice(0, -1);
    expect(texts).toHaveLength(count);
    read.push({ date: new Date(day).toISOString().slice(0, 10), source, names: texts, position });
  }
  return read;
}

const summaryOf = (read: readonly Read[]) =>
  read.map(({ date, source, names }) => `${date} ${source} ${names.toSorted().join(" ")}`);

describe.each([
  ["on disk", newDatabase],
  ["in memory", () => ":memory:"],
])("an archive %s", (_, database) => {
  test("returns each valid name once per day and source, in canonical form, the oldest day first", async () => {
    const archive = openAt(database());
    archive.add(
      bytesOf("B.example.com.", "*.a.example", "a.example", "not a name", "localhost", "10.0.0.1"),
      {
        source: "feed",
        seenAt: noon,
      },
    );
    archive.add(bytesOf("bücher.example", "a..b", `${"x".repeat(64)}.example`), {
      source: "feed",
      seenAt: today,
    });
    archive.add(Buffer.from("old.example"), { source: "feed", seenAt: today - 1 });
    archive.add(bytesOf("a.example"), { source: "certificate_transparency", seenAt: noon });
    await archive.flush();
    const read = await readAll(archive);
    const names = read.map((block) => summaryOf([block])[0]!);
    expect(new Set(names)).toEqual(
      new Set([
        "2026-05-19 feed old.example",
        "2026-05-20 feed a.example b.example.com xn--bcher-kva.example",
        "2026-05-20 certificate_transparency a.example",
      ]),
    );
    await archive.stop();
  });

  test("counts a name that claims to be from the future as seen today", async () => {
    const archive = openAt(database());
    archive.add(bytesOf("early.example"), { source: "feed", seenAt: noon + 400 * dayMs });
    expect(summaryOf(await readAll(archive))).toEqual(["2026-05-20 feed early.example"]);
    expect(await archive.extent()).toMatchObject({ names: 1, oldestDay: today, newestDay: today });
    await archive.stop();
  });

  test("stores nothing while it is disabled", async () => {
    const path = database();
    const archive = openAt(path, { enabled: false });
    archive.add(bytesOf("a.example"), { source: "feed", seenAt: noon });
    await archive.flush();
    expect(await readAll(archive)).toEqual([]);
    expect(archive.status()).toMatchObject({ enabled: false, names: 0, problem: null });
    expect(existsSync(`${path}.archive`)).toBeFalse();
    await archive.stop();
  });
});

test("files and their folder can be read by their owner only", async () => {
  const path = newDatabase();
  const archive = openAt(path);
  archive.add(bytesOf("a.example"), { source: "feed", seenAt: noon });
  await archive.flush();
  expect(statSync(`${path}.archive`).mode & 0o777).toBe(0o700);
  const names = readdirSync(`${path}.archive`).filter((name) => name.endsWith(".open"));
  expect(names).toHaveLength(1);
  expect(statSync(join(`${path}.archive`, names[0]!)).mode & 0o777).toBe(0o600);
  await archive.stop();
});

test("names that were stored before the archive was disabled can still be read", async () => {
  const path = newDatabase();
  const first = openAt(path);
  first.add(bytesOf("a.example"), { source: "beacon", seenAt: noon });
  await first.stop();
  const second = openAt(path, { enabled: false });
  expect(summaryOf(await readAll(second))).toEqual(["2026-05-20 beacon a.example"]);
  await second.stop();
});

test("two archives of one folder, as in two processes, add and read at the same time", async () => {
  const path = newDatabase();
  const one = openAt(path);
  const other = openAt(path);
  one.add(bytesOf("one.example"), { source: "feed", seenAt: noon });
  other.add(bytesOf("other.example"), { source: "feed", seenAt: noon });
  await Promise.all([one.flush(), other.flush()]);
  for (const archive of [one, other])
    expect((await readAll(archive)).flatMap(({ names }) => names).toSorted()).toEqual([
      "one.example",
      "other.example",
    ]);
  await Promise.all([one.stop(), other.stop()]);
});

test("journals of many short processes become segments, in a worker thread", async () => {
  const path = newDatabase();
  for (let number = 0; number < 16; number++) {
    const archive = openAt(path);
    archive.add(bytesOf(`name-${number}.example`, "same.example"), { source: "feed", seenAt: noon });
    await archive.stop();
  }
  expect(listFolder(`${path}.archive`).segments).toEqual([]);
  const archive = openAt(path, { inThread: true });
  archive.add(bytesOf("last.example"), { source: "feed", seenAt: noon });
  await archive.flush();
  await until(() => archive.status().names > 0, "the maintenance has ended");
  // All journals but the open one.
  expect(listFolder(`${path}.archive`).journals).toMatchObject([{ state: "open" }]);
  const names = (await readAll(archive)).flatMap((block) => block.names);
  expect(new Set(names).size).toBe(18);
  await archive.stop();
});

test("a worker thread that cannot start is a problem in the status, and nothing is lost", async () => {
  const path = newDatabase();
  const clock = manualClock(noon);
  const archive = openArchive({
    folder: archiveFolder(path),
    settings: { enabled: true, bytesMax: 64 * mebibyte, ageMsMax: 90 * dayMs },
    clock,
    onProblem: () => {},
    tryLock,
    fillRandom: (bytes) => void crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>),
    startWorker: () => new Worker("process.exit(1)", { eval: true }),
  });
  archive.start();
  archive.add(bytesOf("a.example"), { source: "feed", seenAt: noon });
  await archive.flush();
  clock.advance(10_000);
  await until(() => archive.status().problem !== null, "the problem is reported");
  expect(archive.status().problem).toContain("cannot be maintained");
  expect((await readAll(archive)).flatMap(({ names }) => names)).toEqual(["a.example"]);
  await archive.stop();
});

test("the server closes a journal after a quarter of an hour, and makes a segment from it", async () => {
  const path = newDatabase();
  const clock = manualClock(noon);
  const archive = openArchive({
    folder: archiveFolder(path),
    settings: { enabled: true, bytesMax: 64 * mebibyte, ageMsMax: 90 * dayMs },
    clock,
    onProblem: () => {},
    tryLock,
    fillRandom: (bytes) => void crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>),
  });
  archive.start();
  archive.add(bytesOf("a.example"), { source: "feed", seenAt: noon });
  await archive.flush();
  for (let minute = 0; minute < 17; minute++) clock.advance(60_000);
  // A maintenance that is in progress meanwhile does not see the journal, but the next one does.
  await until(() => {
    clock.advance(60_000);
    return listFolder(`${path}.archive`).journals.length === 0;
  }, "the segment is made");
  expect(listFolder(`${path}.archive`).segments).toMatchObject([{ names: 1 }]);
  await archive.stop();
});
