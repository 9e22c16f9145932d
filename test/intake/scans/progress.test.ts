import { afterEach, beforeEach, expect, test } from "bun:test";
import { progressOf } from "../../../src/intake/scans/progress.ts";
import type { Scan } from "../../../src/intake/scans/tables.ts";
import { manualClock } from "../../support/appliance.ts";
import { scanWorld, type ScanWorld } from "../../support/scan-world.ts";
import { analyst } from "../../support/stores.ts";
import { until } from "../../support/until.ts";

let world: ScanWorld;
beforeEach(() => void (world = scanWorld()));
afterEach(() => world.dispose());

const slow = { queriesPerSecond: 300 };

test("begin returns at once, progress grows while the scan runs, and cancelling ends it", async () => {
  const app = world.open([await world.serve({})], slow);
  expect(app.scans.progress()).toBeUndefined();
  const { scan, ended } = await app.scans.begin({ trigger: "console", by: analyst });
  expect(scan).toMatchObject({ status: "running", trigger: "console", planned: 0 });
  expect(app.scans.progress()).toMatchObject({ scan: { id: scan.id }, perSecond: null, msLeft: null });
  await until(() => (app.scans.progress()?.perSecond ?? null) !== null, "the rate is known");
  const { scan: now, perSecond, msLeft } = app.scans.progress()!;
  expect(now.planned).toBeGreaterThan(1_000);
  expect(perSecond).toBeGreaterThan(0);
  expect(msLeft).toBeGreaterThan(0);
  expect(app.scans.cancel(scan.id, { by: analyst })).toBe(true);
  expect(app.scans.progress()?.scan.cancelRequested).toBe(true);
  expect((await ended).status).toBe("cancelled");
  expect(app.scans.progress()).toBeUndefined();
});

test("starting a second scan fails with the running one's trigger and progress, even in another process", async () => {
  const server = await world.serve({});
  const app = world.open([server], slow);
  const other = world.open([server], slow);
  const { scan, ended } = await app.scans.begin({ trigger: "console", by: analyst });
  await until(() => (other.scans.progress()?.scan.planned ?? 0) > 0, "the counts are written");
  await expect(other.scans.begin({ trigger: "cli", by: analyst })).rejects.toThrow(
    /^a scan is already running, started by the console at \d{4}-.*Z, \d+ % done; wait for it to end, or cancel it$/,
  );
  await expect(app.scans.run({ trigger: "cli", by: analyst })).rejects.toThrow("started by the console");
  other.scans.cancel(scan.id, { by: analyst });
  await ended;
  expect(app.scans.list(1)[0]).toMatchObject({ id: scan.id, status: "cancelled" });
  expect(app.scans.list(1, 1)).toEqual([]);
});

test("a scheduled scan that fails without a resolver logs how to disable the schedule", async () => {
  const clock = manualClock(Date.UTC(2026, 0, 15, 3, 0));
  const silent = await world.serve({});
  silent.stop();
  const app = world.open([silent], { clock, schedule: "17 3 * * *" });
  await app.start();
  for (let minute = 0; minute < 18; minute++) clock.advance(60_000);
  await until(() => (clock.advance(100), app.scans.list(1)[0]?.status === "failed"), "it failed");
  await until(() => world.logged.some((line) => line.includes("scan failed")), "the end is logged");
  expect(world.logged.join("")).toContain('set scan.schedule = \\"\\" and lookups.enabled = false');
});

test.each([
  [
    "a scan before its first lookup",
    { candidates: 0 },
    { counts: undefined, lookingUpSince: undefined },
    [null, null],
  ],
  [
    "a scan of this process",
    { candidates: 0 },
    { counts: { candidates: 50 }, lookingUpSince: 9_000 },
    [50, 1_000],
  ],
  ["a scan of another process", { candidates: 50 }, undefined, [5, 10_000]],
  ["a scan at its end", { candidates: 100 }, undefined, [10, 0]],
])("the rate and the remaining time are estimated correctly for %s", (_, row, live, [perSecond, msLeft]) => {
  const counts = { planned: 100, resolving: 0, unknown: 0, threatsFound: 0, threatsCreated: 0 };
  const scan = { ...counts, ...row, startedAt: 0, status: "running" } as Scan;
  const liveScan = live && {
    lookingUpSince: live.lookingUpSince,
    counts: live.counts && { ...counts, ...live.counts },
  };
  expect(progressOf(scan, liveScan, 10_000)).toMatchObject({ perSecond, msLeft });
});
