import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { renameSync } from "node:fs";
import { createAuditLog } from "../../../src/access/audit/audit-log.ts";
import { openDatabase } from "../../../src/platform/database/database.ts";
import { createOutbox } from "../../../src/threats/events/outbox.ts";
import { createThreats } from "../../../src/threats/threats/threats.ts";
import { fillRandom } from "../../support/appliance.ts";
import {
  existing,
  missing,
  openEnrichment,
  plainPage,
  registered,
  unknown,
  type OpenEnrichment,
} from "../../support/enrichment.ts";
import { analyst, caseSettings } from "../../support/stores.ts";
import { until } from "../../support/until.ts";

const minuteMs = 60_000;
const dayMs = 86_400_000;

let opened: OpenEnrichment;
beforeEach(() => void (opened = openEnrichment()));
afterEach(() => opened.dispose());

describe("a new threat", () => {
  test("a new threat is checked automatically, and the results become its fields, severity and history", async () => {
    const id = opened.sight("examp1e-bank.com");
    opened.world.existence = { ...existing, mailServers: ["mx.example.net"] };
    opened.enrichment().start();
    await opened.pass(1_000);
    expect(opened.threats.get(id)).toMatchObject({
      ipAddress: "192.0.2.7",
      registrar: "Example Registrar",
      whois: { registrar: "Example Registrar" },
      severity: "high",
    });
    expect(opened.threats.get(id)!.severityReasons).toContainEqual({ code: "receives_mail", params: {} });
    const fields = opened.threats.history(id).map(({ field, after }) => [field, after]);
    expect(fields).toContainEqual(["addresses", "192.0.2.7"]);
    expect(fields).toContainEqual(["severity", "high"]);
    expect(opened.asked()).toEqual([
      "existence examp1e-bank.com",
      "page examp1e-bank.com",
      "registration examp1e-bank.com",
    ]);
    expect(opened.events().map(({ type }) => type)).toEqual(["threat.created"]);
  });

  test("a new threat from another process is checked as well", async () => {
    opened.enrichment().start();
    await opened.pass(1_000);
    const database = openDatabase(opened.path);
    const outbox = createOutbox({ ...opened, database });
    const threats = createThreats({
      ...opened,
      database,
      outbox,
      auditLog: createAuditLog({ ...opened, database }),
      fillRandom,
      cases: caseSettings,
      detection: { reactivate: true },
    });
    const match = {
      protectedDomain: "example-shop.com",
      type: "typosquatting" as const,
      similarity: 0.9,
      reasons: [],
    };
    const sighting = {
      domain: "examp1e-shop.com",
      match,
      source: "feed" as const,
      seenAt: opened.clock.now(),
    };
    const id = threats.record([sighting])[0]!.threatId;
    database.close();
    await opened.pass(1_000);
    expect(opened.threats.get(id)!.ipAddress).toBe("192.0.2.7");
  });

  test("a threat that is not in DNS gets no further lookups and a low severity", async () => {
    const id = opened.sight("examp1e-bank.com", { similarity: 0.97 });
    opened.world.existence = missing;
    opened.enrichment().start();
    await opened.pass(1_000);
    expect(opened.asked()).toEqual(["existence examp1e-bank.com"]);
    expect(opened.threats.get(id)).toMatchObject({ status: "active", severity: "low", ipAddress: null });
  });

  test("no page is fetched for a threat with mail servers but no address", async () => {
    opened.sight("examp1e-bank.com");
    opened.world.existence = { ...existing, addresses: [], mailServers: ["mx.example.net"] };
    opened.enrichment().start();
    await opened.pass(1_000);
    expect(opened.asked()).toEqual(["existence examp1e-bank.com", "registration examp1e-bank.com"]);
  });
});

describe("unknown facts", () => {
  test("an unknown result changes neither severity nor fields and is retried with growing delays, then at the intervals", async () => {
    const id = opened.sight("examp1e-bank.com");
    opened.world.existence = unknown("SERVFAIL from all resolvers");
    opened.world.registration = { ok: false, reason: "timed out" };
    opened.enrichment().start();
    await opened.pass(1_000);
    expect(opened.threats.get(id)).toMatchObject({ severity: "medium", ipAddress: null });
    expect(opened.enrichment().factsOf(id)!.facts.unknown).toEqual({
      existence: "SERVFAIL from all resolvers",
      registration: "timed out",
    });
    opened.asked();
    for (const delayMs of [5 * minuteMs, 30 * minuteMs, 120 * minuteMs, dayMs]) {
      await opened.pass(delayMs - 10_000);
      expect(opened.asked()).toEqual([]);
      await opened.pass(10_000);
      expect(opened.asked()).toContain("existence examp1e-bank.com");
    }
  });

  test("A lookup keeps its due time when the clock is set back", async () => {
    opened.sight("examp1e-bank.com");
    opened.world.existence = unknown("SERVFAIL from all resolvers");
    opened.enrichment().start();
    await opened.pass(1_000);
    opened.asked();
    opened.clock.setBy(-6 * 60 * minuteMs);
    for (let second = 0; second < 3; second += 1) await opened.pass(1_000);
    expect(opened.asked()).toEqual([]);
    await opened.pass(5 * minuteMs);
    expect(opened.asked()).toContain("existence examp1e-bank.com");
  });

  test("an unknown result does not replace known facts, so a silent resolver ends no threat", async () => {
    const id = opened.sight("examp1e-bank.com");
    opened.enrichment().start();
    await opened.pass(1_000);
    opened.world.existence = unknown("timed out");
    opened.world.page = { ok: false, reason: "timed out" };
    await opened.pass(dayMs);
    expect(opened.threats.get(id)!.ipAddress).toBe("192.0.2.7");
    expect(opened.enrichment().factsOf(id)!.facts).toMatchObject({
      page: plainPage,
      unknown: { page: "timed out" },
    });
  });

  test("an internal error is logged, leaves the fact unknown, and does not stop the queue", async () => {
    const bad = opened.sight("examp1e-bank.com");
    const good = opened.sight("examp2e-bank.com");
    opened.world.existence = (name) => {
      if (name === "examp1e-bank.com") throw new Error("internal failure");
      return existing;
    };
    opened.enrichment().start();
    await opened.pass(1_000);
    expect(opened.threats.get(bad)!.ipAddress).toBeNull();
    expect(opened.threats.get(good)!.ipAddress).toBe("192.0.2.7");
    expect(opened.logged.join("")).toContain("internal failure");
    expect(opened.asked().filter((what) => what === "existence examp1e-bank.com").length).toBe(1);
  });

  test("a registry that demands a pause is not queried during it", async () => {
    opened.sight("examp1e-bank.com");
    opened.world.registration = { ok: false, reason: "rate limited", retryAfterMs: 60 * minuteMs };
    opened.enrichment().start();
    await opened.pass(1_000);
    opened.asked();
    await opened.pass(50 * minuteMs);
    expect(opened.asked()).toEqual([]);
    await opened.pass(10 * minuteMs);
    expect(opened.asked()).toEqual(["registration examp1e-bank.com"]);
  });

  test("a failed registration lookup is retried without new DNS and page lookups", async () => {
    const id = opened.sight("examp1e-bank.com");
    opened.world.registration = { ok: false, reason: "timed out" };
    opened.enrichment().start();
    await opened.pass(1_000);
    opened.asked();
    opened.world.registration = registered;
    await opened.pass(5 * minuteMs);
    expect(opened.asked()).toEqual(["registration examp1e-bank.com"]);
    expect(opened.threats.get(id)!.registrar).toBe("Example Registrar");
    expect(opened.enrichment().factsOf(id)!.facts.unknown).toEqual({});
  });
});

describe("slow registries", () => {
  const never = new Promise<never>(() => {});
  const silentFor = (suffix: string) => (name: string) => (name.endsWith(suffix) ? never : registered);

  test("a slow registry delays neither other facts of its names nor other names", async () => {
    opened.world.registration = silentFor(".com");
    opened.world.page = { ok: true, page: { ...plainPage, asksForPassword: true } };
    const slow = Array.from({ length: 30 }, (_, index) => opened.sight(`examp${index}e-bank.com`));
    const other = opened.sight("examp1e-bank.net", { similarity: 0.8 });
    opened.enrichment().start();
    for (let second = 0; second < 8 || (second < 60 && !opened.enrichment().isSettled(other)); second++) {
      opened.clock.advance(1_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    for (const id of slow) {
      expect(opened.threats.get(id)).toMatchObject({ ipAddress: "192.0.2.7", severity: "high" });
      expect(opened.enrichment().isSettled(id)).toBe(false);
    }
    expect(opened.threats.get(other)!.registrar).toBe("Example Registrar");
    expect(opened.enrichment().isSettled(other)).toBe(true);
    // The others wait in the database, not in memory.
    expect(opened.enrichment().running()).toBe(4);
  });

  test("a registration lookup that a restart interrupted is repeated", async () => {
    opened.world.registration = silentFor(".com");
    const id = opened.sight("examp1e-bank.com");
    opened.enrichment().start();
    for (let second = 0; second < 3; second++) {
      opened.clock.advance(1_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    opened.world.registration = registered;
    opened.asked();
    await opened.restart();
    await opened.pass(1_000);
    expect(opened.asked()).toEqual(["registration examp1e-bank.com"]);
    expect(opened.threats.get(id)!.registrar).toBe("Example Registrar");
  });

  test("a queued registration lookup is dropped for a false positive", async () => {
    opened.world.registration = { ok: false, reason: "left alone", retryAfterMs: minuteMs, postponed: true };
    const id = opened.sight("examp1e-bank.com");
    opened.enrichment().start();
    await opened.pass(1_000);
    opened.threats.changeStatus([id], "false_positive", { by: analyst });
    opened.asked();
    await opened.pass(2 * minuteMs);
    expect(opened.asked()).toEqual([]);
    expect(opened.enrichment().isSettled(id)).toBe(true);
  });
});

describe("handoff from scans", () => {
  test("the check after a scan uses its DNS result, and the next one queries again", async () => {
    const id = opened.sight("examp1e-bank.com");
    await opened
      .enrichment()
      .handOff([{ threatId: id, existence: { ...existing, addresses: ["192.0.2.99"] } }]);
    opened.enrichment().start();
    await opened.pass(1_000);
    expect(opened.asked()).toEqual(["page examp1e-bank.com", "registration examp1e-bank.com"]);
    expect(opened.threats.get(id)!.ipAddress).toBe("192.0.2.99");
    expect(opened.threats.history(id)).toContainEqual(expect.objectContaining({ field: "addresses" }));
    await opened.pass(dayMs);
    expect(opened.asked()).toContain("existence examp1e-bank.com");
    expect(opened.threats.get(id)!.ipAddress).toBe("192.0.2.7");
  });

  test("a check that begins while the facts of other threats are saved uses the DNS result of the scan", async () => {
    // The check of the more severe threat, which is saved last, begins first.
    const ids = [
      opened.sight("examp2e-bank.com", { similarity: 0.7 }),
      opened.sight("examp1e-bank.com", { similarity: 0.97 }),
    ];
    const saving = opened.enrichment().handOff(ids.map((threatId) => ({ threatId, existence: existing })));
    opened.enrichment().start();
    await opened.pass(1_000);
    await saving;
    expect(opened.asked().filter((asked) => asked.startsWith("existence"))).toEqual([]);
  });

  test("a DNS result is not used much later, or unless the name exists", async () => {
    const late = opened.sight("examp1e-bank.com");
    await opened.enrichment().handOff([{ threatId: late, existence: existing }]);
    opened.clock.advance(11 * minuteMs);
    const unsure = opened.sight("examp2e-bank.com");
    await opened.enrichment().handOff([{ threatId: unsure, existence: missing }]);
    opened.enrichment().start();
    await opened.pass(1_000);
    expect(opened.asked()).toContain("existence examp1e-bank.com");
    expect(opened.threats.get(unsure)!.ipAddress).toBe("192.0.2.7");
  });
});

describe("rechecks", () => {
  test("a threat is rechecked after 1, 2, 4, 8, 16 and then every 30 days", async () => {
    const id = opened.sight("examp1e-bank.com");
    opened.enrichment().start();
    await opened.pass(1_000);
    const days: number[] = [];
    opened.asked();
    for (let day = 1; day <= 130; day++) {
      await opened.pass(dayMs - 3_000);
      if (opened.asked().includes("existence examp1e-bank.com")) days.push(day);
    }
    expect(days).toEqual([1, 3, 7, 15, 31, 61, 91, 121]);
    expect(opened.threats.get(id)!.status).toBe("active");
  }, 60_000);

  test("a sign-in page on a parked name raises the severity, is in the history, and restarts daily checks", async () => {
    const id = opened.sight("examp1e-bank.com");
    opened.world.existence = { ...existing, parked: "Example Parking" };
    opened.enrichment().start();
    await opened.pass(1_000);
    expect(opened.threats.get(id)!.severity).toBe("medium");
    await opened.pass(dayMs);
    opened.world.existence = existing;
    opened.world.page = { ok: true, page: { ...plainPage, asksForPassword: true } };
    await opened.pass(2 * dayMs);
    expect(opened.threats.get(id)!.severity).toBe("high");
    const changes = opened.threats
      .history(id)
      .filter(({ field }) => field !== "network")
      .slice(0, 4);
    expect(changes).toMatchObject([
      { field: "severity", before: "medium", after: "high" },
      { field: "site state", before: "parked", after: "up" },
      { field: "page asks for", before: null, after: "password" },
      { field: "parked", before: "Example Parking", after: null },
    ]);
    opened.asked();
    await opened.pass(dayMs);
    expect(opened.asked()).toContain("existence examp1e-bank.com");
  });

  test("a site that was taken down is checked every week, and a resolved threat is active again when it is back", async () => {
    const id = opened.sight("examp1e-bank.com");
    opened.enrichment().start();
    await opened.pass(1_000);
    opened.world.page = { ok: true, page: { ...plainPage, status: 404 } };
    await opened.pass(dayMs);
    expect(opened.threats.get(id)).toMatchObject({ siteState: "down", severity: "medium" });
    opened.threats.changeStatus([id], "resolved", { by: analyst });
    const days: number[] = [];
    opened.asked();
    for (let day = 1; day <= 36; day++) {
      await opened.pass(dayMs - 3_000);
      if (opened.asked().includes("existence examp1e-bank.com")) days.push(day);
    }
    expect(days).toEqual([1, 3, 7, 14, 21, 28, 35]);
    opened.world.page = { ok: true, page: plainPage };
    await opened.pass(7 * dayMs);
    expect(opened.threats.get(id)).toMatchObject({ siteState: "back", status: "active" });
    expect(opened.events().at(-1)).toMatchObject({ type: "threat.updated" });
    await opened.pass(31 * dayMs);
    await opened.pass(31 * dayMs);
    expect(opened.threats.get(id)!.siteState).toBe("up");
    const states = opened.threats
      .history(id)
      .flatMap(({ field, after }) => (field === "site state" ? [after] : []));
    expect(states).toEqual(["up", "back", "down", "up"]);
  });

  test("a threat whose name is gone stays on record without its address and page", async () => {
    const id = opened.sight("examp1e-bank.com");
    opened.enrichment().start();
    await opened.pass(1_000);
    opened.world.existence = missing;
    await opened.pass(dayMs);
    expect(opened.threats.get(id)).toMatchObject({ status: "active", severity: "low", ipAddress: null });
    expect(opened.enrichment().factsOf(id)!.facts.page).toBeUndefined();
    expect(opened.events().map(({ type }) => type)).toEqual(["threat.created"]);
  });

  test("a requested check runs at once and repeats all lookups", async () => {
    const id = opened.sight("examp1e-bank.com");
    opened.enrichment().start();
    await opened.pass(1_000);
    opened.asked();
    expect(opened.enrichment().request(id)).toBe(true);
    await opened.pass(1_000);
    expect(opened.asked()).toEqual([
      "existence examp1e-bank.com",
      "page examp1e-bank.com",
      "registration examp1e-bank.com",
    ]);
    expect(opened.enrichment().request("thr_none")).toBe(false);
  });
});

describe("reactivation", () => {
  async function resolvedThenGone(from: OpenEnrichment): Promise<string> {
    const id = from.sight("examp1e-bank.com");
    from.enrichment().start();
    await from.pass(1_000);
    from.threats.changeStatus([id], "resolved", { by: analyst });
    from.world.existence = missing;
    await from.pass(dayMs);
    return id;
  }

  test("a resolved threat whose name comes back becomes active, with an event", async () => {
    const id = await resolvedThenGone(opened);
    expect(opened.threats.get(id)!.status).toBe("resolved");
    opened.world.existence = existing;
    await opened.pass(2 * dayMs);
    expect(opened.threats.get(id)!.status).toBe("active");
    expect(opened.events().at(-1)).toMatchObject({
      type: "threat.updated",
      data: { threat: { id, status: "active" }, previous_status: "resolved" },
    });
  });

  test("a resolved threat whose name has existed all along stays resolved", async () => {
    const id = opened.sight("examp1e-bank.com");
    opened.enrichment().start();
    await opened.pass(1_000);
    opened.threats.changeStatus([id], "resolved", { by: analyst });
    await opened.pass(dayMs);
    expect(opened.threats.get(id)!.status).toBe("resolved");
  });

  test("an indefinite result reactivates nothing", async () => {
    const id = await resolvedThenGone(opened);
    opened.world.existence = unknown("SERVFAIL");
    await opened.pass(2 * dayMs);
    expect(opened.threats.get(id)!.status).toBe("resolved");
  });

  test("nothing is reactivated while detection.reactivate is off", async () => {
    const other = openEnrichment({ reactivate: false });
    const id = await resolvedThenGone(other);
    other.world.existence = existing;
    await other.pass(2 * dayMs);
    expect(other.threats.get(id)!.status).toBe("resolved");
    expect(other.threats.get(id)!.ipAddress).toBe("192.0.2.7");
    await other.dispose();
  });

  test("a false positive is neither checked nor reactivated, and is checked within a day of being reopened", async () => {
    const id = opened.sight("examp1e-bank.com");
    opened.world.existence = missing;
    opened.enrichment().start();
    await opened.pass(1_000);
    opened.threats.changeStatus([id], "false_positive", { by: analyst });
    opened.world.existence = existing;
    opened.asked();
    await opened.pass(40 * dayMs);
    expect(opened.asked()).toEqual([]);
    expect(opened.threats.get(id)!.status).toBe("false_positive");
    opened.threats.changeStatus([id], "active", { by: analyst });
    await opened.pass(dayMs);
    expect(opened.asked()).toContain("existence examp1e-bank.com");
  });
});

describe("the queue", () => {
  test("after a restart, interrupted jobs are repeated and completed ones are not", async () => {
    const done = opened.sight("examp1e-bank.com");
    opened.enrichment().start();
    await opened.pass(1_000);
    const never = new Promise<never>(() => {});
    opened.world.existence = () => never;
    const interrupted = opened.sight("examp2e-bank.com");
    opened.clock.advance(2_000);
    await until(() => opened.enrichment().running() === 1, "a check is in progress");
    opened.world.existence = existing;
    opened.asked();
    await opened.restart();
    await opened.pass(1_000);
    expect(opened.asked()).toContain("existence examp2e-bank.com");
    expect(opened.threats.get(interrupted)!.ipAddress).toBe("192.0.2.7");
    expect(opened.threats.get(done)!.ipAddress).toBe("192.0.2.7");
  });

  test("the most severe and newest threats are checked first, within the limits", async () => {
    const never = new Promise<never>(() => {});
    opened.world.existence = () => never;
    const step = async (ms: number) => {
      opened.clock.advance(ms);
      await new Promise((resolve) => setImmediate(resolve));
    };
    for (const [name, similarity] of [
      ["low", 0.8],
      ["high", 0.97],
    ] as const)
      for (let index = 0; index < 80; index++) {
        opened.sight(`${name}${index}.com`, { similarity });
        opened.clock.advance(1_000);
      }
    opened.enrichment().start();
    // New threats are admitted in turns of the event loop.
    for (let turn = 0; turn < 3; turn++) await step(0);
    // Starts are spread over the second.
    for (let tenth = 0; tenth < 9; tenth++) await step(100);
    expect(opened.asked()).toEqual(
      Array.from({ length: 10 }, (_, index) => `existence high${79 - index}.com`),
    );
    for (let second = 0; second < 20; second++) await step(1_000);
    expect(opened.enrichment().running()).toBe(128);
    const further = opened.asked();
    expect(further.length).toBe(118);
    expect(further.slice(0, 70).every((what) => what.includes("high"))).toBe(true);
  });

  test("a lost database does not repeat the same checks each second, nor fill the log with them", async () => {
    for (let n = 0; n < 60; n += 1) opened.sight(`examp1e-bank-${n}.com`);
    let isLost = false;
    opened.world.existence = () => {
      if (!isLost) renameSync(opened.path, `${opened.path}.moved`);
      isLost = true;
      return existing;
    };
    opened.enrichment().start();
    // Five minutes.
    for (let n = 0; n < 75; n += 1) await opened.pass(1_000);
    const checks = opened.asked().filter((one) => one.startsWith("existence"));
    expect(checks.length).toBeGreaterThan(10);
    expect(checks.length).toBeLessThan(60);
    expect(opened.logged.length).toBeLessThan(60);
  });

  test("checks continue within a minute of the end of a failure of the database", async () => {
    for (let n = 0; n < 20; n += 1) opened.sight(`examp1e-bank-${n}.com`);
    opened.world.existence = () => {
      opened.database.sqlite.run("PRAGMA query_only = 1");
      return existing;
    };
    opened.enrichment().start();
    for (let n = 0; n < 30; n += 1) await opened.pass(1_000);
    opened.asked();
    opened.world.existence = existing;
    opened.database.sqlite.run("PRAGMA query_only = 0");
    for (let n = 0; n < 20; n += 1) await opened.pass(1_000);
    expect(new Set(opened.asked().filter((one) => one.startsWith("existence"))).size).toBe(20);
  });

  test("with all lookups disabled, nothing is checked and requests are declined", async () => {
    const off = openEnrichment({ enabledLookups: { names: false, registration: false } });
    const id = off.sight("examp1e-bank.com");
    off.enrichment().start();
    await off.pass(dayMs);
    expect(off.asked()).toEqual([]);
    expect(off.enrichment().request(id)).toBe(false);
    await off.dispose();
  });

  test("with scans disabled and registration data enabled, only registries are queried", async () => {
    const some = openEnrichment({ enabledLookups: { names: false, registration: true } });
    some.sight("examp1e-bank.com");
    some.enrichment().start();
    await some.pass(1_000);
    expect(some.asked()).toEqual(["registration examp1e-bank.com"]);
    await some.dispose();
  });
});
