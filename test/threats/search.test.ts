import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { normalizeName } from "../../src/detection/names/name.ts";
import { createPacer } from "../../src/lib/pacer.ts";
import { readNameSearch } from "../../src/threat-index/names-in-memory.ts";
import { createThreatSearch, sortKeys, type SearchFilter } from "../../src/threat-index/search.ts";
import { selectRows } from "../../src/threat-index/select-rows.ts";
import { severityOf, type SeverityFacts } from "../../src/threats/severity.ts";
import { indicatorBit, indicatorBits, type Indicator } from "../../src/threat-index/indicators.ts";
import type { Threat } from "../../src/threats/queries.ts";
import { blockRows, topRows } from "../../src/threat-index/top-rows.ts";
import { severities, sources, statuses, type ThreatType } from "../../src/vocabulary/threats.ts";
import { openStores, type Stores } from "../support/stores.ts";

const seed = Number(process.env.TEST_SEED ?? 20260115);
const domains = ["example-bank.com", "example-shop.com"];
const types: ThreatType[] = ["typosquatting", "homograph", "combosquatting"];
const by = { channel: "system", name: null, address: null } as const;

/** A small linear congruential generator. */
function randomFrom(state: number): (below: number) => number {
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % below;
  };
}

let stores: Stores;
let search: ReturnType<typeof createThreatSearch>;
let rows: Threat[];
const random = randomFrom(seed);

beforeAll(() => {
  console.log(`seed ${seed} (TEST_SEED)`);
  stores = openStores();
  search = createThreatSearch({
    database: stores.database,
    pacer: () => createPacer({ sliceMs: 5, elapsedMs: () => performance.now() }),
  });
  rows = addThreats(400);
});
afterAll(() => stores.dispose());

let made = 0;
function addThreats(count: number): Threat[] {
  const { threats, clock } = stores;
  return Array.from({ length: count }, () => {
    clock.advance(random(3));
    made += 1;
    const [created] = threats.record([
      {
        domain: random(4) === 0 ? nameOf(`pаypal-${made}.com`) : `example${random(9)}-${made}.shop`,
        match: {
          protectedDomain: domains[random(2)]!,
          type: types[random(3)]!,
          similarity: [0.8, 0.9, 0.99][random(3)]!,
          reasons: [],
        },
        source: sources[random(sources.length)]!,
        seenAt: clock.now() - random(4) * 1_000,
      },
    ]);
    threats.changeStatus([created!.threatId], statuses[random(3)]!, { by });
    return threats.get(created!.threatId)!;
  });
}

function nameOf(text: string): string {
  const result = normalizeName(text);
  if ("error" in result) throw new Error(result.error);
  return result.name;
}

/** The search as one would write it without thinking of speed. */
function naive(filter: SearchFilter): Threat[] {
  return rows.filter(
    (row) =>
      (filter.protectedDomain ?? row.protectedDomain) === row.protectedDomain &&
      (filter.status ?? row.status) === row.status &&
      (filter.severity ?? row.severity) === row.severity &&
      (filter.type ?? row.type) === row.type &&
      (filter.source ?? row.source) === row.source &&
      row.similarity >= (filter.minSimilarity ?? 0) &&
      row.firstSeen >= (filter.from ?? 0) &&
      row.firstSeen < (filter.before ?? Infinity) &&
      (filter.text === undefined ||
        (filter.text.startsWith
          ? row.domain.startsWith(filter.text.text)
          : row.domain.includes(filter.text.text))),
  );
}

const comparisons: Record<(typeof sortKeys)[number], (a: Threat, b: Threat) => number> = {
  first_seen: (a, b) => a.firstSeen - b.firstSeen || a.seq - b.seq,
  status_changed: (a, b) => a.statusChangedAt - b.statusChangedAt || a.seq - b.seq,
  similarity: (a, b) =>
    a.similarity - b.similarity ||
    Math.floor(a.firstSeen / 1000) - Math.floor(b.firstSeen / 1000) ||
    a.seq - b.seq,
  severity: (a, b) =>
    severities.indexOf(b.severity) - severities.indexOf(a.severity) ||
    a.firstSeen - b.firstSeen ||
    a.seq - b.seq,
  name: (a, b) => (a.domain < b.domain ? -1 : a.domain > b.domain ? 1 : a.seq - b.seq),
};

const maybe = <T>(values: readonly T[]): T | undefined =>
  random(2) === 0 ? undefined : values[random(values.length)];

function randomFilter(): SearchFilter {
  const someTime = () => maybe(rows.map(({ firstSeen }) => firstSeen));
  return {
    protectedDomain: maybe(domains),
    status: maybe(statuses),
    severity: maybe(severities),
    type: maybe(types),
    source: random(3) === 0 ? maybe(sources) : undefined,
    minSimilarity: maybe([0.85, 0.99]),
    from: random(2) === 0 ? someTime() : undefined,
    before: random(2) === 0 ? someTime() : undefined,
    text: maybe([
      readNameSearch("example3"),
      readNameSearch("ample*"),
      readNameSearch("EXAMPLE1*"),
      readNameSearch("7"),
    ]),
  };
}

describe("the search", () => {
  test("answers like a naive one: any filter, any order, any page, exact total; also after changes", async () => {
    for (let round = 0; round < 150; round += 1) {
      if (round % 10 === 9) {
        // Written past the search: it has to notice by itself.
        rows.push(...addThreats(random(5)));
        const changed = rows[random(rows.length)]!;
        stores.threats.changeStatus([changed.id], statuses[random(3)]!, { by });
        Object.assign(changed, stores.threats.get(changed.id));
      }
      const filter = randomFilter();
      const key = sortKeys[random(sortKeys.length)]!;
      const descending = random(2) === 0;
      const perPage = 1 + random(60);
      const page = 1 + random(4);
      const expected = naive(filter).sort(comparisons[key]);
      if (descending) expected.reverse();
      const found = await search.search(filter, { key, descending }, { page, perPage });
      expect({ filter, key, total: found.total }).toEqual({ filter, key, total: expected.length });
      expect(found.threats.map(({ id }) => id)).toEqual(
        expected.slice((page - 1) * perPage, page * perPage).map(({ id }) => id),
      );
      for (const severity of severities) {
        expect(found.facets.severity.get(severity) ?? 0).toBe(naive({ ...filter, severity }).length);
      }
    }
  });

  test("finds a homograph by its letters, by what it looks like and by its A-label", async () => {
    const homographs = rows.filter(({ domain }) => domain.includes("xn--")).length;
    expect(homographs).toBeGreaterThan(10);
    for (const typed of ["pаypal", "PАYPAL*", "paypal", "xn--"]) {
      const found = await search.search(
        { text: readNameSearch(typed) },
        { key: "first_seen", descending: true },
        { page: 1, perPage: 1 },
      );
      expect([typed, found.total]).toEqual([typed, homographs]);
    }
  });

  test("knows what to act on: all that match, none that came after the page was made", async () => {
    const order = { key: "first_seen", descending: true } as const;
    const filter = { status: "active" } as const;
    const { lastSeq } = await search.search(filter, order, { page: 1, perPage: 1 });
    const expected = naive(filter).sort(comparisons.first_seen).reverse();
    const added = addThreats(20);
    const ids = await search.ids(filter, order, { max: 30, lastSeq });
    expect(ids).toEqual(expected.slice(0, 30).map(({ id }) => id));
    rows.push(...added);
  });

  test("finds what the facts showed, as soon as they are written", async () => {
    const order = { key: "first_seen", descending: true } as const;
    const withMail = () => search.search({ indicator: "receives_mail" }, order, { page: 1, perPage: 10 });
    expect((await withMail()).total).toBe(0);
    const { id } = rows[3]!;
    stores.threats.updateFacts(
      id,
      { ipAddress: null, registrar: null, whois: {}, evidence: { exists: "yes", mail: true } },
      [],
    );
    rows[3] = stores.threats.get(id)!;
    expect((await withMail()).threats.map((threat) => threat.id)).toEqual([id]);
  });

  test("reads all anew when it looked away for longer than changes are remembered", async () => {
    const changed = rows[5]!;
    const status = changed.status === "active" ? "resolved" : "active";
    stores.threats.changeStatus([changed.id], status, { by });
    stores.database.sqlite.run("update threat_touches set version = version + 1000");
    stores.database.sqlite.run(
      "delete from threat_touches where version < (select max(version) from threat_touches)",
    );
    stores.threats.changeStatus([rows[6]!.id], status, { by });
    for (const row of [changed, rows[6]!]) Object.assign(row, stores.threats.get(row.id));
    const order = { key: "first_seen", descending: true } as const;
    const found = await search.search({ status }, order, { page: 1, perPage: 1 });
    expect(found.total).toBe(naive({ status }).length);
  });

  test("counts by day and by kind", async () => {
    const lastDay = Math.floor(stores.clock.now() / 86_400_000) * 86_400_000;
    const days = await search.byDay(lastDay, 30);
    expect(days).toHaveLength(30);
    expect(days.at(-1)!.day).toBe(lastDay);
    expect(days.at(-1)!.high).toBe(naive({ severity: "high", from: lastDay }).length);
    const kinds = await search.byKind();
    expect(kinds.reduce((sum, { total }) => sum + total, 0)).toBe(rows.length);
  });
});

test("threats by the ten thousand are found like few: any block, any end, any time", async () => {
  const many = openStores();
  many.database.sqlite.run(`
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 10000)
    insert into threats (id, protected_domain_seq, domain, type, status, severity, similarity, source, reasons,
      severity_reasons, first_seen, created_at, status_changed_at, whois, screenshot_token)
    select printf('thr_%026d', i), 1 + i % 2, 'name-' || i || '.com', iif(i % 7 = 0, 'homograph', 'combosquatting'),
      iif(i % 5 = 0, 'resolved', 'active'), iif(i % 11 = 0, 'high', 'low'), 0.75 + (i * 37 % 250) / 1000.0, 'feed', '[]',
      '[]', 1700000000000 + i * 60000 - (i * 7919 % 1000) * 3600, 0, 1700000000000 + (i * 31 % 10000), '{}', ''
    from n`);
  const own = createThreatSearch({
    database: many.database,
    pacer: () => createPacer({ sliceMs: 5, elapsedMs: () => performance.now() }),
  });
  const all = many.threats.list({}, { page: 1, perPage: 10_000 }).threats;
  const others = rows;
  rows = all.map(({ id }) => many.threats.get(id)!);
  const middle = 1_700_000_000_000 + 5_000 * 60_000;
  const filters: SearchFilter[] = [
    {},
    { status: "resolved", type: "homograph", severity: "high" },
    { protectedDomain: "example-bank.com", status: "active" },
    { from: middle, before: middle + 3_600_000 },
    { from: middle + 3_000 * 60_000, severity: "high" },
    { before: 1_700_000_000_000 + 60_000 * 100 },
  ];
  for (const filter of filters) {
    for (const key of sortKeys) {
      for (const descending of [true, false]) {
        for (const page of [1, 3, 30]) {
          const expected = naive(filter).sort(comparisons[key]);
          if (descending) expected.reverse();
          const found = await own.search(filter, { key, descending }, { page, perPage: 50 });
          expect([filter, key, found.total]).toEqual([filter, key, expected.length]);
          expect(found.threats.map(({ seq }) => seq)).toEqual(
            expected.slice((page - 1) * 50, page * 50).map(({ seq }) => seq),
          );
        }
      }
    }
  }
  rows = others;
  many.dispose();
});

describe("what is typed", () => {
  test.each([
    ["  PayPal ", { text: "paypal", startsWith: false }],
    ["pay*", { text: "pay", startsWith: true }],
    ["https://user@Login-Example.com:8443/path?q", { text: "login-example.com", startsWith: false }],
    ["*", undefined],
    ["", undefined],
  ])("%j is read as %j", (typed, expected) => {
    expect(readNameSearch(typed)).toEqual(expected);
  });
});

test("a stretch of a long order is that of the sorted whole, whatever the keys are like", () => {
  const count = 150_000;
  const shapes: ((index: number) => number)[] = [
    (index) => index * 1000 + random(100_000),
    () => random(20) * 2 ** 36 + random(2 ** 20),
    () => 7,
    (index) => (index === 5 ? 0 : 1.7e12 + random(1000)),
    (index) => (index % 73 === 0 ? random(10) : 1e6 + random(1e6)),
  ];
  for (const shape of shapes) {
    const keys = Float64Array.from({ length: count }, (_, index) => shape(index));
    const sorted = Array.from({ length: count }, (_, row) => row).sort(
      (a, b) => keys[b]! - keys[a]! || b - a,
    );
    for (const offset of [0, 49, random(count), count - 20, count]) {
      const all = Int32Array.from({ length: count }, (_, row) => row);
      const selected = selectRows({ rows: all, keys: keys.slice(), count, offset, limit: 50 });
      expect(selected).toEqual(sorted.slice(offset, offset + 50));
    }
  }
});

test("the first of an order are the same whether all blocks are looked at or only some", () => {
  const count = 5 * blockRows + 17;
  for (const spread of [3, 1_000, 1_000_000]) {
    const keys = Array.from({ length: count }, (_, row) => row + random(spread));
    const chosen = Array.from({ length: count }, () => random(3) > 0);
    const kept = keys.map((_, row) => row).filter((row) => chosen[row]);
    for (const ascending of [false, true]) {
      const sorted = kept.toSorted((a, b) => (ascending ? 1 : -1) * (keys[a]! - keys[b]! || a - b));
      const bounds = Float64Array.from({ length: 6 }, (_, block) => {
        const own = keys.slice(block * blockRows, (block + 1) * blockRows);
        // Bounds need not be reached.
        return ascending ? Math.min(...own) - random(2) * spread : Math.max(...own) + random(2) * spread;
      });
      for (const limit of [0, 1, 50, 7_000, kept.length + 10]) {
        let looked = 0;
        const matches = (row: number) => (looked += 1) > 0 && chosen[row]!;
        const found = topRows({ count, bounds, matches, keyOf: (row) => keys[row]!, limit, ascending });
        expect(found).toEqual(sorted.slice(0, limit));
        if (spread === 3 && limit === 50) expect(looked).toBeLessThan(3 * blockRows);
      }
    }
  }
});

test.each<[Indicator, Partial<SeverityFacts>]>([
  ["receives_mail", { mail: true }],
  ["newly_registered", { registeredDays: 3 }],
  ["parked", { parked: "a service" }],
  ["leads_nowhere", { reachable: false }],
  [
    "asks_for_secrets",
    { page: { asksForPassword: true, asksForCard: false, namesBrand: false, redirectsToOwner: false } },
  ],
  [
    "asks_for_secrets",
    { page: { asksForPassword: false, asksForCard: true, namesBrand: false, redirectsToOwner: false } },
  ],
  [
    "looks_like_original",
    {
      page: {
        asksForPassword: false,
        asksForCard: false,
        namesBrand: false,
        redirectsToOwner: false,
        visualSimilarity: 1,
      },
    },
  ],
])("the indicator %s is a function of the severity reasons", (indicator, facts) => {
  const { reasons } = severityOf({
    type: "typosquatting",
    similarity: 0.9,
    facts: { exists: "yes", ...facts },
  });
  expect(indicatorBits(reasons)).toBe(indicatorBit(indicator));
});
