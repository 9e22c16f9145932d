import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOptions } from "../benchmarks/options.ts";
import { randomFrom } from "../benchmarks/random.ts";
import { freePort } from "../benchmarks/server-process.ts";
import { createLedger, type ClientWorld } from "./kills/clients.ts";
import { checkMessages } from "./messages/checks.ts";
import { exportThreats, fetchList, submitNames, type MessageLedger } from "./messages/clients.ts";
import { startMailServer, startReceiver } from "./messages/receivers.ts";
import { configText, kindOf, startDns } from "./messages/world.ts";
import { printReport, randomSeed, type Check } from "./report.ts";
import { startServer, type Server } from "./server.ts";

const options = readOptions({
  benchmark: "messages",
  script: "campaign",
  summary:
    "Kills the server at random moments while new threats become messages of five channels and events of two endpoints\n" +
    "with filters, lookups change what matches, a block list is fetched, and exports run. Then checks that each threat\n" +
    "was sent once. The clock advances by ten minutes with each start, so that a message is due. Needs a C compiler.",
  options: {
    seed: { default: null, value: "N", description: "seed of all random choices (default: a new one)" },
    kills: { default: 40, value: "N", description: "kills of the server" },
  },
});
const seed = options.seed === null ? randomSeed() : Number(options.seed);
console.log(`seed ${seed}`);

const livesMsMin = 150;
const livesMsMax = 5_000;
/** Interval of messages beyond the first ones of a subscription. */
const advanceSeconds = 601;
const drainMsMax = 600_000;
/** The rate of a channel permits some messages in each. */
const drainLifeMs = 15_000;
const pollIntervalMs = 200;

const random = randomFrom(seed);
const folder = mkdtempSync(join(tmpdir(), "phishwatch-messages-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const databasePath = join(folder, "phishwatch.db");
const config = join(folder, "phishwatch.toml");
const port = freePort();
const apiKey = "campaign-key-of-more-than-twenty-characters";
const listToken = "campaign-token-of-more-than-twenty-characters";
const shiftFile = join(folder, "shift");
const clockLibrary = join(folder, "clock-shift.so");
const source = join(import.meta.dir, "faults/clock-shift.c");
const built = Bun.spawnSync(["cc", "-shared", "-fPIC", "-O2", "-o", clockLibrary, source, "-ldl"]);
if (built.exitCode !== 0) throw new Error(built.stderr.toString());

const idField = (body: string) => (JSON.parse(body) as { id: string }).id;
const endpoints = {
  verified: startReceiver({ idOf: idField }),
  severe: startReceiver({ idOf: idField }),
};
const channels = {
  chat: startReceiver({ idOf: idField }),
  hostile: startReceiver({ hostile: randomFrom(seed + 1), idOf: idField }),
  ntfy: startReceiver({
    idOf(body) {
      const { title, message } = JSON.parse(body) as { title?: string; message: string };
      return title ?? message;
    },
  }),
  pager: startReceiver({ idOf: (body) => (JSON.parse(body) as { dedup_key: string }).dedup_key }),
  mail: await startMailServer(),
};
const dns = await startDns();
const portsOf = <T extends Record<string, { port: number }>>(of: T) =>
  Object.fromEntries(Object.entries(of).map(([name, { port: own }]) => [name, own])) as Record<
    keyof T,
    number
  >;
const ports = { dns: dns.port, ...portsOf(endpoints), ...portsOf(channels) };
writeFileSync(config, configText({ port, databasePath, apiKey, listToken, ports }));

let isStopped = false;
const calls = createLedger();
const ledger: MessageLedger = {
  created: new Map(),
  falsePositives: new Set(),
  lists: 0,
  exports: 0,
  violations: [],
};
const worldOf = (offset: number): ClientWorld => ({
  ledger: calls,
  random: randomFrom(seed + offset),
  port,
  apiKey,
  isStopped: () => isStopped,
});
const listPath = `/lists/${listToken}/block`;
let starts = 0;
const killTimes: number[] = [];
let server = await start();
const clients = [
  submitNames(worldOf(10), ledger),
  fetchList(worldOf(20), ledger, `${listPath}.rpz`),
  exportThreats(worldOf(30), ledger),
];
while (killTimes.length < options.kills) {
  await Bun.sleep(livesMsMin + random.below(livesMsMax - livesMsMin));
  killTimes.push(performance.now());
  server.signal("SIGKILL");
  await server.exited;
  server = await start();
}
isStopped = true;
await Promise.all(clients);
console.log(`${killTimes.length} kills; waiting for messages`);
channels.hostile.recover();
const database = new Database(databasePath, { readonly: true });
const isDrained = await drained();
const listed = await (await fetch(`http://127.0.0.1:${port}${listPath}.txt`)).text();
await stop();

const { checks, duplicates } = checkMessages({ database, endpoints, channels, killTimes });
checks.push(...ofClients(), {
  guarantee: "the messages end",
  violations: isDrained ? [] : [`not within ${drainMsMax / 1_000} s`],
});
const count = (query: string) =>
  database.query<{ count: number }, []>(`SELECT count(*) AS count ${query}`).get()!.count;
const figures: [string, string | number][] = [
  ["kills, starts", `${killTimes.length}, ${starts}`],
  [
    "threats (verified, high)",
    `${count("FROM threats")} (${count("FROM threats WHERE verified = 1")}, ${count("FROM threats WHERE severity = 'high'")})`,
  ],
  ["false positives", ledger.falsePositives.size],
  [
    "late events of endpoints",
    count("FROM events WHERE type = 'threat.created' AND recipient_seq IS NOT NULL"),
  ],
  [
    "messages, attempts",
    `${count("FROM events WHERE type = 'message'")}, ${count("FROM delivery_attempts")}`,
  ],
  ["failed attempts", count("FROM delivery_attempts WHERE failure IS NOT NULL")],
  ["messages received twice because of a kill", duplicates],
  ["lists, exports", `${ledger.lists}, ${ledger.exports}`],
  ["calls broken off", calls.brokenOff],
];
database.close();
for (const one of [...Object.values(endpoints), ...Object.values(channels), dns]) one.stop();
const command = `scripts/campaign messages --seed ${seed} --kills ${options.kills}`;
process.exit(printReport({ figures, checks, command }));

async function start(): Promise<Server> {
  writeFileSync(shiftFile, String(starts * advanceSeconds));
  starts += 1;
  const environment = { LD_PRELOAD: clockLibrary, CLOCK_SHIFT_FILE: shiftFile };
  return startServer({ config, port, environment });
}

async function stop(): Promise<void> {
  server.signal("SIGTERM");
  await server.exited;
}

/** Restarts with a later time until nothing waits. */
async function drained(): Promise<boolean> {
  const waiting = database.query<{ count: number }, []>(
    `SELECT (SELECT count(*) FROM deliveries WHERE status = 'pending') +
       (SELECT count(*) FROM events WHERE dispatched_at IS NULL) +
       (SELECT count(*) FROM threat_escalations) + (SELECT count(*) FROM queued_changes) AS count`,
  );
  const unverified = database.query<{ domain: string }, []>(
    "SELECT domain FROM threats WHERE verified = 0 AND domain LIKE 'example-bank-%'",
  );
  const isFound = () => unverified.all().every(({ domain }) => kindOf(domain) === "none");
  const until = performance.now() + drainMsMax;
  while (performance.now() < until) {
    const restartAt = performance.now() + drainLifeMs;
    while (performance.now() < restartAt) {
      if (waiting.get()!.count === 0 && isFound()) return true;
      await Bun.sleep(pollIntervalMs);
    }
    await stop();
    server = await start();
  }
  return false;
}

/** Checks what the clients saw, and the list against the database. */
function ofClients(): Check[] {
  const active = new Set(
    database
      .query<{ domain: string }, []>("SELECT domain FROM threats WHERE status = 'active'")
      .all()
      .map(({ domain }) => domain),
  );
  const names = listed.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  const recorded = database.query<{ domain: string }, [string]>("SELECT domain FROM threats WHERE id = ?");
  return [
    { guarantee: "no request fails while a server runs", violations: calls.unexpected },
    {
      guarantee: "serials only increase, no false positive is listed, no export is short",
      violations: ledger.violations,
    },
    {
      guarantee: "the list contains the active threats and nothing else",
      violations: [
        ...names.filter((name) => !active.has(name)).map((name) => `${name} is listed`),
        ...[...active.difference(new Set(names))].map((name) => `${name} is missing`),
      ],
    },
    {
      guarantee: "no acknowledged submission is lost",
      violations: [...ledger.created]
        .filter(([domain, id]) => recorded.get(id)?.domain !== domain)
        .map(([domain]) => domain),
    },
  ];
}
