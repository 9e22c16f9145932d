import { afterEach, beforeEach, expect, test } from "bun:test";
import type { App } from "../../../src/app/app.ts";
import { permutations } from "../../../src/engines/detection/generate/permutations.ts";
import { events } from "../../../src/threats/events/tables.ts";
import type { Found } from "../../../src/intake/scans/scan-recorder.ts";
import { manualClock } from "../../support/appliance.ts";
import type { Zones } from "../../support/dns-server.ts";
import { scanWorld, type ScanWorld } from "../../support/scan-world.ts";
import { analyst } from "../../support/stores.ts";
import { until } from "../../support/until.ts";

let world: ScanWorld;
beforeEach(() => void (world = scanWorld()));
afterEach(() => world.dispose());

/** The most likely look-alikes, in the order in which they are looked up. */
const names = [...permutations({ domain: "acme.com", keywords: [], allow: [] }, { minSimilarity: 0.75 })].map(
  ({ name }) => name,
);
const [early, late] = [names[2]!, names[150]!];
const planted: Zones = {
  [early]: { A: ["192.0.2.1"], NS: ["ns1.host.net"] },
  [late]: { A: ["192.0.2.2"] },
};
const always = () => true;
const metricsOf = async (app: App) =>
  (await app.server.handle(new Request("http://localhost/metrics"))).text();
const linesOf = (message: string) =>
  world.logged
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ message: found, msg }) => (found ?? msg) === message);

test("a scan fails with the reason in scan, event, log and metrics if its only resolver denies every name", async () => {
  const app = world.open([await world.serve(planted, { denies: always })]);
  const scan = await app.scans.run({ trigger: "console", by: analyst });
  expect(scan).toMatchObject({ status: "failed", failure: "resolvers_deny", candidates: 0 });
  expect(scan.error).toContain('says that not even "com" exists');
  expect(scan.error).toContain("set scan.resolvers");
  const bodies = app.database.query.select().from(events).all();
  const last = JSON.parse(bodies.at(-1)!.body) as { type: string; data: { scan: object } };
  expect(last.type).toBe("scan.completed");
  expect(last.data.scan).toEqual({
    id: scan.id,
    protected_domains: ["acme.com"],
    trigger: "console",
    status: "failed",
    started_at: expect.any(String),
    completed_at: expect.any(String),
    candidates: 0,
    resolving: 0,
    threats_found: 0,
    threats_created: 0,
    error: scan.error!,
  });
  expect(linesOf("scan failed")).toMatchObject([
    { level: "warn", scan: scan.id, failure: "resolvers_deny", reason: scan.error },
  ]);
  const metrics = await metricsOf(app);
  expect(metrics).toContain('phishwatch_scan_failures_total{reason="resolvers_deny"} 1\n');
  expect(metrics).toContain('phishwatch_scan_failures_total{reason="resolvers_silent"} 0\n');
  expect(metrics).toContain('phishwatch_resolvers{verdict="denying"} 1\n');
  expect(metrics).toContain('phishwatch_resolvers{verdict="honest"} 0\n');
  expect(metrics).not.toMatch(/^phishwatch_scan_last_completed_timestamp_seconds /m);
});

test("a resolver that denies every name is excluded with a warning, and the scan goes on with the others", async () => {
  const denying = await world.serve(planted, { denies: always });
  const app = world.open([denying, await world.serve(planted)]);
  const scan = await app.scans.run({ trigger: "console", by: analyst, limit: 300 });
  expect(scan).toMatchObject({ status: "completed", resolving: 2, unknown: 0 });
  const resolver = `127.0.0.1:${denying.server.port}`;
  expect(linesOf("resolver excluded")).toMatchObject([{ level: "warn", resolver, verdict: "denying" }]);
  await app.scans.run({ trigger: "console", by: analyst, limit: 10 });
  expect(linesOf("resolver excluded").length).toBe(1);
});

test("a scan fails if its only resolver begins to deny every name, and takes back what was denied meanwhile", async () => {
  let denies = false;
  const app = world.open([await world.serve({}, { denies: () => denies })], { queriesPerSecond: 200 });
  const scan = await app.scans.run({
    trigger: "console",
    by: analyst,
    limit: 300,
    onProgress: ({ candidates }) => void (denies ||= candidates > 100),
  });
  expect(scan).toMatchObject({ status: "failed", failure: "resolvers_deny", resolving: 0 });
  expect(scan.candidates - scan.unknown).toBeLessThan(100);
});

test("names that a resolver denied before it was caught are looked up again with the others", async () => {
  let denies = false;
  const turning = await world.serve(planted, { denies: () => denies });
  const good = await world.serve(planted);
  const app = world.open([turning, good], { queriesPerSecond: 200 });
  const found: Found[] = [];
  // From the first lookup on, the resolver denies also the names that exist.
  const scan = await app.scans.run({
    trigger: "console",
    by: analyst,
    limit: 300,
    onProgress: ({ planned }) => void (denies ||= planned > 0),
    onFound: (one) => found.push(one),
  });
  expect(scan).toMatchObject({ status: "completed", candidates: 300, unknown: 0 });
  expect(found.map(({ domain }) => domain).sort()).toEqual([early, late].sort());
  expect(turning.asked.length).toBeGreaterThan(0);
});

test("a scan in which no look-alike could be resolved fails", async () => {
  const broken = names.slice(0, 3).map((name) => [name, { rcode: "SERVFAIL" }] as const);
  const app = world.open([await world.serve(Object.fromEntries(broken))]);
  const scan = await app.scans.run({ trigger: "console", by: analyst, limit: 3 });
  expect(scan).toMatchObject({ status: "failed", failure: "nothing_resolved", candidates: 3, unknown: 3 });
});

test("a failed scan keeps the time of the last completed one in the metrics", async () => {
  let denies = false;
  const app = world.open([await world.serve(planted, { denies: () => denies })]);
  await app.scans.run({ trigger: "console", by: analyst, limit: 10 });
  const before = /^phishwatch_scan_last_completed_timestamp_seconds .*$/m.exec(await metricsOf(app))?.[0];
  denies = true;
  const failed = await app.scans.run({ trigger: "console", by: analyst, limit: 10 });
  expect(failed.status).toBe("failed");
  expect(before).toBeDefined();
  expect(await metricsOf(app)).toContain(`${before}\n`);
});

test("a scan runs with a resolver that loses the first probes", async () => {
  let count = 0;
  const lossy = await world.serve(planted, { drops: () => count++ < 4 });
  const app = world.open([lossy]);
  const scan = await app.scans.run({ trigger: "console", by: analyst, limit: 5 });
  expect(scan).toMatchObject({ status: "completed", candidates: 5 });
});

test("a resolver that denies every name is reported while it does, without a scan", async () => {
  let denies = true;
  const clock = manualClock(Date.UTC(2026, 0, 15));
  const app = world.open([await world.serve({}, { denies: () => denies })], { clock, lookups: true });
  await app.start();
  const problem = () => app.scans.resolverHealth.latest()?.problem;
  clock.advance(10_000);
  await until(() => (clock.advance(10), typeof problem() === "string"), "the problem is known");
  expect(linesOf("no usable resolver")).toMatchObject([{ level: "warn" }]);
  denies = false;
  clock.advance(60_000);
  await until(() => (clock.advance(10), problem() === null), "the problem is over");
  expect(linesOf("resolvers usable again").length).toBe(1);
});

test("a scan logs its start and its end with counts", async () => {
  const app = world.open([await world.serve(planted)]);
  const scan = await app.scans.run({ trigger: "console", by: analyst, limit: 300 });
  expect(linesOf("scan started")).toMatchObject([
    { level: "info", scan: scan.id, trigger: "console", domains: ["acme.com"], domainCount: 1, limit: 300 },
  ]);
  expect(linesOf("scan finished")).toMatchObject([
    {
      level: "info",
      scan: scan.id,
      trigger: "console",
      status: "completed",
      candidates: 300,
      resolving: 2,
      unknown: 0,
      found: 2,
      created: 2,
      durationMs: scan.completedAt! - scan.startedAt,
    },
  ]);
});

test("a scan stores the DNS facts that it has, with lookups off and without a server", async () => {
  const app = world.open([await world.serve(planted)]);
  const found: Found[] = [];
  await app.scans.run({ trigger: "cli", by: analyst, limit: 300, onFound: (one) => found.push(one) });
  const { threatId } = found.find(({ domain }) => domain === early)!;
  expect(app.threats.get(threatId)?.ipAddress).toBe("192.0.2.1");
  const known = app.enrichment.factsOf(threatId);
  expect(known?.facts.existence).toMatchObject({ exists: "yes", nameServers: ["ns1.host.net"] });
  expect(known?.checkedAt).not.toBeNull();
});

test("a threat is verified from the lookup that finds its name in DNS on", async () => {
  const app = world.open([await world.serve(planted)]);
  const match = { protectedDomain: "acme.com", type: "homograph" as const, similarity: 0.99, reasons: [] };
  const sighting = { domain: early, match, source: "feed" as const, seenAt: 0 };
  const { threatId } = app.threats.record([sighting])[0]!;
  expect(app.threats.get(threatId)).toMatchObject({ severity: "high", verified: false });
  await app.scans.run({ trigger: "console", by: analyst, limit: 300 });
  expect(app.threats.get(threatId)).toMatchObject({ severity: "high", verified: true });
});
