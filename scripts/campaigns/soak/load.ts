import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Random } from "../../benchmarks/random.ts";
import { signIn } from "../../benchmarks/console-session.ts";
import { runCommand } from "../server.ts";
import { pool } from "./world.ts";

export interface LoadWorld {
  url: string;
  apiKey: string;
  listToken: string;
  password: string;
  folder: string;
  config: string;
  feedPath: string;
  random: Random;
}

/** One of the things that clients do, with the pause after it. */
interface Activity {
  name: string;
  pauseMs: number;
  run(): Promise<void>;
}

const requestTimeoutMs = 60_000;
const namesPerSubmission = 5;
const namesPerImport = 2_000;
const idsPerBatch = 20;
const linesPerFeeding = 5;
const pagesPerSession = 40;
const statuses = ["resolved", "false_positive", "active"] as const;
const actions = ["resolve", "mark_false_positive", "reactivate"] as const;
const consolePages = [
  "",
  "/threats?status=all",
  "/threats?q=pool",
  "/campaigns",
  "/takedowns",
  "/inspections",
  "/sources",
  "/scans",
  "/settings/webhooks",
  "/settings/system",
  "/settings/audit",
];
const exportFormats = ["csv", "jsonl", "stix"];

/** Starts a load that does the same things at the same rates until it is stopped. */
export function startLoad(world: LoadWorld) {
  const { random, folder, config, feedPath, apiKey } = world;
  const counts = new Map<string, number>();
  const failures: string[] = [];
  const ids: string[] = [];
  const stopping = new AbortController();
  const { signal } = stopping;
  let cookie = "";
  let pagesLeft = 0;
  let inspected = 0;

  async function request(method: string, path: string, body?: unknown, headers = {}): Promise<string> {
    const response = await fetch(`${world.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: "manual",
      signal: AbortSignal.timeout(requestTimeoutMs),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 200)}`);
    return text;
  }

  async function submit(domains: readonly string[], inspect = false): Promise<void> {
    const text = await request("POST", "/v1/candidates", { domains, ...(inspect ? { inspect } : {}) });
    if (inspect || ids.length >= pool.length) return;
    const { data } = JSON.parse(text) as { data: { matches: { threat_id: string }[] }[] };
    for (const { matches } of data) ids.push(matches[0]!.threat_id);
  }

  const address = (kind: string, number: number) =>
    `http://${kind}${number}.n${number % 20}.test/account?id=${number}`;
  const some = <T>(values: readonly T[], count: number) => [
    ...new Set(Array.from({ length: count }, () => random.pick(values))),
  ];
  async function command(...args: string[]): Promise<void> {
    const { exitCode, output } = await runCommand([...args, "--config", config]);
    if (exitCode !== 0) throw new Error(`${args[0]}: exit ${exitCode}, ${output.slice(-300)}`);
  }

  const importPath = join(folder, "import.txt");
  const harmless = Array.from(
    { length: namesPerImport },
    () => `${random.text("abcdefghijklmnopqrstuvwxyz", 12)}.net`,
  );
  writeFileSync(importPath, `${[...harmless, ...pool.slice(0, 50)].join("\n")}\n`);

  const activities: Activity[] = [
    { name: "submissions", pauseMs: 3_000, run: () => submit(some(pool, namesPerSubmission)) },
    {
      name: "single decisions",
      pauseMs: 2_000,
      run: async () =>
        void (await request("PATCH", `/v1/threats/${random.pick(ids)}`, { status: random.pick(statuses) })),
    },
    {
      name: "batch decisions",
      pauseMs: 30_000,
      run: async () =>
        void (await request("POST", "/v1/threats/batch", {
          ids: some(ids, idsPerBatch),
          action: random.pick(actions),
        })),
    },
    {
      name: "lists and details",
      pauseMs: 1_500,
      async run() {
        const id = random.pick(ids);
        const paths = [
          "?q=pool&per_page=100",
          "?status=active&page=2",
          `/${id}`,
          `/${id}/facts`,
          `/${id}/case`,
        ];
        await request("GET", `/v1/threats${random.pick(paths)}`);
      },
    },
    {
      name: "exports",
      pauseMs: 20_000,
      run: async () => void (await request("GET", `/v1/threats/export?format=${random.pick(exportFormats)}`)),
    },
    {
      name: "block lists",
      pauseMs: 15_000,
      run: async () => void (await request("GET", `/lists/${world.listToken}/block.txt`)),
    },
    {
      name: "pages of the console",
      pauseMs: 4_000,
      async run() {
        if (pagesLeft === 0) {
          cookie = await signIn(world.url, world.password);
          pagesLeft = pagesPerSession;
        }
        pagesLeft -= 1;
        await request("GET", `/console${random.pick(consolePages)}`, undefined, { cookie });
      },
    },
    {
      name: "lines of the feed",
      pauseMs: 10_000,
      async run() {
        appendFileSync(feedPath, `${some(pool, linesPerFeeding).join("\n")}\n`);
      },
    },
    {
      name: "inspections",
      pauseMs: 6_000,
      run: () => submit([address("news", 1_000 + inspected++), address("copy", random.below(30))], true),
    },
    { name: "imports by a command", pauseMs: 120_000, run: () => command("import", importPath) },
  ];

  async function repeat({ name, pauseMs, run }: Activity): Promise<void> {
    while (!signal.aborted) {
      try {
        await run();
        counts.set(name, (counts.get(name) ?? 0) + 1);
      } catch (error) {
        failures.push(`${name}: ${String(error)}`);
      }
      await setTimeout(pauseMs, undefined, { signal }).catch(() => {});
    }
  }

  let running: Promise<unknown> = Promise.resolve();
  return {
    counts,
    failures,
    /** Creates all threats, then starts everything else. */
    async start() {
      for (let from = 0; from < pool.length; from += 100) await submit(pool.slice(from, from + 100));
      running = Promise.all(activities.map(repeat));
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
