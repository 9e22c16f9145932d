import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { configurationFile, system, type Actor } from "../../../src/access/audit/actor.ts";
import { migrateDatabase } from "../../../src/platform/database/migrate.ts";
import type { Status } from "../../../src/platform/vocabulary/threats.ts";
import { temporaryFolder } from "../../support/appliance.ts";
import { openOldDatabase } from "../../support/old-database.ts";
import { analyst, openStores, type Stores } from "../../support/stores.ts";

let stores: Stores;
let id: string;
beforeEach(() => {
  stores = openStores();
  const match = {
    protectedDomain: "example-bank.com",
    type: "typosquatting" as const,
    similarity: 0.9,
    reasons: [],
  };
  const sighting = { domain: "examp1e-bank.com", match, source: "feed" as const, seenAt: stores.clock.now() };
  id = stores.threats.record([sighting])[0]!.threatId;
});
afterEach(() => stores.dispose());

const decidedAt = () => stores.threats.get(id)!.decidedAt;

/** Changes the status an hour later, and returns the time. */
function change(status: Status, by: Actor = analyst): number {
  stores.clock.advance(3_600_000);
  stores.threats.changeStatus([id], status, { by });
  return stores.clock.now();
}

describe("the time of the first decision", () => {
  test("is that of the first resolution or false positive, and later changes keep it", () => {
    expect(decidedAt()).toBeNull();
    const at = change("false_positive");
    expect(decidedAt()).toBe(at);
    change("active");
    change("resolved");
    expect(decidedAt()).toBe(at);
  });

  test("is not that of an automatic change, nor of one that reopens the threat", () => {
    change("resolved", system);
    change("active", system);
    change("resolved", configurationFile);
    change("active");
    expect(decidedAt()).toBeNull();
    const at = change("resolved", { channel: "api", name: "ci", address: null });
    expect(decidedAt()).toBe(at);
  });

  test("is forgotten when that decision is undone, but not when a later one is", () => {
    const decide = (status: Status) => {
      stores.clock.advance(60_000);
      return stores.threats.triage.change([id], status, { by: analyst }).batch!;
    };
    stores.threats.triage.undo(decide("resolved"), { by: analyst });
    expect(decidedAt()).toBeNull();
    decide("false_positive");
    const at = decidedAt();
    expect(at).toBe(stores.clock.now());
    stores.threats.triage.undo(decide("resolved"), { by: analyst });
    expect(decidedAt()).toBe(at);
  });

  test("is filled by the migration from the history, and the name server from the facts", () => {
    const folder = temporaryFolder();
    const sqlite = openOldDatabase(join(folder.path, "old.db"), "_add_decided_at_and_name_server");
    sqlite.run(`insert into protected_domains (seq, id, domain, keywords, allow, origin, enabled, created_at, updated_at)
      values (1, 'dom_1', 'example-bank.com', '[]', '[]', 'runtime', 1, 0, 0)`);
    const insert =
      sqlite.prepare(`insert into threats (id, protected_domain_seq, domain, type, status, severity, similarity,
      source, reasons, severity_reasons, first_seen, created_at, status_changed_at, whois, screenshot_token)
      values ($1, 1, $1, 'homograph', 'active', 'low', 0.9, 'feed', '[]', '[]', 1, 10, 10, $2, '')`);
    insert.run("a.com", "{}");
    insert.run("b.com", JSON.stringify({ name_servers: ["ns2.example.net", "ns1.example.net"] }));
    insert.run("c.com", JSON.stringify({ name_servers: ["ns1.example.net"] }));
    sqlite.run(`insert into threat_history (threat_seq, at, field, before, after, via) values
      (1, 20, 'status', 'active', 'resolved', 'system'), (1, 30, 'status', 'resolved', 'active', 'console'),
      (2, 15, 'severity', 'low', 'high', null), (2, 40, 'status', 'active', 'false_positive', null),
      (2, 50, 'status', 'active', 'resolved', 'console')`);
    sqlite
      .prepare(
        "insert into enrichments (threat_seq, rank, due_at, step, failures, facts, screenshot_failures) values (3, 1, 1, 0, 0, $1, 0)",
      )
      .run(JSON.stringify({ unknown: {}, existence: { nameServers: ["z.example.org", "a.example.org"] } }));
    migrateDatabase(sqlite);
    expect(sqlite.query("select domain, decided_at, name_server from threats order by seq").values()).toEqual(
      [
        ["a.com", null, null],
        ["b.com", 40, "ns1.example.net"],
        ["c.com", null, "a.example.org"],
      ],
    );
    sqlite.close();
    folder.dispose();
  });
});
