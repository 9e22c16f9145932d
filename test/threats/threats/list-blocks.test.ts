import { afterAll, beforeAll, expect, test } from "bun:test";
import { createListQuery, type ThreatFilter } from "../../../src/threats/threats/store/list-query.ts";
import { severities, statuses } from "../../../src/platform/vocabulary/threats.ts";
import { randomFrom, seed } from "../../support/random.ts";
import { openStores, type Stores } from "../../support/stores.ts";

const domains = ["example-bank.com", "example-shop.com"];
const blockMax = 16;

let stores: Stores;

beforeAll(() => {
  stores = openStores();
  useSmallBlocks();
});
afterAll(() => stores.dispose());

/** Lets a few hundred threats fill many blocks. */
function useSmallBlocks(): void {
  const { sqlite } = stores.database;
  const trigger = "threat_list_block_divided";
  const { sql } = sqlite
    .query<{ sql: string }, [string]>("SELECT sql FROM sqlite_master WHERE name = ?")
    .get(trigger)!;
  sqlite.run(`DROP TRIGGER ${trigger}`);
  sqlite.run(sql.replaceAll("8192", String(blockMax)).replaceAll("4096", String(blockMax / 2)));
}

const random = randomFrom(seed);
const pick = <T>(values: readonly T[]): T => values[random(values.length)]!;
/** Half of the threats were first seen at one of three times, as those of large imports are. */
const someTime = () => (random(2) === 0 ? random(3) : random(100)) * 1_000;

function insertThreat(id: string, domain: string, status: string, severity: string, firstSeen: number): void {
  stores.database.sqlite
    .query(
      `INSERT INTO threats (id, protected_domain_seq, domain, type, status, severity, similarity, source, reasons,
         severity_reasons, first_seen, created_at, status_changed_at, whois, screenshot_token)
       VALUES (?1, (SELECT seq FROM protected_domains WHERE domain = ?2), ?1 || '.com', 'combosquatting', ?3, ?4, 0.9,
         'feed', '[]', '[]', ?5, 0, 0, '{}', '')`,
    )
    .run(id, domain, status, severity, firstSeen);
}

function insert(count: number): void {
  for (let index = 0; index < count; index += 1) {
    const id = `thr_${Bun.hash(`${seed} ${random(1 << 24)} ${index}`).toString(36)}`;
    insertThreat(id, pick(domains), pick(statuses), pick(severities), someTime());
  }
}

function change(count: number): void {
  const { sqlite } = stores.database;
  const update = sqlite.prepare(
    "UPDATE threats SET status = ?2, severity = ?3, first_seen = iif(?4 < 0, first_seen, ?4) WHERE seq = ?1",
  );
  const last = sqlite.query<{ seq: number }, []>("SELECT max(seq) AS seq FROM threats").get()!.seq;
  for (let index = 0; index < count; index += 1)
    update.run(1 + random(last), pick(statuses), pick(severities), random(3) === 0 ? someTime() : -1);
  sqlite.run("DELETE FROM threats WHERE seq % 7 = ?", [random(7)]);
}

/** Returns the ids that a filter selects, in the order of the list. */
function naiveList({ protectedDomain, status, severity, within }: ThreatFilter): string[] {
  return stores.database.sqlite
    .query<{ id: string; domain: string; status: string; severity: string }, []>(
      `SELECT t.id, p.domain, t.status, t.severity FROM threats t JOIN protected_domains p ON p.seq = protected_domain_seq
       ORDER BY t.first_seen DESC, t.seq DESC`,
    )
    .all()
    .filter(
      (row) =>
        (protectedDomain ?? row.domain) === row.domain &&
        (status ?? row.status) === row.status &&
        (severity ?? row.severity) === row.severity &&
        (within ?? domains).includes(row.domain),
    )
    .map(({ id }) => id);
}

const filters: ThreatFilter[] = [
  {},
  { status: "active" },
  { severity: "low" },
  { status: "resolved", severity: "high" },
  { protectedDomain: domains[0]! },
  { protectedDomain: domains[1]!, status: "false_positive", severity: "medium" },
  { within: domains },
  { within: domains, status: "active" },
];

function expectNaivePages(): void {
  const { list } = createListQuery(stores.database, { blocksFrom: 3 });
  for (const filter of filters) {
    const expected = naiveList(filter);
    for (const perPage of [1, 10, 50]) {
      const lastPage = Math.ceil(expected.length / perPage);
      for (const page of new Set([
        1,
        lastPage,
        lastPage + 1,
        ...Array.from({ length: 8 }, () => 1 + random(lastPage)),
      ])) {
        const { threats, total } = list(filter, { page, perPage });
        const ids = threats.map(({ id }) => id);
        expect({ filter, page, perPage, total, ids }).toEqual({
          filter,
          page,
          perPage,
          total: expected.length,
          ids: expected.slice((page - 1) * perPage, page * perPage),
        });
      }
    }
  }
}

const blocks = () =>
  stores.database.sqlite
    .query<{ total: number }, []>("SELECT total FROM threat_list_blocks ORDER BY first_seen, seq")
    .all()
    .map(({ total }) => total);

test("pages are the same as those of sorted threats after threats are added, changed, moved and deleted", () => {
  console.log(`seed ${seed} (TEST_SEED)`);
  for (let round = 0; round < 3; round += 1) {
    stores.database.transaction(() => insert(250));
    expectNaivePages();
    stores.database.transaction(() => change(150));
    expectNaivePages();
  }
  expect(blocks().length).toBeGreaterThan(20);
  expect(Math.max(...blocks())).toBeLessThanOrEqual(blockMax);
});

test("pages for more domains than SQLite merges in one query are the same as for all", () => {
  const { database } = stores;
  const protect = database.sqlite.prepare(
    `INSERT INTO protected_domains (id, domain, keywords, allow, origin, enabled, created_at, updated_at)
     VALUES (?1, ?1, '[]', '[]', 'runtime', 1, 0, 0)`,
  );
  const others = Array.from({ length: 600 }, (_, index) => `brand-${index}.com`);
  database.transaction(() => others.forEach((domain) => protect.run(domain)));
  const page = { page: 7, perPage: 10 };
  for (const blocksFrom of [0, Infinity]) {
    const { list } = createListQuery(database, { blocksFrom });
    const expected = list({}, page);
    expect(expected.threats).toHaveLength(page.perPage);
    expect(list({ within: [...others, ...domains] }, page)).toEqual(expected);
  }
  // More combinations than are kept.
  const { list } = createListQuery(database);
  const expected = list({}, page);
  for (let count = 0; count <= 32; count += 1)
    expect(list({ within: [...others.slice(0, count), ...domains] }, page)).toEqual(expected);
  expect(list({}, page)).toEqual(expected);
});

test("a block without threats is removed with its counts, and the first block stays", () => {
  const { sqlite } = stores.database;
  sqlite.run("DELETE FROM threats");
  expect(blocks()).toEqual([0]);
  const { count } = sqlite
    .query<{ count: number }, []>(
      "SELECT count(*) AS count FROM threat_list_block_counts WHERE first_seen >= 0 OR total <> 0",
    )
    .get()!;
  expect(count).toBe(0);
});

test("the only threat of a block stays in the list when its time changes within the block", () => {
  const { sqlite } = stores.database;
  const ids = Array.from({ length: blockMax * 2 }, (_, index) => `thr_${index}`);
  for (const [index, id] of ids.entries()) insertThreat(id, domains[0]!, "active", "low", index * 1_000);
  const start = (blockMax / 2) * 1_000;
  sqlite.run("DELETE FROM threats WHERE first_seen > ? AND first_seen < ?", [start, start * 2]);
  expect(blocks().slice(0, 2)).toEqual([blockMax / 2, 1]);
  sqlite.run("UPDATE threats SET first_seen = first_seen + 1 WHERE first_seen = ?", [start]);
  expect(blocks().slice(0, 2)).toEqual([blockMax / 2, 1]);
  expectNaivePages();
});
