import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openCampaigns } from "../../../src/response/cases/campaigns/open-campaigns.ts";
import { openDatabase, type Database } from "../../../src/platform/database/database.ts";
import { systemClock } from "../../../src/platform/lib/clock.ts";
import { createLog } from "../../../src/platform/lib/log.ts";
import { createForeground, createYielder } from "../../../src/platform/lib/yielder.ts";
import { campaignWorld } from "../../../test/support/campaign-world.ts";
import { fillWithThreats } from "../../benchmarks/campaign-rows.ts";
import type { Random } from "../../benchmarks/random.ts";
import { freePort } from "../../benchmarks/server-process.ts";
import { startServer } from "../server.ts";

const threatsAtFirst = 10_000;
const threatsPerLife = 200;
const threatsPerWrite = 10;
/** A tenth of the threats of a world is in campaigns; most of the others are left out. */
const worldSizePerThreat = 4;
const othersShare = 0.2;
const pollPauseMs = 5;
const lifeMsMax = 8_000;
const drainMsMax = 120_000;
const pollIntervalMs = 100;

/**
 * Kills the server at random moments while it groups threats into campaigns and another process adds threats. At the end,
 * the stored campaigns must be exactly those of a grouping that was never interrupted.
 */
export async function killGroupings({
  kills,
  random,
  folder,
}: {
  kills: number;
  random: Random;
  folder: string;
}): Promise<{ halfWritten: number; campaigns: number; threats: number; violations: string[] }> {
  mkdirSync(folder);
  const path = join(folder, "phishwatch.db");
  const config = join(folder, "phishwatch.toml");
  const port = freePort();
  writeFileSync(config, configText(path, port));
  const wanted = threatsAtFirst + kills * threatsPerLife;
  const world = campaignWorld({ count: wanted * worldSizePerThreat, seed: random.below(2 ** 31) });
  const threats = world.threats
    .filter(({ seq }) => world.truth.has(seq) || random.unit() < othersShare)
    .slice(0, wanted);
  const database = openDatabase(path);
  fillWithThreats(database, threats.slice(0, threatsAtFirst));
  const left = threats.slice(threatsAtFirst);
  let halfWritten = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    // Otherwise a life would only write what is new.
    if (kill % 2 === 0) removeCampaigns(database);
    const server = await startServer({ config, port });
    const endsAt = performance.now() + lifeMsMax;
    const own = left.splice(0, threatsPerLife);
    // A kill at a random time would rarely hit the writing, which is short.
    const numbered = 1 + random.below(threats.length / 2);
    while (performance.now() < endsAt && countNumbered(database) < numbered) {
      fillWithThreats(database, own.splice(0, threatsPerWrite));
      await Bun.sleep(pollPauseMs);
    }
    await Bun.sleep(random.below(50));
    server.signal("SIGKILL");
    await server.exited;
    if (isHalfWritten(database)) halfWritten += 1;
    fillWithThreats(database, own);
  }
  const server = await startServer({ config, port });
  const isDone = await within(() => isComplete(database));
  server.signal("SIGTERM");
  await server.exited;
  const found = stored(database);
  const campaigns = database.sqlite.query<{ n: number }, []>("SELECT count(*) AS n FROM campaigns").get()!.n;
  const integrity = database.sqlite.query<{ integrity_check: string }, []>("PRAGMA integrity_check").all();
  const expected = await groupAgain(database);
  database.close();
  rmSync(folder, { recursive: true });
  return {
    halfWritten,
    campaigns,
    threats: threats.length,
    violations: [
      ...(isDone ? [] : [`not complete within ${drainMsMax / 1_000} s`]),
      ...integrity.map((row) => row.integrity_check).filter((text) => text !== "ok"),
      ...differences(found, expected),
    ],
  };
}

/** Returns whether the server has stored that the campaigns contain the latest change. */
function isComplete({ sqlite }: Database): boolean {
  const position = sqlite
    .query<{ value: string }, []>("SELECT value FROM settings WHERE name = 'campaigns_position'")
    .get()?.value;
  const latest = sqlite
    .query<{ version: number; seq: number }, []>(
      "SELECT (SELECT max(version) FROM threat_change_log) AS version, (SELECT max(seq) FROM threats) AS seq",
    )
    .get()!;
  return position?.includes(`${latest.version} ${latest.seq} `) ?? false;
}

/** Returns whether a campaign has other threats than it says. */
function isHalfWritten({ sqlite }: Database): boolean {
  return (
    sqlite
      .query<{ found: number }, []>(
        `SELECT EXISTS (SELECT 1 FROM (SELECT campaign_seq AS number, count(*) AS size FROM threats
         WHERE campaign_seq IS NOT NULL GROUP BY campaign_seq) AS own
       LEFT JOIN campaigns c ON c.number = own.number WHERE c.size IS NOT own.size) AS found`,
      )
      .get()!.found === 1
  );
}

/** Returns the campaigns, and then the threats of each, one per line. */
function stored({ sqlite }: Database): string {
  const campaigns = sqlite
    .query("SELECT number, size, score, reasons FROM campaigns ORDER BY number")
    .values()
    .map((row) => `campaign ${row.join(" ")}`);
  const threats = sqlite
    .query("SELECT seq, campaign_seq FROM threats WHERE campaign_seq IS NOT NULL ORDER BY seq")
    .values()
    .map((row) => `threat ${row.join(" in ")}`);
  return [...campaigns, ...threats].join("\n");
}

function countNumbered({ sqlite }: Database): number {
  return sqlite
    .query<{ n: number }, []>("SELECT count(*) AS n FROM threats WHERE campaign_seq IS NOT NULL")
    .get()!.n;
}

function removeCampaigns({ sqlite }: Database): void {
  sqlite.run("DELETE FROM settings WHERE name = 'campaigns_position'");
  sqlite.run("UPDATE threats SET campaign_seq = NULL WHERE campaign_seq IS NOT NULL");
  sqlite.run("DELETE FROM campaigns");
}

/** Groups all threats from the beginning, in this process. */
async function groupAgain(database: Database): Promise<string> {
  removeCampaigns(database);
  const campaigns = openCampaigns({
    clock: systemClock,
    database,
    foreground: createForeground(),
    log: createLog({ level: "silent", format: "json", clock: systemClock, write: () => {} }),
    yielder: () => createYielder({ sliceMs: 50, elapsedMs: () => performance.now() }),
  });
  await campaigns.catchUp();
  await campaigns.stop();
  return stored(database);
}

function differences(found: string, expected: string): string[] {
  const [left, right] = [found, expected].map((text) => new Set(text.split("\n")));
  return [
    ...[...left!.difference(right!)].map((line) => `too much: ${line.slice(0, 200)}`),
    ...[...right!.difference(left!)].map((line) => `missing: ${line.slice(0, 200)}`),
  ];
}

async function within(isDone: () => boolean): Promise<boolean> {
  const until = performance.now() + drainMsMax;
  while (performance.now() < until) {
    if (isDone()) return true;
    await Bun.sleep(pollIntervalMs);
  }
  return false;
}

const configText = (path: string, port: number) => `[server]
listen = "127.0.0.1:${port}"
[storage]
path = ${JSON.stringify(path)}
[scan]
schedule = ""
[lookups]
enabled = false
[[protected_domains]]
domain = "example-bank.com"
`;
