import { afterEach, beforeEach, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createYielder } from "../../../src/platform/lib/yielder.ts";
import type { Tally } from "../../../src/intake/sources/tally.ts";
import {
  createCandidates,
  type Candidates,
  type ProcessOptions,
} from "../../../src/intake/sources/candidates.ts";
import { batchOfNames } from "../../support/name-batches.ts";
import type { Place } from "../../../src/intake/sources/name-file-formats/name-chunk.ts";
import { openNameList } from "../../../src/intake/sources/name-files/name-list.ts";
import { openStores, type Stores } from "../../support/stores.ts";

let stores: Stores;
let candidates: Candidates;
beforeEach(() => {
  stores = openStores();
  const yielder = () => createYielder({ sliceMs: 10, elapsedMs: () => performance.now() });
  candidates = createCandidates({ ...stores, yielder });
});
afterEach(() => stores.dispose());

const submission = { source: "submission" } as const;
const domainsOf = () =>
  stores.threats
    .list({}, { page: 1, perPage: 100 })
    .threats.map(({ domain }) => domain)
    .sort();

async function processText(text: string, options: Partial<ProcessOptions<Place>> = {}) {
  const path = join(dirname(stores.path), "names.txt");
  writeFileSync(path, text);
  const list = await openNameList(path, { format: "lines" });
  try {
    return await candidates.process(list.batches(), { source: "feed", ...options });
  } finally {
    await list.close();
  }
}

test("matching names become threats, reported once each in the order of submission", async () => {
  const result = await candidates.submit(
    ["login-example-bank.com", "unrelated.org", "EXAMPLE-BANK.NET.", "example-bank.net", "example-bank.com"],
    submission,
  );
  expect(result).toMatchObject({ received: 5, invalid: 0, matched: 3, created: 2 });
  expect(result.matches.map(({ domain }) => domain)).toEqual(["login-example-bank.com", "example-bank.net"]);
  expect(result.matches[0]!.threats).toEqual([
    expect.objectContaining({
      protectedDomain: "example-bank.com",
      type: "combosquatting",
      outcome: "created",
    }),
  ]);
  expect(domainsOf()).toEqual(["example-bank.net", "login-example-bank.com"]);
  expect(stores.events().map(({ type }) => type)).toEqual(["threat.created", "threat.created"]);
});

test("a name that is submitted several times, in one form or in others, is reported once with each threat once", async () => {
  const names = ["example-bank.net", "example-bank.net", "EXAMPLE-BANK.NET.", "ｅxample-bank.net"];
  const { matches } = await candidates.submit(names, submission);
  expect(matches).toHaveLength(1);
  expect(matches[0]!.threats).toEqual([expect.objectContaining({ outcome: "created" })]);
});

test("resubmitting a name creates no duplicate threat or event", async () => {
  await candidates.submit(["example-bank.net"], submission);
  const again = await candidates.submit(["example-bank.net"], submission);
  expect(again).toMatchObject({ matched: 1, created: 0 });
  expect(again.matches[0]!.threats[0]!.outcome).toBe("known");
  expect(stores.events()).toHaveLength(1);
});

test("invalid names are counted, and the first few are reported with reason and number", async () => {
  const names = [
    "ok.example",
    "a b.com",
    ...Array.from({ length: 20 }, (_, i) => `bad_${i}..com`),
    "x".repeat(5_000),
  ];
  const result = await candidates.submit(names, submission);
  expect(result).toMatchObject({ received: 23, invalid: 22, matched: 0, created: 0 });
  expect(result.firstInvalid).toHaveLength(20);
  expect(result.firstInvalid[0]).toEqual({ line: 2, text: "a b.com", why: expect.any(String) });
});

test("the time at which the source saw a name becomes its first_seen", async () => {
  const observedAt = stores.clock.now() - 86_400_000;
  await candidates.submit(["example-bank.net"], { source: "submission", observedAt });
  expect(stores.threats.list({}, { page: 1, perPage: 1 }).threats[0]!.firstSeen).toBe(observedAt);
});

test("a caller that may see one protected domain neither sees nor records matches of another", async () => {
  const names = ["example-bank.net", "example-shop.net"];
  const result = await candidates.submit(names, { ...submission, within: ["example-shop.com"] });
  expect(result.matches.map(({ domain }) => domain)).toEqual(["example-shop.net"]);
  expect(domainsOf()).toEqual(["example-shop.net"]);
});

test("thousands of matches are written in bounded transactions with yields in between", async () => {
  const names = Array.from({ length: 1_000 }, (_, i) => `example-bank-${i}.com`);
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  const result = await candidates.submit(names, submission);
  clearInterval(timer);
  expect(result.created).toBe(1_000);
  expect(turns).toBeGreaterThan(0);
});

test("deleting a protected domain meanwhile does not stop the run", async () => {
  const names = Array.from({ length: 300 }, (_, i) => `example-bank-${i}.com`);
  const running = candidates.submit([...names, "example-shop.net"], submission);
  stores.domains.reconcile([{ domain: "example-shop.com" }]);
  await running;
  expect(domainsOf()).toContain("example-shop.net");
});

test("a list is processed to its end, and invalid names are reported with their lines", async () => {
  const tally = await processText("# head\nexample-bank.net\n\nbad name\nlogin-example-shop.com\n");
  expect(tally).toEqual({
    received: 3,
    invalid: 1,
    firstInvalid: [{ line: 4, text: "bad name", why: expect.any(String) }],
    matched: 2,
    created: 2,
    interpreted: [],
  });
});

test("the position is reported in the transaction that records all threats before it", async () => {
  const text = Array.from({ length: 250 }, (_, i) => `example-bank-${i}.com\nother${i}.org\n`).join("");
  const places: { done: Place; matched: number; recorded: number; within: boolean }[] = [];
  await processText(text, {
    onCommit: (done, { matched }) =>
      places.push({
        done,
        matched,
        recorded: stores.threats.list({}, { page: 1, perPage: 1 }).total,
        within: stores.database.sqlite.inTransaction,
      }),
  });
  expect(places.length).toBeGreaterThan(2);
  for (const { done, matched, recorded, within } of places) {
    const before = text.slice(0, done.position);
    expect(within).toBeTrue();
    expect(recorded).toBe(matched);
    expect(before.match(/bank/g)?.length ?? 0).toBe(matched);
    expect(before.split("\n").length).toBe(done.line);
  }
  expect(places.at(-1)!.done.position).toBe(text.length);
});

test("inspection is requested for all names of a list, the own ones to be refused, and a crash loses none", async () => {
  const lines = Array.from({ length: 600 }, (_, i) =>
    i % 3 === 0
      ? `https://other-${i}.org/login?a=${i}`
      : i % 3 === 1
        ? `example-bank-${i}.com`
        : `plain-${i}.org`,
  );
  const own = ["https://www.example-bank.com/login", "example-shop.com", "http://192.0.2.7/x", "no name"];
  const text = `${[...own, ...lines].join("\n")}\n`;
  const asked: string[] = [];
  let done: Place | undefined;
  let failures = 0;
  const process = (resumed: boolean) =>
    processText(resumed ? text.slice(done!.position) : text, {
      inspect(addresses) {
        expect(stores.database.sqlite.inTransaction).toBeTrue();
        asked.push(...addresses);
      },
      onCommit(place) {
        if (!resumed && ++failures === 3) {
          throw new Error("killed");
        }
        done = place;
      },
    });
  expect(await process(false).catch((error: Error) => error.message)).toBe("killed");
  expect(done!.line).toBeGreaterThan(1);
  await process(true);
  // The addresses of the transaction that failed are requested again.
  expect([...new Set(asked)]).toEqual([...own.slice(0, 2), ...lines]);
});

test("threats that could not be recorded are not counted", async () => {
  let tally: Readonly<Tally> | undefined;
  const text = Array.from({ length: 250 }, (_, i) => `example-bank-${i}.com\n`).join("");
  let batches = 0;
  const failing = processText(text, {
    onProgress: (soFar) => void (tally = soFar),
    onCommit: () => {
      if (++batches === 2) throw new Error("disk full");
    },
  });
  expect(await failing.catch((error: Error) => error.message)).toBe("disk full");
  expect(tally!.created).toBe(stores.threats.list({}, { page: 1, perPage: 1 }).total);
});

test("a failure to record does not advance the position", async () => {
  const places: Place[] = [];
  const text = Array.from({ length: 150 }, (_, i) => `example-bank-${i}.com\n`).join("");
  const failing = processText(text, {
    onCommit: (done) => {
      places.push(done);
      throw new Error("disk full");
    },
  });
  expect(await failing.catch((error: Error) => error.message)).toBe("disk full");
  expect(places).toHaveLength(1);
  expect(domainsOf()).toEqual([]);
});

test("stopping keeps what was recorded and reports the position", async () => {
  const text = Array.from({ length: 2_000 }, (_, i) => `example-bank-${i}.com\n`).join("");
  const controller = new AbortController();
  let last: Place | undefined;
  const tally = await processText(text, {
    signal: controller.signal,
    onCommit: (done) => void (last = done),
    onProgress: () => controller.abort(),
  });
  expect(tally.received).toBeLessThan(2_000);
  expect(last!.line).toBe(tally.received + 1);
  expect(stores.threats.list({}, { page: 1, perPage: 1 }).total).toBe(tally.matched);
});

test("the names before a source fails are recorded", async () => {
  async function* broken() {
    const path = join(dirname(stores.path), "names.txt");
    writeFileSync(path, "example-bank.net\n");
    const list = await openNameList(path);
    yield* list.batches();
    await list.close();
    throw new Error("cut short");
  }
  const error = await candidates
    .process(broken(), { source: "feed" })
    .catch((thrown: Error) => thrown.message);
  expect(error).toBe("cut short");
  expect(domainsOf()).toEqual(["example-bank.net"]);
});

test("a source of plain names gets its own positions back in the transaction that records the threats", async () => {
  const names = (tree: number) => Array.from({ length: 100 }, (_, i) => `example-bank-${tree}-${i}.com`);
  async function* log() {
    for (let tree = 0; tree < 3; tree++)
      yield batchOfNames(names(tree), { start: { tree, entries: 0 }, end: { tree: tree + 1, entries: 0 } });
  }
  const positions: { tree: number; recorded: number }[] = [];
  const tally = await candidates.process(log(), {
    source: "certificate_transparency",
    onCommit: ({ tree }) => {
      expect(stores.database.sqlite.inTransaction).toBeTrue();
      positions.push({ tree, recorded: stores.threats.list({}, { page: 1, perPage: 1 }).total });
    },
  });
  expect(tally).toMatchObject({ received: 300, matched: 300, created: 300 });
  expect(positions.at(-1)).toEqual({ tree: 3, recorded: 300 });
  // A position never runs ahead of the threats before it: a batch that was interrupted is read again as a whole.
  for (const { tree, recorded } of positions) expect(recorded).toBeGreaterThanOrEqual(tree * 100);
});
