import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { severities, statuses, type Severity, type Status } from "../../src/vocabulary/threats.ts";
import { analyst, openStores, type Stores } from "../support/stores.ts";

const seed = Number(process.env.TEST_SEED ?? 20260115);
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

/** Threats of random kind, many with the same first_seen, changed at random afterwards. */
function seedThreats({ threats, clock }: Stores, count: number): Row[] {
  console.log(`seed ${seed} (TEST_SEED)`);
  let state = seed;
  const random = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  };
  for (let index = 0; index < count; index += 1) {
    // The clock goes back now and then: the order must not depend on it.
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
  }
  const all: Row[] = [];
  for (let page = 1; all.length < count; page += 1)
    all.push(...threats.list({}, { page, perPage: 100 }).threats);
  return all;
}

/** The list as one would write it without a database. */
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

test("the unfiltered list holds each threat once, newest first_seen first, ties by id descending", () => {
  expect(rows).toHaveLength(600);
  expect(rows.map(({ id }) => id)).toEqual(naiveList({}).map(({ id }) => id));
  expect(new Set(rows.map(({ id }) => id)).size).toBe(600);
});

test("each combination of filters gives the same pages and the same exact total as a plain filter and sort", () => {
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

test("each combination of filters is answered from an index, without sorting", () => {
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

describe("totals", () => {
  test("are exact after deletions and moves too, because the database keeps them itself", () => {
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
