import { Database as Sqlite } from "bun:sqlite";
import { afterEach, expect, test } from "bun:test";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { migrateDatabase } from "../../../src/platform/database/migrate.ts";
import { manualClock, temporaryFolder } from "../../support/appliance.ts";
import { startReceiver } from "../../support/receiver.ts";
import { openWebhooks } from "../../support/webhooks.ts";

// A database as the version before `recipients` left it: webhook endpoints in a table of their own.

const migrations = join(import.meta.dir, "../../../drizzle");
const folder = temporaryFolder();
const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanup.splice(0).reverse()) await step();
});

/** Creates a database with the migrations before the one called `tag`. */
function openBefore(tag: string): Sqlite {
  const older = join(folder.path, "drizzle");
  cpSync(migrations, older, { recursive: true });
  const journalPath = join(older, "meta/_journal.json");
  const journal = JSON.parse(readFileSync(journalPath, "utf8")) as { entries: { tag: string }[] };
  const index = journal.entries.findIndex((entry) => entry.tag.endsWith(tag));
  expect(index).toBeGreaterThan(0);
  writeFileSync(journalPath, JSON.stringify({ ...journal, entries: journal.entries.slice(0, index) }));
  const sqlite = new Sqlite(join(folder.path, "phishwatch.db"), { create: true });
  migrateDatabase(sqlite, older);
  return sqlite;
}

test("webhook endpoints and deliveries of an earlier version keep their settings, secrets and log", async () => {
  const clock = manualClock();
  const receiver = startReceiver();
  const now = clock.now();
  const sqlite = openBefore("_recipients");
  const insertEndpoint = sqlite.prepare(
    `INSERT INTO webhook_endpoints (id, name, url, events, secret, previous_secret, previous_secret_until, headers,
       concurrency, rate_per_second, ca_file, client_cert_file, client_key_file, origin, enabled, disabled_reason,
       disabled_at, consecutive_failures, failing_since, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL, NULL, ?, ?, ?, ?, ?, ?, 1, 2)`,
  );
  const socId = "whk_01h455vb4pex5vsknk084sn02q";
  insertEndpoint.run(
    socId,
    "soc",
    receiver.url,
    '["threat.created"]',
    "a-secret-for-tests",
    "the-secret-before",
    now + 5_000,
    '{"X-Team":"soc"}',
    2,
    0.5,
    "runtime",
    1,
    null,
    null,
    3,
    7,
  );
  insertEndpoint.run(
    "whk_01h455vb4pex5vsknk084sn03q",
    "declared",
    "https://soc.example/",
    "[]",
    "another-secret-16",
    null,
    null,
    "{}",
    null,
    null,
    "file",
    0,
    "failing",
    9,
    0,
    null,
  );
  const body = JSON.stringify({ id: "evt_1", type: "threat.created", created_at: "", data: {} });
  sqlite.run(
    "INSERT INTO events (seq, id, type, body, created_at, dispatched_at) VALUES (1, 'evt_1', 'threat.created', ?, ?, ?)",
    [body, now, now],
  );
  sqlite.run(
    `INSERT INTO deliveries (seq, id, event_seq, endpoint_seq, status, attempts, next_attempt_at, created_at)
     VALUES (1, 'dlv_1', 1, 1, 'pending', 1, ?, ?)`,
    [now, now],
  );
  sqlite.run(
    `INSERT INTO delivery_attempts (delivery_seq, started_at, duration_ms, phases, address, status_code, failure, error, answer)
     VALUES (1, ?, 12, '{"waitMs":1.5}', '127.0.0.1', 500, 'status', 'answered 500', 'oops')`,
    [now],
  );
  sqlite.close();

  const webhooks = openWebhooks({ clock, folder });
  cleanup.push(() => webhooks.dispose(), receiver.stop);
  expect(webhooks.endpoints.list()).toMatchObject([
    { name: "declared", origin: "file", enabled: false, disabledReason: "failing", disabledAt: 9 },
    {
      seq: 1,
      id: socId,
      name: "soc",
      url: receiver.url,
      events: ["threat.created"],
      secret: "a-secret-for-tests",
      previousSecret: "the-secret-before",
      previousSecretUntil: now + 5_000,
      headers: { "X-Team": "soc" },
      concurrency: 2,
      ratePerSecond: 0.5,
      caFile: null,
      enabled: true,
      consecutiveFailures: 3,
      failingSince: 7,
      createdAt: 1,
      updatedAt: 2,
    },
  ]);
  expect(webhooks.log.attempts("dlv_1")).toEqual([
    {
      startedAt: now,
      durationMs: 12,
      phases: { waitMs: 1.5 },
      address: "127.0.0.1",
      statusCode: 500,
      failure: "status",
      error: "answered 500",
      response: "oops",
    },
  ]);
  // Equal settings are written only where the stored form differs, and then everything would be written again.
  expect(webhooks.endpoints.change("soc", { events: ["threat.created"] }).updatedAt).toBe(2);

  webhooks.dispatcher.start();
  await webhooks.dispatcher.settled();
  expect(receiver.received.map((request) => request.body)).toEqual([body]);
  expect(receiver.received[0]!.headers["webhook-signature"]!.split(" ")).toHaveLength(2);
  expect(webhooks.log.get("dlv_1")).toMatchObject({ status: "succeeded", attempts: 2 });
  expect(webhooks.database.sqlite.query("PRAGMA foreign_key_check").all()).toEqual([]);
});
