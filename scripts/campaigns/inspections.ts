import { Database } from "bun:sqlite";
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOptions } from "../benchmarks/options.ts";
import { randomFrom } from "../benchmarks/random.ts";
import { freePort } from "../benchmarks/server-process.ts";
import { createPageVisits, type Row } from "./inspections/page-visits.ts";
import { enterNamespace } from "./namespace.ts";
import { printReport, randomSeed, type Check } from "./report.ts";
import { startServer, type Server } from "./server.ts";

const options = readOptions({
  benchmark: "inspections",
  script: "campaign",
  summary:
    "Kills the server at random moments while a feed and submissions have pages inspected and an original is captured, in a\n" +
    "network namespace, and checks that each address is inspected once, and that each copy becomes one threat with one event.",
  options: {
    seed: { default: null, value: "N", description: "seed of all random choices (default: a new one)" },
    kills: { default: 40, value: "N", description: "kills of the server" },
    addresses: { default: 40, value: "N", description: "addresses per life of the server" },
  },
});
await enterNamespace();
const seed = options.seed === null ? randomSeed() : Number(options.seed);
console.log(`seed ${seed}`);
const random = randomFrom(seed);

const livesMsMin = 100;
const livesMsMax = 2_500;
const drainMsMax = 400_000;
const copiesShare = 0.3;
/** Hosts are spread over the first addresses of the world. */
const hostAddresses = 24;
const apiKey = "campaign-key-of-more-than-twenty-characters";

const folder = mkdtempSync(join(tmpdir(), "phishwatch-inspections-"));
const children = new Set<Bun.Subprocess>();
process.on("exit", () => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});
const databasePath = join(folder, "phishwatch.db");
const feedPath = join(folder, "feed.txt");
const config = join(folder, "phishwatch.toml");
const port = freePort();
const world = await startWorld();
writeFileSync(feedPath, "");
writeFileSync(
  config,
  `[server]
listen = "127.0.0.1:${port}"
[storage]
path = ${JSON.stringify(databasePath)}
[scan]
schedule = ""
resolvers = ["127.0.0.1:${world.dnsPort}"]
registration_data = false
screenshots = "off"
[inspection]
per_minute = 10000
browser = "never"
[[protected_domains]]
domain = "example-bank.com"
[[feeds]]
name = "feed"
path = ${JSON.stringify(feedPath)}
inspect = true
[[api_keys]]
name = "campaign"
key = "${apiKey}"
plan = "enterprise"
scopes = ["threats:read", "candidates:write"]
`,
);

/** When the lives of the server began. */
const startedAts: number[] = [];
const fed: string[] = [];
const sent: string[] = [];
const acknowledged: string[] = [];
let log = "";
let server = await start();
await captured();
for (let kill = 0; kill < options.kills; kill += 1) {
  const submitting = submit(newAddresses(options.addresses / 2));
  const lines = newAddresses(options.addresses / 2);
  fed.push(...lines);
  appendFileSync(feedPath, lines.map((line) => `${line}\n`).join(""));
  await Bun.sleep(livesMsMin + random.below(livesMsMax - livesMsMin));
  await end("SIGKILL");
  await submitting;
  server = await start();
}
const wasStuck = !(await drained());
await end("SIGTERM");

const database = new Database(databasePath, { readonly: true });
const rows = database.query<Row, []>("select * from inspections order by seq").all();
const visits = (await (await fetch(`http://${world.address}/visits`)).json()) as Record<string, number>;
const pageVisits = createPageVisits({ rows, startedAts, visits });
const attempts = rows.reduce((sum, row) => sum + row.attempts, 0);
const checks = check();
process.exit(
  printReport({
    figures: [
      ["kills of the server", options.kills],
      ["lines of the feed", fed.length],
      ["submitted addresses, acknowledged", `${sent.length}, ${acknowledged.length}`],
      ["inspections, attempts", `${rows.length}, ${attempts}`],
      ["most attempts of one address", Math.max(...rows.map((row) => row.attempts))],
      ["most requests of a harmless page, of a copy", [0, 1].map(pageVisits.most).join(", ")],
      ["threats", threats().length],
    ],
    checks,
    command: `scripts/campaign inspections --seed ${seed} --kills ${options.kills} --addresses ${options.addresses}`,
  }),
);

function threats(): { domain: string; type: string; n: number }[] {
  return database
    .query<{ domain: string; type: string; n: number }, []>(
      "select domain, type, (select count(*) from events where json_extract(body, '$.data.threat.id') = threats.id" +
        " and events.type = 'threat.created') as n from threats",
    )
    .all();
}

function check(): Check[] {
  const byAddress = new Map<string, Row[]>();
  for (const row of rows) byAddress.set(row.address, [...(byAddress.get(row.address) ?? []), row]);
  const missing = (wanted: readonly string[]) => wanted.filter((address) => !byAddress.has(address));
  const isCopy = (address: string) => address.includes("copy");
  const found = threats();
  const count = (name: string) =>
    database
      .query<{ count: number }, [string]>("select count from inspection_counts where day = 0 and name = ?")
      .get(name)?.count ?? 0;
  const counted = count("imitation") + count("harmless");
  const startedByDay = database
    .query<{ sum: number }, []>(
      "select sum(count) as sum from inspection_counts where day > 0 and name = 'started'",
    )
    .get()!.sum;
  const wrongCounts = [
    ...(counted === rows.length ? [] : [`${counted} results for ${rows.length} rows`]),
    ...(startedByDay === attempts ? [] : [`${startedByDay} starts for ${attempts} attempts`]),
  ];
  return [
    { guarantee: "the queue ends", violations: wasStuck ? [`not within ${drainMsMax / 1_000} s`] : [] },
    { guarantee: "each line of the feed is inspected", violations: missing(fed) },
    { guarantee: "each acknowledged submission is inspected", violations: missing(acknowledged) },
    {
      guarantee: "each address is queued once",
      violations: [...byAddress].filter(([, { length }]) => length > 1).map(([address]) => address),
    },
    {
      guarantee: "each inspection ends, with what the page shows",
      violations: rows
        .filter((row) => row.state !== "done" || (row.imitates === 1) !== isCopy(row.address))
        .map((row) => JSON.stringify(row)),
    },
    {
      guarantee: "no page is requested more often than the attempts explain",
      violations: pageVisits.unexplained(),
    },
    {
      guarantee: "each copy is one threat with one event, and nothing else is",
      violations: [
        ...rows
          .filter(
            (row) => isCopy(row.address) && found.filter(({ domain }) => domain === row.host).length !== 1,
          )
          .map(({ host }) => host),
        ...found
          .filter(({ domain, type, n }) => !isCopy(domain) || type !== "cloned_site" || n !== 1)
          .map((row) => JSON.stringify(row)),
      ],
    },
    { guarantee: "the counts are those of the rows", violations: wrongCounts },
    {
      guarantee: "the file passes integrity_check",
      violations: database
        .query<{ integrity_check: string }, []>("pragma integrity_check")
        .all()
        .map((row) => row.integrity_check)
        .filter((text) => text !== "ok"),
    },
    {
      guarantee: "no internal error is logged",
      violations: log
        .split("\n")
        .filter((line) => /"level":"error"|"inspection\.(failed|queue_delayed)"/.test(line)),
    },
  ];
}

function newAddresses(count: number): string[] {
  return Array.from({ length: count }, () => {
    const kind = random.unit() < copiesShare ? "copy" : "news";
    const number = random.below(1_000_000_000);
    return `http://${kind}${number}.n${number % hostAddresses}.test/account?id=${number}`;
  });
}

/** Submits addresses, again if a kill broke the call off. */
async function submit(domains: readonly string[]): Promise<void> {
  sent.push(...domains);
  try {
    const response = await fetch(`http://127.0.0.1:${port}/v1/candidates`, {
      method: "POST",
      keepalive: false,
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ domains, inspect: true }),
    });
    if (response.ok) acknowledged.push(...domains);
    await response.bytes();
  } catch {
    // The server was killed.
  }
}

async function start(): Promise<Server> {
  startedAts.push(Date.now());
  return startServer({ config, port });
}

/** Ends a life of the server, and keeps its log. */
async function end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
  server.signal(signal);
  await server.exited;
  log += server.log();
}

async function startWorld(): Promise<{ dnsPort: number; address: string }> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "inspections/world.ts")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.add(child);
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream()))
    return JSON.parse(text) as { dnsPort: number; address: string };
  throw new Error("the world ended");
}

/** Waits until there is an original to compare with. */
async function captured(): Promise<void> {
  await reached(
    "select count(*) as count from original_versions where state = 'accepted'",
    (count) => count > 0,
  );
}

/** Waits until every line of the feed and everything queued has ended. */
async function drained(): Promise<boolean> {
  const isRead = await reached(
    "select coalesce(sum(lines), 0) as count from feed_files",
    (count) => count >= fed.length,
  );
  const isDone = await reached(
    "select count(*) as count from inspections where state in ('queued', 'running')",
    (count) => count === 0,
  );
  return isRead && isDone;
}

async function reached(sql: string, isReached: (count: number) => boolean): Promise<boolean> {
  const reader = new Database(databasePath, { readonly: true });
  try {
    const endsAt = performance.now() + drainMsMax;
    while (performance.now() < endsAt) {
      if (isReached(reader.query<{ count: number }, []>(sql).get()!.count)) return true;
      await Bun.sleep(100);
    }
    return false;
  } finally {
    reader.close();
  }
}
