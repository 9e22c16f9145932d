import { appendFileSync, copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Database } from "bun:sqlite";
import { chromium } from "../../test/support/browser.ts";
import { consolePassword as password } from "../../test/support/console.ts";
import { measureKeys } from "./console-keys.ts";
import { signIn } from "./console-session.ts";
import { freePort, startServer, type ServerProcess } from "./server-process.ts";
import { readOptions } from "./options.ts";
import { phishwatchExecutable, writeConfig } from "./phishwatch.ts";
import { randomFrom } from "./random.ts";
import { sampleThreats, seededDatabase, type ThreatSample } from "./seed.ts";
import { formatTable, printGoal, quantile } from "./statistics.ts";

const {
  threats: threatCount,
  requests,
  only,
} = readOptions({
  benchmark: "console",
  summary:
    "Every page of the executable's console with many threats, one request at a time, as one person sends them. The\n" +
    "list of threats is requested in every order and with filters that match nearly all, few and no threats.",
  options: {
    threats: { default: 1_000_000, value: "N", description: "threats in the database" },
    requests: { default: 60, value: "N", description: "requests per page" },
    only: { default: null, value: "TEXT", description: "request only the pages whose name contains TEXT" },
  },
});
const p99MsMax = 50;
/** The first overview after a restart. */
const overviewMsMax = 2_000;
/** From this number of threats on, the server copies its index. */
const copiedFrom = 200_000;
/** Maximum time for the server to copy its index to the file next to the database. */
const copyTimeoutMs = 60_000;
const warmUpRequests = 5;

const random = randomFrom(7);
const letters = "abcdefghijklmnopqrstuvwxyz";
const list = (query: string) => () => `/console/threats?${query}`;

function dayAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
}

/** Number of threats from the first one of a campaign to the first one of the next, and number of those in it. */
const campaignStride = 40;
const campaignThreats = 12;

/** A page and its path, which can differ for each request. */
type Page = [name: string, pathOf: (sample: ThreatSample) => string];

/** Pages in addition to those in the navigation, which are read from its links. */
const pages: Page[] = [
  ["overview", () => "/console"],
  ["threats", () => "/console/threats"],
  ["threats, page 5,000 of groups", list("page=5000")],
  ["threats, due first", list("sort=due")],
  ["threats, not grouped", list("group=none")],
  ["threats, all, newest", list("status=all&sort=first_seen")],
  ["threats, all, by similarity", list("status=all&sort=similarity")],
  ["threats, all, by status change", list("status=all&sort=status_changed&order=asc")],
  ["threats, high, by name", list("severity=high&sort=name")],
  ["threats, all, page 10,000", list("status=all&page=10000")],
  ["threats, four filters", list("status=resolved&severity=low&type=homograph&source=scan&sort=similarity")],
  ["threats, one month", list(`status=all&from=${dayAgo(120)}&to=${dayAgo(90)}&sort=similarity`)],
  ["threats, one registrar", list("registrar=NameSilo%2C+LLC")],
  ["threats, one domain", ({ domain }) => `/console/threats?domain=${domain}&sort=similarity`],
  ["threats, text in few names", () => `/console/threats?status=all&q=${random.text(letters, 4)}`],
  ["threats, text in many names", () => `/console/threats?status=all&q=${random.text(letters, 1)}`],
  [
    "threats, text in nearly all names",
    () => `/console/threats?q=example-${random.pick(["", "b", "s", "m", "c"])}`,
  ],
  ["threats, name prefix", () => `/console/threats?q=example-bank-${random.below(99)}*`],
  ["threats, no match", list("q=nothing-like-this")],
  ["search, few matches", () => `/console/commands?q=${random.text(letters, 4)}`],
  ["search, many matches", () => `/console/commands?q=${random.text(letters, 2)}`],
  ["threat", ({ ids }) => `/console/threats/${random.pick(ids)}`],
  [
    "threat, in a view of all",
    ({ ids }) => `/console/threats/${random.pick(ids)}?status=all&sort=similarity`,
  ],
  ["threats, one campaign", list(`campaign=${campaignStride + 1}`)],
  ["threats, one open", ({ ids }) => `/console/threats?status=all&sort=similarity&open=${random.pick(ids)}`],
  ["domain", ({ domain }) => `/console/domains/${domain}`],
  ["deliveries", () => "/console/settings/webhooks/deliveries"],
  ["deliveries, failed", () => "/console/settings/webhooks/deliveries?status=failed"],
];

const folder = mkdtempSync(join(tmpdir(), "phishwatch-bench-console-"));
let server: ServerProcess | undefined;
try {
  await main();
} finally {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function main(): Promise<void> {
  const database = join(folder, "phishwatch.db");
  copyFileSync(seededDatabase(threatCount).path, database);
  formCampaigns(database);
  const sample = sampleThreats(database, { threatCount, sampleSize: 1_000, seed: 7 });
  const port = freePort();
  const config = writeConfig({ database, port });
  appendFileSync(config, `[console]\npassword = ${JSON.stringify(password)}\n`);
  const command = [phishwatchExecutable, "serve", "--config", config];
  const start = () => startServer({ name: "phishwatch", command, port, readyPath: "/healthz", cwd: folder });
  server = await start();
  const url = `http://127.0.0.1:${port}`;
  const cookie = await signIn(url, password);

  const rssBefore = server.residentBytes();
  const cpuBefore = server.cpuSeconds();
  const first = await timed(url, "/console/threats", cookie);
  console.log(
    `${threatCount} threats; first list after a start: ${first.ms.toFixed(0)} ms, ` +
      `${(server.cpuSeconds() - cpuBefore).toFixed(2)} s of CPU, ` +
      `${((server.residentBytes() - rssBefore) / 2 ** 20).toFixed(0)} MiB more resident memory\n`,
  );
  if (await isCopied(`${database}.index`)) {
    await server.stop();
    server = await start();
    const { ms } = await timed(url, "/console", cookie);
    printGoal("first overview after a restart, ms", ms, { kind: "at most", limit: overviewMsMax });
  }

  const rows: string[][] = [];
  let missed = 0;
  const all = [...pages, ...(await navigationPages(url, cookie))];
  for (const [name, pathOf] of all.filter((one) => one[0].includes(only ?? ""))) {
    const { cpuMs, p50Ms, p99Ms, bytes } = await measure(server, url, cookie, () => pathOf(sample));
    if (p99Ms >= p99MsMax) missed += 1;
    rows.push([name, ...[cpuMs, p50Ms, p99Ms].map((ms) => ms.toFixed(1)), (bytes / 1000).toFixed(0)]);
  }
  console.log(formatTable(["page", "CPU ms", "p50 ms", "p99 ms", "kB"], rows));
  console.log(
    `\np99 of every page below ${p99MsMax} ms: ${missed === 0 ? "met" : `MISSED by ${missed} (on a busy machine, compare the CPU times)`}`,
  );
  if (chromium === undefined || only !== null) return;
  const keys = await measureKeys(url);
  const keyRows = keys.map(({ key, p50Ms, p95Ms }) => [key, p50Ms.toFixed(0), p95Ms.toFixed(0)]);
  console.log(
    `\n${formatTable(["key press to the next threat on the screen", "p50 ms", "p95 ms"], keyRows)}`,
  );
}

/** Resolves when the server has copied its index; false: there are too few threats for a copy. */
async function isCopied(path: string): Promise<boolean> {
  if (threatCount < copiedFrom) return false;
  const startedAt = performance.now();
  while (!existsSync(path)) {
    if (performance.now() - startedAt > copyTimeoutMs) throw new Error("the index was not copied");
    await Bun.sleep(50);
  }
  return true;
}

/** Stores campaigns, as the server does for threats that share facts. */
function formCampaigns(path: string): void {
  const database = new Database(path);
  database.run("PRAGMA synchronous = OFF");
  database
    .query(
      "UPDATE threats SET campaign_seq = seq / $stride * $stride + 1 WHERE seq % $stride BETWEEN 1 AND $threats",
    )
    .run({ $stride: campaignStride, $threats: campaignThreats });
  database.close();
}

async function measure(target: ServerProcess, url: string, cookie: string, path: () => string) {
  for (let index = 0; index < warmUpRequests; index += 1) await timed(url, path(), cookie);
  const cpuBefore = target.cpuSeconds();
  const times = new Float64Array(requests);
  let bytes = 0;
  for (let index = 0; index < requests; index += 1) {
    const response = await timed(url, path(), cookie);
    times[index] = response.ms;
    bytes = Math.max(bytes, response.bytes);
  }
  const cpuMs = ((target.cpuSeconds() - cpuBefore) * 1000) / requests;
  times.sort();
  return { cpuMs, p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99), bytes };
}

async function navigationPages(url: string, cookie: string): Promise<Page[]> {
  const html = await (await fetch(`${url}/console`, { headers: { cookie } })).text();
  const menu = html.slice(html.indexOf('id="menu"'), html.indexOf("<main"));
  const links = [...menu.matchAll(/<li><a href="([^"]+)"[^>]*><svg.*?<\/svg>([^<]+)/g)];
  const known = pages.map(([, pathOf]) => pathOf({ ids: [""], domain: "" }));
  return links
    .filter(([, path]) => !known.includes(path!))
    .map(([, path, label]): Page => [label!.toLowerCase(), () => path!]);
}

async function timed(url: string, path: string, cookie: string): Promise<{ ms: number; bytes: number }> {
  const startedAt = performance.now();
  const response = await fetch(`${url}${path}`, { headers: { cookie }, redirect: "manual" });
  const { byteLength: bytes } = await response.arrayBuffer();
  const ms = performance.now() - startedAt;
  if (response.status !== 200) throw new Error(`${path} returned ${response.status}`);
  return { ms, bytes };
}
