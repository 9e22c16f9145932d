import { expect, test } from "bun:test";
import { listItemText } from "../../../src/threats/threats/api-object.ts";
import { severities, statuses } from "../../../src/platform/vocabulary/threats.ts";
import { randomFrom, seed } from "../../support/random.ts";
import { analyst, openStores } from "../../support/stores.ts";

test(`pages from memory are those of the database after any change (TEST_SEED=${seed})`, () => {
  const { clock, database, dispose, threats } = openStores();
  const { sqlite } = database;
  sqlite.run("PRAGMA synchronous = OFF");
  const random = randomFrom(seed);
  const pick = <Item>(items: readonly Item[]) => items[random(items.length)]!;
  const protectedDomains = ["example-bank.com", "example-shop.com"];
  const ids: string[] = [];
  const url = "http://phishwatch.test";

  const changes = [
    () => {
      clock.advance(random(2_000));
      const protectedDomain = pick(protectedDomains);
      const match = { protectedDomain, type: "homograph" as const, similarity: 0.9, reasons: [] };
      const sighting = { domain: `examp${ids.length}.com`, match, source: "feed" as const };
      const recorded = threats.record([{ ...sighting, seenAt: clock.now() - random(5_000) }]);
      ids.push(...recorded.map(({ threatId }) => threatId));
    },
    () => threats.changeStatus([pick(ids)], pick(statuses), { by: analyst }),
    () => sqlite.run("UPDATE threats SET severity = ? WHERE id = ?", [pick(severities), pick(ids)]),
    () => sqlite.run("UPDATE threats SET first_seen = first_seen - 500 WHERE id = ?", [pick(ids)]),
    () => sqlite.run("DELETE FROM threats WHERE id = ?", [pick(ids)]),
    () => {},
  ];
  const expectSame = () => {
    const filter = {
      ...(random(2) === 0 ? {} : { status: pick(statuses) }),
      ...(random(2) === 0 ? {} : { severity: pick(severities) }),
      ...(random(2) === 0 ? {} : { protectedDomain: pick([...protectedDomains, "unknown.example"]) }),
      ...(random(3) === 0 ? { within: protectedDomains } : {}),
    };
    const page = { page: 1 + random(3), perPage: 1 + random(8) };
    const publicUrl = random(20) === 0 ? "https://watch.example.com" : url;
    const { threats: found, total } = threats.list(filter, page);
    expect(threats.listTexts(filter, page, publicUrl)).toEqual({
      texts: found.map((threat) => listItemText(threat, publicUrl)),
      total,
    });
  };
  for (let step = 0; step < 20; step += 1) changes[0]!();
  for (let step = 0; step < 200; step += 1) {
    pick(changes)();
    expectSame();
    expectSame();
  }
  dispose();
});
