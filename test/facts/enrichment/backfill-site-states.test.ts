import { afterEach, beforeEach, expect, test } from "bun:test";
import { createSettings } from "../../../src/access/settings/settings.ts";
import type { Facts } from "../../../src/facts/enrichment/facts/facts.ts";
import { createSiteStateBackfill } from "../../../src/facts/enrichment/facts/backfill.ts";
import { createEnrichmentStore } from "../../../src/facts/enrichment/store.ts";
import { dayMs } from "../../../src/platform/lib/clock.ts";
import { openStores, type Stores } from "../../support/stores.ts";
import { phishingFacts } from "../../support/threat-samples.ts";
import { until } from "../../support/until.ts";

let stores: Stores;
beforeEach(() => void (stores = openStores()));
afterEach(() => stores.dispose());

const gone: Facts = {
  existence: { exists: "no", addresses: [], mailServers: [], nameServers: [], wildcard: false },
  unknown: {},
};

/** Records threats as version 0.3.0 did: with facts, and without a state. */
async function recordBefore(count: number): Promise<string[]> {
  const match = {
    protectedDomain: "example-bank.com",
    type: "combosquatting" as const,
    similarity: 0.8,
    reasons: [],
  };
  const seenAt = stores.clock.now();
  const recorded = stores.threats.record(
    Array.from({ length: count }, (_, index) => ({
      domain: `example-bank-${index}.com`,
      match,
      source: "feed" as const,
      seenAt,
    })),
  );
  const store = createEnrichmentStore(stores.database);
  while ((await store.admitNew(seenAt, 1_000)) > 0);
  stores.database.transaction(() => {
    for (const [index, { threatId }] of recorded.entries()) {
      const { seq } = stores.threats.get(threatId)!;
      // The last one was never checked.
      if (index === count - 1) continue;
      store.saveFacts(seq, index % 2 === 0 ? { ...phishingFacts, site: { upAt: seenAt - dayMs } } : gone);
      store.saveCheckedAt(seq, seenAt);
    }
  });
  return recorded.map(({ threatId }) => threatId);
}

const open = () => createSiteStateBackfill({ ...stores, settings: createSettings(stores) });
const undetermined = () =>
  stores.database.sqlite
    .query<{ n: number }, []>("select count(*) as n from threats where site_state is null")
    .get()!.n;

test("threats of an earlier version get the state of their site after the start, also across a restart, unseen by those who poll for changes", async () => {
  const ids = await recordBefore(501);
  const [first, second] = ids.map((id) => stores.threats.get(id)!);
  stores.clock.advance(dayMs);
  let backfill = open();
  backfill.start();
  stores.clock.advance(50);
  await until(() => undetermined() < 501, "the first batch is done");
  await backfill.stop();
  expect(undetermined()).toBe(302);
  backfill = open();
  backfill.start();
  await until(() => {
    stores.clock.advance(50);
    return undetermined() === 1;
  }, "all batches are done");
  await backfill.stop();
  expect(stores.threats.get(first!.id)).toMatchObject({
    siteState: "up",
    siteStateAt: first!.createdAt - dayMs,
    changedAt: first!.changedAt,
    dueAt: first!.dueAt,
  });
  expect(stores.threats.get(second!.id)).toMatchObject({ siteState: "unregistered" });
  expect(stores.threats.history(first!.id)).toEqual([]);
  expect(createSettings(stores).get("site_states_left")).toBe("0");
});
