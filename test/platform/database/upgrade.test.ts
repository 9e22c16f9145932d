import { Database as Sqlite } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { migrateDatabase } from "../../../src/platform/database/migrate.ts";
import type { TestableServer } from "../../../src/web/api/server.ts";
import { startReceiver } from "../../support/receiver.ts";
import { openReleased, openUpgraded, releasedFolder, releasedVersions } from "../../support/released.ts";
import { until } from "../../support/until.ts";

type Row = Record<string, unknown>;

/** Tables that were replaced: what both versions must agree on, as queries of the old and the new database. */
const replaced: Record<string, [before: string, after: string]> = {
  webhook_endpoints: [
    "SELECT seq, id, name, url, secret, events, enabled, created_at FROM webhook_endpoints ORDER BY seq",
    `SELECT seq, id, name, target ->> 'url' AS url, target ->> 'secret' AS secret, events, enabled, created_at
     FROM recipients ORDER BY seq`,
  ],
  beacons: [
    "SELECT id, name, memo, enabled, address FROM beacons ORDER BY id",
    `SELECT id, name, memo, enabled, address FROM traps JOIN trap_addresses ON trap_seq = seq
     WHERE kind = 'beacon' ORDER BY id`,
  ],
  honeytokens: [
    "SELECT id, name, memo, enabled, expires_at FROM honeytokens ORDER BY id",
    "SELECT id, name, memo, enabled, expires_at FROM traps WHERE kind = 'honeytoken' ORDER BY id",
  ],
  honeytoken_addresses: [
    "SELECT address, replaced_at FROM honeytoken_addresses ORDER BY address",
    `SELECT address, replaced_at FROM trap_addresses JOIN traps ON trap_seq = seq
     WHERE kind = 'honeytoken' ORDER BY address`,
  ],
};
/** Columns whose content has another form since a version. Their tests are those of the migrations. */
const rewritten = new Set(["threats.reasons", "threats.severity_reasons", "deliveries.endpoint_seq"]);
/** Tables and columns that were renamed, by the name before. */
const renamed: Record<string, string> = {
  triage_acts: "triage_batches",
  registration_answers: "registration_responses",
  trap_hits: "trap_visits",
  trap_counts: "trap_visit_totals",
  notification_queue: "queued_changes",
  notification_incidents: "open_incidents",
  act_seq: "batch_seq",
};
/** Tables that describe other tables, or that are filled again. */
const derived = new Set(["__drizzle_migrations", "sqlite_sequence", "threat_touches"]);
/** Rows that moved to another table, by the table that they left. */
const moved: Record<string, { left: string; to: string }> = {
  audit_log: { left: "action = 'console.sign_in_failed'", to: "failed_sign_ins" },
};

const folders: { dispose: () => void }[] = [];
afterAll(() => folders.forEach(({ dispose }) => dispose()));

const tablesOf = (sqlite: Sqlite) =>
  sqlite
    .query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table'")
    .all()
    .map(({ name }) => name);

const countOf = (sqlite: Sqlite, from: string) =>
  sqlite.query<{ count: number }, []>(`SELECT count(*) AS count FROM ${from}`).get()!.count;

/** Returns the rows by primary key. */
function rowsOf(sqlite: Sqlite, table: string): Map<string, Row> {
  const columns = sqlite.query<{ name: string; pk: number }, []>(`PRAGMA table_info("${table}")`).all();
  const keys = columns.filter(({ pk }) => pk > 0).map(({ name }) => name);
  const rows = sqlite.query<Row, []>(`SELECT * FROM "${table}"`).all();
  return new Map(rows.map((row) => [JSON.stringify(keys.map((key) => row[key])), row]));
}

/** Returns the schema without differences that mean nothing. */
function schemaOf(sqlite: Sqlite): Record<string, string> {
  const rows = sqlite
    .query<{ type: string; name: string; sql: string }, []>(
      "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY type, name",
    )
    .all();
  return Object.fromEntries(
    rows.map(({ type, name, sql }) => [
      `${type} ${name}`,
      sql.replaceAll(/[`"]/g, "").replaceAll(/\s+/g, " "),
    ]),
  );
}

for (const released of releasedVersions) {
  const { version } = released;

  test(`the upgrade from ${version} keeps every row and every reference`, () => {
    const before = openReleased(released);
    const after = openReleased(released);
    migrateDatabase(after);
    expect(after.query("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
    expect(after.query("PRAGMA foreign_key_check").all()).toEqual([]);
    const kept = new Set(tablesOf(after));
    for (const former of tablesOf(before).filter((name) => !derived.has(name))) {
      const table = renamed[former] ?? former;
      if (!kept.has(table)) {
        const [old, current] = replaced[former]!;
        expect(after.query(current).all()).toEqual(before.query(old).all());
        continue;
      }
      const move = moved[table];
      const left = move === undefined ? 0 : countOf(before, `${table} WHERE ${move.left}`);
      const rows = rowsOf(after, table);
      expect([table, rows.size]).toEqual([table, countOf(before, former) - left]);
      if (left > 0) expect(countOf(after, move!.to)).toBe(left);
      for (const [key, row] of rowsOf(before, former)) {
        const now = rows.get(key);
        if (now === undefined) expect(left).toBeGreaterThan(0);
        else
          for (const [column, value] of Object.entries(row))
            if (!rewritten.has(`${table}.${column}`))
              expect([table, column, now[renamed[column] ?? column]]).toEqual([table, column, value]);
      }
    }
  });

  test(`the upgrade from ${version} ends with the schema of a new database`, () => {
    const upgraded = openReleased(released);
    migrateDatabase(upgraded);
    const created = new Sqlite(":memory:");
    migrateDatabase(created);
    expect(schemaOf(upgraded)).toEqual(schemaOf(created));
  });

  test(`no migration of ${version} has changed since its release`, () => {
    const present = new Map(
      readMigrationFiles({ migrationsFolder: join(import.meta.dir, "../../../drizzle") }).map(
        ({ folderMillis, hash }) => [folderMillis, hash],
      ),
    );
    const applied = openReleased(released)
      .query<{ hash: string; created_at: number }, []>("SELECT hash, created_at FROM __drizzle_migrations")
      .all();
    expect(applied.length).toBeGreaterThan(0);
    for (const { hash, created_at } of applied) expect(present.get(Number(created_at))).toBe(hash);
  });

  test(`after the upgrade from ${version}, the API responds as before and deliveries in flight arrive`, async () => {
    const place = releasedFolder(released);
    folders.push(place);
    const before = openReleased(released);
    // All events that an endpoint still has to receive: deliveries that wait, and events that no server has seen.
    const recipients = tablesOf(before).includes("recipients") ? "recipients" : "webhook_endpoints";
    const waiting = before
      .query<{ id: string }, []>(
        `SELECT events.id FROM deliveries JOIN events ON events.seq = event_seq
         JOIN ${recipients} AS r ON r.seq = ${recipients === "recipients" ? "deliveries.recipient_seq" : "endpoint_seq"}
         WHERE deliveries.status = 'pending' AND r.name = 'down'
         UNION SELECT id FROM events WHERE dispatched_at IS NULL`,
      )
      .all()
      .map(({ id }) => id);
    expect(waiting.length).toBeGreaterThan(2);

    const receiver = startReceiver();
    const app = openUpgraded(place);
    try {
      app.server.listen();
      const url = `http://127.0.0.1:${(app.server as TestableServer).port}`;
      const headers = { authorization: `Bearer ${released.apiKey}` };
      expect(released.responses.length).toBeGreaterThan(10);
      for (const { path, status, body } of released.responses) {
        const response = await fetch(`${url}${path}`, { headers });
        const now = (await response.json()) as { error?: { code: string } };
        expect([path, response.status]).toEqual([path, status]);
        // Additions are allowed, but nothing may be missing or different. Messages of errors are for people.
        if (status === 200) expect(now).toMatchObject(body as object);
        else expect(now.error!.code).toBe((body as { error: { code: string } }).error.code);
      }
      const by = { channel: "command_line", name: "tester", address: null } as const;
      app.webhooks.endpoints.change("down", { url: receiver.url }, { by });
      await app.start();
      const arrived = () => new Set(receiver.eventIds());
      await until(() => waiting.every((id) => arrived().has(id)), "everything that waited is delivered");
      expect(receiver.received.length).toBe(arrived().size);
    } finally {
      await app.server.stop(100);
      await app.stop();
      app.close();
      await receiver.stop();
    }
  });
}
