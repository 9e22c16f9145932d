import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { createColumnFile } from "../../../src/threats/index/store/column-file.ts";
import { createColumnStore } from "../../../src/threats/index/store/column-store.ts";
import { decidedAt, type Columns } from "../../../src/threats/index/columns/columns.ts";
import { kinds } from "../../../src/threats/index/columns/kinds.ts";
import { timeAt } from "../../../src/threats/index/arrays/numbers.ts";
import { numberKeys } from "../../../src/threats/index/columns/sort-keys.ts";
import { statuses } from "../../../src/platform/vocabulary/threats.ts";
import { fillRandom } from "../../support/appliance.ts";
import { randomFrom, seed } from "../../support/random.ts";
import { analyst, openStores, type Stores } from "../../support/stores.ts";

const neverDue = { due: () => false, pause: async () => {} };
let stores: Stores;
let random: (below: number) => number;
let recorded: string[];
let loadErrors: unknown[];

beforeEach(() => {
  random = randomFrom(seed);
  stores = openStores();
  recorded = [];
  loadErrors = [];
  addThreats(60);
});
afterEach(() => stores.dispose());

function addThreats(count: number): void {
  stores.database.transaction(() => {
    for (let index = 0; index < count; index += 1) addThreat();
  });
}

function addThreat(): void {
  const { clock, database, threats } = stores;
  clock.advance(random(5_000));
  const name = `${recorded.length}${random(4) === 0 ? ".xn--pypal-4ve" : "-example-bank"}`;
  const [created] = threats.record([
    {
      domain: `${name}.com`,
      match: { protectedDomain: "example-bank.com", type: "homograph", similarity: 0.9, reasons: [] },
      source: "feed",
      seenAt: clock.now(),
    },
  ]);
  const id = created!.threatId;
  recorded.push(id);
  database.sqlite.run(
    "UPDATE threats SET registrar = ?2, ip_address = ?3, name_server = ?4, campaign_seq = ?5 WHERE id = ?1",
    [
      id,
      `Registrar ${random(3)}`,
      `192.0.${random(9)}.1`,
      `ns1.host-${random(5)}.com`,
      random(3) * 7 || null,
    ],
  );
}

function changeThreats(): void {
  const { database, threats } = stores;
  database.transaction(() => {
    for (let index = 0; index < 20; index += 1)
      threats.changeStatus([recorded[random(recorded.length)]!], statuses[random(3)]!, { by: analyst });
  });
  database.sqlite.run(
    "UPDATE threats SET registrar = 'A new one', changed_at = changed_at + 1 WHERE id = ?",
    [recorded[random(recorded.length)]!],
  );
  database.sqlite.run("DELETE FROM threats WHERE id = ?", [recorded[random(recorded.length)]!]);
}

/** Opens a column store as a process does that starts. */
function open({ isKept = false, program = "0.5.0" } = {}) {
  const { clock, database } = stores;
  const file = createColumnFile({ database, clock, fillRandom }, program);
  let saved: Promise<void> | undefined;
  let saves = 0;
  const store = createColumnStore(database, {
    file: {
      load: file.load,
      save(...args) {
        saves += 1;
        return (saved = file.save(...args).finally(() => (saves -= 1)));
      },
    },
    rowsMin: 1,
    changesMin: 1,
    isKept: () => isKept,
    elapsedMs: clock.monotonicMs,
    onLoadError: (error) => void loadErrors.push(error),
    onSaveError(error) {
      throw error;
    },
  });
  return { ...store, saved: async () => saved, isSaving: () => saves > 0 };
}

/** Returns what the columns say about each threat, and their aggregates. */
function contentOf(columns: Columns) {
  const { hosts, names, summary } = columns;
  const threats = Array.from({ length: columns.count }, (_, row) => ({
    name: names.get(row),
    seq: columns.seqs.at(row),
    kind: kinds[columns.kindNumbers[row]!],
    times: [
      timeAt(columns.firstSeen, row),
      timeAt(columns.statusChangedAt, row),
      timeAt(columns.changedAt, row),
      decidedAt(columns, row),
    ],
    dueAt: columns.dueAt[row],
    campaign: columns.campaignNumbers.seqAt(columns.campaigns[row]!),
    hosts: [
      hosts.registrar.valueAt(columns.registrar[row]!),
      hosts.nameServers.valueAt(columns.nameServers[row]!),
      hosts.network.valueAt(columns.network[row]!),
    ],
  })).filter(({ kind }) => kind !== undefined);
  const active = Object.entries(hosts).map(([field, values]) => [
    field,
    Array.from(values.active(), (count, number) => [values.valueAt(number), count] as const)
      .filter(([, count]) => count > 0)
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  ]);
  const found = names.search({ text: "paypal", startsWith: false });
  const internationalized = Array.from({ length: columns.count }, (_, row) => row)
    .filter(
      (row) => ((found[row >> 5]! >> (row & 31)) & 1) === 1 && kinds[columns.kindNumbers[row]!] !== undefined,
    )
    .map(columns.seqs.at);
  return { threats, ofKind: [...summary.ofKind()].slice(0, kinds.length), active, internationalized };
}

/** Returns the aggregates that searches use. */
function aggregatesOf({ assigneeNumbers, summary }: Columns) {
  const bits = Array.from({ length: 8 }, (_, index) => 1 << index);
  return {
    ofKind: summary.ofKind(),
    ofDomain: summary.ofDomain(1),
    ofAssignee: Array.from({ length: assigneeNumbers.count() }, (_, number) => summary.ofAssignee(number)),
    ofBits: bits.map(summary.ofKindWithBit),
    bounds: [...numberKeys, "decided" as const].map((key) => [
      summary.upperBounds(key),
      summary.lowerBounds(key),
    ]),
  };
}

const contentInDatabase = async () => contentOf(await createColumnStore(stores.database).catchUp(neverDue));
const path = () => `${stores.path}.index`;

async function makeCopy(): Promise<void> {
  const store = open({ isKept: true });
  await store.catchUp(neverDue);
  await store.saved();
}

/** Changes a threat past the change log, so that only a reader of the whole database notices. */
function changeUnnoticed(): void {
  const { sqlite } = stores.database;
  sqlite.run("DROP TRIGGER threats_touched_on_update");
  sqlite.run("UPDATE threats SET registrar = 'Unnoticed'");
}

test("a process that starts reads the columns from the copy, and what has changed since from the database", async () => {
  await makeCopy();
  changeThreats();
  addThreats(10);
  const expected = await contentInDatabase();
  expect(expected.internationalized.length).toBeGreaterThan(0);
  expect(contentOf(await open().catchUp(neverDue))).toEqual(expected);
});

test("the aggregates of a copy equal those of the threats that were read one by one", async () => {
  for (let round = 0; round < 5; round += 1) {
    changeThreats();
    stores.clock.advance(1_000);
  }
  const { sqlite } = stores.database;
  sqlite.run("PRAGMA foreign_keys = OFF");
  sqlite.run("UPDATE threats SET assignee_seq = seq % 3 WHERE seq % 2 = 0");
  sqlite.run("UPDATE threats SET due_at = first_seen + seq * 1000, verified = seq % 4 = 0");
  await makeCopy();
  const expected = await createColumnStore(stores.database).catchUp(neverDue);
  expect(expected.earlierDecisions.length).toBeGreaterThan(0);
  changeUnnoticed();
  const copied = await open().catchUp(neverDue);
  expect(copied.hosts.registrar.find("Unnoticed")).toBeUndefined();
  expect(aggregatesOf(copied)).toEqual(aggregatesOf(expected));
});

test("a copy that is written while threats change is consistent with the change log", async () => {
  const store = open({ isKept: true });
  await store.catchUp(neverDue);
  await store.saved();
  addThreats(5);
  stores.clock.advance(24 * 3_600_000);
  let changes = 0;
  await store.catchUp({
    due: () => store.isSaving(),
    async pause() {
      changes += 1;
      changeThreats();
      addThreats(3);
      await store.catchUp(neverDue);
    },
  });
  await store.saved();
  expect(changes).toBeGreaterThan(10);
  expect(contentOf(await open().catchUp(neverDue))).toEqual(await contentInDatabase());
});

test("a copy of another state of the database or another program, or a damaged one, is ignored", async () => {
  await makeCopy();
  const before = stores.database.sqlite.serialize();
  const intact = readFileSync(path());
  changeUnnoticed();
  const fresh = await contentInDatabase();
  const isIgnored = async (options = {}) =>
    Bun.deepEquals(contentOf(await open(options).catchUp(neverDue)), fresh);
  expect(before.length).toBeGreaterThan(0);
  expect(await isIgnored()).toBe(false);
  // Its list of public suffixes, for example, may give other operators of name servers.
  expect(await isIgnored({ program: "0.5.1" })).toBe(true);

  const damagedAt = (position: number) => intact.map((byte, at) => (at === position ? byte ^ 1 : byte));
  const inFooter = intact.indexOf("Registrar ");
  expect(inFooter).toBeGreaterThan(0);
  const start = intact.subarray(0, 100);
  for (const content of [damagedAt(200), damagedAt(inFooter), start, Buffer.alloc(0)]) {
    writeFileSync(path(), content);
    loadErrors.length = 0;
    expect(await isIgnored()).toBe(true);
    expect(loadErrors).toEqual([expect.objectContaining({ message: "the copy is damaged" })]);
  }
  writeFileSync(path(), intact);
  // As in a database that was restored from a backup.
  stores.database.sqlite.run("UPDATE settings SET value = 'another' WHERE name = 'threat_index_copy'");
  expect(await isIgnored()).toBe(true);
});

test("a copy that cannot be read is reported, and a missing one is not", async () => {
  await makeCopy();
  rmSync(path());
  await open().catchUp(neverDue);
  expect(loadErrors).toEqual([]);

  // Reading a folder fails even for root, who may read any file.
  mkdirSync(path());
  expect(contentOf(await open().catchUp(neverDue))).toEqual(await contentInDatabase());
  expect(loadErrors).toEqual([expect.objectContaining({ code: "EISDIR" })]);
});

test("a copy is readable by its owner only, and leaves no unfinished file", async () => {
  await makeCopy();
  expect((await Bun.file(path()).stat()).mode & 0o777).toBe(0o600);
  expect(existsSync(`${path()}.next`)).toBe(false);
});
