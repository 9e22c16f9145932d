import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createCertificateEnds } from "../../../src/operations/conditions/certificate-ends.ts";
import {
  backupCondition,
  certificateConditions,
  diskCondition,
  logListNews,
  overdueCondition,
  recipientConditions,
  databaseCondition,
  reloadCondition,
  resolverCondition,
  scanCondition,
  sourceConditions,
} from "../../../src/operations/conditions/observed.ts";
import type { Recipient } from "../../../src/messaging/deliveries/recipients.ts";
import type { SourceStatus } from "../../../src/intake/sources/source.ts";
import { manualClock, temporaryFolder } from "../../support/appliance.ts";
import { createAuthority } from "../../support/certificates.ts";

const minuteMs = 60_000;
const dayMs = 86_400_000;
const now = Date.UTC(2026, 10, 22, 12);

function sourceState(changes: Partial<SourceStatus>) {
  const status: SourceStatus = {
    name: "nrd",
    location: "/feeds/nrd",
    state: "watching",
    problem: null,
    overdue: null,
    latest: null,
    lastReadAt: null,
    amounts: [],
    invalid: 0,
    matched: 0,
    created: 0,
    ...changes,
  };
  return sourceConditions([{ kind: "feed", status: () => status }]);
}

describe("a source", () => {
  test("that cannot be read says what to check, and is linked to the sources", () => {
    const [found] = sourceState({ state: "unavailable", problem: "the path does not exist" });
    expect(found).toMatchObject({
      page: "sources",
      began: { text: expect.stringMatching(/^The path does not exist\. Check its settings/) },
    });
  });

  test.each([
    ["that works is clear", {}, "clear"],
    ["that was not checked yet is unknown", { state: "waiting" }, "unknown"],
    ["that cannot be read has stopped", { state: "unavailable", problem: "no such file" }, "holds"],
    ["with a problem has stopped", { problem: "status 403" }, "holds"],
    ["that is overdue has stopped", { overdue: { usualMs: dayMs, sinceMs: 3 * dayMs } }, "holds"],
  ] as const)("%s", (_what, changes, state) => {
    expect(sourceState(changes)).toMatchObject([{ key: "source feed nrd", state }]);
  });

  test("that a person paused has no condition", () => {
    expect(sourceState({ state: "paused", problem: "no such file" })).toEqual([]);
  });

  test("names its problem, and for how long nothing arrived", () => {
    const [found] = sourceState({ problem: "status 403", overdue: { usualMs: dayMs, sinceMs: 3 * dayMs } });
    expect(found?.began).toEqual({
      title: "The feed nrd has stopped",
      text: "Status 403. Nothing new for 3 days; usually something arrives every 24 h.",
    });
  });
});

function recipientState(changes: Partial<Recipient>) {
  const recipient: Recipient = {
    seq: 7,
    id: "whk_1",
    name: "soc",
    channel: "webhook",
    target: {},
    events: [],
    filter: null,
    concurrency: null,
    ratePerSecond: null,
    origin: "file",
    enabled: true,
    disabledReason: null,
    disabledAt: null,
    consecutiveFailures: 0,
    failingSince: null,
    lastFailure: null,
    nextProbeAt: null,
    createdAt: 0,
    updatedAt: 0,
    ...changes,
  };
  return recipientConditions([recipient], { now, nounOf: () => "webhook endpoint" });
}

describe("a recipient", () => {
  test.each([
    ["that works is clear", {}, "clear"],
    ["that failed twice is unknown", { consecutiveFailures: 2, failingSince: now - dayMs }, "unknown"],
    [
      "that has failed for a minute is unknown",
      { consecutiveFailures: 9, failingSince: now - minuteMs },
      "unknown",
    ],
    [
      "that has failed three times in five minutes is failing",
      { consecutiveFailures: 3, failingSince: now - 5 * minuteMs },
      "holds",
    ],
    [
      "that was disabled because it failed is failing",
      { enabled: false, disabledReason: "failing" },
      "holds",
    ],
  ] as const)("%s", (_what, changes, state) => {
    expect(recipientState(changes)).toMatchObject([{ key: "recipient whk_1", state, exceptRecipient: 7 }]);
  });

  test("is linked to: an endpoint or a channel", () => {
    expect(recipientState({})).toMatchObject([{ page: { endpoint: "whk_1" } }]);
    expect(recipientState({ id: "chn_1", channel: "slack" })).toMatchObject([{ page: { channel: "chn_1" } }]);
  });

  test("that a person disabled has no condition", () => {
    expect(recipientState({ enabled: false, disabledReason: "operator", consecutiveFailures: 9 })).toEqual(
      [],
    );
  });
});

test("a scan that failed is a condition until one completes", () => {
  expect(scanCondition(undefined).state).toBe("unknown");
  expect(scanCondition({ status: "failed", error: "no resolver responds" })).toMatchObject({
    state: "holds",
    began: { title: "The last scan failed", text: "No resolver responds." },
  });
  expect(scanCondition({ status: "completed", error: null }).state).toBe("clear");
});

test("resolvers that cannot be used, a damaged database, and a file that cannot be applied are conditions", () => {
  expect(resolverCondition(null).state).toBe("clear");
  expect(resolverCondition(undefined).state).toBe("unknown");
  expect(databaseCondition({ problem: undefined, quickCheck: null }).state).toBe("unknown");
  expect(resolverCondition("no resolver responds")).toMatchObject({
    state: "holds",
    began: { text: "No resolver responds." },
  });
  expect(databaseCondition({ problem: undefined, quickCheck: { at: now, result: "ok" } }).state).toBe(
    "clear",
  );
  expect(databaseCondition({ problem: "the file was removed", quickCheck: null })).toMatchObject({
    state: "holds",
    began: { title: "The database fails", text: "The file was removed." },
  });
  expect(reloadCondition({ result: "unchanged", errors: [] }).state).toBe("clear");
  expect(reloadCondition({ result: "failed", errors: ["c.toml:1: a", "c.toml:2: b"] })).toMatchObject({
    state: "holds",
    began: { text: "c.toml:1: a; c.toml:2: b. The previous configuration stays in effect." },
  });
});

test("a certificate is reported from 14 days before its end", () => {
  const one = (days: number) =>
    certificateConditions(
      [{ use: "server certificate", path: "/c.pem", endsAt: now + days * dayMs }],
      now,
    )[0]!;
  expect([one(15).state, one(14).state, one(-1).state]).toEqual(["clear", "holds", "holds"]);
  expect([one(1).began.title, one(-1).began.title]).toEqual([
    "The server certificate expires in 1 day",
    "The server certificate has expired",
  ]);
});

test("a certificate that several endpoints use is one certificate, with its last known end if it cannot be read", async () => {
  const folder = temporaryFolder();
  const path = join(folder.path, "client.pem");
  writeFileSync(path, createAuthority().cert);
  const clock = manualClock();
  const files = ["a", "b"].map((name) => ({ use: `client certificate of ${name}`, path }));
  const missing = { use: "server certificate", path: join(folder.path, "missing.pem") };
  const certificateEnds = createCertificateEnds({ clock, files: () => [...files, missing] });
  const read = await certificateEnds();
  expect(read).toEqual([{ ...files[0]!, endsAt: expect.any(Number) }]);
  folder.dispose();
  clock.advance(dayMs);
  expect(await certificateEnds()).toEqual(read);
});

test("a disk is reported while it is nearly full", () => {
  const room = { freeBytes: 1, missingBytes: 1, text: "300 MB free" };
  expect(diskCondition(undefined).state).toBe("unknown");
  expect(diskCondition({ ...room, level: "ok" }).state).toBe("clear");
  expect(diskCondition({ ...room, level: "nearly full" })).toMatchObject({
    state: "holds",
    began: { title: "The disk of the database is nearly full" },
  });
});

test("a backup that failed, and another appliance that writes to the same place, are a condition until one is made", () => {
  const none = { completed: null, failure: null, foreign: null };
  const completed = { ...completedBackup, at: now };
  expect(backupCondition(undefined, none).state).toBe("unknown");
  expect(backupCondition({ error: "the disk is full" }, none).state).toBe("holds");
  expect(backupCondition({ error: null }, none).state).toBe("clear");
  expect(backupCondition(undefined, { ...none, completed }).state).toBe("clear");
  const failure = { at: now, error: "no room" };
  expect(backupCondition(undefined, { ...none, completed, failure })).toMatchObject({
    state: "holds",
    began: { text: "No room." },
  });
  const foreign = { id: "2026-01-31-023000", host: "former" };
  expect(backupCondition(undefined, { ...none, completed, foreign })).toMatchObject({
    state: "holds",
    began: {
      title: "Another appliance writes to the same backups",
      text: expect.stringContaining("The machine former made the backup 2026-01-31-023000"),
    },
  });
});

test("a scheduled backup that is missing is a condition, with the time of the last one", () => {
  const completed = { ...completedBackup, at: now - 86_400_000 };
  const status = { completed, schedule: "0 * * * *", overdueSince: null };
  expect(overdueCondition({ ...status, schedule: null }).state).toBe("unknown");
  expect(overdueCondition(status).state).toBe("clear");
  expect(overdueCondition({ ...status, overdueSince: now }).began.text).toContain(
    "due on 2026-11-22 12:00 UTC, and the last one is of 2026-11-21 12:00 UTC",
  );
});

const completedBackup = {
  id: "2026-11-21-120000",
  bytes: 1,
  newBytes: 1,
  storedBytes: 1,
  files: 1,
  durationMs: 1,
  kept: 1,
};

test("a log list is news by the time at which it was published", () => {
  expect(logListNews({ origin: "builtin", publishedAt: null })).toEqual([]);
  expect(logListNews({ origin: "builtin", publishedAt: now })).toMatchObject([
    { key: "log list builtin", version: "2026-11-22 12:00 UTC" },
  ]);
});
