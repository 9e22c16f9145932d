import type { App } from "../../src/app/app.ts";
import { logIdOf } from "../../src/engines/certificate-transparency/trees/log-key.ts";
import { certificateLogs } from "../../src/intake/sources/certificate-logs/tables.ts";
import { sourceActivity } from "../../src/intake/sources/activity/tables.ts";
import { scans } from "../../src/intake/scans/tables.ts";
import { feedFiles } from "../../src/intake/sources/feeds/tables.ts";
import { listImports } from "../../src/intake/sources/imports/tables.ts";
import { hostileText, longText, sampleLogs, tester } from "./console-pages.ts";

const hourMs = 3_600_000;

/** Adds protected domains, scans, and imports, with hostile texts among them. */
export function seedWork(app: App) {
  const { database, domains } = app;
  const { query } = database;
  const now = Date.now();
  domains.add(
    {
      domain: "example-shop.com",
      keywords: ["exshop", "kestrel"],
      allow: ["example-shop.net", "example-shop.de"],
    },
    { by: tester },
  );
  domains.add({ domain: "chase.example", keywords: [] }, { by: tester });
  domains.add({ domain: "bücherei-am-markt.de" }, { by: tester });
  domains.add(
    { domain: `${"a-very-long-label-of-a-protected-domain-".repeat(2).slice(0, 62)}x.com` },
    { by: tester },
  );
  const ids = Array.from({ length: 8 }, (_, day) => {
    const startedAt = now - (8 - day) * 24 * hourMs;
    const id = `scn_0${String(day).padStart(25, "0")}`;
    const failed = day === 3;
    query
      .insert(scans)
      .values({
        id,
        trigger: day === 7 ? "console" : day === 6 ? "cli" : "schedule",
        protectedDomains:
          day === 7
            ? ["example-bank.com"]
            : ["example-bank.com", "example-shop.com", "xn--bcherei-am-markt-jzb.de"],
        status: failed ? "failed" : day === 5 ? "cancelled" : "completed",
        startedAt,
        completedAt: startedAt + (failed ? 2_100 : day === 6 ? 11_100_000 : 290_000),
        planned: failed ? 0 : 41_023,
        candidates: failed ? 0 : day === 5 ? 12_003 : 41_023,
        resolving: failed ? 0 : day === 6 ? 10_231 : 231 + day,
        unknown: failed ? 0 : day === 6 ? 12_017 : 17,
        threatsFound: failed ? 0 : day === 6 ? 10_228 : 228 + day,
        threatsCreated: failed ? 0 : day === 0 ? 228 : 1,
        error: failed ? `no resolver responds (192.0.2.53:53: ${hostileText} ${longText})` : null,
      })
      .run();
    return id;
  });
  const imported = (values: Partial<typeof listImports.$inferInsert>) =>
    query
      .insert(listImports)
      .values({
        name: "newly-registered-2026-01-14.csv.gz",
        format: "csv",
        column: "domain",
        state: "completed",
        bytesTotal: 4_213_332,
        bytes: 4_213_332,
        lines: 310_201,
        received: 310_200,
        firstInvalid: [],
        matched: 14,
        created: 12,
        startedAt: now - 3 * hourMs,
        completedAt: now - 3 * hourMs + 4_100,
        ...values,
      })
      .returning()
      .get().seq;
  imported({});
  const hostile = imported({
    name: `${hostileText}.txt`,
    state: "failed",
    error: "was cut off: the upload ended early",
    bytes: 1_300_000,
    invalid: 2_001,
    firstInvalid: [
      { line: 3, text: hostileText, why: "contains a character that no host name may have" },
      { line: 9, text: longText.slice(0, 120), why: "has a label longer than 63 characters" },
    ],
    interpreted: [
      {
        line: 1,
        text: hostileText,
        form: "url",
        name: "xn--pypal-4ve.com",
        url: "https://x/",
        isMatch: true,
      },
      {
        line: 2,
        text: longText.slice(0, 120),
        form: "message_link",
        name: `${longText.slice(0, 60)}.example`,
        isMatch: false,
      },
      { line: 2, text: "service@paypa1.com", form: "message_sender", name: "paypa1.com", isMatch: false },
      { line: 4, text: "http://192.0.2.7/login", form: "ip_address", name: null, isMatch: false },
    ],
  });
  imported({
    name: null,
    format: "auto",
    column: "",
    bytesTotal: 2_201,
    bytes: 2_201,
    lines: 100,
    received: 100,
  });
  const running = imported({ state: "running", completedAt: null, bytes: 1_900_000, received: 140_000 });
  for (let day = 4; day < 12; day++) {
    const modifiedAt = now - day * 24 * hourMs;
    query
      .insert(feedFiles)
      .values({
        feed: "newly-registered",
        path: day === 6 ? `/srv/feeds/${hostileText}.csv` : `/srv/feeds/nrd-${day}.csv.gz`,
        bytes: 4_100_000 + day,
        modifiedAt,
        position: 9_000_000,
        lines: 310_000 + day,
        fingerprint: null,
        invalid: day,
        matched: 14,
        created: 12,
        startedAt: modifiedAt + 60_000,
        completedAt: day === 6 ? null : modifiedAt + 64_000,
        error: day === 6 ? "is truncated: its gzip data ends early" : null,
      })
      .run();
  }
  seedActivity(app, now);
  seedCertificateLogs(app, now);
  return { runningImportSeq: running, scanId: ids.at(-1)!, failedScanId: ids[3]!, importSeq: hostile };
}

/** Adds what arrived from each origin in some weeks, and pauses a feed. */
function seedActivity(app: App, now: number): void {
  const dayMs = 24 * hourMs;
  const today = Math.floor(now / dayMs) * dayMs;
  const origins = [
    { kind: "feed", name: "newly-registered", perDay: 310_000, since: 4 },
    { kind: "import", name: "imports", perDay: 1_200, since: 0 },
    { kind: "submission", name: "siem-eu", perDay: 38, since: 0 },
    { kind: "submission", name: hostileText, perDay: 3, since: 1 },
    { kind: "certificate logs", name: "certificate logs", perDay: 9_300_000, since: 0 },
    { kind: "scan", name: "scans", perDay: 41_023, since: 0 },
    { kind: "beacon", name: "beacons", perDay: 2, since: 2 },
    { kind: "feed", name: "no-longer-declared", perDay: 9_000, since: 6 },
  ];
  const add = (row: typeof sourceActivity.$inferInsert) =>
    app.database.query.insert(sourceActivity).values(row).onConflictDoNothing().run();
  for (const { kind, name, perDay, since } of origins) {
    for (let day = since; day < 40; day++) {
      const names = Math.round(perDay * (1 + 0.4 * Math.sin(day * 1.7)));
      const matched = day % 3 === 0 ? 0 : Math.min(names, 1 + (day % 5));
      const lastAt = Math.min(now, today - day * dayMs + 20 * hourMs) - 60_000;
      const counts = { names, invalid: day % 7, matched, created: Math.floor(matched / 2) };
      add({ kind, name, day: today - day * dayMs, ...counts, lastAt });
      // The newest day comes first and determines when names last arrived.
      add({ kind, name, day: 0, ...counts, lastAt });
    }
  }
  app.sources.find(({ name }) => name === "zone")?.pausing?.pause({ by: tester });
}

/** Adds a log that is up to date, one that is behind, one that fails, and one that contradicts itself. */
function seedCertificateLogs(app: App, now: number): void {
  const minuteMs = 60_000;
  const position = 914_000_000;
  const states: Partial<typeof certificateLogs.$inferInsert>[] = [
    { range: null, bytesPerSecond: 4_100 },
    { headSize: position + 84_310, backlogSize: position + 84_310, backlogSince: now - 11 * minuteMs },
    { error: `status 429: ${hostileText}`, errorAt: now, errors: 41, progressAt: now - 3 * minuteMs },
    {
      error: "x",
      errorAt: now,
      errors: 1,
      mismatch: "its root does not match its entries",
      skipped: 120_400,
    },
  ];
  for (const [index, { name, key, protocol }] of sampleLogs.entries())
    app.database.query
      .insert(certificateLogs)
      .values({
        logId: logIdOf(key),
        description: name,
        operator: name,
        protocol: protocol as "static" | "rfc6962",
        url: `http://127.0.0.1:9/${name}/`,
        position,
        range: Buffer.from("range"),
        verifiedRange: null,
        headSize: position,
        headRoot: Buffer.alloc(32),
        headAt: now - minuteMs,
        backlogSize: null,
        backlogSince: null,
        exemptBefore: 0,
        entries: 41_300_201,
        names: 60_103_009,
        matched: 312,
        created: 41,
        skipped: 0,
        malformed: 3,
        bytes: 90_000_000_000,
        entriesPerSecond: 486.3,
        bytesPerSecond: 1_070_000,
        lastEntryAt: now - 2 * minuteMs,
        errors: 2,
        error: null,
        errorAt: null,
        mismatch: null,
        startedAt: now - 40 * 24 * hourMs,
        progressAt: now - 2_000,
        ...states[index],
      })
      .run();
}
