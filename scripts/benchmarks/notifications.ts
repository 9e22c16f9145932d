import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { setPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { createApiLatency, threatPaths } from "./everything/api-latency.ts";
import { apiKey } from "./everything/instance.ts";
import { readOptions } from "./options.ts";
import { phishwatchExecutable } from "./phishwatch.ts";
import { generateBrands } from "./sample-names.ts";
import { freePort, startServer } from "./server-process.ts";
import { formatTable, median, printGoal } from "./statistics.ts";

const options = readOptions({
  benchmark: "notifications",
  summary:
    "The API of the executable while a burst of new threats becomes messages in eight channels, next to the same API when\n" +
    "idle, and how often each channel was sent something.",
  options: {
    threats: { default: 10_000, value: "N", description: "threats in a burst" },
    bursts: { default: 3, value: "N", description: "bursts, each after an idle phase" },
    channels: { default: 8, value: "N", description: "channels that are sent messages; 0: the burst alone" },
  },
});
const latencyGoal = 2;
const idleMs = 10_000;
const settleMs = 3_000;
/** A message is sent within a minute. */
const burstMs = 65_000;
const candidatesMax = 1_000;

/** Each channel, its keys, and the messages that its service permits within a minute. */
const allChannels = [
  { name: "slack", type: "slack", keys: (url: string) => `url = "${url}/T/B/x"`, perMinute: 60 },
  { name: "teams", type: "teams", keys: (url: string) => `url = "${url}?sig=x"`, perMinute: 60 },
  { name: "discord", type: "discord", keys: (url: string) => `url = "${url}/1/x"`, perMinute: 30 },
  {
    name: "mattermost",
    type: "mattermost",
    keys: (url: string) => `url = "${url}/x"`,
    perMinute: 60,
  },
  { name: "ntfy", type: "ntfy", keys: (url: string) => `url = "${url}"\ntopic = "t"`, perMinute: 12 },
  {
    name: "telegram",
    type: "telegram",
    keys: (url: string) => `url = "${url}"\ntoken = "1:abcdefghijklmnopqrstuvwxyzabcdefghi"\nchat_id = "-1"`,
    perMinute: 20,
  },
  {
    name: "pagerduty",
    type: "pagerduty",
    keys: (url: string) => `url = "${url}"\nrouting_key = "${"k".repeat(32)}"`,
    perMinute: 60,
  },
  {
    name: "template",
    type: "template",
    keys: (url: string) => `url = "${url}"\ntemplate = '{"text": "{{text}}"}'`,
    perMinute: 60,
  },
] as const;
const channels = allChannels.slice(0, options.channels);

interface Arrival {
  at: number;
  bytes: number;
  threats?: number;
}

const folder = mkdtempSync(join(tmpdir(), "phishwatch-bench-notifications-"));
const receivers = Bun.spawn(
  [
    process.execPath,
    join(import.meta.dir, "notification-receivers.ts"),
    ...allChannels.map(({ name }) => name),
  ],
  {
    stdout: "pipe",
    stderr: "inherit",
  },
);
process.on("exit", () => {
  receivers.kill();
  rmSync(folder, { recursive: true, force: true });
});
try {
  setPriority(-10);
} catch {
  console.log("without permission for a higher priority: latencies include delays of this process");
}
const ports = JSON.parse(
  new TextDecoder().decode((await receivers.stdout.getReader().read()).value),
) as Record<string, number>;
const brand = generateBrands(1)[0]!.domain.replace(".com", "");
const port = freePort();
const config = join(folder, "phishwatch.toml");
writeFileSync(config, configText());
const server = await startServer({
  name: "phishwatch",
  command: [phishwatchExecutable, "serve", "--config", config],
  port,
  readyPath: "/healthz",
  cwd: folder,
});
const url = `http://127.0.0.1:${port}`;
await submit(0, 100);
const { list, threats } = await threatPaths(url);
const latency = createApiLatency(url, () => [...threats, list]);
const ratios: number[] = [];
for (let burst = 1; burst <= options.bursts; burst++) {
  await Bun.sleep(settleMs);
  const idle = await latency.measure(idleMs);
  const measuring = latency.measure(burstMs);
  const startedAt = performance.now();
  await submit(burst * options.threats, options.threats);
  const submittedMs = performance.now() - startedAt;
  const busy = await measuring;
  ratios.push(busy.p99Ms / idle.p99Ms);
  console.log(
    `burst ${burst}: ${options.threats} threats recorded in ${submittedMs.toFixed(0)} ms; idle p50 ${idle.p50Ms.toFixed(2)} ms, ` +
      `p99 ${idle.p99Ms.toFixed(2)} ms; busy p50 ${busy.p50Ms.toFixed(2)} ms, p99 ${busy.p99Ms.toFixed(2)} ms`,
  );
}
const arrivals = (await (await fetch(`http://127.0.0.1:${ports["slack"]}/figures`)).json()) as Record<
  string,
  Arrival[]
>;
const rows = channels.map(({ name, perMinute }) => {
  const own = arrivals[name] ?? [];
  return [
    name,
    String(own.length),
    String(own.reduce((sum, { threats: counted }) => sum + (counted ?? 1), 0)),
    String(mostWithin(own, 60_000)),
    String(perMinute),
    String(Math.max(0, ...own.map(({ bytes }) => bytes))),
  ];
});
console.log(formatTable(["channel", "messages", "threats", "most in 60 s", "limit", "bytes max"], rows));
for (const [name, , , most, limit] of rows)
  printGoal(`${name}: messages within a minute`, Number(most), { kind: "at most", limit: Number(limit) });
printGoal("p99 busy / idle", median(ratios), { kind: "at most", limit: latencyGoal, digits: 2 });
await server.stop();
process.exit(0);

async function submit(from: number, count: number): Promise<void> {
  for (let start = 0; start < count; start += candidatesMax) {
    const size = Math.min(candidatesMax, count - start);
    const names = Array.from({ length: size }, (_, index) => `${brand}-${from + start + index}.com`);
    const response = await fetch(`${url}/v1/candidates`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ domains: names }),
    });
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  }
}

function mostWithin(arrived: readonly Arrival[], windowMs: number): number {
  return Math.max(
    0,
    ...arrived.map(({ at }) => arrived.filter((one) => one.at >= at && one.at < at + windowMs).length),
  );
}

function configText(): string {
  const lines = [
    `[server]\nlisten = "127.0.0.1:${port}"`,
    `[storage]\npath = ${JSON.stringify(join(folder, "phishwatch.db"))}`,
    `[scan]\nschedule = ""\n[lookups]\nenabled = false`,
    "[webhooks]\nallow_http = true",
    `[[protected_domains]]\ndomain = "${brand}.com"`,
    `[[api_keys]]\nname = "benchmark"\nkey = "${apiKey}"\nplan = "enterprise"\nscopes = ["threats:read", "threats:write", "candidates:write"]`,
    ...channels.flatMap(({ name, type, keys }) => [
      `[[channels]]\nname = "${name}"\ntype = "${type}"\n${keys(`http://127.0.0.1:${ports[name]}`)}`,
      `[[subscriptions]]\nname = "all to ${name}"\nchannel = "${name}"`,
    ]),
  ];
  return `${lines.join("\n")}\n`;
}
