import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "bun:test";
import type { Database } from "../../../src/platform/database/database.ts";
import { createDueDeliveries } from "../../../src/messaging/deliveries/due.ts";
import { temporaryFolder } from "../../support/appliance.ts";
import { openNewDatabase } from "../../support/new-database.ts";

const deliveryCount = 600;
const now = 1_000_000;

let folder: ReturnType<typeof temporaryFolder>;
let database: Database;
beforeEach(() => {
  folder = temporaryFolder();
  database = openNewDatabase(join(folder.path, "phishwatch.db"));
  const { sqlite } = database;
  sqlite.run(`INSERT INTO recipients (seq, id, channel, name, target, events, origin, enabled, consecutive_failures, created_at, updated_at)
    VALUES (1, 'a', 'webhook', 'a', '{}', '[]', 'runtime', 1, 0, 0, 0)`);
  const numbers = `WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ${deliveryCount})`;
  sqlite.run(
    `${numbers} INSERT INTO events (id, type, body, created_at) SELECT n, 'ping', '{}', 0 FROM number`,
  );
  // Each tenth is due now.
  sqlite.run(
    `${numbers} INSERT INTO deliveries (id, event_seq, recipient_seq, status, attempts, next_attempt_at, created_at)
     SELECT n, n, 1, 'pending', 1, iif(n % 10 = 0, ${now}, ${now} + 500 + n), 0 FROM number`,
  );
});
afterEach(() => {
  database.close();
  folder.dispose();
});

const open = () => createDueDeliveries({ database, defaultRate: () => null });
const dueTimes = () =>
  database.sqlite
    .query<{ at: number }, []>("SELECT next_attempt_at AS at FROM deliveries ORDER BY seq")
    .all()
    .map(({ at }) => at);

test("due times follow a clock that is set back, in several writes, each of them once", async () => {
  let commits = 0;
  database.observe({ failed() {}, changed: () => void (commits += 1) });
  const before = dueTimes();
  expect(await open().moveBack(-400, { now, isStopping: () => false })).toBe(deliveryCount * 0.9);
  expect(dueTimes()).toEqual(before.map((at) => (at > now ? at - 400 : at)));
  expect(commits).toBe(3);
});

test("due times stay as they are once the server stops", async () => {
  const before = dueTimes();
  expect(await open().moveBack(-400, { now, isStopping: () => true })).toBe(0);
  expect(dueTimes()).toEqual(before);
});
