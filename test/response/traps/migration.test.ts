import { Database as Sqlite } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createAuditLog } from "../../../src/access/audit/audit-log.ts";
import { openDatabase } from "../../../src/platform/database/database.ts";
import { migrateDatabase } from "../../../src/platform/database/migrate.ts";
import { createIdFactory } from "../../../src/platform/lib/ids.ts";
import { beacon } from "../../../src/response/traps/kinds/beacon/beacon.ts";
import { ownHosts } from "../../../src/response/traps/kinds/beacon/details.ts";
import { honeytoken } from "../../../src/response/traps/kinds/honeytoken/honeytoken.ts";
import { createTrapStore } from "../../../src/response/traps/trap-store.ts";
import { createTrapsOfKind, type TrapDependencies } from "../../../src/response/traps/traps-of-kind.ts";
import { createVisitStore } from "../../../src/response/traps/visits/store.ts";
import { fillRandom, manualClock, temporaryFolder } from "../../support/appliance.ts";

/** The last version with one table for beacons and another one for honeytokens. */
const versionBefore = "0012";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => void (folder = temporaryFolder()));
afterEach(() => folder.dispose());

/** Returns a folder with the migrations up to the given one. */
function migrationsUpTo(number: string): string {
  const migrations = join(folder.path, "drizzle");
  cpSync(join(import.meta.dir, "../../../drizzle"), migrations, { recursive: true });
  const journal = join(migrations, "meta/_journal.json");
  const content = JSON.parse(readFileSync(journal, "utf8")) as { entries: { tag: string }[] };
  const entries = content.entries.filter(({ tag }) => tag.slice(0, 4) <= number);
  writeFileSync(journal, JSON.stringify({ ...content, entries }));
  return migrations;
}

test("a database of an older version keeps its traps with their addresses, states, and visits", () => {
  const path = join(folder.path, "phishwatch.db");
  const old = new Sqlite(path, { create: true, readwrite: true, strict: true });
  migrateDatabase(old, migrationsUpTo(versionBefore));
  old.run(`
    insert into protected_domains (seq, id, domain, keywords, allow, origin, enabled, created_at, updated_at)
      values (7, 'dom_1', 'example-bank.com', '[]', '["example-bank.net"]', 'runtime', 1, 1, 1);
    insert into beacons (seq, id, protected_domain_seq, name, address, allow, memo, enabled, created_at)
      values (3, 'bcn_1', 7, 'sign-in', 'bbbbbbbbbbbbbbbbbbbbbbbbbb', '["partner.test"]', 'main site', 1, 10),
             (4, 'bcn_2', 7, 'wiki', 'cccccccccccccccccccccccccc', '[]', '', 0, 20);
    insert into honeytokens (seq, id, name, kind, memo, answer, enabled, expires_at, created_at)
      values (3, 'tok_1', 'wiki', 'url', 'in the wiki', '{"kind":"redirect","url":"https://a.test/"}', 1, 5000, 15),
             (9, 'tok_2', 'pixel', 'pixel', '', '{"kind":"not_found"}', 1, null, 25);
    insert into honeytoken_addresses (address, token_seq, created_at, replaced_at)
      values ('tttttttttttttttttttttttttt', 3, 15, 18),
             ('uuuuuuuuuuuuuuuuuuuuuuuuuu', 3, 18, 18),
             ('vvvvvvvvvvvvvvvvvvvvvvvvvv', 3, 18, null),
             ('wwwwwwwwwwwwwwwwwwwwwwwwww', 9, 25, null);
    insert into trap_hits (trap_id, class, visitor, url, headers, first_at, last_at, count)
      values ('tok_1', 'visit', 'v', '/t/x', '[]', 30, 40, 2);
    insert into trap_counts (trap_id, class, total, last_at) values ('tok_1', 'visit', 2, 40);
  `);
  old.close();

  const database = openDatabase(path);
  const store = createTrapStore(database);
  const visits = createVisitStore(database);
  const clock = manualClock();
  const shared: TrapDependencies = {
    auditLog: createAuditLog({ database, clock }),
    clock,
    database,
    domains: { find: () => undefined },
    fillRandom,
    ids: createIdFactory(clock.now, fillRandom),
    store,
    visits,
  };
  const [first, second] = createTrapsOfKind(beacon, shared).list();
  expect(first).toMatchObject({
    id: "bcn_1",
    name: "sign-in",
    address: "b".repeat(26),
    oldAddresses: [],
    memo: "main site",
    enabled: true,
    expiresAt: null,
    createdAt: 10,
  });
  expect(ownHosts(first!)).toEqual(["example-bank.com", "example-bank.net", "partner.test"]);
  expect(second).toMatchObject({ id: "bcn_2", name: "wiki", enabled: false, details: { allow: [] } });
  const tokens = createTrapsOfKind(honeytoken, shared);
  expect(tokens.list().map(({ id }) => id)).toEqual(["tok_1", "tok_2"]);
  expect(tokens.get("wiki")).toMatchObject({
    id: "tok_1",
    address: "v".repeat(26),
    oldAddresses: ["u".repeat(26), "t".repeat(26)],
    details: { kind: "url", response: { kind: "redirect", url: "https://a.test/" } },
    expiresAt: 5_000,
  });
  expect(store.findLive("honeytoken", "t".repeat(26), 4_999)?.id).toBe("tok_1");
  expect(store.findLive("honeytoken", "t".repeat(26), 5_000)).toBeUndefined();
  expect(store.findLive("beacon", "c".repeat(26), 0)).toBeUndefined();
  expect(visits.list("tok_1", { limit: 9 })).toMatchObject([{ count: 2, firstAt: 30 }]);
  expect(visits.totals("tok_1")).toEqual([{ class: "visit", total: 2, lastAt: 40 }]);
  database.close();
});
