/** Checks new protected domains against the names that were seen before. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Match } from "../../../src/threats/threats/severity/similarity-reasons.ts";
import { nameLines } from "../../../src/engines/archive/archive.ts";
import { createLog } from "../../../src/platform/lib/log.ts";
import { createYielder } from "../../../src/platform/lib/yielder.ts";
import {
  createArchiveChecks,
  type ArchiveChecks,
} from "../../../src/intake/sources/archive-checks/archive-checks.ts";
import { createCandidates } from "../../../src/intake/sources/candidates.ts";
import type { ThreatSource } from "../../../src/platform/vocabulary/threats.ts";
import { memoryArchive } from "../../support/memory-archive.ts";
import { analyst, openStores, type Stores } from "../../support/stores.ts";
import { until } from "../../support/until.ts";

const dayMs = 86_400_000;
let stores: Stores;
let past: ReturnType<typeof memoryArchive>;
let checks: ArchiveChecks;
beforeEach(() => {
  stores = openStores();
  past = memoryArchive();
});
afterEach(async () => {
  await checks.stop();
  stores.dispose();
});

function open(startWorker?: () => Worker): ArchiveChecks {
  const yielder = () => createYielder({ sliceMs: 0, elapsedMs: () => performance.now() });
  const log = createLog({ level: "silent", format: "json", clock: stores.clock, write: () => {} });
  const candidates = createCandidates({ ...stores, archive: past.archive, yielder });
  return createArchiveChecks({
    ...stores,
    archive: past.archive,
    candidates,
    log,
    detection: { minSimilarity: 0.75 },
    startWorker,
  });
}

/** Starts the checks, and waits until the domains that are protected already need none. */
async function start(): Promise<void> {
  checks = open();
  checks.start();
  await checks.idle();
}

const day = (daysAgo: number) => Math.floor(stores.clock.now() / dayMs) * dayMs - daysAgo * dayMs;

function seen(daysAgo: number, source: ThreatSource, ...names: string[]): void {
  past.archive.add(nameLines(names), { source, seenAt: day(daysAgo) + 3_600_000 });
}

function threats(protectedDomain: string) {
  return stores.threats
    .list({ protectedDomain }, { page: 1, perPage: 100 })
    .threats.map(({ domain, source, firstSeen }) => [domain, source, (day(0) - firstSeen) / dayMs])
    .sort();
}

const add = (domain: string, keywords: string[] = []) =>
  stores.domains.add({ domain, keywords }, { by: analyst });

test("A domain that is added gets its threats from all names seen before, with their source and day", async () => {
  await start();
  seen(40, "feed", "unrelated.org", "kestre1post.com", "example-bank.net");
  seen(3, "certificate_transparency", "login-kestrelpost.com", "kestre1post.com");
  add("kestrelpost.com");
  await checks.idle();
  expect(threats("kestrelpost.com")).toEqual([
    ["kestre1post.com", "feed", 40],
    ["login-kestrelpost.com", "certificate_transparency", 3],
  ]);
  expect(checks.find("kestrelpost.com")).toMatchObject({
    state: "completed",
    namesTotal: 5,
    namesChecked: 5,
    found: 2,
    created: 2,
    error: null,
  });
  // Names that resemble other domains were checked when they arrived.
  expect(threats("example-bank.com")).toEqual([]);
});

test("A keyword that is added is checked, and one that is removed is not", async () => {
  await start();
  add("kestrelpost.com", ["swiftparcel"]);
  await checks.idle();
  seen(5, "feed", "swiftparcel-login.com", "zephyrmail-login.com");
  stores.domains.change("kestrelpost.com", { keywords: [] }, { by: analyst });
  await checks.idle();
  expect(threats("kestrelpost.com")).toEqual([]);
  stores.domains.change("kestrelpost.com", { keywords: ["zephyrmail"] }, { by: analyst });
  await checks.idle();
  expect(threats("kestrelpost.com").map(([name]) => name)).toEqual(["zephyrmail-login.com"]);
});

test("A name that is no longer allowed is checked, and a domain that is protected again as well", async () => {
  await start();
  stores.domains.add({ domain: "kestrelpost.com", allow: ["kestrelpost.net"] }, { by: analyst });
  await checks.idle();
  seen(2, "feed", "kestrelpost.net");
  stores.domains.change("kestrelpost.com", { allow: [] }, { by: analyst });
  await checks.idle();
  expect(threats("kestrelpost.com")).toEqual([["kestrelpost.net", "feed", 2]]);
  stores.domains.remove("kestrelpost.com", { by: analyst });
  seen(1, "scan", "kestrelpost.org");
  await checks.idle();
  expect(checks.find("kestrelpost.com")).toBeUndefined();
  add("kestrelpost.com");
  await checks.idle();
  expect(threats("kestrelpost.com").map(([name]) => name)).toEqual(["kestrelpost.net", "kestrelpost.org"]);
});

test("A threat on record gets the earlier day, and keeps its time of that day", async () => {
  await start();
  const { domain } = add("kestrelpost.com", ["swiftparcel"]);
  await checks.idle();
  const match: Match = { protectedDomain: domain, type: "combosquatting", similarity: 0.9, reasons: [] };
  const seenAt = day(1) + 7_200_000;
  stores.threats.record([
    { domain: "zephyrmail-login.com", match, source: "submission", seenAt },
    { domain: "zephyrmail-shop.com", match, source: "submission", seenAt },
  ]);
  seen(30, "feed", "zephyrmail-login.com");
  seen(1, "submission", "zephyrmail-shop.com");
  stores.domains.change("kestrelpost.com", { keywords: ["zephyrmail"] }, { by: analyst });
  await checks.idle();
  expect(threats("kestrelpost.com")).toEqual([
    ["zephyrmail-login.com", "submission", 30],
    ["zephyrmail-shop.com", "submission", 1 - 2 / 24],
  ]);
  expect(checks.find("kestrelpost.com")).toMatchObject({ found: 2, created: 0 });
});

test("Several domains are checked in one reading, and an interrupted one resumes where it was saved", async () => {
  await start();
  for (let number = 0; number < 90; number++) seen(9, "feed", `name-${number}.example`);
  seen(8, "feed", "kestre1post.com", "zephyrmai1.com");
  seen(7, "feed", "kestrelpost.net", "zephyrmail.net");
  const read: number[] = [];
  const stopped = Promise.withResolvers<void>();
  past.onBlock(async (block) => {
    read.push(block);
    if (block === 31) await stopped.promise;
  });
  stores.database.transaction(() => {
    add("kestrelpost.com");
    add("zephyrmail.com");
  });
  await until(() => read.includes(31), "block 31 is read");
  expect(checks.find("zephyrmail.com")).toMatchObject({ state: "running", namesTotal: 94 });
  const end = checks.stop();
  stopped.resolve();
  await end;
  const readBefore = read.length;
  expect(checks.find("zephyrmail.com")!.state).toBe("waiting");

  await start();
  expect(read.slice(readBefore).length).toBeLessThan(5);
  for (const name of ["kestrelpost", "zephyrmail"]) {
    expect(threats(`${name}.com`)).toHaveLength(2);
    expect(checks.find(`${name}.com`)).toMatchObject({ state: "completed", namesChecked: 94, created: 2 });
  }
  const created = stores.events().filter(({ type }) => type === "threat.created");
  expect(created).toHaveLength(4);
});

test("A check ends when its domain is removed, and that of another domain goes on", async () => {
  await start();
  for (let number = 0; number < 30; number++) seen(9, "feed", `name-${number}.example`);
  seen(1, "feed", "kestre1post.com", "zephyrmai1.com");
  const removed = Promise.withResolvers<void>();
  let isHeld = false;
  past.onBlock(async (block) => {
    if (block !== 5 || isHeld) return;
    isHeld = true;
    await removed.promise;
  });
  stores.database.transaction(() => {
    add("kestrelpost.com");
    add("zephyrmail.com");
  });
  await until(() => isHeld, "the reading is held");
  stores.domains.remove("kestrelpost.com", { by: analyst });
  removed.resolve();
  await until(() => checks.find("zephyrmail.com")!.state === "completed", "the check is complete");
  expect(threats("zephyrmail.com")).toHaveLength(1);
  expect(stores.threats.list({}, { page: 1, perPage: 10 }).total).toBe(1);
});

test("A check that fails says why, and is retried later", async () => {
  await start();
  seen(1, "feed", "kestre1post.com");
  let failures = 0;
  past.onBlock(async () => {
    if (failures++ < 2) throw new Error("the disk is gone");
  });
  add("kestrelpost.com");
  await checks.idle();
  expect(checks.find("kestrelpost.com")).toMatchObject({ state: "failed", error: "the disk is gone" });
  stores.clock.advance(60_000);
  await checks.idle();
  expect(checks.find("kestrelpost.com")!.state).toBe("failed");
  stores.clock.advance(120_000);
  await checks.idle();
  expect(checks.find("kestrelpost.com")).toMatchObject({ state: "completed", error: null, created: 1 });
});

test("A thread finds the same threats as the main thread", async () => {
  await start();
  past.archive.add(
    nameLines(Array.from({ length: 3_000 }, (_, number) => `name-${number}-of-nobody.example`)),
    { source: "feed", seenAt: day(4) },
  );
  seen(4, "feed", "kestre1post.com", "xn--kestrlpost-g4a.com", "kestrelpost.net");
  add("kestrelpost.com");
  await checks.idle();
  const alone = threats("kestrelpost.com");
  expect(alone.length).toBeGreaterThan(1);
  await checks.stop();
  checks = open(() => new Worker(join(import.meta.dir, "../../../src/main.ts")));
  checks.start();
  add("kestrelpost.net");
  await checks.idle();
  expect(checks.find("kestrelpost.net")).toMatchObject({ state: "completed", namesChecked: 3_003 });
  expect(threats("kestrelpost.net").map(([name]) => name)).toEqual(
    alone.map(([name]) => name!).filter((name) => name !== "kestrelpost.net"),
  );
});

test("Nothing is checked while the archive is off, and everything that is due once it is on", async () => {
  past.enable(false);
  await start();
  seen(1, "feed", "kestre1post.com");
  add("kestrelpost.com");
  await checks.idle();
  expect(checks.list()).toEqual([]);
  await checks.stop();
  past.enable(true);
  await start();
  expect(threats("kestrelpost.com")).toHaveLength(1);
});
