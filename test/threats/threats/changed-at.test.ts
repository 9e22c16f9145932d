import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { migrateDatabase } from "../../../src/platform/database/migrate.ts";
import type { Sighting } from "../../../src/threats/threats/record.ts";
import type { ThreatFacts } from "../../../src/threats/threats/update-facts.ts";
import { temporaryFolder } from "../../support/appliance.ts";
import { openOldDatabase } from "../../support/old-database.ts";
import { analyst, openStores, type Stores } from "../../support/stores.ts";

let stores: Stores;
let id: string;
beforeEach(() => {
  stores = openStores();
  id = sight({});
});
afterEach(() => stores.dispose());

function sight(change: Partial<Sighting>): string {
  const match = {
    protectedDomain: "example-bank.com",
    type: "typosquatting" as const,
    similarity: 0.9,
    reasons: [],
  };
  const seenAt = stores.clock.now();
  return stores.threats.record([{ domain: "examp1e-bank.com", match, source: "feed", seenAt, ...change }])[0]!
    .threatId;
}

const changedAt = () => stores.threats.get(id)!.changedAt;
const exists: ThreatFacts = {
  ipAddress: "192.0.2.1",
  registrar: null,
  whois: {},
  evidence: { exists: "yes", reachable: true, registeredDays: 5 },
};

describe("the time of a threat's last change", () => {
  test("is that of its creation at first", () => {
    expect(changedAt()).toBe(stores.threats.get(id)!.createdAt);
  });

  const cloned = {
    protectedDomain: "example-bank.com",
    type: "cloned_site" as const,
    similarity: 0.9,
    reasons: [],
  };
  const changes: [string, () => void][] = [
    ["its status changes", () => void stores.threats.changeStatus([id], "false_positive", { by: analyst })],
    ["facts about it are found", () => void stores.threats.updateFacts(id, exists, [])],
    ["a source saw it earlier", () => void sight({ seenAt: stores.clock.now() - 86_400_000 })],
    ["a visitor was shown a copy there", () => void sight({ match: cloned, source: "beacon" })],
    [
      "a lookup records a change of a fact that the list does not show",
      () =>
        void stores.threats.updateFacts(id, { ...exists, ipAddress: null, evidence: { exists: "unknown" } }, [
          { field: "title", before: null, after: "Sign in" },
        ]),
    ],
  ];
  test.each(changes)("moves on when %s", (_, change) => {
    stores.clock.advance(5_000);
    change();
    expect(changedAt()).toBe(stores.clock.now());
  });

  test("moves on with each change, also if the clock was set back", () => {
    stores.clock.setBy(-3_600_000);
    const times = [changedAt()];
    for (const change of [changes[0]![1], changes[1]![1], changes[3]![1]]) {
      change();
      times.push(changedAt());
    }
    expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
  });

  test("stays when nothing changes: a lookup finds the same a day later, the name is seen again, the status is set to what it is", () => {
    stores.threats.updateFacts(id, exists, []);
    const before = changedAt();
    stores.clock.advance(86_400_000);
    stores.threats.updateFacts(id, { ...exists, evidence: { ...exists.evidence, registeredDays: 6 } }, []);
    sight({});
    stores.threats.changeStatus([id], "active", { by: analyst });
    expect(changedAt()).toBe(before);
  });

  test("is filled by the migration from what is known of older threats", () => {
    const folder = temporaryFolder();
    const sqlite = openOldDatabase(join(folder.path, "old.db"), "_threat_changes");
    sqlite.run(`insert into protected_domains (seq, id, domain, keywords, allow, origin, enabled, created_at, updated_at)
      values (1, 'dom_1', 'example-bank.com', '[]', '[]', 'runtime', 1, 0, 0)`);
    const insert =
      sqlite.prepare(`insert into threats (id, protected_domain_seq, domain, type, status, severity, similarity,
      source, reasons, severity_reasons, first_seen, created_at, status_changed_at, clone_seen_at, whois, screenshot_token)
      values ($1, 1, $1, 'homograph', 'active', 'low', 0.9, 'feed', '[]', '[]', 1, 10, $2, $3, '{}', '')`);
    insert.run("a.com", 10, null);
    insert.run("b.com", 20, 30);
    insert.run("c.com", 20, null);
    sqlite.run("insert into threat_history (threat_seq, at, field) values (3, 15, 'ip'), (3, 40, 'ip')");
    migrateDatabase(sqlite);
    expect(sqlite.query("select domain, changed_at from threats order by seq").values()).toEqual([
      ["a.com", 10],
      ["b.com", 30],
      ["c.com", 40],
    ]);
    sqlite.close();
    folder.dispose();
  });
});
