import { afterEach, beforeEach, expect, test } from "bun:test";
import type { Actor } from "../../src/access/audit/actor.ts";
import { auditEntriesMax, createAuditLog } from "../../src/access/audit/audit-log.ts";
import {
  createFailedSignIns,
  networksPerHourMax,
  otherNetworks,
} from "../../src/access/audit/failed-sign-ins.ts";
import { openDatabase } from "../../src/platform/database/database.ts";
import { openConsoleApp, type ConsoleApp } from "../support/console.ts";
import { openApp } from "../../src/app/app.ts";
import { loadConfig } from "../../src/platform/config/load.ts";
import { createLog } from "../../src/platform/lib/log.ts";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { batchOfNames } from "../support/name-batches.ts";
import { fillRandom, manualClock, temporaryFolder } from "../support/appliance.ts";
import { openOldDatabase } from "../support/old-database.ts";

let opened: ConsoleApp;
beforeEach(() => void (opened = openConsoleApp()));
afterEach(() => opened.dispose());

const by: Actor = { channel: "command_line", name: "ada", address: null };
const entries = (app = opened.app) => app.auditLog.list({}, { limit: 1_000, offset: 0 }).toReversed();
const actions = (app = opened.app) => entries(app).map(({ action }) => action);

test("each change of keys, domains and webhook endpoints is recorded once with its actor and without secrets, and a no-op is not", async () => {
  const { keys, domains, webhooks } = opened.app;
  const { key, record } = keys.create({ name: "ci" }, { by });
  keys.revoke(record.id, { by });
  keys.revoke(record.id, { by });
  domains.add({ domain: "example-bank.com" }, { by });
  domains.change("example-bank.com", { keywords: ["examplepay"] }, { by });
  domains.change("example-bank.com", { keywords: ["examplepay"] }, { by });
  domains.remove("example-bank.com", { by });
  const { endpoints } = webhooks;
  const url = "http://127.0.0.1:9/hooks/a-secret-path?token=a-secret-token";
  const { endpoint, secret } = endpoints.add(
    { url, name: "soc", headers: { Authorization: "a-secret-header" } },
    { by },
  );
  endpoints.change("soc", { events: ["threat.created"] }, { by });
  endpoints.change("soc", { events: ["threat.created"] }, { by });
  endpoints.disable("soc", { by });
  endpoints.disable("soc", { by });
  endpoints.enable("soc", { by });
  const rotated = endpoints.rotate("soc", { by });
  endpoints.endRotation("soc", { by });
  await endpoints.remove("soc", { by });
  expect(actions()).toEqual([
    "key.create",
    "key.revoke",
    "domain.add",
    "domain.change",
    "domain.remove",
    "webhook.add",
    "webhook.change",
    "webhook.disable",
    "webhook.enable",
    "webhook.rotate",
    "webhook.end_rotation",
    "webhook.remove",
  ]);
  expect(entries().every(({ channel, name }) => channel === "command_line" && name === "ada")).toBe(true);
  expect(entries()[5]).toMatchObject({ subject: `soc (${endpoint.id})`, detail: { host: "127.0.0.1:9" } });
  const stored = JSON.stringify(entries());
  for (const hidden of [key, secret, rotated.secret, "a-secret"]) expect(stored).not.toContain(hidden);
});

test("decisions, undos and notes of people are recorded once per batch, and those of API clients are not", () => {
  const { domains, threats } = opened.app;
  domains.add({ domain: "example-bank.com" }, { by });
  const match = { protectedDomain: "example-bank.com", type: "combosquatting", similarity: 0.9, reasons: [] };
  const seen = { match, source: "feed", seenAt: Date.now() } as const;
  const [one, other] = threats
    .record(["a", "b"].map((letter) => ({ ...seen, domain: `example-bank-${letter}.com` })) as never)
    .map(({ threatId }) => threatId) as [string, string];
  const person: Actor = { channel: "console", name: null, address: "192.0.2.7" };
  threats.changeStatus([one], "resolved", { by });
  threats.changeStatus([one], "resolved", { by });
  const { batch } = threats.triage.change([one, other, other], "false_positive", { by: person });
  threats.triage.change([one], "false_positive", { by: person });
  threats.triage.undo(batch!, { by: person });
  threats.triage.undo(batch!, { by: person });
  threats.notes.add(other, "a note with a secret", { by: person });
  threats.changeStatus([one], "active", { by: { channel: "api", name: "ci", address: null } });
  expect(entries().map(({ channel, action, subject, detail }) => [channel, action, subject, detail])).toEqual(
    [
      ["command_line", "domain.add", "example-bank.com", { keywords: [], allow: [] }],
      ["command_line", "threat.change_status", `example-bank-a.com (${one})`, { status: "resolved" }],
      ["console", "threat.change_status", "2 threats", { status: "false_positive" }],
      ["console", "threat.undo_change", null, { threats: 2, changed_since: 0, decided_by: "console" }],
      ["console", "threat.note", `example-bank-b.com (${other})`, {}],
    ],
  );
});

test("a list that a command imports is recorded with its counts, even if reading it fails after a commit", async () => {
  const { domains, imports } = opened.app;
  domains.add({ domain: "example-bank.com" }, { by });
  const reading = async function* (fails: boolean) {
    yield batchOfNames(["example-bank.net", "unrelated.com"], {
      start: { position: 0, line: 1 },
      end: { position: 31, line: 3 },
    });
    if (fails) throw new Error("the list is truncated");
  };
  const imported = (fails: boolean) =>
    imports.process(
      {
        name: "list.txt",
        format: "auto",
        column: "",
        bytesTotal: 31,
        batches: reading(fails),
        bytes: () => 31,
      },
      { by, source: "feed" },
    );
  expect(await imported(false)).toMatchObject({ received: 2, created: 1 });
  await expect(imported(true)).rejects.toThrow("truncated");
  const subject = "list.txt";
  const detail = { source: "feed", received: 2, matched: 1 };
  expect(entries().slice(1)).toMatchObject([
    { ...by, action: "feed.import", subject, detail: { ...detail, created: 1 } },
    { ...by, action: "feed.import", subject, detail: { ...detail, created: 0 } },
  ]);
});

test("a change that is rolled back leaves no entry", () => {
  const { keys, database } = opened.app;
  expect(() =>
    database.transaction(() => {
      keys.create({ name: "ci" }, { by });
      throw new Error("undone");
    }),
  ).toThrow("undone");
  expect(() => keys.create({ name: "" }, { by })).toThrow("The name of an API key");
  expect(actions()).toEqual([]);
});

test("a change of the configuration file is recorded at the next start, and only then", () => {
  const text = readFileSync(opened.configPath, "utf8");
  const start = (more: string) => {
    writeFileSync(opened.configPath, `${text}\n${more}`);
    const loaded = loadConfig({ path: opened.configPath, env: {}, readFile: readFileSync });
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
    const clock = manualClock();
    const log = createLog({ level: "silent", format: "json", clock, write: () => {} });
    const app = openApp({ config: loaded.config, clock, log, fillRandom });
    const recorded = entries(app);
    app.close();
    return recorded;
  };
  const declared = `[[protected_domains]]
domain = "example-bank.com"
[[api_keys]]
name = "ci"
key = "a-declared-key-0123456789"
[[webhooks.endpoints]]
name = "soc"
url = "http://127.0.0.1:9/hook"
secret = "a-declared-secret-0123"
`;
  const first = start(declared);
  expect(first.map(({ action, channel }) => `${channel} ${action}`)).toEqual([
    "configuration domain.add",
    "configuration key.create",
    "configuration webhook.add",
  ]);
  expect(start(declared).length).toBe(3);
  const changed = start(
    declared.replace('name = "ci"', 'name = "ci"\nplan = "free"').replace("secret-0123", "secret-4567"),
  );
  expect(changed.slice(3).map(({ action }) => action)).toEqual(["key.change", "webhook.rotate"]);
  const gone = start("");
  expect(gone.slice(5).map(({ action }) => action)).toEqual([
    "domain.remove",
    "key.revoke",
    "webhook.disable",
  ]);
  expect(JSON.stringify(gone)).not.toContain("a-declared");
});

test("10,100 failed sign-ins from any number of networks displace no administrative action", () => {
  const { auditLog, database } = opened.app;
  const clock = manualClock();
  const failedSignIns = createFailedSignIns({ database, clock });
  auditLog.record(by, "key.create", "the first");
  database.transaction(() => {
    for (let failure = 0; failure < 10_100; failure += 1) {
      // 2 per second, as if thousands of hosts guessed.
      if (failure % 2 === 0) clock.advance(1_000);
      failedSignIns.record(`192.0.${failure % 7}.${failure % 251}`);
    }
  });
  auditLog.record(by, "key.create", "the last");
  expect(actions()).toEqual(["key.create", "key.create"]);
  const counts = failedSignIns.list({ limit: 1_000, offset: 0 });
  expect(counts.reduce((sum, { attempts }) => sum + attempts, 0)).toBe(10_100);
  expect(counts.length).toBe(failedSignIns.count());
  // 1.4 hours, in which two full hours may begin.
  expect(counts.length).toBeLessThanOrEqual(3 * (networksPerHourMax + 1));
});

test("failed sign-ins are counted by network and hour, with the first, the last and the latest address", () => {
  const clock = manualClock(Date.UTC(2026, 0, 15, 12, 58));
  const failedSignIns = createFailedSignIns({ database: opened.app.database, clock });
  const attempts = ["192.0.2.7", "192.0.2.7", "2001:db8:1:2::9", "2001:db8:1:2:ffff::1", null, "192.0.2.7"];
  for (const address of attempts) {
    failedSignIns.record(address);
    clock.advance(30_000);
  }
  const hour = Date.UTC(2026, 0, 15, 12);
  const minuteMs = 60_000;
  const at = (minutes: number) => hour + minutes * minuteMs;
  expect(
    failedSignIns
      .list({ limit: 10, offset: 0 })
      .map((row) => [row.hour, row.network, row.attempts, row.firstAt, row.lastAt, row.address]),
  ).toEqual([
    [at(60), "192.0.2.7", 1, at(60.5), at(60.5), "192.0.2.7"],
    [at(60), "", 1, at(60), at(60), null],
    [hour, "2001:db8:1:2::/64", 2, at(59), at(59.5), "2001:db8:1:2:ffff::1"],
    [hour, "192.0.2.7", 2, at(58), at(58.5), "192.0.2.7"],
  ]);
  expect(failedSignIns.attemptsSince(clock.now() - minuteMs)).toBe(6);
  clock.advance(26 * 3_600_000);
  expect(failedSignIns.attemptsSince(clock.now() - 24 * 3_600_000)).toBe(0);
});

test("networks beyond 200 in an hour are counted together, and the oldest counts are deleted", () => {
  const { database } = opened.app;
  const clock = manualClock();
  const failedSignIns = createFailedSignIns({ database, clock });
  database.transaction(() => {
    for (let hour = 0; hour < 52; hour += 1) {
      for (let host = 0; host < 250; host += 1) failedSignIns.record(`198.51.100.${host}`);
      clock.advance(3_600_000);
    }
  });
  const counts = failedSignIns.list({ limit: 100_000, offset: 0 });
  expect(counts).toHaveLength(10_000);
  const newest = counts.filter(({ hour }) => hour === counts[0]!.hour);
  expect(newest).toHaveLength(networksPerHourMax + 1);
  expect(newest.find(({ network }) => network === otherNetworks)?.attempts).toBe(50);
});

test("the audit log keeps the latest 100,000 entries, however their numbers are", () => {
  const { auditLog, database } = opened.app;
  auditLog.record(by, "key.create", "the first");
  // As after years in which failed sign-ins were entries and took numbers.
  database.sqlite.run(
    `update sqlite_sequence set seq = ${auditEntriesMax + 50_000} where name = 'audit_log'`,
  );
  for (let count = 0; count < 100; count++) auditLog.record(by, "key.create", "later");
  expect(entries()[0]!.subject).toBe("the first");
  // Up to the last hundred, which deletes the oldest: each entry by the service would take seconds.
  database.sqlite.run(
    `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${auditEntriesMax - 100})
      insert into audit_log (at, via, action, detail) select n, 'console', 'key.revoke', '{}' from numbers`,
  );
  for (let count = 0; count < 100; count++) auditLog.record(by, "key.revoke", "latest");
  expect(auditLog.count({ action: "key.create" })).toBeLessThan(100);
  expect(auditLog.count({})).toBeGreaterThanOrEqual(auditEntriesMax);
  expect(auditLog.count({})).toBeLessThan(auditEntriesMax + 100);
}, 60_000);

test("a database of the version before keeps its failed sign-ins as counts, and all other entries", () => {
  const folder = temporaryFolder();
  const path = join(folder.path, "old.db");
  const sqlite = openOldDatabase(path, "_failed_sign_ins");
  const hour = Date.UTC(2026, 0, 15, 12);
  const insert = sqlite.prepare(
    "insert into audit_log (at, via, address, action, detail) values (?, 'console', ?, ?, '{}')",
  );
  for (const [minute, address, action] of [
    [1, "192.0.2.7", "console.sign_in_failed"],
    [2, null, "console.sign_in_failed"],
    [3, "192.0.2.7", "console.sign_in"],
    [9, "192.0.2.7", "console.sign_in_failed"],
    [61, "192.0.2.7", "console.sign_in_failed"],
  ] as const)
    insert.run(hour + minute * 60_000, address, action);
  insert.finalize();
  sqlite.close();
  const database = openDatabase(path);
  const clock = manualClock();
  expect(createAuditLog({ database, clock }).list({}, { limit: 10, offset: 0 })).toMatchObject([
    { action: "console.sign_in", address: "192.0.2.7" },
  ]);
  const counts = createFailedSignIns({ database, clock }).list({ limit: 10, offset: 0 });
  expect(
    counts.map((row) => [
      row.network,
      row.attempts,
      (row.firstAt - hour) / 60_000,
      (row.lastAt - hour) / 60_000,
    ]),
  ).toEqual([
    ["192.0.2.7", 1, 61, 61],
    ["192.0.2.7", 2, 1, 9],
    ["", 1, 2, 2],
  ]);
  database.close();
  folder.dispose();
});
