import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { dayMs, startOfDay } from "../../../src/platform/lib/clock.ts";
import { createForeground, createYielder } from "../../../src/platform/lib/yielder.ts";
import { hostFields, hostsOf, networkOf, operatorOf } from "../../../src/threats/index/columns/hosts.ts";
import { naiveSearch } from "./naive.ts";
import { medianOf } from "../../../src/threats/index/selection/median.ts";
import {
  createThreatIndex,
  type SearchFilter,
  type ThreatIndex,
} from "../../../src/threats/index/threat-index.ts";
import type { Threat } from "../../../src/threats/threats/store/queries.ts";
import { statuses } from "../../../src/platform/vocabulary/threats.ts";
import { randomFrom, seed } from "../../support/random.ts";
import { analyst, openStores, type Stores } from "../../support/stores.ts";

console.log(`seed ${seed} (TEST_SEED)`);
const random = randomFrom(seed);
const domains = ["example-bank.com", "example-shop.com"];
const week = 7 * dayMs;

let stores: Stores;
let index: ThreatIndex;
let rows: Threat[];

beforeAll(() => {
  stores = openStores();
  index = createThreatIndex({
    database: stores.database,
    foreground: createForeground(),
    yielder: () => createYielder({ sliceMs: 5, elapsedMs: () => performance.now() }),
  });
  rows = stores.database.transaction(addThreats);
});
afterAll(() => stores.dispose());

function addThreats(): Threat[] {
  const ids = Array.from({ length: 300 }, (_, number) => {
    stores.clock.advance(random(12) * 3_600_000);
    const created = stores.threats.record([
      {
        domain: `example-${number}.shop`,
        match: {
          protectedDomain: domains[random(5) === 0 ? 1 : 0]!,
          type: "combosquatting",
          similarity: 0.9,
          reasons: [],
        },
        source: "feed",
        seenAt: stores.clock.now() - random(2 * dayMs),
      },
    ])[0]!.threatId;
    stores.threats.updateFacts(
      created,
      {
        ipAddress: random(3) === 0 ? null : `192.0.${random(9)}.${random(200)}`,
        registrar: random(3) === 0 ? null : `Registrar ${random(4)}`,
        nameServer: random(3) === 0 ? null : `ns${random(3)}.host-${random(5)}.example.com`,
        whois: {},
        evidence: { exists: "yes", mail: random(2) === 0, registeredDays: random(20) },
      },
      [],
    );
    return created;
  });
  for (const id of ids) {
    stores.clock.advance(random(3) * 600_000);
    stores.threats.changeStatus([id], statuses[random(3)]!, { by: analyst });
  }
  return ids.map((id) => stores.threats.get(id)!);
}

/** The same by sorting. */
function naiveMedian(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  if (sorted.length === 0) return null;
  return Number.isInteger(middle) ? (sorted[middle - 1]! + sorted[middle]!) / 2 : sorted[Math.floor(middle)]!;
}

describe("the statistics of the threat index", () => {
  test("count new threats by protected domain, period and severity as the naive search does", async () => {
    const from = startOfDay(stores.clock.now() - 10 * week);
    const found = await index.newByDomain({ from, periodMs: week, count: 9 });
    for (const protectedDomain of domains) {
      const expected = Array.from({ length: 9 }, (_, number) => {
        const period = { protectedDomain, from: from + number * week, before: from + (number + 1) * week };
        const count = (severity: "high" | "medium" | "low") =>
          naiveSearch(rows, { ...period, severity }).length;
        return { high: count("high"), medium: count("medium"), low: count("low") };
      });
      expect(found.get(protectedDomain)).toEqual(expected);
    }
    expect(await index.newByDomain({ from: 0, periodMs: week, count: 3 })).toEqual(new Map());
  });

  test("count active threats by protected domain and severity as the naive search does", async () => {
    const open = await index.openByDomain();
    for (const protectedDomain of domains) {
      const count = (severity: "high" | "medium" | "low") =>
        naiveSearch(rows, { protectedDomain, status: "active", severity }).length;
      const expected = { high: count("high"), medium: count("medium"), low: count("low") };
      expect(open.get(protectedDomain)).toEqual(expected);
    }
    expect(open.size).toBe(domains.length);
  });

  test("give the exact median time to the first decision by period, also from a new index", async () => {
    const from = stores.clock.now() - 3 * week;
    const expected = Array.from({ length: 6 }, (_, number) => {
      const start = from + number * (week / 2);
      const times = rows
        .filter(({ decidedAt }) => decidedAt !== null && decidedAt >= start && decidedAt < start + week / 2)
        .map(({ decidedAt, firstSeen }) => decidedAt! - firstSeen);
      return { decided: times.length, medianMs: naiveMedian(times) };
    });
    expect(expected.at(-1)!.decided).toBeGreaterThan(100);
    const periods = { from, periodMs: week / 2, count: 6 };
    expect(await index.decisions(periods)).toEqual(expected);
    const { database } = stores;
    const restarted = createThreatIndex({
      database,
      foreground: createForeground(),
      yielder: () => createYielder({ sliceMs: 5, elapsedMs: () => performance.now() }),
    });
    expect(await restarted.decisions(periods)).toEqual(expected);
  });

  test("count active threats by age", async () => {
    const now = stores.clock.now();
    const limits = [3_600_000, 50 * dayMs, 90 * dayMs];
    const counts = await index.openByAge(now, limits);
    const bounds = [-Infinity, ...limits, Infinity];
    expect(counts).toEqual(
      bounds.slice(1).map(
        (limit, number) =>
          rows.filter(({ status, firstSeen }) => {
            const age = now - firstSeen;
            return status === "active" && age <= limit && age > bounds[number]!;
          }).length,
      ),
    );
    expect(counts.reduce((sum, count) => sum + count)).toBe(naiveSearch(rows, { status: "active" }).length);
  });

  test("count the hosts of the threats in a view, most frequent first, and each count is that of its view", async () => {
    const changed = rows[0]!;
    stores.threats.changeStatus([changed.id], changed.status === "active" ? "resolved" : "active", {
      by: analyst,
    });
    rows[0] = stores.threats.get(changed.id)!;
    const views: SearchFilter[] = [{ status: "active" }, { status: "active", protectedDomain: domains[0] }];
    for (const [filter, field] of views.flatMap((view) => hostFields.map((one) => [view, one] as const))) {
      const found = await index.hosts(filter, 3);
      const values = naiveSearch(rows, filter).flatMap((threat) => hostsOf(threat)[field] ?? []);
      const { top, known, values: distinct } = found[field];
      expect([known, distinct]).toEqual([values.length, new Set(values).size]);
      const totals = [...new Set(values)].map((value) => values.filter((other) => other === value).length);
      expect(top.map(({ total }) => total)).toEqual(totals.sort((a, b) => b - a).slice(0, 3));
      for (const { value, total } of top) {
        const view = { ...filter, [field]: value };
        expect(
          (await index.search(view, { key: "name", descending: false }, { page: 1, perPage: 1 })).total,
        ).toBe(total);
      }
    }
  });
});

test("the statistics that are kept equal those that are counted after a start, after any changes, deletions and new threats", async () => {
  const own = openStores();
  const { clock, database } = own;
  const first = startOfDay(clock.now()) - 20 * dayMs;
  const addNumbers = `insert into threats (id, protected_domain_seq, domain, type, status, severity, similarity, source,
      reasons, severity_reasons, first_seen, created_at, status_changed_at, decided_at, whois, screenshot_token)
    select printf('thr_%026d', i), 1 + i % 2, 'name-' || i || '.com', 'homograph', 'resolved', 'low', 0.9, 'feed',
      '[]', '[]', ${first} + i * 400000, 0, ${first}, ${first} + i * 410000, '{}', '' from n`;
  database.sqlite.run(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < 4200) ${addNumbers}`,
  );
  const indexOver = () =>
    createThreatIndex({
      database,
      foreground: createForeground(),
      yielder: () => createYielder({ sliceMs: 5, elapsedMs: () => performance.now() }),
    });
  const statisticsOf = async (one: ThreatIndex) => ({
    byDay: await one.newByDomain({ from: first, periodMs: dayMs, count: 25 }),
    byWeek: await one.newByDomain({ from: first + 2 * dayMs, periodMs: week, count: 3 }),
    decisions: await one.decisions({ from: first, periodMs: week, count: 4 }),
    ofDomain: await one.decisions({ from: first, periodMs: 10 * dayMs, count: 1 }, domains[0]),
  });
  const kept = indexOver();
  const someTime = () => first + random(25 * dayMs);
  const changes: (() => [string, ...number[]])[] = [
    () => ["update threats set first_seen = ? where seq = ?", someTime()],
    () => ["update threats set severity = iif(severity = 'low', 'high', 'low') where seq = ?"],
    () => ["update threats set decided_at = ?, changed_at = changed_at + 1 where seq = ?", someTime()],
    () => ["update threats set status = 'active', decided_at = null where seq = ?"],
    () => ["update threats set campaign_seq = 3 where seq = ?"],
    () => ["delete from threats where seq = ?"],
    () => [`with n(i) as (select 1 + max(seq) from threats where seq > ?) ${addNumbers}`],
  ];
  for (let round = 0; round < 15; round += 1) {
    expect(await statisticsOf(kept), `seed ${seed}, round ${round}`).toEqual(await statisticsOf(indexOver()));
    const [sql, ...values] = changes[round % changes.length]!();
    database.sqlite.run(sql, [...values, 1 + random(4_200)]);
  }
  own.dispose();
});

test("medianOf returns the median for any number of values, with equal ones", () => {
  for (let round = 0; round < 200; round += 1) {
    const values = Array.from({ length: random(40) }, () => random(1 + random(50)));
    expect([values, medianOf(Float64Array.from(values))]).toEqual([values, naiveMedian(values)]);
  }
});

test.each([
  ["ns1.example.net", "example.net"],
  ["ns-1536.awsdns-00.co.uk", "awsdns"],
  ["ns1.host.example.co.uk", "example.co.uk"],
  ["localhost", "localhost"],
])("the operator of the name server %s is %s", (nameServer, operator) => {
  expect(operatorOf(nameServer)).toBe(operator);
});

test.each([
  ["192.0.2.77", "192.0.2.0/24"],
  ["2001:db8:12:34::5", "2001:db8:12::/48"],
  ["2001:db8::1", "2001:db8::/48"],
  ["2001:db8:0:1:2:3:4:5", "2001:db8::/48"],
  ["::1", "::/48"],
  ["example", null],
])("the network of the address %s is %s", (address, network) => {
  expect(networkOf(address)).toBe(network);
});
