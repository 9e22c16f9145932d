import { afterEach, beforeEach, expect, test } from "bun:test";
import type { Batch } from "../../../src/intake/sources/certificate-log-reading/messages.ts";
import { createBatchRecorder } from "../../../src/intake/sources/certificate-logs/batch-recorder.ts";
import { fillRandom } from "../../support/appliance.ts";
import { analyst, openStores, type Stores } from "../../support/stores.ts";

let stores: Stores;

beforeEach(() => {
  stores = openStores();
});

afterEach(() => {
  stores.dispose();
});

const head = { size: 0, rootHash: new Uint8Array(32), timestamp: 0 };
const progress = { position: 0, range: null, verified: null, head, backlog: null, exemptBefore: 0 };

function batchOf(names: readonly string[]): Batch {
  return {
    progress,
    candidates: names.map((name, index) => ({
      name,
      seenAt: 0,
      certificate: {
        issuer: "CN=Test",
        serial: `${index}`,
        notBefore: null,
        log: "Log",
        entryUrl: "",
        index,
        isVerified: true,
      },
    })),
    names: new Uint8Array(0),
    tablesVersion: 1,
    counts: { entries: names.length, names: names.length, malformed: 0, skipped: 0, bytes: 0 },
    lastEntryAt: 0,
  };
}

test("A name that was compared before a domain was protected is compared again, also if two batches were recorded at once", async () => {
  const { domains, threats } = stores;
  const fresh = "login-harbor-lights.com";
  const others = Array.from({ length: 100 }, (_, index) => `other-${index}.example`);
  let onPause: (() => Promise<void>) | undefined;
  const recorder = createBatchRecorder({
    ...stores,
    // Without an archive, nothing else finds the name.
    archive: undefined,
    fillRandom,
    tables: { versionOf: () => 1 },
    yielder: () => ({
      due: () => onPause !== undefined,
      async pause() {
        const run = onPause;
        onPause = undefined;
        await run?.();
      },
    }),
  });
  onPause = async () => {
    domains.add({ domain: "harbor-lights.com" }, { by: analyst });
    await recorder.record(batchOf(["other.example"]), () => {});
  };
  await recorder.record(batchOf([...others, fresh]), () => {});
  expect(onPause).toBeUndefined();
  await recorder.record(batchOf([fresh]), () => {});
  const found = threats.list({}, { page: 1, perPage: 10 }).threats;
  expect(found.map(({ domain }) => domain)).toEqual([fresh]);
});
