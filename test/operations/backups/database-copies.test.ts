import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import type { Actor } from "../../../src/access/audit/actor.ts";
import { systemClock } from "../../../src/platform/lib/clock.ts";
import { createLog } from "../../../src/platform/lib/log.ts";
import { createAuditLog } from "../../../src/access/audit/audit-log.ts";
import { backUpFile, restoreFile } from "../../../src/operations/backups/file-backups.ts";
import { createDatabaseCopies } from "../../../src/operations/backups/open-backups.ts";
import { createConsoleSessions } from "../../../src/access/console/sessions.ts";
import { openDatabase } from "../../../src/platform/database/database.ts";
import { createCheckStore, requestChecks } from "../../../src/intake/sources/archive-checks/check-store.ts";
import { fillRandom, temporaryFolder } from "../../support/appliance.ts";
import { openStores, type Stores } from "../../support/stores.ts";

const by: Actor = { channel: "command_line", name: "ada", address: null };

let stores: Stores;
let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  stores = openStores();
  folder = temporaryFolder();
});
afterEach(() => {
  stores.dispose();
  folder.dispose();
});

const log = createLog({ level: "silent", format: "json", clock: systemClock, write: () => {} });
const newest = (auditLog = stores.auditLog) => auditLog.list({}, { limit: 1, offset: 0 })[0];

test("a backup of the file is recorded in its audit log, and the copy does not contain the entry", () => {
  const target = join(folder.path, "copy.db");
  const at = stores.clock.now();
  expect(backUpFile({ path: stores.path, target, by, at })).toEqual({ recorded: true });
  expect(newest()).toMatchObject({ ...by, action: "backup.make", subject: target, at, detail: {} });
  const copy = openDatabase(target);
  const actions = createAuditLog({ database: copy, clock: stores.clock }).count({ action: "backup.make" });
  copy.close();
  expect(actions).toBe(0);
});

test("a restored database records the restore, contains no console sessions, and sends no report", () => {
  const { database, clock } = stores;
  for (const delivery of ["queued", "sent"])
    database.sqlite.run(
      `insert into takedown_reports (reference, purpose, recipient_kind, recipient_name, recipient_source, method, subject,
         body, language, created_at, channel, delivery, attempt_at)
       values (?, 'first', 'hoster', 'H', '{}', 'email', 's', 'b', 'en', 0, 'console', ?, 1)`,
      [`PW-${delivery}`, delivery],
    );
  createConsoleSessions({ database, clock, fillRandom, log }).start({
    accountSeq: 1,
    address: null,
    userAgent: "",
  });
  const copy = join(folder.path, "copy.db");
  backUpFile({ path: stores.path, target: copy, by, at: clock.now() });
  const path = join(folder.path, "restored.db");
  const result = restoreFile({ copy, path, by, at: clock.now(), prepare: requestChecks });
  expect(result).toEqual({ keptAs: undefined });
  const restored = openDatabase(path);
  const entry = newest(createAuditLog({ database: restored, clock }));
  const sessions = createConsoleSessions({ database: restored, clock, fillRandom, log }).list();
  const reports = restored.sqlite
    .query("select delivery, attempt_at is null as never from takedown_reports order by seq")
    .values();
  restored.close();
  expect(reports).toEqual([
    ["interrupted", 1],
    ["sent", 0],
  ]);
  expect(entry).toMatchObject({ ...by, action: "backup.restore", subject: copy });
  expect(sessions).toEqual([]);
});

test("the archive is checked for every domain of a restored backup, also of a version that had no archive", () => {
  const { clock, database, domains } = stores;
  const now = clock.now();
  const counts = { namesTotal: 9, namesChecked: 9, found: 0, created: 0 };
  for (const { seq, widenings } of domains.list())
    createCheckStore(database).save({
      protectedDomainSeq: seq,
      widenings,
      state: "completed",
      position: null,
      ...counts,
      startedAt: now,
      completedAt: now,
      error: null,
    });
  const copy = join(folder.path, "copy.db");
  const path = join(folder.path, "restored.db");
  const restore = () =>
    restoreFile({ copy, path, by, at: (clock.advance(60_000), clock.now()), prepare: requestChecks });
  backUpFile({ path: stores.path, target: copy, by, at: now });
  restore();
  const restored = openDatabase(path);
  expect(createCheckStore(restored).domains()).toMatchObject([{ check: null }, { check: null }]);
  restored.close();
  const earlier = new Database(copy);
  earlier.run("DROP TABLE archive_checks");
  earlier.close();
  expect(restore).not.toThrow();
});

test("a backup of a database in use is recorded with its size", async () => {
  const backups = createDatabaseCopies({ ...stores, fillRandom });
  const { bytes, stream } = await backups.create({ by });
  expect((await new Response(stream).arrayBuffer()).byteLength).toBe(bytes);
  expect(newest()).toMatchObject({ ...by, action: "backup.make", subject: null, detail: { bytes } });
});
