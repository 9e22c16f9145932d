import { appendFileSync, copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Database } from "bun:sqlite";
import { consolePassword as password } from "../../test/support/console.ts";
import { signIn } from "./console-session.ts";
import { readOptions } from "./options.ts";
import { phishwatchExecutable, writeConfig } from "./phishwatch.ts";
import { seededDatabase } from "./seed.ts";
import { freePort, startServer, type ServerProcess } from "./server-process.ts";
import { formatTable, quantile } from "./statistics.ts";

const {
  threats: threatCount,
  seconds,
  executable,
} = readOptions({
  benchmark: "shares",
  summary:
    "How long GET /v1/threats of one API key takes while one session of the console, or another key, sends expensive\n" +
    "requests on 12 connections, compared with a quiet server in the same run.",
  options: {
    threats: { default: 26_000, value: "N", description: "threats in the database" },
    seconds: { default: 6, value: "S", description: "time per row" },
    executable: { default: phishwatchExecutable, value: "FILE", description: "program to measure" },
  },
});
const connections = 12;
/** The p99 beside the load may be this many times that of the quiet server, and this much more. */
const allowed = { times: 2, ms: 20 };
const pauseMs = 5;
const settleMs = 500;

interface Row {
  name: string;
  /** Path of a request; `n` grows. Absent: no load. */
  path?: (n: number) => string;
  /** Sends an API key instead of the cookie of a session. */
  byKey?: boolean;
  /** Body of a POST, as text. */
  body?: string;
}

const rows: Row[] = [
  { name: "nothing" },
  { name: "exports", path: () => "/console/threats/export?format=csv" },
  { name: "list with a new text", path: (n) => `/console/threats?q=ex${n}` },
  {
    name: "list with a text of 1,900 characters",
    path: (n) => `/console/threats?q=${"a".repeat(1_890)}${n}`,
  },
  { name: "command bar", path: (n) => `/console/commands?q=ex${n % 100}` },
  { name: "results of a search of names", path: (n) => `/console/names/results?q=ex${n % 100}` },
  { name: "overview", path: () => "/console" },
  { name: "?q= of an API key", path: (n) => `/v1/threats?q=ex${n % 100}&per_page=100`, byKey: true },
  { name: "exports of an API key", path: () => "/v1/threats/export?format=csv", byKey: true },
  {
    name: "submissions of an API key",
    path: () => "/v1/candidates",
    byKey: true,
    body: Array.from({ length: 5_000 }, (_, n) => `example-bank-${n}.nowhere.example`).join("\n"),
  },
  { name: "nothing, again" },
];

/** Sends requests on all connections until it is killed. Runs in a process of its own, so that it delays no probe. */
const loadScript = `
const [url, header, value, paths, connections, body] = await Bun.stdin.json();
const statuses = {};
process.on("SIGTERM", () => { console.log(JSON.stringify(statuses)); process.exit(0); });
let n = 0;
await Promise.all(Array.from({ length: connections }, async () => {
  for (;;) {
    const response = await fetch(url + paths[n++ % paths.length], {
      method: body === null ? "GET" : "POST",
      headers: { [header]: value, "content-type": "text/plain" },
      decompress: false,
      ...(body === null ? {} : { body }),
    });
    statuses[response.status] = (statuses[response.status] ?? 0) + 1;
    await response.arrayBuffer().catch(() => {});
    if (response.status === 429) await Bun.sleep(20);
  }
}));
`;

const folder = mkdtempSync(join(tmpdir(), "phishwatch-bench-shares-"));
let server: ServerProcess | undefined;
try {
  await main();
} finally {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function main(): Promise<void> {
  const database = join(folder, "phishwatch.db");
  const { path, enterpriseKey } = seededDatabase(threatCount);
  copyFileSync(path, database);
  // The overview reads all keys, and no appliance has thousands.
  const copy = new Database(database);
  copy.run("DELETE FROM api_keys WHERE plan = 'pro'");
  copy.close();
  const port = freePort();
  const config = writeConfig({ database, port });
  appendFileSync(config, `[console]\npassword = ${JSON.stringify(password)}\n`);
  const command = [executable, "serve", "--config", config];
  const loader = await createKey(config);
  server = await startServer({ name: "phishwatch", command, port, readyPath: "/healthz", cwd: folder });
  const running = server;
  const url = `http://127.0.0.1:${port}`;
  const cookie = await signIn(url, password);
  await running.untilIdle();
  const probe = async () => {
    const startedAt = performance.now();
    const response = await fetch(`${url}/v1/threats`, {
      headers: { authorization: `Bearer ${enterpriseKey}` },
    });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`the probe returned ${response.status}`);
    return performance.now() - startedAt;
  };
  const probes = async () => {
    const times: number[] = [];
    const until = performance.now() + seconds * 1000;
    while (performance.now() < until) {
      times.push(await probe());
      await Bun.sleep(pauseMs);
    }
    return Float64Array.from(times).sort();
  };
  await probes();
  const table: string[][] = [];
  let missed = 0;
  for (const { name, path: pathOf, byKey = false, body = null } of rows) {
    // Just before, since other programs on the machine change what a quiet server takes.
    const quiet = await probes();
    const load =
      pathOf &&
      startLoad({
        url,
        header: byKey ? ["authorization", `Bearer ${loader}`] : ["cookie", cookie],
        pathOf,
        body,
      });
    if (load) await Bun.sleep(settleMs);
    const cpuBefore = running.cpuSeconds();
    const times = await probes();
    const cpu = (running.cpuSeconds() - cpuBefore) / seconds;
    const statuses = load === undefined ? "" : await load.stop();
    const limit = allowed.times * quantile(quiet, 0.99) + allowed.ms;
    const p99 = quantile(times, 0.99);
    if (p99 > limit) missed += 1;
    const shown = [
      quantile(quiet, 0.5),
      quantile(quiet, 0.99),
      quantile(times, 0.5),
      p99,
      times.at(-1)!,
      limit,
    ];
    table.push([name, ...shown.map((ms) => ms.toFixed(1)), cpu.toFixed(2), statuses]);
  }
  const header = [
    "load",
    "quiet p50",
    "quiet p99",
    "p50 ms",
    "p99 ms",
    "max ms",
    "limit",
    "CPUs",
    "responses",
  ];
  console.log(formatTable(header, table));
  const goal = `p99 at most ${allowed.times} times that of the quiet server plus ${allowed.ms} ms`;
  console.log(`\n${goal}: ${missed === 0 ? "met" : `MISSED by ${missed}`}`);
}

/** Creates an unlimited key with the command, and returns it. */
async function createKey(config: string): Promise<string> {
  const args = [
    "keys",
    "create",
    "--name",
    "other",
    "--plan",
    "enterprise",
    "--scope",
    "threats:read",
    "--scope",
    "candidates:write",
  ];
  const child = Bun.spawn([executable, ...args, "--config", config], { cwd: folder, stderr: "pipe" });
  const text = await new Response(child.stdout).text();
  const key = /pw_\w+/.exec(text)?.[0];
  if (key === undefined) throw new Error(`no key in: ${text}${await new Response(child.stderr).text()}`);
  return key;
}

function startLoad({
  url,
  header,
  pathOf,
  body,
}: {
  url: string;
  header: [name: string, value: string];
  pathOf: (n: number) => string;
  body: string | null;
}) {
  const paths = Array.from({ length: 1_000 }, (_, n) => pathOf(n));
  const child = Bun.spawn([process.execPath, "-e", loadScript], {
    stdin: new Blob([JSON.stringify([url, ...header, paths, connections, body])]),
    stdout: "pipe",
    stderr: "inherit",
  });
  return {
    async stop() {
      child.kill("SIGTERM");
      return (await new Response(child.stdout).text()).trim();
    },
  };
}
