import { Database as Sqlite } from "bun:sqlite";
import { expect, test } from "bun:test";
import { analyst, openStores } from "../support/stores.ts";

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
      "seq",
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

test("the detail in memory follows every change, of this process or another one", () => {
  const stores = openStores();
  const { clock, database, path, threats } = stores;
  const match = {
    protectedDomain: "example-bank.com",
    type: "homograph" as const,
    similarity: 0.9,
    reasons: [],
  };
  const recorded = threats.record(
    ["examp1e-bank.com", "exampie-bank.com"].map((domain) => ({
      domain,
      match,
      source: "feed" as const,
      seenAt: clock.now(),
    })),
  );
  const [changed, other] = recorded.map(({ threatId }) => threatId) as [string, string];
  const unchanged = threats.cachedDetail(other);
  const expectFollowed = (change: () => void) => {
    expect(threats.cachedDetail(changed)).toBeDefined();
    change();
    expect(threats.cachedDetail(changed)).toEqual(threats.detail(changed));
    expect(threats.cachedDetail(other)).toBe(unchanged!);
  };
  expectFollowed(() => threats.changeStatus([changed], "resolved", { by: analyst }));
  expect(threats.cachedDetail(changed)?.status).toBe("resolved");
  const anotherProcess = new Sqlite(path);
  for (const change of [
    "severity = 'low'",
    "ip_address = '192.0.2.7'",
    "registrar = 'Example'",
    `whois = '{"dnssec":true}'`,
    "screenshot_token = 'x'",
  ]) {
    expectFollowed(() => anotherProcess.run(`UPDATE threats SET ${change} WHERE id = ?`, [changed]));
  }
  expect(threats.cachedDetail(changed)).toMatchObject({ severity: "low", whois: { dnssec: true } });
  anotherProcess.close();

  // As if more changes had been made than the log holds.
  database.sqlite.run("INSERT INTO threat_touches (version, threat_seq) VALUES (200000, 0)");
  database.sqlite.run("UPDATE threats SET registrar = 'Another' WHERE id = ?", [changed]);
  database.sqlite.run("DELETE FROM threat_touches WHERE version < (SELECT max(version) FROM threat_touches)");
  database.sqlite.run("INSERT INTO threat_touches (threat_seq) VALUES (0)");
  expect(threats.cachedDetail(changed)?.registrar).toBe("Another");

  database.sqlite.run("DELETE FROM threats WHERE id = ?", [changed]);
  expect(threats.cachedDetail(changed)).toBeUndefined();
  stores.dispose();
});
