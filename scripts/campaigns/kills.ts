import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOptions } from "../benchmarks/options.ts";
import { randomFrom } from "../benchmarks/random.ts";
import { freePort } from "../benchmarks/server-process.ts";
import { median } from "../benchmarks/statistics.ts";
import {
  changeBatches,
  createLedger,
  growFeed,
  patchThreats,
  submitNames,
  type ClientWorld,
} from "./kills/clients.ts";
import { killGroupings } from "./kills/groupings.ts";
import { finishImports, runImports } from "./kills/imports.ts";
import { checkInvariants } from "./kills/invariants.ts";
import { startReceiver } from "./kills/receivers.ts";
import { killRetention } from "./kills/retention.ts";
import { killRestores } from "./kills/restores.ts";
import { printReport, randomSeed } from "./report.ts";
import { startServer, type Server } from "./server.ts";

const options = readOptions({
  benchmark: "kills",
  script: "campaign",
  summary:
    "Kills the server at random moments while clients, a feed, imports and webhooks are busy, then kills restores, then the\n" +
    "server while it groups threats into campaigns and while it deletes old ones, and checks that nothing acknowledged is\n" +
    "lost, and that nothing is half done.",
  options: {
    seed: { default: null, value: "N", description: "seed of all random choices (default: a new one)" },
    seconds: { default: 90, value: "N", description: "duration of the load" },
    restores: { default: 20, value: "N", description: "restores to kill" },
    groupings: { default: 30, value: "N", description: "kills of the server while it groups threats" },
    retention: { default: 20, value: "N", description: "kills of the server while it deletes threats" },
  },
});
const seed = options.seed === null ? randomSeed() : Number(options.seed);
console.log(`seed ${seed}`);

const livesMsMin = 60;
const livesMsMax = 3_000;
const retryDelayMs = 400;
const retries = 20;
const drainMsMax = 180_000;
const pollIntervalMs = 100;
const submitters = 2;
const changers = 4;

const random = randomFrom(seed);
const folder = mkdtempSync(join(tmpdir(), "phishwatch-kills-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const databasePath = join(folder, "phishwatch.db");
const feedPath = join(folder, "feed.txt");
const config = join(folder, "phishwatch.toml");
const port = freePort();
const apiKey = "campaign-key-of-more-than-twenty-characters";
const receivers = {
  good: await startReceiver({ hostile: undefined }),
  hostile: await startReceiver({ hostile: randomFrom(seed + 1) }),
};
writeFileSync(feedPath, "");
writeFileSync(config, configText());

const ledger = createLedger();
let isStopped = false;
const worldOf = (offset: number): ClientWorld => ({
  ledger,
  random: randomFrom(seed + offset),
  port,
  apiKey,
  isStopped: () => isStopped,
});

const startMs: number[] = [];
let server = await start();
const clients = [
  ...Array.from({ length: submitters }, (_, index) => submitNames(worldOf(10 + index), `s${index}x`)),
  ...Array.from({ length: changers - 1 }, (_, index) => patchThreats(worldOf(20 + index), index, changers)),
  changeBatches(worldOf(30), changers - 1, changers),
  growFeed(worldOf(40), feedPath),
];
const importing = runImports({
  ledger,
  random: randomFrom(seed + 50),
  folder,
  config,
  isStopped: () => isStopped,
});

let kills = 0;
const endsAt = performance.now() + options.seconds * 1_000;
while (performance.now() < endsAt) {
  await Bun.sleep(livesMsMin + random.below(livesMsMax - livesMsMin));
  await kill(server);
  kills += 1;
  server = await start();
}
isStopped = true;
await Promise.all(clients);
const imports = await importing;
console.log(`${kills} kills; waiting for imports and deliveries`);
const importFailures = await finishImports(imports.lists, config);
receivers.hostile.recover();
const database = new Database(databasePath, { readonly: true });
const isDrained = await drained();
server.signal("SIGTERM");
await server.exited;

const checks = checkInvariants({ database, ledger, receivers, feedPath, retryDelayMs, importFailures });
const count = (table: string) =>
  database.query<{ count: number }, []>(`SELECT count(*) AS count FROM ${table}`).get()!.count;
const repeated = Object.values(receivers).flatMap(({ received }) => [...received.values()]);
const figures: [string, string | number][] = [
  ["kills of the server", kills],
  ["imports, killed", `${imports.started}, ${imports.killed}`],
  ["acknowledged submissions (threats)", `${ledger.submissions} (${ledger.created.size})`],
  ["acknowledged changes, batches", `${ledger.changes}, ${ledger.batches}`],
  ["calls broken off", ledger.brokenOff],
  ["lines of the feed", ledger.fed.size],
  ["threats", count("threats")],
  ["events", count("events")],
  ["deliveries, attempts", `${count("deliveries")}, ${count("delivery_attempts")}`],
  ["received more than once", repeated.filter(({ accepted }) => accepted > 1).length],
  ["start, median and maximum (ms)", `${median(startMs).toFixed(0)}, ${Math.max(...startMs).toFixed(0)}`],
];
database.close();

const restores = await killRestores({ kills: options.restores, random, config, databasePath });
figures.push(["restores, killed", `${options.restores}, ${restores.killed}`]);
const groupings = await killGroupings({
  kills: options.groupings,
  random,
  folder: join(folder, "groupings"),
});
figures.push(
  ["kills during grouping, half written", `${options.groupings}, ${groupings.halfWritten}`],
  ["grouped threats, campaigns", `${groupings.threats}, ${groupings.campaigns}`],
);
const retention = await killRetention({
  kills: options.retention,
  random,
  folder: join(folder, "retention"),
});
figures.push([
  "kills of deletions, in between; deleted threats",
  `${options.retention}, ${retention.deleting}; ${retention.deleted}`,
]);
checks.push(
  {
    guarantee: "after kills, a threat is there or deleted, with all that belongs to it",
    violations: retention.violations,
  },
  { guarantee: "the deliveries end", violations: isDrained ? [] : [`not within ${drainMsMax / 1_000} s`] },
  { guarantee: "a killed restore leaves a whole database", violations: restores.violations },
  {
    guarantee: "after kills, the campaigns are those of a grouping without interruption",
    violations: groupings.violations,
  },
);
for (const receiver of Object.values(receivers)) receiver.stop();
const command =
  `scripts/campaign kills --seed ${seed} --seconds ${options.seconds} --restores ${options.restores} ` +
  `--groupings ${options.groupings} --retention ${options.retention}`;
process.exit(printReport({ figures, checks, command }));

async function start(): Promise<Server> {
  const startedAt = performance.now();
  const started = await startServer({ config, port });
  startMs.push(performance.now() - startedAt);
  return started;
}

async function kill(running: Server): Promise<void> {
  running.signal("SIGKILL");
  await running.exited;
}

/** Waits until the feed is read and no delivery is pending. */
async function drained(): Promise<boolean> {
  const pending = database.query<{ count: number }, []>(
    `SELECT (SELECT count(*) FROM deliveries WHERE status = 'pending')
     + (SELECT count(*) FROM events WHERE dispatched_at IS NULL) AS count`,
  );
  const lines = database.query<{ lines: number }, [string]>("SELECT lines FROM feed_files WHERE path = ?");
  const until = performance.now() + drainMsMax;
  while (performance.now() < until) {
    if (lines.get(feedPath)?.lines === ledger.fed.size && pending.get()!.count === 0) return true;
    await Bun.sleep(pollIntervalMs);
  }
  return false;
}

function configText(): string {
  const endpoint = (name: keyof typeof receivers) => `
[[webhooks.endpoints]]
name = "${name}"
url = "http://127.0.0.1:${receivers[name].port}/"
secret = "campaign-secret-of-sufficient-length"`;
  return `[server]
listen = "127.0.0.1:${port}"
[storage]
path = ${JSON.stringify(databasePath)}
[scan]
schedule = ""
[detection]
reactivate = false
[webhooks]
allow_http = true
timeout = "1s"
retry_delays = [${Array.from({ length: retries }, () => `"${retryDelayMs}ms"`).join(", ")}]
[[protected_domains]]
domain = "example-bank.com"
[[feeds]]
name = "feed"
path = ${JSON.stringify(feedPath)}
[[api_keys]]
name = "campaign"
key = "${apiKey}"
plan = "enterprise"
scopes = ["threats:read", "threats:write", "candidates:write"]
${endpoint("good")}
${endpoint("hostile")}
`;
}
