import { expect, test } from "bun:test";
import { createEntryScanner } from "../../../src/engines/certificate-transparency/entries/entry-scanner.ts";
import type { EntryBlock } from "../../../src/engines/certificate-transparency/log.ts";
import { findEntryByTime } from "../../../src/intake/sources/certificate-log-reading/read-ahead.ts";
import {
  endOfReading,
  isOutdated,
  noteHead,
  type Place,
} from "../../../src/intake/sources/certificate-log-reading/place.ts";
import {
  createBlockScreen,
  passAll,
} from "../../../src/intake/sources/certificate-log-reading/screen-block.ts";
import { checkHead } from "../../../src/intake/sources/certificate-log-reading/follow-log.ts";
import type { LogListStatus } from "../../../src/intake/sources/certificate-logs/followed-logs.ts";
import { createRecentNames } from "../../../src/intake/sources/certificate-logs/recent-names.ts";
import { averageAfter, checkCertificateLogs } from "../../../src/intake/sources/certificate-logs/status.ts";
import { createLogSigner, dataTile, logEntry } from "../../support/log-entries.ts";
import { randomFrom, seed } from "../../support/random.ts";

const root = (byte: number) => new Uint8Array(32).fill(byte);
const head = (size: number, timestamp: number, byte = size % 251) => ({
  size,
  timestamp,
  rootHash: root(byte),
});

test("A tree may grow, and a replica may lag behind; a log may not take entries back or sign two trees of one size", () => {
  const previous = head(1_000, 50);
  for (const [next, allowed] of [
    [head(1_000, 50), true],
    [head(1_000, 60), true],
    [head(1_001, 60), true],
    // Two replicas may sign at different times.
    [head(1_001, 40), true],
    [head(999, 40), true],
    [head(999, 60), false],
    [head(1_000, 60, 7), false],
  ] as const) {
    const check = () => checkHead(next, { previous });
    if (allowed) expect(check).not.toThrow();
    else expect(check).toThrow(expect.objectContaining({ kind: "mismatch" }));
  }
});

test("Entries of an incomplete tile wait, except in RFC 6962 logs, at the end of a read-only log, and after a while", () => {
  const end = (position: number, size: number, options: object = {}) =>
    endOfReading({ position, head: head(size, 0) } as Place, {
      log: { protocol: "static", finalSize: null },
      hasWaited: false,
      ...options,
    });
  expect(end(0, 700)).toBe(512);
  expect(end(512, 700)).toBe(512);
  expect(end(600, 700)).toBe(600);
  expect(end(512, 768)).toBe(768);
  expect(end(512, 700, { hasWaited: true })).toBe(700);
  expect(end(0, 700, { hasWaited: true })).toBe(512);
  expect(end(0, 700, { log: { protocol: "static", finalSize: 700 } })).toBe(700);
  expect(end(0, 700, { log: { protocol: "rfc6962", finalSize: null } })).toBe(700);
});

test("Entries are outdated once the tree in which they appeared is older than catch_up, whatever time they claim", () => {
  const place: Place = {
    position: 100,
    tree: null,
    verified: null,
    head: head(100, 0),
    backlog: null,
    exemptBefore: 0,
  };
  const catchUpMs = 1_000;
  noteHead(place, head(200, 500));
  expect(isOutdated(place, catchUpMs)).toBeFalse();
  noteHead(place, head(300, 1_040));
  expect(isOutdated(place, catchUpMs)).toBeFalse();
  noteHead(place, head(400, 1_100));
  expect(isOutdated(place, catchUpMs)).toBeTrue();
  expect(isOutdated({ ...place, exemptBefore: 150 }, catchUpMs)).toBeFalse();
  // The entries of the first tree are read: the rest appeared later.
  place.position = 200;
  noteHead(place, head(500, 1_200));
  expect(isOutdated(place, catchUpMs)).toBeFalse();
});

test(`The place to resume is never after an entry that is recent enough, and close to it (seed ${seed})`, async () => {
  const random = randomFrom(seed);
  for (let round = 0; round < 200; round++) {
    const size = 1 + random(5_000);
    const from = random(size);
    // Growth is uneven: some entries come at once, others after long pauses.
    let at = 0;
    const times = Array.from({ length: size }, () => (at += random(10) === 0 ? random(5_000) : random(3)));
    const since = random(at + 2);
    let probes = 0;
    const found = await findEntryByTime({
      from,
      to: size,
      since,
      toAt: at,
      toleranceMs: 20,
      entriesTolerated: 16,
      timeAt: (index) => {
        expect(index).toBeWithin(from, size);
        probes++;
        return Promise.resolve(times[index]!);
      },
    });
    const first = times.findIndex((time, index) => index >= from && time >= since);
    const exact = first === -1 ? size : first;
    expect(found.at).toBe(times[found.index]!);
    expect(found.index === from || found.index < exact).toBeTrue();
    expect(exact - found.index <= 16 || since - found.at <= 20).toBeTrue();
    expect(probes).toBeLessThan(40);
  }
});

test("Recent names remember what was added and nothing else, stay bounded, and forget after days", () => {
  let now = 1_000;
  const dayMs = 86_400_000;
  const recent = createRecentNames({ now: () => now, fillRandom: (bytes) => void bytes.fill(7) });
  const name = (index: number) => `host${index}.example.org`;
  for (let index = 0; index < 20_000; index++) recent.add(name(index));
  expect(Array.from({ length: 20_000 }, (_, index) => recent.has(name(index))).every(Boolean)).toBeTrue();
  expect(
    Array.from({ length: 20_000 }, (_, index) => recent.has(`other${index}.org`)).some(Boolean),
  ).toBeFalse();
  now += 2 * dayMs;
  recent.add("late.example.org");
  expect(recent.has(name(3))).toBeTrue();
  now += 2 * dayMs;
  recent.add("later.example.org");
  expect([recent.has(name(3)), recent.has("late.example.org")]).toEqual([false, true]);
  recent.clear();
  expect(recent.has("later.example.org")).toBeFalse();
});

test("An average follows a constant rate, and fades when nothing arrives", () => {
  let average = 0;
  for (let second = 0; second < 600; second++) average = averageAfter(average, 50, 1_000);
  expect(average).toBeCloseTo(50, 1);
  expect(averageAfter(average, 0, 300_000)).toBeLessThan(1);
  // A clock that was set back is no reason for an endless rate.
  expect(averageAfter(10, 5, -1_000)).toBeFinite();
});

test("The check says why no log is followed, and what an old or missing list means", () => {
  const day = 86_400_000;
  const now = 1_000 * day;
  const check = (list: Partial<LogListStatus>, fileProblem: string | null = null) =>
    checkCertificateLogs(
      [],
      {
        origin: "builtin",
        isNeeded: true,
        publishedAt: now,
        fetchedAt: now,
        problem: null,
        choices: [],
        extra: [],
        ...list,
      },
      { contact: "soc@example.com", fileProblem, namesOnly: false, now },
    );
  for (const [result, expected] of [
    [check({}), "no log is followed"],
    // It is not loaded then.
    [check({ isNeeded: false, publishedAt: null, fetchedAt: null }), "no log is followed"],
    [check({ publishedAt: null, fetchedAt: null }), "'phishwatch serve' loads it"],
    [
      check({ publishedAt: null, fetchedAt: null }, "logs.json: the file cannot be read (ENOENT)"),
      "certificate_logs.log_list: logs.json: the file cannot be read (ENOENT)",
    ],
    [
      check({ publishedAt: now - 100 * day, fetchedAt: null }),
      "the copy of the log list in the executable is",
    ],
    [check({ publishedAt: now - 100 * day }), "so newer logs are missing"],
  ] as const)
    expect(result).toEqual({ level: "warning", detail: expect.stringContaining(expected) });
});

test("A block with very many names is taken in parts, which contain each entry and each name once", () => {
  const namesOf = (entry: number) => Array.from({ length: 6_000 }, (_, name) => `n${name}.e${entry}.example`);
  const entries = Array.from({ length: 10 }, (_, entry) => logEntry(entry, { names: namesOf(entry) }));
  const bytes = dataTile(entries);
  const block: EntryBlock = { encoding: "data_tile", firstIndex: 0, countMax: 10, bytes, wireBytes: 7 };
  const { key, logId } = createLogSigner();
  const url = "https://log.test/";
  const about = { logId, key, url, description: "log", operator: "test", origin: "log.test" };
  const log = { ...about, protocol: "static", isExtra: true, finalSize: null } as const;
  const screen = createBlockScreen({
    scanner: createEntryScanner(),
    current: () => passAll,
  });
  const names: string[] = [];
  const hashes: Uint8Array[] = [];
  let wireBytes = 0;
  let parts = 0;
  for (let from = 2, isCut = true; isCut; parts++) {
    const part = screen(block, { log, from, to: 9, isVerified: true });
    expect(part.candidates.length).toBeLessThanOrEqual(32_768);
    expect(part.candidates.map(({ name }) => name).join("\n")).toBe(
      Buffer.from(part.names).toString().trimEnd(),
    );
    expect(part.candidates[0]!.certificate.index).toBe(from);
    names.push(...part.candidates.map(({ name }) => name));
    hashes.push(part.leafHashes!);
    wireBytes += part.wireBytes;
    from += part.entries;
    isCut = part.isCut;
  }
  const wanted = entries.slice(2, 9);
  expect(parts).toBe(2);
  expect(names).toEqual(wanted.flatMap((_, index) => namesOf(index + 2)));
  expect(Buffer.concat(hashes)).toEqual(Buffer.concat(wanted.map(({ leafHash }) => leafHash)));
  expect(wireBytes).toBe(7);
});
