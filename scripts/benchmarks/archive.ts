import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { folderExtent } from "../../src/engines/archive/files/reading.ts";
import { tryLock } from "../../src/platform/database/lock.ts";
import { maintain } from "../../src/engines/archive/maintenance/maintain.ts";
import { rangesOfLines } from "../../src/engines/archive/archive.ts";
import { createDiskArchive } from "../../src/engines/archive/storing/disk-archive.ts";
import { searchFolder } from "../../src/engines/archive/search/search-folder.ts";
import type { ArchiveQuery } from "../../src/engines/archive/search/query.ts";
import { createMatcher } from "../../src/engines/detection/match/matcher.ts";
import { systemClock } from "../../src/platform/lib/clock.ts";
import { generateBrands, generateNames } from "./sample-names.ts";
import { readOptions } from "./options.ts";
import { randomFrom } from "./random.ts";

const options = readOptions({
  benchmark: "archive",
  summary:
    "Cost of adding names to the archive next to the cost of scoring them with 100 protected domains, size per name, and\n" +
    "time of searches, projected to a billion names.",
  options: {
    count: { default: 10_000_000, value: "N", description: "names to store" },
    days: { default: 10, value: "N", description: "days on which they are seen" },
    threads: { default: availableParallelism(), value: "N", description: "threads of the searches" },
    folder: {
      default: tmpdir(),
      value: "FOLDER",
      description: "where the archive is created, and deleted again",
    },
    names: {
      default: null,
      value: "FILE",
      description: "list of names to repeat instead of generated ones, gzipped",
    },
  },
});
const dayMs = 86_400_000;
const namesPerRound = 1_000_000;
/** About what a data tile or a block of a list contains. */
const batchBytes = 1 << 16;
const billion = 1e9;
const limits = { bytesMax: 2 ** 40, ageMsMax: 3650 * dayMs };
const minSimilarity = 0.75;

const top = mkdtempSync(join(options.folder, "phishwatch-bench-"));
const folder = join(top, "archive");
try {
  await run();
} finally {
  rmSync(top, { recursive: true });
}

async function run(): Promise<void> {
  const matcher = createMatcher(generateBrands(100), { minSimilarity });
  let now = Date.parse("2026-01-01T12:00:00Z");
  const archive = createDiskArchive({
    folder,
    journalId: "bench",
    enabled: true,
    limits,
    clock: { ...systemClock, now: () => now },
    onProblem: ({ reason }) => console.error(reason),
    tryLock,
    diskRoom: () => undefined,
    // Called below, to be measured.
    maintain: () => Promise.resolve({ damagedBytes: 0 }),
  });
  const spent = { adding: 0, flushing: 0, scoring: 0, maintaining: 0 };
  let added = 0;
  let rounds = 0;
  const perDay = Math.ceil(options.count / options.days);
  for (let day = 0; day < options.days; day++, now += dayMs) {
    for (let inDay = 0; inDay < perDay; inDay += namesPerRound) {
      const names = await namesOfRound(rounds++, Math.min(namesPerRound, perDay - inDay));
      const count = countLines(names);
      if (rounds <= 5) spent.scoring = timeOf(() => score(names, matcher)) / count;
      let before = cpuMs();
      for (let start = 0; start < names.length;) {
        const end = names.indexOf(0x0a, Math.min(names.length - 1, start + batchBytes)) + 1;
        archive.add(names.subarray(start, end), { source: "certificate_transparency", seenAt: now });
        start = end;
      }
      spent.adding += cpuMs() - before;
      before = cpuMs();
      await archive.flush();
      spent.flushing += cpuMs() - before;
      added += count;
      spent.maintaining += await maintainAt(now);
    }
    spent.maintaining += await maintainAt(now + dayMs);
    console.error(`${(added / 1e6).toFixed(0)} M names added`);
  }
  await archive.stop();
  spent.maintaining += await maintainAt(now);
  const { names, bytes } = await folderExtent(folder);
  const nanoseconds = (ms: number) => ((ms * 1e6) / added).toFixed(1);
  console.log(`${(added / 1e6).toFixed(1)} M names added, ${(names / 1e6).toFixed(1)} M stored\n`);
  console.log("| processor time per name | |\n|--|--:|");
  console.log(`| scoring with 100 domains | ${(spent.scoring * 1e6).toFixed(0)} ns |`);
  console.log(`| adding, on the same thread | ${nanoseconds(spent.adding)} ns |`);
  console.log(`| writing the journal | ${nanoseconds(spent.flushing)} ns |`);
  console.log(
    `| sorting, compressing and merging, in another thread | ${nanoseconds(spent.maintaining)} ns |`,
  );
  console.log(`| size on disk | ${(bytes / names).toFixed(2)} bytes |`);
  console.log(`| size of a billion names | ${((bytes / names) * (billion / 2 ** 30)).toFixed(2)} GiB |\n`);
  console.log(
    "| search | threads | found | time | names per second | a billion names | processor time |\n|--|--:|--:|--:|--:|--:|--:|",
  );
  const domain = generateBrands(1)[0]!.domain;
  const searches: [string, ArchiveQuery][] = [
    [`look-alikes of ${domain}`, { kind: "look-alikes", domain, minSimilarity }],
    ["text", { kind: "text", text: domain.slice(0, domain.indexOf(".")), atStart: false, atEnd: false }],
  ];
  for (const [title, query] of searches) {
    for (const threads of new Set([1, options.threads])) {
      const before = performance.now();
      const cpuBefore = cpuMs();
      const found = await countHits(query, threads);
      const seconds = (performance.now() - before) / 1000;
      const rate = names / seconds;
      const cpu = ((cpuMs() - cpuBefore) * billion) / names / 1000;
      console.log(
        `| ${title} | ${threads} | ${found} | ${seconds.toFixed(1)} s | ${(rate / 1e6).toFixed(1)} M | ${(billion / rate).toFixed(0)} s | ${cpu.toFixed(0)} s |`,
      );
    }
  }
}

async function countHits(query: ArchiveQuery, threads: number): Promise<number> {
  let found = 0;
  const hits = searchFolder({
    folder,
    query,
    signal: new AbortController().signal,
    threads,
    startWorker: (task) => new Worker(join(import.meta.dir, "../../src/main.ts"), { workerData: { task } }),
  });
  for await (const _ of hits) found++;
  return found;
}

/** Processor time of all threads so far. Unlike the time of day, it does not depend on what else the machine does. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Returns the processor time of the maintenance, in milliseconds. */
async function maintainAt(now: number): Promise<number> {
  const before = cpuMs();
  await maintain({ folder, limits, now, missingBytes: 0 }, tryLock);
  return cpuMs() - before;
}

function timeOf(work: () => void): number {
  const before = cpuMs();
  work();
  return cpuMs() - before;
}

function score(names: Uint8Array, matcher: ReturnType<typeof createMatcher>): void {
  const bytes = Buffer.from(names.buffer, names.byteOffset, names.length);
  const { starts, ends, count } = rangesOfLines(names);
  const passed = matcher.screenNames({ bytes, starts, ends }, 0, count);
  for (let i = 0; i < count; i++)
    if (passed[i] === 1) matcher.match(bytes.toString("latin1", starts[i], ends[i]));
}

function countLines(names: Uint8Array): number {
  let count = 0;
  for (const byte of names) if (byte === 0x0a) count++;
  return count;
}

/** Returns names as certificates contain them: domains, most with `www.`, some with other subdomains. */
async function namesOfRound(round: number, count: number): Promise<Uint8Array> {
  const random = randomFrom(round + 1);
  const domains =
    options.names === null ? generateNames(count / 2, round + 1) : await repeated(options.names, round);
  const lines: string[] = [];
  for (const domain of Buffer.from(domains).toString("latin1").trimEnd().split("\n")) {
    lines.push(domain, `www.${domain}`);
    if (random.below(4) === 0)
      lines.push(`${random.pick(["mail", "api", "app", "cpanel", "shop"])}.${domain}`);
    if (lines.length >= count) break;
  }
  return Buffer.from(`${lines.slice(0, count).join("\n")}\n`, "latin1");
}

/** Returns a part of a list, with the number of the round in each name when the list is used up. */
async function repeated(path: string, round: number): Promise<Uint8Array> {
  const names = Buffer.from(Bun.gunzipSync(await Bun.file(path).bytes()))
    .toString("latin1")
    .trimEnd()
    .split("\n");
  const size = namesPerRound / 2;
  const parts = Math.max(1, Math.floor(names.length / size));
  const again = Math.floor(round / parts);
  const part = names.slice((round % parts) * size, ((round % parts) + 1) * size);
  const lines = again === 0 ? part : part.map((name) => name.replace(/(?=\.[^.]*$)/, String(again)));
  return Buffer.from(`${lines.join("\n")}\n`, "latin1");
}
