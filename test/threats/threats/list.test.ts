import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  severities,
  statuses,
  type Severity,
  type Status,
} from "../../../src/platform/vocabulary/threats.ts";
import { randomFrom, seed } from "../../support/random.ts";
import { analyst, openStores, type Stores } from "../../support/stores.ts";

const domains = ["example-bank.com", "example-shop.com", "example-mail.com"];

interface Row {
  id: string;
  protectedDomain: string;
  status: Status;
  severity: Severity;
  firstSeen: number;
}

let stores: Stores;
let rows: Row[];

beforeAll(() => {
  stores = openStores();
  stores.domains.reconcile(domains.map((domain) => ({ domain })));
  rows = seedThreats(stores, 600);
});
afterAll(() => stores.dispose());

/** Records threats of random kinds, many with the same first_seen, and changes their status at random. */
function seedThreats({ clock, database, threats }: Stores, count: number): Row[] {
  console.log(`seed ${seed} (TEST_SEED)`);
  const random = randomFrom(seed);
  const seedOne = (index: number) => {
    // The clock goes back now and then, because the order must not depend on it.
    clock.advance(random(5) === 0 ? -500 : random(3));
    const protectedDomain = domains[random(domains.length)]!;
    const similarity = [0.8, 0.9, 0.99][random(3)]!;
    const [created] = threats.record([
      {
        domain: `name-${index}.com`,
        match: { protectedDomain, type: "combosquatting", similarity, reasons: [] },
        source: "feed",
        seenAt: clock.now() - random(4) * 1_000,
      },
    ]);
    threats.changeStatus([created!.threatId], statuses[random(3)]!, { by: analyst });
  };
  database.transaction(() => {
    for (let index = 0; index < count; index += 1) seedOne(index);
  });
  const all: Row[] = [];
  for (let page = 1; all.length < count; page += 1)
    all.push(...threats.list({}, { page, perPage: 100 }).threats);
  return all;
}

/** Reference implementation of the list. */
function naiveList(filter: {
  protectedDomain?: string;
  status?: Status;
  severity?: Severity;
  within?: string[];
}): Row[] {
  return rows
    .filter(
      (row) =>
        (filter.protectedDomain ?? row.protectedDomain) === row.protectedDomain &&
        (filter.status ?? row.status) === row.status &&
        (filter.severity ?? row.severity) === row.severity &&
        (filter.within === undefined || filter.within.includes(row.protectedDomain)),
    )
    .sort((a, b) => b.firstSeen - a.firstSeen || (a.id < b.id ? 1 : -1));
}

const optional = <T>(values: readonly T[]) => [undefined, ...values];
const combinations = optional(domains).flatMap((protectedDomain) =>
  optional(statuses).flatMap((status) =>
    optional(severities).flatMap((severity) =>
      optional([domains.slice(0, 1), domains.slice(1)]).map((within) => ({
        protectedDomain,
        status,
        severity,
        within,
      })),
    ),
  ),
);

test("the unfiltered list contains each threat once, newest first_seen first, ties by id descending", () => {
  expect(rows).toHaveLength(600);
  expect(rows.map(({ id }) => id)).toEqual(naiveList({}).map(({ id }) => id));
  expect(new Set(rows.map(({ id }) => id)).size).toBe(600);
});

test("each combination of filters returns the same pages and total as filtering and sorting all threats", () => {
  for (const filter of combinations) {
    const expected = naiveList(filter);
    const perPage = 7;
    const pages = Math.ceil(expected.length / perPage);
    for (const page of new Set([1, 2, Math.ceil(pages / 2), pages, pages + 1])) {
      if (page < 1) continue;
      const { threats, total } = stores.threats.list(filter, { page, perPage });
      expect({ filter, page, total, ids: threats.map(({ id }) => id) }).toEqual({
        filter,
        page,
        total: expected.length,
        ids: expected.slice((page - 1) * perPage, page * perPage).map(({ id }) => id),
      });
    }
  }
});

test("each combination of filters uses an index and sorts nothing", () => {
  const plans = new Map<string, string>();
  for (const columns of [
    "",
    "protected_domain_seq",
    "status",
    "severity",
    "protected_domain_seq status",
    "protected_domain_seq severity",
    "status severity",
    "protected_domain_seq status severity",
  ]) {
    const where =
      columns === ""
        ? ""
        : `WHERE ${columns
            .split(" ")
            .map((column) => `${column} = 1`)
            .join(" AND ")}`;
    const plan = stores.database.sqlite
      .query<{ detail: string }, []>(
        `EXPLAIN QUERY PLAN SELECT seq, first_seen FROM threats ${where} ORDER BY first_seen DESC, seq DESC LIMIT 20 OFFSET 500000`,
      )
      .all()
      .map(({ detail }) => detail)
      .join("; ");
    expect(plan).toContain("COVERING INDEX threats_");
    expect(plan).not.toContain("TEMP B-TREE");
    plans.set(columns, plan);
  }
  expect(new Set(plans.values()).size).toBe(8);
});

describe("the totals", () => {
  test("stay exact after rows are deleted or changed past the product, because triggers update them", () => {
    const { sqlite } = stores.database;
    sqlite.run("DELETE FROM threats WHERE seq % 3 = 0");
    sqlite.run("UPDATE threats SET severity = 'low', status = 'active' WHERE seq % 5 = 0");
    const counted = (where: string) =>
      sqlite.query<{ total: number }, []>(`SELECT count(*) AS total FROM threats ${where}`).get()!.total;
    expect(stores.threats.list({}, { page: 1, perPage: 1 }).total).toBe(counted(""));
    for (const status of statuses) {
      for (const severity of severities) {
        const { total } = stores.threats.list({ status, severity }, { page: 1, perPage: 1 });
        expect(total).toBe(counted(`WHERE status = '${status}' AND severity = '${severity}'`));
      }
    }
    const sums = sqlite
      .query<{ total: number }, []>(
        "SELECT sum(total) AS total FROM threat_counts WHERE protected_domain_seq <> 0",
      )
      .get()!;
    expect(sums.total).toBe(counted(""));
  });
});
