import { copyFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOptions } from "./options.ts";
import { phishwatchExecutable } from "./phishwatch.ts";
import { generateBrands, generateNames } from "./sample-names.ts";
import { seededDatabase } from "./seed.ts";
import { freePort, startServer } from "./server-process.ts";
import { formatTable, quantile } from "./statistics.ts";

const options = readOptions({
  benchmark: "limits",
  summary:
    "Size, start time, memory and response times with many threats, and names per second and memory with many protected\n" +
    "domains. The tables of the manual page 'Limits and growth' are from this.",
  options: {
    threats: { default: "100000,1000000", value: "N,N", description: "numbers of threats in the database" },
    domains: { default: "10,100,1000,10000", value: "N,N", description: "numbers of protected domains" },
    names: { default: 1_000_000, value: "N", description: "names to compare with the protected domains" },
    requests: { default: 300, value: "N", description: "requests of each kind" },
  },
});
const numbersOf = (list: string) =>
  list
    .split(",")
    .filter((text) => text !== "")
    .map(Number);
const mebibyte = 2 ** 20;
const mib = (bytes: number) => (bytes / mebibyte).toFixed(0);

const folder = mkdtempSync(join(tmpdir(), "phishwatch-bench-limits-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

if (options.threats !== "") {
  const rows: string[][] = [];
  for (const count of numbersOf(options.threats)) rows.push(await measureThreats(count));
  const header = [
    "threats",
    "MiB on disk",
    "start ms",
    "RSS MiB",
    "RSS after",
    "list ms",
    "filter ms",
    "search ms",
    "99 % ms",
  ];
  console.log(`${formatTable(header, rows)}\n`);
}
if (options.domains !== "") {
  const names = join(folder, "names.txt");
  writeFileSync(names, generateNames(options.names));
  const rows: string[][] = [];
  for (const count of numbersOf(options.domains)) rows.push(await measureDomains(count, names));
  console.log(
    formatTable(
      ["domains", "match names/s", "RSS MiB", "import names/s", "RSS MiB", "serve start ms", "RSS MiB"],
      rows,
    ),
  );
}

async function measureThreats(count: number): Promise<string[]> {
  const seeded = seededDatabase(count);
  const path = join(folder, "threats.db");
  copyFileSync(seeded.path, path);
  const bytes = statSync(path).size;
  const config = writeLimitsConfig(path, []);
  const { startMs, port, server } = await startAppliance(config);
  try {
    const first = server.residentBytes();
    const headers = { authorization: `Bearer ${seeded.enterpriseKey}` };
    const base = `http://127.0.0.1:${port}/v1/threats`;
    const list = await times(`${base}?per_page=50`, headers);
    const filter = await times(`${base}?status=active&severity=high&per_page=50`, headers);
    const search = await times(`${base}?q=bank-1&per_page=50`, headers);
    const all = [...list, ...filter, ...search].sort((one, other) => one - other);
    const p50 = (values: number[]) => quantile(values, 0.5).toFixed(1);
    return [
      String(count),
      mib(bytes),
      startMs.toFixed(0),
      mib(first),
      mib(server.residentBytes()),
      p50(list),
      p50(filter),
      p50(search),
      quantile(all, 0.99).toFixed(1),
    ];
  } finally {
    await server.stop();
  }
}

/** Returns the milliseconds of each request, ascending. */
async function times(url: string, headers: Record<string, string>): Promise<number[]> {
  const values: number[] = [];
  for (let index = 0; index < options.requests; index++) {
    const startedAt = performance.now();
    const response = await fetch(url, { headers });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${url}: ${response.status}`);
    values.push(performance.now() - startedAt);
  }
  return values.sort((one, other) => one - other);
}

async function measureDomains(count: number, names: string): Promise<string[]> {
  const path = join(folder, `domains-${count}.db`);
  const config = writeLimitsConfig(
    path,
    generateBrands(count).map(({ domain }) => domain),
  );
  const match = await run(["match", "--config", config, names]);
  const imported = await run(["import", "--config", config, names]);
  const { startMs, server } = await startAppliance(config);
  try {
    return [
      String(count),
      perSecond(match.seconds),
      mib(match.rssBytes),
      perSecond(imported.seconds),
      mib(imported.rssBytes),
      startMs.toFixed(0),
      mib(server.residentBytes()),
    ];
  } finally {
    await server.stop();
  }
}

function perSecond(seconds: number): string {
  return Math.round(options.names / seconds).toLocaleString("en");
}

async function run(args: string[]): Promise<{ seconds: number; rssBytes: number }> {
  const startedAt = performance.now();
  const child = Bun.spawn([phishwatchExecutable, ...args], { stdout: "ignore", stderr: "ignore" });
  if ((await child.exited) !== 0) throw new Error(`${args.join(" ")} ended with ${child.exitCode}`);
  const seconds = (performance.now() - startedAt) / 1_000;
  return { seconds, rssBytes: child.resourceUsage()!.maxRSS };
}

async function startAppliance(config: string) {
  const port = freePort();
  const command = [phishwatchExecutable, "serve", "--config", config, "--listen", `127.0.0.1:${port}`];
  const server = await startServer({ name: "phishwatch", command, port, readyPath: "/readyz", cwd: folder });
  return { startMs: server.startMs, port, server };
}

/** Writes a configuration that looks nothing up. */
function writeLimitsConfig(path: string, domains: readonly string[]): string {
  const file = `${path}.toml`;
  const protectedDomains = domains.map((domain) => `[[protected_domains]]\ndomain = "${domain}"\n`).join("");
  writeFileSync(
    file,
    `[storage]\npath = "${path}"\n[scan]\nschedule = ""\n[lookups]\nenabled = false\n[archive]\nenabled = false\n[log]\nlevel = "error"\n${protectedDomains}`,
  );
  return file;
}
