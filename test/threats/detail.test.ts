import { expect, test } from "bun:test";
import { openStores } from "../support/stores.ts";

test("the detail lookup returns the same fields as the full lookup, JSON columns included", () => {
  const stores = openStores();
  const match = {
    protectedDomain: "example-bank.com",
    type: "homograph" as const,
    similarity: 0.9962,
    reasons: [],
  };
  const [recorded] = stores.threats.record([
    { domain: "examp1e-bank.com", match, source: "feed", seenAt: stores.clock.now() },
  ]);
  const id = recorded!.threatId;
  const compare = () => {
    const detail = stores.threats.detail(id)!;
    expect(stores.threats.get(id)).toMatchObject(detail);
    expect(Object.keys(detail).sort()).toEqual([
      "createdAt",
      "domain",
      "id",
      "ipAddress",
      "protectedDomain",
      "registrar",
      "screenshotToken",
      "severity",
      "similarity",
      "source",
      "status",
      "type",
      "whois",
    ]);
  };
  compare();
  stores.database.sqlite.run(
    `update threats set ip_address = '192.0.2.1', registrar = 'Example', whois = '{"status":["ok"],"dnssec":false}'`,
  );
  compare();
  expect(stores.threats.detail(id)?.whois).toEqual({ status: ["ok"], dnssec: false });
  expect(stores.threats.detail("thr_01h455vb4pex5vsknk084sn02q")).toBeUndefined();
  stores.dispose();
});
