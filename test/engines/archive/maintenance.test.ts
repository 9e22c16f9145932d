/** Segments, limits, damage, and processes that are killed, on real files. */
import { afterAll, describe, expect, test } from "bun:test";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Archive, ArchivePosition } from "../../../src/engines/archive/archive.ts";
import { listFolder } from "../../../src/engines/archive/files/folder.ts";
import { folderExtent, readFolder } from "../../../src/engines/archive/files/reading.ts";
import { recordHeader } from "../../../src/engines/archive/files/record.ts";
import { segmentsToDelete, segmentsToMerge } from "../../../src/engines/archive/maintenance/limits.ts";
import { maintain } from "../../../src/engines/archive/maintenance/maintain.ts";
import { createDiskArchive } from "../../../src/engines/archive/storing/disk-archive.ts";
import { systemClock } from "../../../src/platform/lib/clock.ts";
import { tryLock } from "../../../src/platform/database/lock.ts";
import { randomFrom, seed } from "../../support/random.ts";

const top = mkdtempSync(join(tmpdir(), "phishwatch-archive-"));
afterAll(() => rmSync(top, { recursive: true }));

const dayMs = 86_400_000;
const mebibyte = 1 << 20;
const today = Date.parse("2026-05-20T00:00:00Z");
const noon = today + dayMs / 2;
const roomy = { bytesMax: 1024 * mebibyte, ageMsMax: 90 * dayMs };
const below = randomFrom(seed);
const newFolder = () => join(mkdtempSync(join(top, "a-")), "archive");
const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `name-${from + index}.example`);

let opened = 0;
function open(folder: string, options: Partial<Parameters<typeof createDiskArchive>[0]> = {}): Archive {
  return createDiskArchive({
    folder,
    journalId: `test${++opened}`,
    enabled: true,
    limits: roomy,
    clock: { ...systemClock, now: () => noon },
    onProblem: () => {},
    tryLock,
    diskRoom: () => undefined,
    // The tests maintain the folder themselves.
    maintain: () => Promise.resolve({ damagedBytes: 0 }),
    ...options,
  });
}

/** Stores names in a closed journal, as a command does. */
async function store(folder: string, names: readonly string[], seenAt = noon): Promise<void> {
  const archive = open(folder);
  archive.add(Buffer.from(`${names.join("\n")}\n`), { source: "feed", seenAt });
  await archive.stop();
}

const maintainAt = (folder: string, now = noon, limits = roomy, missingBytes = 0) =>
  maintain({ folder, limits, now, missingBytes }, tryLock);

async function read(folder: string, start?: ArchivePosition) {
  const names: string[] = [];
  const positions: ArchivePosition[] = [];
  let damagedBytes = 0;
  const { signal } = new AbortController();
  const onDamage = (bytes: number) => (damagedBytes += bytes);
  for await (const block of readFolder({ folder, start, signal, onDamage })) {
    names.push(...Buffer.from(block.names).toString().split("\n").slice(0, -1));
    positions.push(block.position);
  }
  return { names, positions, damagedBytes };
}

const sorted = (names: readonly string[]) => [...new Set(names)].toSorted();
const segmentsIn = (folder: string) => listFolder(folder).segments;

describe("segments", () => {
  test("contain each name of a day and source once after a merge, in one file, in sorted order", async () => {
    const folder = newFolder();
    for (let part = 0; part < 5; part++) {
      await store(folder, numbered(part * 100, part * 100 + 200));
      await maintainAt(folder);
    }
    await maintainAt(folder, noon + dayMs);
    expect(segmentsIn(folder)).toMatchObject([{ day: today, source: "feed", names: 600 }]);
    expect(listFolder(folder).journals).toEqual([]);
    const { names, damagedBytes } = await read(folder);
    expect(damagedBytes).toBe(0);
    expect(names.toSorted()).toEqual(sorted(numbered(0, 600)));
    const reversed = names.map((name) => [...name].reverse().join(""));
    expect(reversed).toEqual(reversed.toSorted());
  });

  test("of two days and sources stay apart, so that each name keeps its true day", async () => {
    const folder = newFolder();
    const archive = open(folder);
    for (const seenAt of [today - 1, noon, today + dayMs - 1, today]) {
      archive.add(Buffer.from("same.example\n"), { source: "feed", seenAt });
      archive.add(Buffer.from("same.example\n"), { source: "certificate_transparency", seenAt });
    }
    await archive.stop();
    await maintainAt(folder);
    expect(segmentsIn(folder).map(({ day, source, names }) => [day - today, source, names])).toEqual([
      [-dayMs, "certificate_transparency", 1],
      [-dayMs, "feed", 1],
      [0, "certificate_transparency", 1],
      [0, "feed", 1],
    ]);
  });

  test("of more names than fit into one run have all of them", async () => {
    const folder = newFolder();
    // Names of four bytes: a full journal has more of them than are sorted at once.
    const letters = [..."abcdefghijklmnopqrstuvwxyz"];
    const block = letters.flatMap((a) => letters.map((b) => `${a}.${b}\n`)).join("");
    const archive = open(folder);
    const bytes = Buffer.from(block.repeat(1_700));
    archive.add(bytes, { source: "feed", seenAt: noon });
    await archive.stop();
    await maintainAt(folder);
    expect(segmentsIn(folder).length).toBeGreaterThan(1);
    await maintainAt(folder, noon + dayMs);
    expect(segmentsIn(folder)).toMatchObject([{ names: 26 * 26 }]);
  });

  test("get growing numbers even if the clock is set back", async () => {
    const folder = newFolder();
    for (const now of [noon, noon - 30 * dayMs, noon - 60 * dayMs]) {
      await store(folder, [`at-${now}.example`]);
      await maintainAt(folder, now);
    }
    const numbers = segmentsIn(folder).map(({ first }) => first);
    expect(numbers).toHaveLength(3);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect(new Set(numbers).size).toBe(3);
    expect((await read(folder)).names).toHaveLength(3);
  });

  test("are made by one process at a time, and journals in use are left alone", async () => {
    const folder = newFolder();
    const archive = open(folder);
    archive.add(Buffer.from("first.example\n"), { source: "feed", seenAt: noon });
    await archive.flush();
    await Promise.all([maintainAt(folder), maintainAt(folder)]);
    expect(segmentsIn(folder)).toEqual([]);
    archive.add(Buffer.from("second.example\n"), { source: "feed", seenAt: noon });
    await archive.flush();
    expect((await read(folder)).names.toSorted()).toEqual(["first.example", "second.example"]);
    await archive.stop();
    await Promise.all([maintainAt(folder), maintainAt(folder), maintainAt(folder)]);
    expect(segmentsIn(folder)).toMatchObject([{ names: 2 }]);
  });
});

describe("limits", () => {
  const segment = (day: number, bytes: number, number = day) => ({
    file: `${day}-${number}`,
    day: today + day * dayMs,
    source: "feed" as const,
    first: number,
    last: number,
    names: 1,
    bytes,
  });
  const journals = [{ file: "j", state: "open" as const, bytes: 10 }];

  test("delete the oldest segments first, and no more than necessary", () => {
    const segments = [segment(-1, 50), segment(0, 50), segment(-3, 50), segment(-2, 50)];
    const deleted = (bytesMax: number, missingBytes = 0) =>
      segmentsToDelete(
        { segments, journals },
        { bytesMax, ageMsMax: 90 * dayMs },
        { now: noon, missingBytes },
      ).map(({ file }) => file);
    expect(deleted(210)).toEqual([]);
    expect(deleted(209)).toEqual(["-3--3"]);
    expect(deleted(60)).toEqual(["-3--3", "-2--2", "-1--1"]);
    expect(deleted(1000, 51)).toEqual(["-3--3", "-2--2"]);
    // Deleting everything would not make enough room.
    expect(deleted(1000, 5000)).toEqual([]);
  });

  test("delete segments whose whole day is older than the maximum age", () => {
    const segments = [segment(-3, 1), segment(-2, 1), segment(-1, 1)];
    const options = { now: today + 1, missingBytes: 0 };
    const deleted = segmentsToDelete({ segments, journals }, { bytesMax: 1000, ageMsMax: dayMs }, options);
    expect(deleted.map(({ file }) => file)).toEqual(["-3--3", "-2--2"]);
  });

  test("keep merged segments small, so that deleting one does not delete most names", () => {
    const segments = [1, 2, 3, 4, 5].map((number) => segment(-1, 60, number));
    const merged = segmentsToMerge({ segments }, { bytesMax: 16 * 130 }, noon)!;
    expect(merged.map(({ first }) => first)).toEqual([5, 4]);
    expect(segmentsToMerge({ segments }, { bytesMax: 16 * 100 }, noon)).toBeUndefined();
  });

  test("apply to real files: the newest names stay", async () => {
    const folder = newFolder();
    for (let day = 0; day < 4; day++) {
      await store(folder, numbered(day * 1000, day * 1000 + 1000), noon - (3 - day) * dayMs);
      await maintainAt(folder);
    }
    const { bytes } = await folderExtent(folder);
    await maintainAt(folder, noon, { bytesMax: Math.ceil(bytes / 2), ageMsMax: 90 * dayMs });
    expect((await read(folder)).names.toSorted()).toEqual(sorted(numbered(2000, 4000)));
    await maintainAt(folder, noon, { ...roomy, ageMsMax: dayMs / 4 });
    expect((await read(folder)).names.toSorted()).toEqual(sorted(numbered(3000, 4000)));
  });

  test("a disk that is nearly full stops the storing, with a problem that goes away with the shortage", async () => {
    const folder = newFolder();
    let missingBytes = 1000;
    let nowMs = 0;
    const archive = open(folder, {
      diskRoom: () => ({
        freeBytes: 0,
        missingBytes,
        level: missingBytes > 0 ? "nearly full" : "ok",
        text: "1 kB free",
      }),
      clock: { ...systemClock, now: () => noon, monotonicMs: () => nowMs },
    });
    archive.add(Buffer.from("lost.example\n"), { source: "feed", seenAt: noon });
    await archive.flush();
    expect(archive.status().problem).toBe("the disk is nearly full (1 kB free); names are not stored");
    missingBytes = 0;
    nowMs = 7_200_000;
    archive.add(Buffer.from("kept.example\n"), { source: "feed", seenAt: noon });
    await archive.flush();
    expect(archive.status().problem).toBeNull();
    await archive.stop();
    expect((await read(folder)).names).toEqual(["kept.example"]);
  });

  test("names stop being stored while too many wait to be sorted, so that journals do not fill the disk", async () => {
    const folder = newFolder();
    const archive = open(folder, { limits: { bytesMax: 4 * mebibyte, ageMsMax: 90 * dayMs } });
    const block = Buffer.from("a-name-of-nobody.example\n".repeat(40_000));
    for (let part = 0; part < 30; part++) {
      archive.add(block, { source: "feed", seenAt: noon });
      await archive.flush();
    }
    expect(archive.status().problem).toContain("wait to be sorted");
    expect((await folderExtent(folder)).bytes).toBeLessThan(18 * mebibyte);
    await archive.stop();
  });

  test("a folder that cannot be written is a problem in the status, and the names are written once it can", async () => {
    const folder = newFolder();
    writeFileSync(folder, "a file is in the way");
    const archive = open(folder);
    archive.add(Buffer.from("a.example\n"), { source: "feed", seenAt: noon });
    await archive.flush();
    expect(archive.status().problem).toContain(`names cannot be written to ${folder}`);
    rmSync(folder);
    await archive.flush();
    expect(archive.status().problem).toBeNull();
    await archive.stop();
    expect((await read(folder)).names).toEqual(["a.example"]);
  });
});

describe("reading", () => {
  test("resumes after each position without missing a name, also if segments were merged or added since", async () => {
    const folder = newFolder();
    for (let day = 0; day < 3; day++) {
      for (let part = 0; part < 2; part++) {
        const from = day * 34_000 + part * 17_000;
        await store(folder, numbered(from, from + 17_000), noon - (2 - day) * dayMs);
        await maintainAt(folder, noon - 5 * dayMs);
      }
    }
    await store(folder, ["in-a-journal.example"]);
    const whole = await read(folder);
    expect(whole.names).toHaveLength(102_001);
    const seenBy = new Map<ArchivePosition, Set<string>>();
    const { signal } = new AbortController();
    const seen = new Set<string>();
    for await (const block of readFolder({ folder, signal })) {
      for (const name of Buffer.from(block.names).toString().split("\n").slice(0, -1)) seen.add(name);
      seenBy.set(block.position, new Set(seen));
    }
    const expectComplete = async () => {
      for (const [position, before] of seenBy) {
        const { names } = await read(folder, position);
        expect(new Set([...before, ...names]).size).toBe(102_001);
      }
    };
    const [early] = seenBy.keys();
    expect((await read(folder, early)).names.length).toBeLessThan(102_001);
    await expectComplete();
    // The journal becomes a segment of a day that some readings have passed, and all days are merged.
    await maintainAt(folder, noon + 5 * dayMs);
    expect(segmentsIn(folder)).toHaveLength(3);
    await expectComplete();
  });

  test("continues with the segment that replaces others while they are read, and reads it once", async () => {
    const folder = newFolder();
    for (let part = 0; part < 3; part++) {
      await store(folder, numbered(part * 20_000, part * 20_000 + 20_000));
      await maintainAt(folder, noon - dayMs);
    }
    const names = new Set<string>();
    const { signal } = new AbortController();
    let isFirst = true;
    let total = 0;
    for await (const block of readFolder({ folder, signal })) {
      for (const name of Buffer.from(block.names).toString().split("\n").slice(0, -1)) names.add(name);
      total += block.count;
      if (isFirst) await maintainAt(folder, noon + dayMs);
      isFirst = false;
    }
    expect(segmentsIn(folder)).toHaveLength(1);
    expect(names.size).toBe(60_000);
    expect(total).toBe(80_000);
  });

  test("stops when its signal is aborted", async () => {
    const folder = newFolder();
    await store(folder, numbered(0, 60_000));
    await maintainAt(folder);
    const controller = new AbortController();
    let blocks = 0;
    for await (const _ of readFolder({ folder, signal: controller.signal })) {
      blocks++;
      controller.abort();
    }
    expect(blocks).toBe(1);
  });
});

describe(`damage (seed ${seed})`, () => {
  async function damagedFolder(change: (bytes: Buffer) => Buffer) {
    const folder = newFolder();
    await store(folder, numbered(0, 60_000));
    await maintainAt(folder);
    const path = join(folder, segmentsIn(folder)[0]!.file);
    writeFileSync(path, change(readFileSync(path)));
    return folder;
  }

  test("of one block loses the names of that block only, and is counted", async () => {
    const folder = await damagedFolder((bytes) => {
      bytes[Math.floor(bytes.length / 2)]! ^= 0xff;
      return bytes;
    });
    const { names, damagedBytes } = await read(folder);
    expect(names.length).toBeGreaterThanOrEqual(60_000 - 16_384);
    expect(names.length).toBeLessThan(60_000);
    expect(damagedBytes).toBeGreaterThan(1000);
    const { damagedBytes: whileMerging } = await (async () => {
      await store(folder, ["another.example"]);
      return maintainAt(folder, noon + dayMs);
    })();
    expect(whileMerging).toBe(damagedBytes);
    expect((await read(folder)).names.toSorted()).toEqual([...names, "another.example"].toSorted());
  });

  test("is reported in the status of the archive that reads it", async () => {
    const folder = await damagedFolder((bytes) => bytes.fill(0, 40, 80));
    const archive = open(folder);
    for await (const _ of archive.read({ signal: new AbortController().signal }));
    expect(archive.status().problem).toContain("are damaged and were skipped");
    await archive.stop();
  });

  test("of any bytes never ends the reading with an exception, and loses nothing else", async () => {
    const folder = newFolder();
    await store(folder, numbered(0, 60_000));
    await maintainAt(folder);
    const path = join(folder, segmentsIn(folder)[0]!.file);
    const whole = readFileSync(path);
    const known = new Set(numbered(0, 60_000));
    for (let round = 0; round < 40; round++) {
      const bytes = Buffer.from(whole);
      for (let change = 0; change <= below(5); change++) {
        const at = below(bytes.length);
        bytes.fill(below(256), at, Math.min(bytes.length, at + 1 + below(3000)));
      }
      const length = below(3) === 0 ? below(bytes.length) : bytes.length;
      writeFileSync(path, bytes.subarray(0, length));
      const { names } = await read(folder);
      expect(names.filter((name) => !known.has(name))).toEqual([]);
    }
  });

  test("of a file that claims something else than it contains is skipped, with valid checksums too", async () => {
    const folder = newFolder();
    await store(folder, ["a.example"]);
    await maintainAt(folder);
    const block = (content: Buffer, claimed: { namesBytes: number; count: number }) => {
      const stored = Bun.zstdCompressSync(content);
      return Buffer.concat([
        recordHeader({ kind: "zstd", day: today, source: "feed" }, stored, claimed),
        stored,
      ]);
    };
    const lies = [
      block(Buffer.alloc(1 << 28), { namesBytes: 10, count: 1 }),
      block(Buffer.from("no-line-feed.example"), { namesBytes: 20, count: 1 }),
      block(Buffer.from("b.example\n"), { namesBytes: 1000, count: 1 }),
      block(Buffer.alloc(0), { namesBytes: 0, count: 5 }),
      Buffer.concat([
        recordHeader({ kind: "zstd", day: today, source: "feed" }, Buffer.from("x"), {
          namesBytes: 9,
          count: 1,
        }),
        Buffer.from("x"),
      ]),
    ];
    const path = join(folder, segmentsIn(folder)[0]!.file);
    writeFileSync(path, Buffer.concat([readFileSync(path), ...lies]));
    const { names, damagedBytes } = await read(folder);
    expect(names).toEqual(["a.example"]);
    expect(damagedBytes).toBeGreaterThan(0);
    const before = process.memoryUsage.rss();
    await store(folder, ["b.example"]);
    await maintainAt(folder, noon + dayMs);
    expect(process.memoryUsage.rss() - before).toBeLessThan(1 << 28);
    expect(segmentsIn(folder)).toMatchObject([{ names: 2 }]);
  });

  test("of the end of a journal loses what was being written, and nothing before it", async () => {
    const folder = newFolder();
    await store(folder, ["a.example"]);
    const file = listFolder(folder).journals[0]!;
    const path = join(folder, file.file);
    writeFileSync(path, Buffer.concat([readFileSync(path), readFileSync(path)]));
    truncateSync(path, 2 * file.bytes - 3);
    expect((await read(folder)).names).toEqual(["a.example"]);
    await maintainAt(folder);
    expect(segmentsIn(folder)).toMatchObject([{ names: 1 }]);
  });

  test("files that are not the archive's are ignored", async () => {
    const folder = newFolder();
    await store(folder, ["a.example"]);
    await maintainAt(folder);
    for (const name of ["notes.txt", "2026-13-40.feed.1-1.1.segment", ".DS_Store", "x.partial"])
      writeFileSync(join(folder, name), "text");
    expect((await read(folder)).names).toEqual(["a.example"]);
    await maintainAt(folder);
    expect(readdirSync(folder)).toContain("notes.txt");
  });
});

describe("a process that is killed", () => {
  const script = join(import.meta.dir, "../../support/archive-process.ts");

  /** Kills the process `delay` flushes after its start, and returns the number below which all names were flushed. */
  async function runAndKill(databasePath: string, first: number, flushes: number): Promise<number> {
    const child = Bun.spawn([process.execPath, script, databasePath, String(first), "maintain"], {
      stdout: "pipe",
      stderr: "inherit",
    });
    let text = "";
    for await (const chunk of child.stdout) {
      text += Buffer.from(chunk).toString();
      if (text.split("\n").length > flushes) child.kill("SIGKILL");
    }
    await child.exited;
    return Number(text.split("\n").at(-2));
  }

  test("loses no name that was flushed, wherever it was: writing, sorting, merging or deleting", async () => {
    const databasePath = join(mkdtempSync(join(top, "k-")), "phishwatch.db");
    const folder = `${databasePath}.archive`;
    let next = 0;
    const flushed = new Set<string>();
    for (let kill = 0; kill < 8; kill++) {
      const end = await runAndKill(databasePath, next, 1 + below(24));
      for (const name of numbered(next, end)) flushed.add(name);
      next = end + 1000;
      const { names, damagedBytes } = await read(folder);
      const found = new Set(names);
      expect([...flushed].filter((name) => !found.has(name))).toEqual([]);
      expect(damagedBytes).toBe(0);
    }
    const now = systemClock.now();
    await maintainAt(folder, now + 2 * dayMs);
    expect(listFolder(folder).journals).toEqual([]);
    expect(listFolder(folder).leftovers).toEqual([]);
    const { names } = await read(folder);
    expect(names.length).toBe(new Set(names).size);
    const found = new Set(names);
    expect([...flushed].filter((name) => !found.has(name))).toEqual([]);
  });

  test("between renaming a segment and deleting what it was made from leaves each name once after the next run", async () => {
    const folder = newFolder();
    await store(folder, numbered(0, 100));
    await maintainAt(folder, noon - dayMs);
    await store(folder, numbered(50, 150));
    await maintainAt(folder, noon - dayMs);
    const before = newFolder();
    cpSync(folder, before, { recursive: true });
    await maintainAt(folder, noon + dayMs);
    // Both the merged segment and its parts.
    cpSync(before, folder, { recursive: true });
    expect((await read(folder)).names).toHaveLength(150);
    await maintainAt(folder, noon + dayMs);
    expect(readdirSync(folder).filter((name) => name.endsWith(".segment"))).toHaveLength(1);
    expect((await folderExtent(folder)).names).toBe(150);
  });
});
