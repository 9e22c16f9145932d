import { Database } from "bun:sqlite";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOptions } from "../benchmarks/options.ts";
import { randomFrom } from "../benchmarks/random.ts";
import { freePort } from "../benchmarks/server-process.ts";
import { checkLogs, isFollowed } from "./logs/checks.ts";
import { emptyListText, startLogs } from "./logs/log-server.ts";
import { lies, type LogServerReport } from "./logs/messages.ts";
import { createWorld, protectedDomain } from "./logs/world.ts";
import { printReport, randomSeed } from "./report.ts";
import { startServer, type Server } from "./server.ts";

const options = readOptions({
  benchmark: "logs",
  script: "campaign",
  summary:
    "Follows certificate logs of both protocols that grow, fail and lie, while the server is killed at random moments, and\n" +
    "checks that every planted look-alike is recorded exactly once.",
  options: {
    seed: { default: null, value: "N", description: "seed of all random choices (default: a new one)" },
    logs: { default: 30, value: "N", description: "logs, alternately of both protocols" },
    entries: { default: 1_000_000, value: "N", description: "entries of all logs together" },
    planted: { default: 1_000, value: "N", description: "certificates with look-alikes" },
    seconds: { default: 120, value: "N", description: "duration of the growth, the kills and the faults" },
    faults: { default: 3, value: "PERCENT", description: "share of the requests that get a faulty response" },
    lies: { default: 6, value: "N", description: "logs that contradict what they signed, for a while each" },
  },
});
const seed = options.seed === null ? randomSeed() : Number(options.seed);
console.log(`seed ${seed}`);

const livesMsMin = 500;
const livesMsMax = 10_000;
/** Share of the entries that exist before the server starts. */
const shareAtFirst = 0.25;
const growthIntervalMs = 500;
const lieMs = 4_000;
const drainMsMax = 15 * 60_000;
const pollIntervalMs = 250;

const liars = new Set<string>();
const random = randomFrom(seed);
const folder = mkdtempSync(join(tmpdir(), "phishwatch-logs-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const databasePath = join(folder, "phishwatch.db");
const config = join(folder, "phishwatch.toml");
const listPath = join(folder, "log-list.json");
const port = freePort();

const worldOptions = { ...options, seed, startedAt: Date.now() };
const world = createWorld(worldOptions);
const logs = await startLogs();
// Without a list, the server would follow the real logs.
writeFileSync(listPath, emptyListText(worldOptions.startedAt));
await logs.send({ do: "open", world: worldOptions, seed });
const grown = world.logs.map(() => 0);
await growTo(shareAtFirst);
writeFileSync(config, configText(await logs.send({ do: "disturb", share: options.faults / 100 })));
console.log(`${grown.reduce((sum, size) => sum + size, 0)} of ${options.entries} entries before the start`);

const startedAt = performance.now();
let server = await startServer({ config, port });
const endsAt = startedAt + options.seconds * 1_000;
const growing = grow();
const lying = lieAtTimes();
let kills = 0;
let residentBytesMax = 0;
while (performance.now() < endsAt) {
  await Bun.sleep(Math.min(livesMsMin + random.below(livesMsMax - livesMsMin), endsAt - performance.now()));
  residentBytesMax = Math.max(residentBytesMax, residentPeakBytes(server));
  server.signal("SIGKILL");
  await server.exited;
  kills++;
  server = await startServer({ config, port });
}
await Promise.all([growing, lying]);
await growTo(1);
const final = await logs.send({ do: "disturb", share: 0 });
console.log(`${kills} kills; waiting until all ${options.entries} entries are read`);
const database = new Database(databasePath, { readonly: true });
const isDrained = await drained();
const seconds = (performance.now() - startedAt) / 1_000;
residentBytesMax = Math.max(residentBytesMax, residentPeakBytes(server));
server.signal("SIGTERM");
await server.exited;

const { checks, totals } = checkLogs({ database, logs: final.logs, planted: world.planted, liars });
checks.push({
  guarantee: "every log is read to its end",
  violations: isDrained ? [] : [`not within ${drainMsMax / 60_000} minutes`],
});
const { requests, faulty } = await logs.send({ do: "disturb", share: 0 });
const figures: [string, string | number][] = [
  ["logs, entries", `${world.logs.length}, ${options.entries}`],
  ["planted certificates", world.planted.length],
  ["kills of the server", kills],
  ["requests to the logs, faulty responses", `${requests}, ${faulty}`],
  ["logs that lied", liars.size],
  ...totals,
  ["duration (s)", seconds.toFixed(0)],
  ["peak resident memory (MiB)", (residentBytesMax / 2 ** 20).toFixed(0)],
];
database.close();
await logs.stop();
const command =
  `scripts/campaign logs --seed ${seed} --logs ${options.logs} --entries ${options.entries} ` +
  `--planted ${options.planted} --seconds ${options.seconds} --faults ${options.faults} --lies ${options.lies}`;
process.exit(printReport({ figures, checks, command }));

/** Adds entries until each log has this share of its final size, a little more or less before the end. */
async function growTo(share: number): Promise<LogServerReport> {
  const counts = world.logs.map(({ size }, index) => {
    const wanted = share === 1 ? size : Math.floor(size * share * (0.9 + 0.1 * random.unit()));
    return Math.max(0, wanted - grown[index]!);
  });
  for (const [index, count] of counts.entries()) grown[index]! += count;
  return logs.send({ do: "grow", counts });
}

async function grow(): Promise<void> {
  while (performance.now() < endsAt) {
    const elapsed = (performance.now() - startedAt) / (options.seconds * 1_000);
    await growTo(Math.min(0.99, shareAtFirst + (1 - shareAtFirst) * elapsed));
    await Bun.sleep(growthIntervalMs);
  }
}

async function lieAtTimes(): Promise<void> {
  for (let index = 0; index < options.lies && performance.now() < endsAt; index++) {
    await Bun.sleep((options.seconds * 1_000) / (options.lies + 1) - lieMs);
    const log = random.below(world.logs.length);
    await logs.send({ do: "lie", log, lie: lies[index % lies.length] });
    liars.add(world.logs[log]!.name);
    await Bun.sleep(lieMs);
    await logs.send({ do: "lie", log: 0, lie: undefined });
  }
}

/** Waits until every log is read and verified to its end, and no event is pending. */
async function drained(): Promise<boolean> {
  const until = performance.now() + drainMsMax;
  while (performance.now() < until) {
    if (final.logs.every((log) => isFollowed(database, log))) return true;
    await Bun.sleep(pollIntervalMs);
  }
  return false;
}

function residentPeakBytes({ pid }: Server): number {
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

function configText(report: LogServerReport): string {
  const extraLogs = report.logs.map(
    ({ name, key, url, protocol }) => `
[[certificate_logs.extra_logs]]
name = "${name}"
key = "${key}"
url = "${url}"
protocol = "${protocol}"`,
  );
  return `[server]
listen = "127.0.0.1:${port}"
[storage]
path = ${JSON.stringify(databasePath)}
[scan]
schedule = ""
[lookups]
enabled = false
[[protected_domains]]
domain = "${protectedDomain}"
[certificate_logs]
enabled = true
contact = "campaign@example.com"
log_list = ${JSON.stringify(listPath)}
first_start = "beginning"
${extraLogs.join("\n")}
`;
}
