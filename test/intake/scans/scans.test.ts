import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { App } from "../../../src/app/app.ts";
import { permutations } from "../../../src/engines/detection/generate/permutations.ts";
import { events } from "../../../src/threats/events/tables.ts";
import type { Found } from "../../../src/intake/scans/scan-recorder.ts";
import { manualClock } from "../../support/appliance.ts";
import { answerTo, type DnsServer, type Zones } from "../../support/dns-server.ts";
import { scanWorld, type ScanSettings, type ScanWorld } from "../../support/scan-world.ts";
import { analyst } from "../../support/stores.ts";
import { until } from "../../support/until.ts";

let world: ScanWorld;
beforeEach(() => void (world = scanWorld()));
afterEach(() => world.dispose());

const serve = (zones: Zones) => world.serve(zones);
const open = (resolvers: DnsServer[], settings?: ScanSettings) => world.open(resolvers, settings);

const threatsOf = (app: App) =>
  app.threats
    .list({}, { page: 1, perPage: 100 })
    .threats.map(({ domain, source, status }) => ({ domain, source, status }))
    .sort((a, b) => (a.domain < b.domain ? -1 : 1));
const eventsOf = (app: App) =>
  app.database.query
    .select()
    .from(events)
    .all()
    .map(({ body }) => JSON.parse(body) as { type: string; data: { scan: Record<string, unknown> } });
const typesOf = (app: App) => eventsOf(app).map(({ type }) => type);

/** One look-alike of acme.com for each kind of DNS response. */
const planted: Zones = {
  "acrne.com": { A: ["192.0.2.1"], NS: ["ns1.host.net"], MX: [[10, "mail.acrne.com"]] },
  "acmee.com": { MX: [[10, "mx.host.net"]] },
  "acme.net": { NS: ["ns1.sedoparking.com"] },
  "amce.com": { rcode: "SERVFAIL" },
  "acem.com": { referral: true },
  "accme.com": { CNAME: "circle.net" },
  "circle.net": { CNAME: "accme.com" },
  "*.xyz": { A: ["203.0.113.1"] },
  "unrelated.com": { A: ["192.0.2.9"] },
};
/** All planted names are among the first third of the look-alikes. */
const limit = 600;

describe("a scan", () => {
  test("a scan finds exactly the names that exist, and sends events for its start, each threat, and its end with counts", async () => {
    const server = await serve(planted);
    const app = open([server]);
    const found: Found[] = [];
    const scan = await app.scans.run({ trigger: "console", by: analyst, onFound: (one) => found.push(one) });
    expect(threatsOf(app)).toEqual([
      { domain: "acme.net", source: "scan", status: "active" },
      { domain: "acmee.com", source: "scan", status: "active" },
      { domain: "acrne.com", source: "scan", status: "active" },
    ]);
    expect(typesOf(app)).toEqual([
      "scan.started",
      "threat.created",
      "threat.created",
      "threat.created",
      "scan.completed",
    ]);
    expect(scan).toMatchObject({
      status: "completed",
      resolving: 3,
      unknown: 3,
      threatsFound: 3,
      threatsCreated: 3,
    });
    expect(scan.candidates).toBe(scan.planned);
    const iso = expect.stringMatching(/^\d{4}-.*Z$/);
    const start = { id: scan.id, protected_domains: ["acme.com"], trigger: "console" };
    expect(eventsOf(app)[0]!.data).toEqual({ scan: { ...start, status: "running", started_at: iso } });
    expect(eventsOf(app).at(-1)!.data).toEqual({
      scan: {
        ...start,
        status: "completed",
        started_at: iso,
        completed_at: iso,
        candidates: scan.candidates,
        resolving: 3,
        threats_found: 3,
        threats_created: 3,
      },
    });
    const parked = found.find(({ domain }) => domain === "acme.net");
    expect(parked).toMatchObject({
      outcome: "created",
      existence: { exists: "yes", parked: "Sedo", addresses: [] },
    });
    expect(app.threats.get(parked!.threatId)?.domain).toBe("acme.net");
  });

  test("the metrics show the number of scans per status and when the last one completed", async () => {
    const app = open([await serve({ "acme.net": { A: ["192.0.2.1"] } })]);
    await app.scans.run({ trigger: "cli", by: analyst, limit: 10 });
    await app.scans.run({ trigger: "cli", by: analyst, limit: 10, signal: AbortSignal.abort() });
    const metrics = await (await app.server.handle(new Request("http://localhost/metrics"))).text();
    expect(metrics).toContain('phishwatch_scans{status="cancelled"} 1\n');
    expect(metrics).toContain('phishwatch_scans{status="completed"} 1\n');
    expect(metrics).toMatch(/^phishwatch_scan_last_completed_timestamp_seconds \d{10}(\.\d+)?$/m);
  });

  test("a second scan creates no duplicate threats, reactivates a resolved one and leaves a false positive unchanged", async () => {
    const app = open([await serve(planted)]);
    const ids: string[] = [];
    await app.scans.run({
      trigger: "cli",
      by: analyst,
      limit,
      onFound: ({ threatId }) => ids.push(threatId),
    });
    app.threats.changeStatus([ids[0]!], "resolved", { by: analyst });
    app.threats.changeStatus([ids[1]!], "false_positive", { by: analyst });
    const decidedAt = Date.now();
    await until(() => Date.now() > decidedAt, "the scan comes after the decision");
    const before = typesOf(app).length;
    const again = await app.scans.run({ trigger: "cli", by: analyst, limit });
    expect(again).toMatchObject({ status: "completed", threatsFound: 3, threatsCreated: 0 });
    expect(typesOf(app).slice(before)).toEqual(["scan.started", "threat.updated", "scan.completed"]);
    expect(app.threats.get(ids[0]!)?.status).toBe("active");
    expect(app.threats.get(ids[1]!)?.status).toBe("false_positive");
  });

  test("a scan for one domain records only its threats, and not the other protected domain as one", async () => {
    const zones = { ...planted, "acme.org": { A: ["192.0.2.8"] } };
    const app = open([await serve(zones)], { domains: ["acme.com", "acme.org"] });
    const scan = await app.scans.run({ trigger: "cli", by: analyst, limit, domains: ["ACME.com."] });
    expect(scan).toMatchObject({ protectedDomains: ["acme.com"], resolving: 4, threatsFound: 3 });
    const { threats } = app.threats.list({}, { page: 1, perPage: 100 });
    expect(threats.map(({ protectedDomain }) => protectedDomain)).toEqual([
      "acme.com",
      "acme.com",
      "acme.com",
    ]);
    const all = await app.scans.run({ trigger: "cli", by: analyst, limit });
    expect(all.protectedDomains).toEqual(["acme.com", "acme.org"]);
    expect(all.threatsCreated).toBeGreaterThan(0);
    expect(all.candidates).toBeLessThan(2 * limit);
  });

  test("a scan fails for a name that is not protected, and when there are no protected domains", async () => {
    const app = open([await serve({})], { domains: [] });
    await expect(app.scans.run({ trigger: "cli", by: analyst, domains: ["other.com"] })).rejects.toThrow(
      "other.com is not a protected",
    );
    await expect(app.scans.run({ trigger: "cli", by: analyst })).rejects.toThrow(
      "There is no protected domain",
    );
    expect(typesOf(app)).toEqual([]);
  });

  test("a scan with lying or silent resolvers fails and records nothing", async () => {
    const liar = await serve({ "*.": { A: ["203.0.113.80"] } });
    const lying = open([liar]);
    const failed = await lying.scans.run({ trigger: "cli", by: analyst });
    expect(failed.error).toContain("no resolver says when a name does not exist");
    expect(failed).toMatchObject({ status: "failed", candidates: 0 });
    expect(typesOf(lying)).toEqual(["scan.started", "scan.completed"]);
    expect(eventsOf(lying)[1]!.data.scan).toMatchObject({ status: "failed", error: failed.error });
    expect(threatsOf(lying)).toEqual([]);
    liar.stop();
    expect(await lying.scans.run({ trigger: "cli", by: analyst })).toMatchObject({
      status: "failed",
      error: expect.stringContaining("no resolver responds"),
    });
  });

  test("a scan uses the honest resolvers when another one lies", async () => {
    const liar = await serve({ "*.": { A: ["203.0.113.80"] } });
    const app = open([liar, await serve(planted)]);
    expect(await app.scans.run({ trigger: "cli", by: analyst, limit })).toMatchObject({
      status: "completed",
      resolving: 3,
    });
  });

  test("a scan survives hostile DNS responses and counts those names as unknown", async () => {
    const address = { type: "A", name: "acmme.com", class: "IN", ttl: 1, data: "192.0.2.3" } as const;
    const hostile: Zones = {
      "acmme.com": {
        raw: (query) => [answerTo(query, [address]).subarray(0, -1), Buffer.alloc(2_000, 0xc0)],
      },
      "aacme.com": {
        truncated: true,
        raw: (query) => [answerTo(query, [], 0x0200), Buffer.alloc(65_535)],
      },
    };
    const app = open([await serve({ ...planted, ...hostile })]);
    expect(await app.scans.run({ trigger: "cli", by: analyst, limit })).toMatchObject({
      status: "completed",
      resolving: 3,
      unknown: 5,
    });
  });
});

describe("interrupting a scan", () => {
  const slow = { queriesPerSecond: 40 };
  /** The name that is looked up first exists. */
  const [first] = permutations({ domain: "acme.com", keywords: [], allow: [] }, { minSimilarity: 0.75 });
  const early: Zones = { [first!.name]: { A: ["192.0.2.1"] } };

  test("an aborted scan keeps its results", async () => {
    const app = open([await serve(early)], slow);
    const abort = new AbortController();
    const onFound = () => abort.abort();
    const scan = await app.scans.run({ trigger: "cli", by: analyst, signal: abort.signal, onFound });
    expect(scan.status).toBe("cancelled");
    expect(scan.candidates).toBeLessThan(scan.planned);
    expect(threatsOf(app).length).toBeGreaterThan(0);
    expect(scan).toMatchObject({ threatsFound: threatsOf(app).length, unknown: 0 });
    expect(eventsOf(app).at(-1)!.data.scan).toMatchObject({ id: scan.id, status: "cancelled" });
  });

  test("another process can cancel a scan within seconds", async () => {
    const server = await serve(early);
    const app = open([server], slow);
    const other = open([server], slow);
    const running = app.scans.run({ trigger: "cli", by: analyst });
    await until(() => other.scans.running() !== undefined, "the scan runs");
    const { id } = other.scans.running()!;
    expect(other.scans.cancel(id, { by: analyst })).toBe(true);
    expect((await running).status).toBe("cancelled");
    expect(other.scans.cancel(id, { by: analyst })).toBe(false);
  });

  test("stopping the appliance cancels the running scan", async () => {
    const app = open([await serve(early)], slow);
    const running = app.scans.run({ trigger: "console", by: analyst });
    await app.stop();
    expect((await running).status).toBe("cancelled");
  });

  test("no second scan starts while one is running, in this or in another process", async () => {
    const server = await serve(early);
    const app = open([server], slow);
    const other = open([server], slow);
    const abort = new AbortController();
    const running = app.scans.run({ trigger: "cli", by: analyst, signal: abort.signal });
    await expect(app.scans.run({ trigger: "console", by: analyst })).rejects.toThrow(
      "a scan is already running",
    );
    await expect(other.scans.run({ trigger: "cli", by: analyst })).rejects.toThrow(
      "a scan is already running",
    );
    await until(() => other.scans.running() !== undefined, "the scan runs");
    await other.start();
    expect(other.scans.running()?.status).toBe("running");
    abort.abort();
    await running;
    expect(typesOf(app).filter((type) => type.startsWith("scan."))).toEqual([
      "scan.started",
      "scan.completed",
    ]);
  });
});

describe("the schedule", () => {
  const start = Date.UTC(2026, 0, 15, 3, 0);

  test("the schedule starts a scan at its time, and another one the next day", async () => {
    const clock = manualClock(start);
    const app = open([await serve(planted)], { clock, schedule: "17 3 * * *" });
    await app.start();
    for (let day = 1; day <= 2; day++) {
      expect(app.scans.list(10).length).toBe(day - 1);
      for (let minute = 0; minute < 18; minute++) clock.advance(60_000);
      await until(() => {
        clock.advance(5);
        return app.scans.list(10).filter(({ completedAt }) => completedAt !== null).length === day;
      }, "the scan ended");
      // The clock jumps, because every second of a day would run everything that is due each second.
      clock.jump((1440 - 18) * 60_000);
    }
    expect(app.scans.list(1)[0]).toMatchObject({ trigger: "schedule", status: "completed", threatsFound: 3 });
  });

  test("without a schedule and lookups, no DNS queries are sent", async () => {
    const clock = manualClock(start);
    const server = await serve(planted);
    const app = open([server], { clock, schedule: "" });
    await app.start();
    // 25 hours, which is longer than the interval of the default schedule.
    for (let minute = 0; minute < 1_500; minute += 10) clock.jump(600_000);
    // A scheduled query would have come before this one.
    await app.dns.query("afterwards.com", "A");
    expect(server.asked.map(({ name }) => name)).toEqual(["afterwards.com", "com"]);
    expect(app.scans.list(1)).toEqual([]);
  }, 60_000);
});
