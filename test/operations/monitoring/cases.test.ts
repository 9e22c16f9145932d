import { afterEach, expect, test } from "bun:test";
import { caseCollector } from "../../../src/operations/monitoring/collect/cases.ts";
import { collected } from "../../../src/operations/monitoring/metrics/metrics.ts";
import { expose } from "../../../src/operations/monitoring/metrics/exposition.ts";
import { analyst } from "../../support/stores.ts";
import { openTakedownWorld, reportOf } from "../../support/takedowns.ts";

const cleanup: (() => unknown)[] = [];
afterEach(() => {
  for (const step of cleanup.splice(0)) step();
});

test("metrics count reports that wait, follow-ups that are due, and what the retention deleted", async () => {
  const world = openTakedownWorld();
  const { clock, takedowns } = world;
  cleanup.push(world.dispose);
  const id = world.addThreat("exarnple-bank.com");
  world.setSite(id, "up");
  const retention: { lastRun?: "completed" | "failed" } = {};
  const collect = caseCollector({
    campaigns: { behindMs: () => 1_500, total: () => 3 },
    clock,
    dataRetention: {
      lastRun: () => retention.lastRun,
      totals: () => ({ false_positives: 4, resolved: 0, screenshots: 0, audit: 0 }),
    },
    takedowns,
  });
  const text = async () => expose(collected(await collect()), "prometheus");
  expect(await text()).toContain("phishwatch_takedown_oldest_queued_seconds 0\n");
  expect(await text()).not.toMatch(/^phishwatch_retention_last_success /m);

  takedowns.add(reportOf([id], "PW-00000001"), { by: analyst });
  clock.advance(7_200_000);
  retention.lastRun = "failed";
  const waiting = await text();
  for (const line of [
    "phishwatch_takedown_reports_queued 1",
    "phishwatch_takedown_oldest_queued_seconds 7200",
    'phishwatch_takedown_attention{reason="follow_up"} 0',
    "phishwatch_campaigns 3",
    "phishwatch_campaigns_behind_seconds 1.5",
    'phishwatch_retention_deleted_total{setting="false_positives"} 4',
    "phishwatch_retention_last_success 0",
  ])
    expect(waiting).toContain(`${line}\n`);
  clock.advance(3 * 86_400_000);
  expect(await text()).toContain('phishwatch_takedown_attention{reason="follow_up"} 1\n');
});
