import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { dayMs } from "../../../src/platform/lib/clock.ts";
import {
  createScreenshotFiles,
  type ScreenshotFolder,
} from "../../../src/facts/lookups/page/screenshot-files.ts";
import { createDataRetention, type DataRetention } from "../../../src/operations/retention/retention.ts";
import { noticeMs } from "../../../src/operations/retention/notices.ts";
import { retentionRules } from "../../../src/operations/retention/tables.ts";
import type { Sighting } from "../../../src/threats/threats/record.ts";
import { statuses, type ThreatSource } from "../../../src/platform/vocabulary/threats.ts";
import { randomFrom, seed } from "../../support/random.ts";
import { analyst, openStores, type Stores } from "../../support/stores.ts";

const off = { falsePositivesMs: null, resolvedMs: null, screenshotsMs: null, auditMs: null };
const shortTerm = { eventsMs: dayMs, deliveriesMs: dayMs, hitsMs: dayMs, inspectionsMs: dayMs };

let stores: Stores;
let files: ScreenshotFolder;
let folder: string;
let config: { retention: typeof shortTerm & Record<keyof typeof off, number | null> };
let retention: DataRetention;

beforeEach(() => {
  stores = openStores();
  folder = join(dirname(stores.path), "screenshots");
  files = createScreenshotFiles(folder);
  config = { retention: { ...shortTerm, ...off } };
  retention = open();
});
afterEach(() => stores.dispose());

function open(given: ScreenshotFolder = files): DataRetention {
  const { auditLog, clock, database, log } = stores;
  return createDataRetention({ auditLog, clock, config, database, log, files: given });
}

function sighting(domain: string, source: ThreatSource = "feed", given: Partial<Sighting> = {}): Sighting {
  const match = { protectedDomain: "example-bank.com", similarity: 0.9, reasons: [] };
  return {
    domain,
    match: { ...match, type: source === "beacon" ? "cloned_site" : "combosquatting" },
    source,
    seenAt: stores.clock.now(),
    ...given,
  };
}

const record = (domain: string, source?: ThreatSource, given?: Partial<Sighting>) =>
  stores.threats.record([sighting(domain, source, given)])[0]!;

/** Puts a setting into effect. */
async function announce(settings: Partial<typeof config.retention>): Promise<void> {
  Object.assign(config.retention, settings);
  await retention.settle();
  stores.clock.advance(noticeMs);
}

/** Adds facts with a screenshot and its file, which is as old as the facts say. */
async function addScreenshot(id: string, at: number): Promise<void> {
  const facts = JSON.stringify({ unknown: {}, screenshot: { at, hash: "0123456789abcdef" } });
  stores.database.sqlite
    .prepare(
      `insert into enrichments (threat_seq, rank, due_at, step, failures, facts, screenshot_failures)
       select seq, 1, 0, 0, 0, ?, 0 from threats where id = ?`,
    )
    .run(facts, id);
  await files.write(id, new Uint8Array(1_000));
  utimesSync(join(folder, `${id}.webp`), at / 1_000, at / 1_000);
}

const rowsIn = (table: string) =>
  stores.database.sqlite.prepare<{ n: number }, []>(`select count(*) as n from ${table}`).get()!.n;
const filesLeft = () => (existsSync(folder) ? readdirSync(folder).toSorted() : []);

describe("a setting", () => {
  test("deletes nothing for 24 hours after the clock was set forward", async () => {
    const { threatId } = record("example-bank-1.com");
    stores.threats.triage.change([threatId], "resolved", { by: analyst });
    config.retention.resolvedMs = 30 * dayMs;
    await retention.settle();
    stores.clock.advance(2 * dayMs);
    await retention.run();
    stores.clock.setBy(365 * dayMs);
    expect((await retention.run()).resolved).toBe(0);
    stores.clock.advance(noticeMs - 1);
    expect((await retention.run()).resolved).toBe(0);
    // Corrected in time.
    stores.clock.setBy(-365 * dayMs);
    stores.clock.advance(noticeMs);
    expect((await retention.run()).resolved).toBe(0);
    stores.clock.advance(30 * dayMs);
    expect((await retention.run()).resolved).toBe(1);
  });

  test(`deletes exactly what its preview showed, and nothing before 24 hours have passed [seed ${seed}]`, async () => {
    const random = randomFrom(seed);
    const ids: string[] = [];
    for (let number = 0; number < 60; number++) {
      const { threatId } = record(`example-bank-${number}.com`);
      ids.push(threatId);
      if (random(2) === 0) await addScreenshot(threatId, stores.clock.now() - random(100) * dayMs);
    }
    for (let step = 0; step < 40; step++) {
      const chosen = ids.filter(() => random(10) === 0);
      stores.threats.triage.change(chosen, statuses[random(3)]!, { by: analyst });
      stores.clock.advance(random(5) * dayMs);
    }
    Object.assign(config.retention, {
      falsePositivesMs: 30 * dayMs,
      resolvedMs: 60 * dayMs,
      screenshotsMs: 40 * dayMs,
      auditMs: 50 * dayMs,
    });
    await retention.settle();
    expect(await retention.run()).toEqual({ audit: 0, false_positives: 0, resolved: 0, screenshots: 0 });
    const previews = await retention.previews();
    stores.clock.advance(noticeMs - 1);
    expect(await open().run()).toEqual({ audit: 0, false_positives: 0, resolved: 0, screenshots: 0 });
    stores.clock.advance(1);
    const before = rowsIn("threats");
    const deleted = await open().run();
    for (const { rule, preview } of previews) expect([rule, deleted[rule]]).toEqual([rule, preview!.count]);
    for (const rule of retentionRules) expect([rule, deleted[rule] > 0]).toEqual([rule, true]);
    expect(rowsIn("threats")).toBe(before - deleted.false_positives - deleted.resolved);
    expect(rowsIn("deleted_threats")).toBe(deleted.false_positives + deleted.resolved);
    const { totals, list } = stores.threats;
    expect(totals().reduce((sum, { total }) => sum + total, 0)).toBe(rowsIn("threats"));
    expect(list({}, { page: 1, perPage: 1 }).total).toBe(rowsIn("threats"));
    expect(await open().run()).toEqual({ audit: 0, false_positives: 0, resolved: 0, screenshots: 0 });
    const recorded = stores.auditLog.list({ action: "retention.delete" }, { limit: 9, offset: 0 });
    expect(recorded.map(({ subject, detail }) => [subject, detail["count"]]).toSorted()).toEqual(
      retentionRules.map((rule) => [`retention.${rule}`, deleted[rule]]).toSorted(),
    );
  });

  test("deletes a threat with its history, notes, facts, origins and screenshot, and keeps all of an open one", async () => {
    const { threatId } = record("example-bank-old.com", "feed", { url: "https://example-bank-old.com/x" });
    const { threatId: openId } = record("example-bank-open.com");
    for (const id of [threatId, openId]) {
      stores.threats.notes.add(id, "a note", { by: analyst });
      await addScreenshot(id, stores.clock.now());
    }
    stores.threats.triage.change([threatId], "resolved", { by: analyst });
    stores.clock.advance(31 * dayMs);
    stores.database.sqlite.run(
      `insert into takedowns (threat_seq, domain, protected_domain, reported_at)
       select seq, domain, 'example-bank.com', 1 from threats where id = '${threatId}'`,
    );
    await announce({ resolvedMs: 30 * dayMs });
    await retention.run();
    expect(stores.threats.get(threatId)).toBeUndefined();
    expect(stores.threats.get(openId)).toBeDefined();
    for (const table of ["threats", "threat_notes", "enrichments"])
      expect([table, rowsIn(table)]).toEqual([table, 1]);
    for (const table of ["threat_history", "threat_urls", "triage_steps"])
      expect([table, rowsIn(table)]).toEqual([table, 0]);
    expect(filesLeft()).toEqual([`${openId}.webp`]);
    // The record of what was reported stays, but nobody is reminded of it any more.
    expect(stores.database.sqlite.query("select threat_seq, domain, closed_at from takedowns").all()).toEqual(
      [{ threat_seq: null, domain: "example-bank-old.com", closed_at: stores.clock.now() }],
    );
    // Its events are delivered like all others.
    expect(stores.events().map(({ type }) => type)).toContain("threat.resolved");
  });

  test("keeps a threat that becomes active again, and a setting that is switched off deletes nothing more", async () => {
    const names = ["a", "b"].map((letter) => record(`example-bank-${letter}.com`).threatId);
    stores.threats.triage.change(names, "resolved", { by: analyst });
    stores.clock.advance(40 * dayMs);
    await announce({ resolvedMs: 30 * dayMs });
    stores.threats.triage.change([names[0]!], "active", { by: analyst });
    config.retention.resolvedMs = null;
    expect((await retention.run()).resolved).toBe(0);
    await announce({ resolvedMs: 30 * dayMs });
    expect((await retention.run()).resolved).toBe(1);
    expect(stores.threats.get(names[0]!)!.status).toBe("active");
  });

  test("deletes old screenshots of closed threats only, and keeps what was learned from them", async () => {
    const [closed, renewed, active] = ["a", "b", "c"].map(
      (letter) => record(`example-bank-${letter}.com`).threatId,
    ) as [string, string, string];
    for (const id of [closed, renewed, active]) await addScreenshot(id, stores.clock.now());
    stores.threats.triage.change([closed, renewed], "resolved", { by: analyst });
    stores.clock.advance(40 * dayMs);
    stores.database.sqlite.run(
      `update enrichments set facts = json_set(facts, '$.screenshot.at', ${stores.clock.now()})
       where threat_seq = (select seq from threats where id = '${renewed}')`,
    );
    await announce({ screenshotsMs: 30 * dayMs });
    expect((await retention.run()).screenshots).toBe(1);
    expect(filesLeft()).toEqual([`${renewed}.webp`, `${active}.webp`].toSorted());
    const facts = stores.database.sqlite
      .prepare<{ facts: string }, [string]>(
        "select facts from enrichments join threats on seq = threat_seq where id = ?",
      )
      .get(closed)!.facts;
    expect(JSON.parse(facts)).toMatchObject({
      screenshot: { hash: "0123456789abcdef", deletedAt: stores.clock.now() },
    });
    expect((await retention.run()).screenshots).toBe(0);
  });

  test("leaves no file, name or count behind when the process is killed at any point of the deletion", async () => {
    const ids = Array.from({ length: 60 }, (_, number) => record(`example-bank-${number}.com`).threatId);
    for (const id of ids) await addScreenshot(id, stores.clock.now());
    stores.threats.triage.change(ids, "false_positive", { by: analyst });
    stores.clock.advance(40 * dayMs);
    await announce({ falsePositivesMs: 30 * dayMs });
    // A process that is killed after a commit has deleted some of the files of that transaction at most.
    let left = 7;
    for (let kills = 0; rowsIn("threats") > 0; kills++) {
      expect(kills).toBeLessThan(20);
      const dying = open({
        ...files,
        remove(id) {
          if (left-- <= 0) throw new Error("killed");
          return files.remove(id);
        },
      });
      await dying.run().catch(() => {});
      left = 7;
    }
    await retention.run();
    expect([rowsIn("threats"), rowsIn("deleted_threats"), filesLeft()]).toEqual([0, 60, []]);
    const recorded = stores.auditLog.list({ action: "retention.delete" }, { limit: 99, offset: 0 });
    expect(recorded.reduce((sum, { detail }) => sum + Number(detail["count"]), 0)).toBe(60);
  });

  test("stops between two transactions and continues with the next run", async () => {
    const ids = Array.from({ length: 60 }, (_, number) => record(`example-bank-${number}.com`).threatId);
    stores.threats.triage.change(ids, "resolved", { by: analyst });
    stores.clock.advance(40 * dayMs);
    await announce({ resolvedMs: 30 * dayMs });
    const stopping = retention.run();
    await retention.stop();
    const first = (await stopping).resolved;
    expect(first).toBeLessThan(60);
    expect(rowsIn("threats")).toBe(60 - first);
    expect((await open().run()).resolved).toBe(60 - first);
  });
});

describe("a deleted name", () => {
  const certificate = (notBefore: number | null) => ({
    issuer: "Example CA",
    serial: "01",
    notBefore,
    log: "log",
    entryUrl: "https://log.example/1",
    index: 1,
    isVerified: true,
  });

  /** Deletes a threat that was closed 40 days ago. */
  async function deleted(domain: string, status: "resolved" | "false_positive") {
    const { threatId } = record(domain);
    stores.clock.advance(1);
    stores.threats.triage.change([threatId], status, { by: analyst });
    const closedAt = stores.clock.now();
    stores.clock.advance(40 * dayMs);
    await announce({ resolvedMs: 30 * dayMs, falsePositivesMs: 30 * dayMs });
    await retention.run();
    expect(stores.threats.get(threatId)).toBeUndefined();
    return { threatId, closedAt };
  }

  test("is not recorded again by a list, and the former id is returned, until a person restores it", async () => {
    const { threatId } = await deleted("example-bank-old.com", "resolved");
    expect(record("example-bank-old.com", "feed", { url: "https://example-bank-old.com/" })).toEqual({
      threatId,
      domain: "example-bank-old.com",
      protectedDomain: "example-bank.com",
      type: "combosquatting",
      similarity: 0.9,
      outcome: "known",
    });
    expect([rowsIn("threats"), rowsIn("threat_urls"), retention.deletedNames()]).toEqual([0, 0, 1]);
    // The same name may resemble another protected domain.
    const match = { ...sighting("x").match, protectedDomain: "example-shop.com" };
    expect(record("example-bank-old.com", "feed", { match }).outcome).toBe("created");
    expect(await retention.restore("example-bank-old.com", analyst)).toEqual(["example-bank.com"]);
    expect(await retention.restore("example-bank-old.com", analyst)).toEqual([]);
    const again = record("example-bank-old.com");
    expect(again.outcome).toBe("created");
    expect(again.threatId).not.toBe(threatId);
  });

  test.each([
    ["resolved", "scan", true],
    ["resolved", "submission", true],
    ["resolved", "beacon", true],
    ["resolved", "feed", false],
    ["false_positive", "scan", false],
    ["false_positive", "submission", false],
    ["false_positive", "certificate_transparency", false],
    ["false_positive", "feed", false],
    ["false_positive", "beacon", true],
  ] as const)(
    "that was %s and is seen again by %s is recorded again: %p",
    async (status, source, isAgain) => {
      await deleted("example-bank-old.com", status);
      const given =
        source === "certificate_transparency" ? { certificate: certificate(stores.clock.now()) } : {};
      const { outcome } = record("example-bank-old.com", source, given);
      expect(outcome).toBe(isAgain ? "created" : "known");
      expect(retention.deletedNames()).toBe(isAgain ? 0 : 1);
    },
  );

  test("is recorded again by a certificate that was issued after the threat was resolved only", async () => {
    const { closedAt } = await deleted("example-bank-old.com", "resolved");
    const seen = (notBefore: number | null) =>
      record("example-bank-old.com", "certificate_transparency", { certificate: certificate(notBefore) })
        .outcome;
    expect([seen(null), seen(closedAt), seen(closedAt + 1)]).toEqual(["known", "known", "created"]);
  });

  test("stays deleted whatever shows it, but for a beacon, when resolved threats are not reactivated", async () => {
    stores.dispose();
    stores = openStores({ reactivate: false });
    retention = open();
    await deleted("example-bank-old.com", "resolved");
    for (const source of ["scan", "submission", "feed"] as const)
      expect(record("example-bank-old.com", source).outcome).toBe("known");
    expect(record("example-bank-old.com", "beacon").outcome).toBe("created");
  });
});
