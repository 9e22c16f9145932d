/** Searches of an archive, in one thread and in several, and the command. */
import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { archiveFolder, listFolder } from "../../../src/engines/archive/files/folder.ts";
import { maintain } from "../../../src/engines/archive/maintenance/maintain.ts";
import {
  parseTextQuery,
  prepareSearch,
  type ArchiveQuery,
} from "../../../src/engines/archive/search/query.ts";
import { searchFolder, type FolderSearch } from "../../../src/engines/archive/search/search-folder.ts";
import type { Archive } from "../../../src/engines/archive/archive.ts";
import { createDiskArchive } from "../../../src/engines/archive/storing/disk-archive.ts";
import { systemClock } from "../../../src/platform/lib/clock.ts";
import { tryLock } from "../../../src/platform/database/lock.ts";
import { createLog } from "../../../src/platform/lib/log.ts";
import type { ThreatSource } from "../../../src/platform/vocabulary/threats.ts";
import { sourceCollector } from "../../../src/operations/monitoring/collect/sources.ts";
import { renderMetrics } from "../../../src/operations/monitoring/metrics/exposition.ts";
import { commandFolder, type CommandFolder, quickestForm } from "../../support/command-line.ts";
import { until } from "../../support/until.ts";

const top = mkdtempSync(join(tmpdir(), "phishwatch-search-"));
afterAll(() => rmSync(top, { recursive: true }));

const dayMs = 86_400_000;
const today = Date.parse("2026-05-20T00:00:00Z");
const limits = { bytesMax: 2 ** 30, ageMsMax: 90 * dayMs };
const log = createLog({ level: "silent", format: "json", clock: systemClock, write: () => {} });
let opened = 0;

async function store(
  folder: string,
  names: readonly string[],
  seenAt: number,
  source: ThreatSource = "feed",
) {
  const archive = createDiskArchive({
    folder,
    journalId: `test${++opened}`,
    enabled: true,
    limits,
    clock: { ...systemClock, now: () => today + dayMs - 1 },
    onProblem: () => {},
    tryLock,
    diskRoom: () => undefined,
    maintain: () => Promise.resolve({ damagedBytes: 0 }),
  });
  archive.add(Buffer.from(`${names.join("\n")}\n`), { source, seenAt });
  await archive.stop();
}

const toSegments = (folder: string) =>
  maintain({ folder, limits, now: today + dayMs, missingBytes: 0 }, tryLock);

async function search(folder: string, query: ArchiveQuery, options: Partial<FolderSearch> = {}) {
  const hits: string[] = [];
  const results = searchFolder({
    folder,
    query,
    signal: new AbortController().signal,
    threads: 1,
    startWorker: (task) =>
      new Worker(join(import.meta.dir, "../../../src/main.ts"), { workerData: { task } }),
    ...options,
  });
  for await (const { name, day, source, type } of results)
    hits.push(
      [name, new Date(day).toISOString().slice(0, 10), source, ...(type === null ? [] : [type])].join(" "),
    );
  return hits;
}

function textQuery(typed: string): ArchiveQuery {
  const query = parseTextQuery(typed);
  if ("error" in query) throw new Error(query.error);
  return query;
}

describe("a search by text", () => {
  const names = [
    "example.com", "www.example.com", "myexample.com", "example.community", "xn--bcher-kva.example", "bucher.example",
    "xn--nxasmq6b.example", "a.xn--bcher-kva.com", "login-example.com.evil.example",
  ]; // prettier-ignore
  const block = Buffer.from(names.map((name) => `${name}\n`).join(""));

  test.each([
    [
      "example.com",
      [
        "example.com",
        "www.example.com",
        "myexample.com",
        "example.community",
        "login-example.com.evil.example",
      ],
    ],
    ["EXAMPLE.COM*", ["example.com", "example.community"]],
    ["*example.com", ["example.com", "www.example.com", "myexample.com"]],
    ["*.example.com", ["www.example.com"]],
    [
      "*example.com*",
      [
        "example.com",
        "www.example.com",
        "myexample.com",
        "example.community",
        "login-example.com.evil.example",
      ],
    ],
    ["xn--bcher", ["xn--bcher-kva.example", "a.xn--bcher-kva.com"]],
    ["bücher", ["xn--bcher-kva.example", "a.xn--bcher-kva.com"]],
    ["BU\u0308CHER.example", ["xn--bcher-kva.example"]],
    ["a.bücher*", ["a.xn--bcher-kva.com"]],
    ["*bücher.com", ["a.xn--bcher-kva.com"]],
    ["nothing", []],
  ])("finds the names that %s describes", async (typed, expected) => {
    const found: string[] = [];
    (await prepareSearch(textQuery(typed)))(block, ({ name }) => found.push(name));
    expect(found).toEqual(expected);
  });

  test.each([
    ["", "empty"],
    ["  ", "empty"],
    ["*", "empty"],
    ["**", "empty"],
    ["a*b", '"*"'],
    ["a b", "space"],
    ["x".repeat(254), "longer"],
  ])("rejects %p with an error that says what is wrong", (typed, part) => {
    expect(parseTextQuery(typed)).toEqual({ error: expect.stringContaining(part) });
  });
});

describe("a search of the archive", () => {
  test("returns each name once, with the first day and source in which it was seen", async () => {
    const folder = join(mkdtempSync(join(top, "a-")), "archive");
    await store(folder, ["twice.example", "late.example"], today);
    await store(folder, ["twice.example", "early.example"], today - 2 * dayMs, "certificate_transparency");
    await store(folder, ["twice.example"], today - dayMs, "submission");
    const expected = [
      "early.example 2026-05-18 certificate_transparency",
      "late.example 2026-05-20 feed",
      "twice.example 2026-05-18 certificate_transparency",
    ];
    // From journals, then from segments, then from both.
    expect((await search(folder, textQuery("example"))).toSorted()).toEqual(expected);
    await toSegments(folder);
    expect((await search(folder, textQuery("example"))).toSorted()).toEqual(expected);
    await store(folder, ["twice.example", "new.example"], today);
    expect((await search(folder, textQuery("example"))).toSorted()).toEqual(
      [...expected, "new.example 2026-05-20 feed"].toSorted(),
    );
    const recent = { since: today - dayMs / 2 };
    expect(await search(folder, textQuery("twice"), recent)).toEqual(["twice.example 2026-05-19 submission"]);
    expect(await search(folder, textQuery("e"), { source: "submission" })).toEqual([
      "twice.example 2026-05-19 submission",
    ]);
  });

  test("with a limit finds as many new names, however often those before were seen", async () => {
    const folder = join(mkdtempSync(join(top, "a-")), "archive");
    const names = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, index) => `name-${from + index}.example`);
    await store(folder, names(0, 2_000), today - dayMs);
    await store(folder, names(0, 4_000), today);
    for (const stage of ["journals", "segments"]) {
      for (const limit of [1, 1_999, 2_001, 3_900]) {
        const found = new Set(await search(folder, textQuery("name"), { limit }));
        expect({ stage, limit, enough: found.size >= limit }).toEqual({ stage, limit, enough: true });
      }
      await toSegments(folder);
    }
  });

  test("finds look-alikes of a domain that is not protected", async () => {
    const folder = join(mkdtempSync(join(top, "a-")), "archive");
    await store(folder, ["examp1e-bank.com", "unrelated.example", "example-bank.com"], today);
    await toSegments(folder);
    const query = { kind: "look-alikes", domain: "example-bank.com", minSimilarity: 0.75 } as const;
    expect(await search(folder, query)).toEqual(["examp1e-bank.com 2026-05-20 feed homograph"]);
  });

  test("returns the same in several threads as in one, in the same order, and skips damage", async () => {
    const folder = join(mkdtempSync(join(top, "a-")), "archive");
    // Random names, so that segments are large enough for several parts.
    for (let day = 0; day < 2; day++) {
      const names = Array.from({ length: 170_000 }, (_, index) =>
        Bun.SHA1.hash(`${day} ${index}`, "hex").padEnd(60, Bun.SHA1.hash(`${index} ${day}`, "hex")),
      );
      await store(
        folder,
        names.map((name) => `${name}.example`),
        today - day * dayMs,
      );
    }
    await toSegments(folder);
    const bytes = listFolder(folder).segments.map((segment) => segment.bytes);
    expect(Math.min(...bytes)).toBeGreaterThan(9 << 19);
    const alone = await search(folder, textQuery("abc"));
    expect(alone.length).toBeGreaterThan(100);
    const progress: number[] = [];
    const onProgress = ({ names }: { names: number }) => progress.push(names);
    expect(await search(folder, textQuery("abc"), { threads: 3, onProgress })).toEqual(alone);
    expect(progress.at(-1)).toBe(340_000);
    const path = join(folder, listFolder(folder).segments[0]!.file);
    writeFileSync(path, readFileSync(path).fill(0, 9 << 19, (9 << 19) + 10));
    let damagedBytes = 0;
    const rest = await search(folder, textQuery("abc"), {
      threads: 3,
      onProgress: (soFar) => (damagedBytes = soFar.damagedBytes),
    });
    expect(damagedBytes).toBeGreaterThan(0);
    expect(rest.length).toBeLessThan(alone.length);
    expect(alone).toEqual(expect.arrayContaining(rest));
  });
});

describe.each(quickestForm)("the command `search` ($form)", ({ command }) => {
  let folder: CommandFolder;
  beforeEach(async () => {
    folder = commandFolder();
    await store(
      archiveFolder(join(folder.path, "data/test.db")),
      ["examp1e-bank.com", "other.example"],
      today,
    );
  });
  afterEach(() => folder.dispose());

  test("prints name, day and source of each name, separated by tabs, and nothing else", async () => {
    const { code, out, err } = await folder.run(["search", "bank"], { command });
    expect({ code, out, err }).toEqual({ code: 0, out: "examp1e-bank.com\t2026-05-20\tfeed\n", err: "" });
  });

  test("searches look-alikes in a copied folder without a configuration", async () => {
    const args = [
      "search",
      "--like",
      "example-bank.com",
      "--json",
      "--archive",
      `${folder.path}/data/test.db.archive`,
    ];
    const { code, out } = await folder.run(args, { command });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({
      domain: "examp1e-bank.com",
      type: "homograph",
      similarity: expect.any(Number),
      first_seen: "2026-05-20",
      source: "feed",
    });
  });

  test("searches what `check` reports", async () => {
    const { out } = await folder.run(["check"], { command });
    expect(out).toContain("test.db.archive: 2 names since 2026-05-20,");
  });

  test("says when there is no archive", async () => {
    const missing = await folder.run(["search", "a", "--archive", `${folder.path}/none`], { command });
    expect(missing).toMatchObject({ code: 1, err: expect.stringContaining("there is no archive at") });
    rmSync(`${folder.path}/data/test.db.archive`, { recursive: true });
    const empty = await folder.run(["search", "a"], { command });
    expect(empty).toMatchObject({
      code: 0,
      out: "",
      err: expect.stringContaining("no names have been stored yet"),
    });
  });

  test("says when it stops at the limit, and what is wrong with its arguments", async () => {
    const limited = await folder.run(["search", "e", "--limit", "1"], { command });
    expect(limited.out.trimEnd().split("\n")).toHaveLength(1);
    expect(limited.err).toBe("phishwatch: stopped after 1 name; raise --limit to see more\n");
    for (const [args, message] of [
      [[], "search takes either a text or --like <domain>"],
      [["a", "--like", "b.example"], "search takes either a text or --like <domain>"],
      [["--like", "not a domain"], "is not a domain name"],
      [["a*b"], '"*"'],
    ] as const) {
      const { code, err } = await folder.run(["search", ...args], { command });
      expect(code).toBe(2);
      expect(err).toContain(message);
    }
  });
});

test("the metrics report names, size, oldest day and problems of the archive, and nothing if it is off", async () => {
  const folder = join(mkdtempSync(join(top, "m-")), "archive");
  await store(folder, ["a.example", "b.example"], today);
  await toSegments(folder);
  const archiveOf = (enabled: boolean) =>
    createDiskArchive({
      folder,
      journalId: `test${++opened}`,
      enabled,
      limits,
      clock: { ...systemClock, now: () => today },
      onProblem: () => {},
      tryLock,
      diskRoom: () => undefined,
      maintain: () => Promise.resolve({ damagedBytes: 0 }),
    });
  const archive = archiveOf(true);
  archive.start();
  const textOf = (one: Archive) =>
    renderMetrics(
      [
        sourceCollector({
          names: { metrics: () => ({ totals: [], sources: [], archive: one, archiveChecks: () => [] }) },
        }),
      ],
      "prometheus",
      log,
    );
  await until(
    async () => (await textOf(archive)).includes("phishwatch_archive_names 2\n"),
    "the names are counted",
  );
  expect(await textOf(archive)).toContain(
    `phishwatch_archive_oldest_day_timestamp_seconds ${today / 1000}\n`,
  );
  expect(await textOf(archive)).toContain("phishwatch_archive_ok 1\n");
  await archive.stop();
  expect(await textOf(archiveOf(false))).not.toContain("archive");
});
