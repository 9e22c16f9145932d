import { Database as Sqlite } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { detailResponseText } from "../../../src/threats/threats/api-object.ts";
import { createDetailCache } from "../../../src/threats/threats/store/detail-cache.ts";
import { analyst, openStores } from "../../support/stores.ts";

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

describe("the response in memory", () => {
  const url = "http://phishwatch.test";

  function open() {
    const stores = openStores();
    const record = (...domains: string[]) =>
      stores.threats
        .record(
          domains.map((domain) => ({
            domain,
            match: { protectedDomain: "example-bank.com", type: "homograph", similarity: 0.9, reasons: [] },
            source: "feed",
            seenAt: stores.clock.now(),
          })),
        )
        .map(({ threatId }) => threatId);
    return { ...stores, record };
  }

  test("follows every change, of this process or another one", () => {
    const { database, dispose, path, record, threats } = open();
    const [changed, other] = record("examp1e-bank.com", "exampie-bank.com") as [string, string];
    const unchanged = threats.detailResponse(other, url);
    const response = () => threats.detailResponse(changed, url);
    const expectFollowed = (change: () => void) => {
      expect(response()).toBeDefined();
      change();
      expect(response()?.text).toBe(detailResponseText(threats.detail(changed)!, url));
      expect(threats.detailResponse(other, url)).toBe(unchanged!);
    };
    expectFollowed(() => threats.changeStatus([changed], "resolved", { by: analyst }));
    expect(response()?.text).toContain('"status":"resolved"');
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
    expect(JSON.parse(response()!.text).data).toMatchObject({ severity: "low", whois: { dnssec: true } });
    anotherProcess.close();

    // As if more changes had been made than the log holds.
    database.sqlite.run("INSERT INTO threat_change_log (version, threat_seq) VALUES (200000, 0)");
    database.sqlite.run("UPDATE threats SET registrar = 'Another' WHERE id = ?", [changed]);
    database.sqlite.run(
      "DELETE FROM threat_change_log WHERE version < (SELECT max(version) FROM threat_change_log)",
    );
    database.sqlite.run("INSERT INTO threat_change_log (threat_seq) VALUES (0)");
    expect(response()?.text).toContain('"registrar":"Another"');

    database.sqlite.run("DELETE FROM threats WHERE id = ?", [changed]);
    expect(response()).toBeUndefined();
    dispose();
  });

  test("contains the public URL in effect", () => {
    const { dispose, record, threats } = open();
    const [id] = record("examp1e-bank.com") as [string];
    for (const publicUrl of [url, url, "https://watch.example.com"]) {
      const response = JSON.parse(threats.detailResponse(id, publicUrl)!.text);
      expect(response.data.screenshot_url).toStartWith(`${publicUrl}/screenshots/${id}/`);
    }
    dispose();
  });

  test("takes limited memory: the oldest makes room, and what is too large is not kept", () => {
    const { database, dispose, record, threats } = open();
    const ids = record("examp1e-bank.com", "exampie-bank.com", "exarnple-bank.com");
    const [first, second, third] = ids as [string, string, string];
    const [large] = record("exannple-bank.com") as [string];
    let text = "x".repeat(1_000);
    const reads: string[] = [];
    const cached = createDetailCache({
      database,
      read(id) {
        reads.push(id);
        return threats.detail(id);
      },
      render: () => text,
      bytesMax: 3_400,
    });
    const readsOf = (...wanted: string[]) => {
      reads.length = 0;
      for (const id of wanted) expect(cached(id, url)?.text).toBe(text);
      return reads;
    };
    expect(readsOf(first, second, first, second)).toEqual([first, second]);
    expect(readsOf(third, second, third)).toEqual([third]);
    expect(readsOf(first, third, first)).toEqual([first]);
    expect(readsOf(second, first)).toEqual([second]);

    // Characters that take two bytes each.
    text = "\u4e2d".repeat(1_000);
    threats.changeStatus(ids, "resolved", { by: analyst });
    expect(readsOf(first, second, first)).toEqual([first, second, first]);

    text = "x".repeat(3_000);
    expect(readsOf(large, large)).toEqual([large, large]);
    text = "\u4e2d".repeat(1_000);
    expect(readsOf(first)).toEqual([]);
    dispose();
  });
});
