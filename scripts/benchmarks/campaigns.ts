import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGrouping } from "../../src/response/cases/grouping/grouping.ts";
import { openCampaigns } from "../../src/response/cases/campaigns/open-campaigns.ts";
import { traitsOf } from "../../src/response/cases/campaigns/traits.ts";
import { openDatabase } from "../../src/platform/database/database.ts";
import { systemClock } from "../../src/platform/lib/clock.ts";
import { createLog } from "../../src/platform/lib/log.ts";
import { createForeground, createYielder } from "../../src/platform/lib/yielder.ts";
import { campaignWorld, countPairs } from "../../test/support/campaign-world.ts";
import { fillWithThreats } from "./campaign-rows.ts";
import { readOptions } from "./options.ts";

const options = readOptions({
  benchmark: "campaigns",
  summary:
    "Grouping of synthetic campaigns among other threats: pairs that are joined correctly and incorrectly, time and memory\n" +
    "in memory, and time with a database file, from the first read to the stored campaigns.",
  options: {
    count: { default: 100_000, value: "N", description: "threats" },
    seed: { default: 1, value: "N", description: "seed of the threats" },
  },
});
/** Threats at the end whose time is reported, when all others are present. */
const timed = Math.min(2_000, Math.floor(options.count / 2));

const world = campaignWorld({ count: options.count, seed: options.seed });
groupInMemory();
await groupDatabase();

function groupInMemory(): void {
  Bun.gc(true);
  const before = process.memoryUsage().rss;
  const grouping = createGrouping();
  const times: number[] = [];
  const start = performance.now();
  for (const threat of world.threats) {
    const began = performance.now();
    for (const _step of grouping.apply(threat.seq, traitsOf(threat)));
    times.push(performance.now() - began);
  }
  const totalMs = performance.now() - start;
  Bun.gc(true);
  const memory = process.memoryUsage().rss - before;
  console.log(`${options.count} threats, ${world.truth.size} of them in campaigns, seed ${options.seed}`);
  console.log(`in memory: ${(totalMs / 1_000).toFixed(2)} s, ${(memory / 2 ** 20).toFixed(0)} MiB`);
  printTimes("each of the last threats", times.slice(-timed));
  const { byKind, joinedFalsely, joinedTruly, truePairs } = countPairs(
    world,
    (seq) => grouping.member(seq)?.group,
  );
  console.log(`pairs: ${joinedTruly} of ${truePairs} joined, ${joinedFalsely} joined incorrectly`);
  for (const [kind, counts] of byKind) console.log(`  ${kind}: ${counts.joinedTruly} of ${counts.truePairs}`);
}

async function groupDatabase(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "phishwatch-bench-"));
  const database = openDatabase(join(folder, "phishwatch.db"));
  try {
    fillWithThreats(database, world.threats.slice(0, -timed));
    const log = createLog({ level: "silent", format: "json", clock: systemClock, write: () => {} });
    const yielder = () => createYielder({ sliceMs: 5, elapsedMs: () => performance.now() });
    const foreground = createForeground();
    const campaigns = openCampaigns({ clock: systemClock, database, foreground, log, yielder });
    const start = performance.now();
    await campaigns.catchUp();
    console.log(`database, first time: ${((performance.now() - start) / 1_000).toFixed(2)} s`);
    await campaigns.stop();
    const again = openCampaigns({ clock: systemClock, database, foreground, log, yielder });
    const restarted = performance.now();
    await again.catchUp();
    console.log(`database, each later start: ${((performance.now() - restarted) / 1_000).toFixed(2)} s`);
    const times: number[] = [];
    for (const threat of world.threats.slice(-timed)) {
      fillWithThreats(database, [threat]);
      const began = performance.now();
      await again.catchUp();
      times.push(performance.now() - began);
    }
    printTimes("each further threat, read, grouped and stored", times);
    const listed = performance.now();
    again.list({ limit: 25, offset: 0, recentSince: 0 });
    console.log(`first page of ${again.total()} campaigns: ${(performance.now() - listed).toFixed(1)} ms`);
    await again.stop();
  } finally {
    database.close();
    rmSync(folder, { recursive: true });
  }
}

function printTimes(what: string, times: readonly number[]): void {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!.toFixed(3);
  console.log(`${what}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms`);
}
