import { expect, test } from "bun:test";
import { createSettings } from "../../../src/access/settings/settings.ts";
import { createSeverityBackfill } from "../../../src/facts/enrichment/facts/backfill.ts";
import { createEnrichmentStore } from "../../../src/facts/enrichment/store.ts";
import { openStores } from "../../support/stores.ts";
import { phishingFacts } from "../../support/threat-samples.ts";
import { until } from "../../support/until.ts";

test("threats that an earlier version rated by similarity get the severity of their names and facts after the start, without events", async () => {
  const stores = openStores();
  using _ = { [Symbol.dispose]: () => stores.dispose() };
  const { clock, database, threats } = stores;
  const match = { protectedDomain: "example-bank.com", type: "combosquatting" as const, similarity: 0.96 };
  const inside = { label: "myexample-bankfans", position: 2, found: "example-bank" };
  const domains = ["myexample-bankfans.com", "example-bank-offers.com", "example-bank-pay.com"];
  const recorded = threats.record(
    domains.map((domain, index) => ({
      domain,
      match: { ...match, reasons: index === 0 ? [{ code: "label_part" as const, params: inside }] : [] },
      source: "feed" as const,
      seenAt: clock.now(),
    })),
  );
  const [fans, checked, gone] = recorded.map(({ threatId }) => threatId) as [string, string, string];
  const store = createEnrichmentStore(database);
  await store.admitNew(clock.now(), 10);
  store.saveFacts(threats.get(checked)!.seq, phishingFacts);
  store.saveFacts(threats.get(gone)!.seq, {
    existence: { exists: "no", addresses: [], mailServers: [], nameServers: [], wildcard: false },
    unknown: {},
  });
  const old = { code: "deceives_careful_reader", params: { similarity: 0.96 } };
  database.sqlite.run("update threats set severity = 'high', severity_reasons = ?", [JSON.stringify([old])]);
  const before = { events: stores.events().length, changedAt: threats.get(checked)!.changedAt };

  const settings = createSettings(stores);
  const backfill = createSeverityBackfill({ ...stores, settings });
  backfill.start();
  await until(() => {
    clock.advance(50);
    return settings.get("severities_left") === "0";
  }, "all threats are rated");
  await backfill.stop();

  expect(threats.get(fans)).toMatchObject({
    severity: "low",
    severityReasons: [{ code: "name_beside_ordinary_words", params: { similarity: 0.96 } }],
  });
  expect(threats.get(fans)!.changedAt).toBeGreaterThan(before.changedAt);
  const kept = threats.get(checked)!;
  expect(kept).toMatchObject({ severity: "high", changedAt: before.changedAt });
  expect(kept.severityReasons.map(({ code }) => code)).toContainValues([
    "name_set_apart",
    "asks_for_secrets",
  ]);
  expect(threats.get(gone)).toMatchObject({ severity: "low" });
  expect(stores.events()).toHaveLength(before.events);
  expect(threats.history(fans)).toEqual([]);
});
