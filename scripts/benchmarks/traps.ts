import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { load, rawRequest } from "./load.ts";
import { phishwatchExecutable, writeConfig } from "./phishwatch.ts";
import { freePort, startServer } from "./server-process.ts";
import { formatTable, quantile } from "./statistics.ts";

// What callers of the API notice of ten thousand visits a second to a honeytoken: nobody comes, one visitor comes
// again and again, each visit is another visitor's (each of them a row and an event), an address that is none.

const { values } = parseArgs({
  options: {
    rate: { type: "string", default: "10000" },
    seconds: { type: "string", default: "3" },
  },
});
const perSecond = Number(values.rate);
const settleMs = 3_000;
const durationMs = Number(values.seconds) * 1_000;
const folder = mkdtempSync(join(tmpdir(), "phishwatch-bench-traps-"));
const port = freePort();
const config = writeConfig({ database: join(folder, "phishwatch.db"), port });
appendFileSync(
  config,
  `[traps]\nhits_per_minute = 1000000\n[log]\nlevel = "error"\n[[protected_domains]]\ndomain = "example-bank.com"\n`,
);
const proxied = await Bun.file(config).text();
await Bun.write(config, proxied.replace("[storage]", `trusted_proxies = ["127.0.0.1/32"]\n[storage]`));

const command = (...args: string[]) => {
  const { stdout, stderr, success } = Bun.spawnSync([phishwatchExecutable, ...args, "--config", config]);
  if (!success) throw new Error(stderr.toString());
  return stdout.toString().trim();
};

const server = await startServer({
  name: "phishwatch",
  command: [phishwatchExecutable, "serve", "--config", config],
  port,
  readyPath: "/healthz",
  cwd: folder,
});
try {
  const key = command("keys", "create", "--plan", "enterprise");
  const path = new URL(command("honeytokens", "create", "pixel", "--name", "bait")).pathname;
  const list = rawRequest("GET", "/v1/threats?per_page=20", { key });
  const rows: string[][] = [];
  for (const [name, asked, networks] of [
    ["nobody comes", null, "one"],
    ["one visitor, again and again", path, "one"],
    ["an address that is none", "/t/abcdefghijklmnopqrstuvwxyz", "one"],
    ["each from another network", path, "many"],
  ] as const) {
    const visitors =
      asked === null
        ? undefined
        : Bun.spawn(
            [
              process.execPath,
              join(import.meta.dir, "trap-visitors.ts"),
              JSON.stringify([port, asked, perSecond, networks]),
            ],
            { stdin: "pipe", stdout: "pipe", stderr: "inherit" },
          );
    if (visitors !== undefined) await Bun.sleep(500);
    const cpu = server.cpuSeconds();
    const { latenciesMs, requests } = await load({
      port,
      connections: 1,
      durationMs,
      nextRequest: () => list,
    });
    const used = (server.cpuSeconds() - cpu) / (durationMs / 1_000);
    await visitors?.stdin.end();
    const told = visitors === undefined ? undefined : JSON.parse(await new Response(visitors.stdout).text());
    const { answered, seconds } = (told ?? { answered: 0, seconds: 1 }) as {
      answered: number;
      seconds: number;
    };
    rows.push([
      name,
      Math.round(answered / seconds).toLocaleString("en"),
      `${Math.round(used * 100)} %`,
      Math.round(requests / (durationMs / 1_000)).toLocaleString("en"),
      quantile(latenciesMs, 0.5).toFixed(2),
      quantile(latenciesMs, 0.99).toFixed(2),
      latenciesMs.at(-1)!.toFixed(1),
    ]);
  }
  // Until what waits is written.
  await Bun.sleep(settleMs);
  // What a visit costs in all, its row and its event included, as CPU time: a busy machine changes that least.
  const costs: string[][] = [];
  for (const [name, asked] of [
    ["reading one page of the API's list", list],
    ["a visit, again and again", rawRequest("GET", path)],
  ] as const) {
    const cpu = server.cpuSeconds();
    const { requests } = await load({ port, connections: 8, durationMs, nextRequest: () => asked });
    await Bun.sleep(settleMs);
    costs.push([name, (((server.cpuSeconds() - cpu) * 1e6) / requests).toFixed(1)]);
  }
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const header = ["visits", "answered/s", "CPU of the server", "API calls/s", "p50 ms", "p99 ms", "max ms"];
  console.log(formatTable(header, rows));
  console.log(`\n${formatTable(["CPU of the server", "µs each"], costs)}\n`);
  console.log(metrics.match(/^phishwatch_trap_visits_total\{.*$/gm)!.join("\n"));
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
