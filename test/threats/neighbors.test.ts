import { afterEach, beforeEach, expect, test } from "bun:test";
import { analyst, openStores, type Stores } from "../support/stores.ts";

let stores: Stores;
beforeEach(() => void (stores = openStores()));
afterEach(() => stores.dispose());

function sight(domain: string, seenAt: number, similarity = 0.8): string {
  const match = {
    protectedDomain: "example-bank.com",
    type: "typosquatting" as const,
    similarity,
    reasons: [],
  };
  return stores.threats.record([{ domain, match, source: "feed", seenAt }])[0]!.threatId;
}

test("neighbors are the nearest active threats of the same severity, in the order of the list", () => {
  const [oldest, first, second, decided, newest] = [
    sight("a.com", 1_000),
    sight("b.com", 2_000),
    sight("c.com", 2_000),
    sight("d.com", 3_000),
    sight("e.com", 4_000),
  ];
  sight("severe.com", 2_500, 0.99);
  stores.threats.changeStatus([decided], "resolved", { by: analyst });
  const of = (id: string) => {
    const { newer, older } = stores.threats.neighbors(stores.threats.get(id)!);
    return [newer?.id, older?.id];
  };
  expect(of(second)).toEqual([newest, first]);
  expect(of(first)).toEqual([second, oldest]);
  expect(of(decided)).toEqual([newest, second]);
  expect(of(newest)).toEqual([undefined, second]);
  expect(of(oldest)).toEqual([first, undefined]);
});

test("finding a neighbor is one step along an index", () => {
  const plan = stores.database.sqlite
    .query(
      `explain query plan select id, domain from threats where status = 'active' and severity = 'high'
       and (first_seen, seq) < (1, 2) order by first_seen desc, seq desc limit 1`,
    )
    .all() as { detail: string }[];
  expect(plan.map(({ detail }) => detail)).toEqual([
    "SEARCH threats USING INDEX threats_status_severity (status=? AND severity=? AND first_seen<?)",
  ]);
});
