import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { system, type Actor } from "../../../src/access/audit/actor.ts";
import { createSettings } from "../../../src/access/settings/settings.ts";
import { recordOutcome } from "../../../src/operations/backups/file-backups.ts";
import { forgetLastStore } from "../../../src/operations/backups/restoring/open-database.ts";
import { createBackups, type Backups } from "../../../src/operations/backups/running/backups.ts";
import type { BackupConfig } from "../../../src/platform/config/sections/backup.ts";
import { createLog } from "../../../src/platform/lib/log.ts";
import { fillRandom, temporaryFolder } from "../../support/appliance.ts";
import { openStores, type Stores } from "../../support/stores.ts";
import { until } from "../../support/until.ts";
import { openFolder } from "./support.ts";

const by: Actor = { channel: "console", name: "ada", address: null };
const minuteMs = 60_000;

let stores: Stores;
let folder: ReturnType<typeof temporaryFolder>;
let backup: BackupConfig;
let lines: { event: string }[];
let listeners: (() => void)[];
let backups: Backups;

beforeEach(() => {
  stores = openStores();
  folder = temporaryFolder();
  lines = [];
  listeners = [];
  backup = {
    schedule: "*/10 * * * *",
    keep: 3,
    location: { kind: "folder", folder: join(folder.path, "backups") },
    s3: { endpoint: null, region: "us-east-1", accessKey: null, secretKey: null },
    encryptWith: null,
  };
  const { auditLog, clock, database } = stores;
  backups = createBackups({
    auditLog,
    clock,
    config: {
      get backup() {
        return backup;
      },
      source: undefined,
    },
    database,
    fillRandom,
    log: createLog({
      level: "info",
      format: "json",
      clock,
      write: (line) => void lines.push(JSON.parse(line)),
    }),
    onConfigChange: (listener) => void listeners.push(listener),
    settings: createSettings({ database, clock }),
    startWorker: undefined,
    version: "0.3.0",
  });
});

afterEach(async () => {
  await backups.stop();
  stores.dispose();
  folder.dispose();
});

const events = () => lines.map(({ event }) => event);
const ids = async () => (await openFolder(join(folder.path, "backups"))).ids();

test("scheduled backups are made, recorded and counted, and one that fails is reported until the next is made", async () => {
  backups.start();
  expect(backups.status()).toMatchObject({ completed: null, overdueSince: null, failuresTotal: 0 });
  stores.clock.advance(10 * minuteMs);
  await until(() => backups.status().completed !== null, "the first backup");
  expect(backups.status()).toMatchObject({ completed: { kept: 1, files: 1 }, failure: null });
  expect(stores.auditLog.list({ action: "backup.make" }, { limit: 9, offset: 0 })).toMatchObject([
    { ...system, subject: backups.status().completed!.id },
  ]);
  expect(events()).toEqual(["backup.completed"]);

  writeFileSync(join(folder.path, "file"), "");
  backup = { ...backup, location: { kind: "folder", folder: join(folder.path, "file") } };
  stores.clock.advance(10 * minuteMs);
  await until(() => backups.status().failure !== null, "the failure");
  expect(backups.status()).toMatchObject({ completed: { kept: 1 }, failuresTotal: 1 });
  expect(events()).toEqual(["backup.completed", "backup.failed"]);

  backup = { ...backup, location: { kind: "folder", folder: join(folder.path, "backups") } };
  await backups.make({ by });
  expect(backups.status()).toMatchObject({ completed: { kept: 2 }, failure: null, failuresTotal: 1 });
  expect(await ids()).toHaveLength(2);
});

test("a scheduled backup that is more than an hour late is overdue since its time, and a command that makes one ends that", () => {
  const startedAt = stores.clock.now();
  const due = Math.ceil((startedAt + 1) / (10 * minuteMs)) * 10 * minuteMs;
  stores.clock.advance(60 * minuteMs);
  expect(backups.status().overdueSince).toBeNull();
  stores.clock.advance(11 * minuteMs);
  expect(backups.status().overdueSince).toBe(due);
  const at = stores.clock.now();
  const completed = {
    at,
    id: "2026-01-01-000000",
    bytes: 1,
    newBytes: 1,
    storedBytes: 1,
    files: 1,
    durationMs: 1,
    kept: 1,
  };
  expect(
    recordOutcome({ path: stores.path, by, at, outcome: { completed, failure: null }, id: completed.id }),
  ).toBe(true);
  expect(backups.status()).toMatchObject({ completed, overdueSince: null });
  // The clock was set back since.
  const later = { ...completed, at: at + 365 * 24 * 60 * minuteMs };
  recordOutcome({ path: stores.path, by, at, outcome: { completed: later } });
  expect(backups.status().overdueSince).toBe(due);
});

test("a failure is reported even if a full disk also prevents that it is stored", async () => {
  writeFileSync(join(folder.path, "file"), "");
  backup = { ...backup, location: { kind: "folder", folder: join(folder.path, "file") } };
  stores.database.sqlite.run("PRAGMA query_only = 1");
  expect(await backups.make({ by }).catch(String)).toContain("ENOTDIR");
  expect(backups.status().failure?.error).toContain("ENOTDIR");
  stores.database.sqlite.run("PRAGMA query_only = 0");
  backup = { ...backup, location: { kind: "folder", folder: join(folder.path, "backups") } };
  await backups.make({ by });
  expect(backups.status()).toMatchObject({ completed: { kept: 1 }, failure: null, failuresTotal: 1 });
});

test("backups are not begun again where the earlier ones disappeared, as on the mount point of a missing disk", async () => {
  await backups.make({ by });
  rmSync(join(folder.path, "backups"), { recursive: true });
  for (const exists of [false, true]) {
    if (exists) mkdirSync(join(folder.path, "backups"));
    expect(await backups.make({ by }).catch(String)).toContain("is the disk mounted?");
  }
  expect(readdirSync(join(folder.path, "backups"))).toEqual([]);
  expect(backups.status().failure).not.toBeNull();
  forgetLastStore(stores.database.sqlite);
  await backups.make({ by });
  expect(await ids()).toHaveLength(1);
});

test("only one backup is made at a time, and a changed schedule applies at once", async () => {
  backups.start();
  const first = backups.make({ by });
  expect(() => backups.make({ by })).toThrow("A backup is being made.");
  await first;
  expect(backups.status().isRunning).toBe(false);
  backup = { ...backup, schedule: null };
  for (const listener of listeners) listener();
  expect(backups.status()).toMatchObject({ nextAt: null, overdueSince: null });
  stores.clock.advance(30 * minuteMs);
  expect(backups.status().isRunning).toBe(false);
  expect(await ids()).toHaveLength(1);
});
