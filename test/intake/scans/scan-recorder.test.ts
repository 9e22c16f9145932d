import { afterEach, beforeEach, expect, test } from "bun:test";
import type { Existence } from "../../../src/facts/lookups/dns/existence.ts";
import { createScanRecorder } from "../../../src/intake/scans/scan-recorder.ts";
import { createScanStore } from "../../../src/intake/scans/store.ts";
import { archivedIn } from "../../support/archived.ts";
import { openStores, type Stores } from "../../support/stores.ts";

let stores: Stores;
beforeEach(() => void (stores = openStores()));
afterEach(() => stores.dispose());

const exists: Existence = {
  exists: "yes",
  addresses: ["192.0.2.1"],
  mailServers: [],
  nameServers: [],
  wildcard: false,
};

test("The last flush of a scan waits for results that an earlier flush is still saving", async () => {
  const { activity, archive, clock, database, domains, threats } = stores;
  const store = createScanStore(stores);
  const { id } = database.transaction(() =>
    store.begin({ protectedDomains: ["example-bank.com"], trigger: "cli" }),
  );
  const saved = Promise.withResolvers<void>();
  const saving = Promise.withResolvers<string[]>();
  const found: string[] = [];
  const recorder = createScanRecorder({
    activity,
    archive,
    clock,
    database,
    domains,
    id,
    store,
    threats,
    targets: new Set(["example-bank.com"]),
    watcher: { onFound: ({ domain }) => void found.push(domain) },
    cancel: () => {},
    saveFacts: (batch) => {
      saving.resolve(batch.map(({ domain }) => domain));
      return saved.promise;
    },
  });
  recorder.plan(2);
  await recorder.add("examp1e-bank.com", exists);
  await recorder.add("example-bamk.com", exists);
  const byTimer = recorder.flush();
  // All at once, before the check of any of them can begin.
  expect(await saving.promise).toEqual(["examp1e-bank.com", "example-bamk.com"]);
  let ended = false;
  const last = recorder.flush().then(() => void (ended = true));
  // A flush of nothing takes one write.
  await database.write(() => {});
  await database.write(() => {});
  expect({ ended, found }).toEqual({ ended: false, found: [] });
  saved.resolve();
  await Promise.all([byTimer, last]);
  expect(found).toEqual(["examp1e-bank.com", "example-bamk.com"]);
  expect(store.get(id)).toMatchObject({ threatsFound: 2, resolving: 2 });
  // Look-alikes that exist are names that were seen.
  expect(await archivedIn(archive)).toEqual([
    "2026-01-15 scan examp1e-bank.com",
    "2026-01-15 scan example-bamk.com",
  ]);
});
