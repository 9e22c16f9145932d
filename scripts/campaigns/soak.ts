import { Database } from "bun:sqlite";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOptions } from "../benchmarks/options.ts";
import { phishwatchExecutable } from "../benchmarks/phishwatch.ts";
import { randomFrom } from "../benchmarks/random.ts";
import { freePort } from "../benchmarks/server-process.ts";
import { enterNamespace } from "./namespace.ts";
import { printReport, randomSeed, type Check } from "./report.ts";
import { runCommand, startServer } from "./server.ts";
import { startLoad } from "./soak/load.ts";
import { createSampler, readSamples } from "./soak/samples.ts";
import { growthReport } from "./soak/report.ts";
import { startWorld } from "./soak/world.ts";

const options = readOptions({
  benchmark: "soak",
  script: "campaign",
  summary:
    "Runs a server under a steady load whose data stays the same, in a network namespace, and states with 95 % confidence\n" +
    "whether memory, descriptors, threads and files grow. The rates are low, so that it can share a machine.",
  options: {
    seed: { default: null, value: "N", description: "seed of all random choices (default: a new one)" },
    minutes: { default: 60, value: "N", description: "duration of the load, with the warm-up" },
    "warm-up": { default: 20, value: "N", description: "minutes at the beginning that are not evaluated" },
    samples: { default: null, value: "FILE", description: "keeps the samples in this file, as CSV" },
    evaluate: {
      default: null,
      value: "FILE",
      description: "evaluates the samples of an earlier run, and starts nothing",
    },
  },
});
const evaluatedMinutesMin = 15;
if (options.evaluate !== null) {
  const { checks, text } = growthReport(readSamples(options.evaluate), options["warm-up"]);
  console.log(text);
  const command = `scripts/campaign soak --evaluate ${options.evaluate} --warm-up ${options["warm-up"]}`;
  process.exit(printReport({ figures: [], checks, command }));
}
if (options.minutes < options["warm-up"] + evaluatedMinutesMin) {
  console.error(`a trend needs at least ${evaluatedMinutesMin} minutes after the warm-up`);
  process.exit(2);
}
await enterNamespace();
const seed = options.seed === null ? randomSeed() : Number(options.seed);
console.log(`seed ${seed}`);

const sampleIntervalMs = 5_000;
const samplesPerLine = 60;
const drainMsMax = 120_000;
/** One of this many names of a scan exists, or gives an error. */
const scannedEvery = 250;

const folder = mkdtempSync(join(tmpdir(), "phishwatch-soak-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
// A build during the hour replaces the file of the executable.
const executable = join(folder, "phishwatch");
copyFileSync(phishwatchExecutable, executable);
process.env["PHISHWATCH_EXECUTABLE"] = executable;
const databasePath = join(folder, "phishwatch.db");
const feedPath = join(folder, "feed.txt");
const config = join(folder, "phishwatch.toml");
const samplesPath = options.samples ?? join(folder, "samples.csv");
const port = freePort();
const url = `http://127.0.0.1:${port}`;
const apiKey = "campaign-key-of-more-than-twenty-characters";
const listToken = "campaign-list-token-of-sufficient-length";
const password = "campaign password of the console";

const permutations = (await runCommand(["permutations", "example-bank.com"])).output.split("\n");
const scanned = permutations
  .filter((_, index) => index % scannedEvery === 0)
  .map((line) => line.split("\t")[0]!);
const world = await startWorld(scanned);
writeFileSync(feedPath, "");
writeFileSync(config, configText());

const server = await startServer({ config, port });
const load = startLoad({
  url,
  apiKey,
  listToken,
  password,
  folder,
  config,
  feedPath,
  random: randomFrom(seed),
});
const sampler = createSampler({ pid: server.pid, url, databasePath, path: samplesPath });
await load.start();
const endsAt = performance.now() + options.minutes * 60_000;
let sampled = 0;
while (performance.now() < endsAt) {
  await sampler.sample();
  sampled += 1;
  if (sampled % samplesPerLine === 1)
    console.log(JSON.stringify({ ...readSamples(samplesPath).at(-1), failures: load.failures.length }));
  await Bun.sleep(sampleIntervalMs);
}
await load.stop();
const database = new Database(databasePath, { readonly: true });
const isDrained = await drained();
server.signal("SIGTERM");
const exitCode = await server.exited;

const { checks, text } = growthReport(readSamples(samplesPath), options["warm-up"]);
console.log(`\n${text}`);
const count = (table: string) =>
  database.query<{ count: number }, []>(`SELECT count(*) AS count FROM ${table}`).get()!.count;
checks.push(...otherChecks());
const command = `scripts/campaign soak --seed ${seed} --minutes ${options.minutes} --warm-up ${options["warm-up"]}`;
const figures: [string, string | number][] = [
  ...load.counts,
  ["scans", count("scans")],
  ["threats, campaigns", `${count("threats")}, ${count("campaigns")}`],
  ["events received by the good endpoint", world.received.size],
  ["delivery attempts", count("delivery_attempts")],
];
process.exit(printReport({ figures, checks, command }));

function otherChecks(): Check[] {
  const events = database.query<{ id: string }, []>("SELECT id FROM events").all();
  const integrity = database.query<{ integrity_check: string }, []>("PRAGMA integrity_check").all();
  const logged = server.log().split("\n");
  return [
    { guarantee: "every request and command succeeds", violations: load.failures },
    {
      guarantee: "every event on record reached the good endpoint",
      violations: [
        ...(isDrained ? [] : [`not within ${drainMsMax / 1_000} s`]),
        ...events.filter(({ id }) => !world.received.has(id)).map(({ id }) => id),
      ],
    },
    {
      guarantee: "the file passes integrity_check",
      violations: integrity.map((row) => row.integrity_check).filter((one) => one !== "ok"),
    },
    {
      guarantee: "no internal error is logged",
      violations: logged.filter((line) => line.includes('"level":"error"')),
    },
    {
      guarantee: "SIGTERM stops the server",
      violations: exitCode === 0 ? [] : [`exit code ${exitCode}`],
    },
  ];
}

/** Waits until the good endpoint has everything. */
async function drained(): Promise<boolean> {
  const pending = database.query<{ count: number }, []>(
    `SELECT (SELECT count(*) FROM events WHERE dispatched_at IS NULL) + (SELECT count(*) FROM deliveries d
     JOIN recipients r ON r.seq = d.recipient_seq WHERE d.status = 'pending' AND r.name = 'good') AS count`,
  );
  const until = performance.now() + drainMsMax;
  while (performance.now() < until) {
    if (pending.get()!.count === 0) return true;
    await Bun.sleep(200);
  }
  return false;
}

function configText(): string {
  const endpoints = Object.entries(world.receivers).map(
    ([name, receiverPort]) => `
[[webhooks.endpoints]]
name = "${name}"
url = "http://127.0.0.1:${receiverPort}/"
secret = "campaign-secret-of-sufficient-length"`,
  );
  return `[server]
listen = "127.0.0.1:${port}"
[storage]
path = ${JSON.stringify(databasePath)}
[console]
password = "${password}"
[scan]
schedule = "*/10 * * * *"
resolvers = ["127.0.0.1:${world.dnsPort}"]
queries_per_second = 100
registration_data = false
screenshots = "off"
[detection]
reactivate = false
[inspection]
browser = "never"
[webhooks]
allow_http = true
timeout = "5s"
retry_delays = ["5s", "20s", "60s"]
[retention]
events = "10m"
deliveries = "10m"
inspections = "10m"
[log]
format = "json"
level = "warn"
[[protected_domains]]
domain = "example-bank.com"
[[feeds]]
name = "feed"
path = ${JSON.stringify(feedPath)}
[[lists]]
name = "block"
token = "${listToken}"
verified_only = false
min_severity = "low"
[[api_keys]]
name = "campaign"
key = "${apiKey}"
plan = "enterprise"
scopes = ["threats:read", "threats:write", "candidates:write"]
${endpoints.join("\n")}
`;
}
