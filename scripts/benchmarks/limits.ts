import { appendFileSync, copyFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { consolePassword as password } from "../../test/support/console.ts";
import { signIn } from "./console-session.ts";
import { jsonOption, phishwatchProgram, shownCommand, writeFigures, type Subject } from "./figures.ts";
import { runMeasured, type MeasuredProcess } from "./measured-process.ts";
import { readOptions } from "./options.ts";
import { phishwatchExecutable } from "./phishwatch.ts";
import { generateBrands, generateNames } from "./sample-names.ts";
import { seededDatabase } from "./seed.ts";
import { freePort, startServer } from "./server-process.ts";
import { formatTable, median } from "./statistics.ts";

const options = readOptions({
  benchmark: "limits",
  summary:
    "Size, start time, memory and response times with many threats, and names per second and memory with many protected\n" +
    "domains, and with long lists of names. The tables of the manual page 'Limits and growth' are from this.",
  options: {
    threats: { default: "100000,1000000", value: "N,N", description: "numbers of threats in the database" },
    domains: { default: "10,100,1000,10000", value: "N,N", description: "numbers of protected domains" },
    lists: { default: "1000000,10000000", value: "N,N", description: "numbers of names in a list" },
    names: { default: 1_000_000, value: "N", description: "names to compare with the protected domains" },
    requests: { default: 300, value: "N", description: "requests of each kind" },
    json: jsonOption,
  },
});
const numbersOf = (list: string) =>
  list
    .split(",")
    .filter((text) => text !== "")
    .map(Number);
const mib = (bytes: number) => bytes / 2 ** 20;
const namesPerSeed = 1_000_000;
const listDomains = 100;

const folder = mkdtempSync(join(tmpdir(), "phishwatch-bench-limits-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

const program = phishwatchProgram();
const subjects: Subject[] = [];
await measureAll("threats", options.threats, measureThreats);
await measureAll("protected domains", options.domains, measureDomains);
await measureAll("names in a list", options.lists, measureList);
writeFigures(options.json, subjects);

async function measureAll(
  what: string,
  counts: string,
  measure: (count: number) => Promise<Omit<Subject, "name" | "program">>,
): Promise<void> {
  const measured: Subject[] = [];
  for (const count of numbersOf(counts)) {
    measured.push({ name: `${count.toLocaleString("en")} ${what}`, program, ...(await measure(count)) });
  }
  if (measured.length === 0) return;
  const rows = measured.map(({ name, figures }) => [
    name,
    ...Object.values(figures).map((values) =>
      median(values).toLocaleString("en", { maximumFractionDigits: 1 }),
    ),
  ]);
  console.log(`${formatTable([what, ...Object.keys(measured[0]!.figures)], rows)}\n`);
  subjects.push(...measured);
}

/** Requests that people and programs repeat, and their paths. */
function requestsOf(threats: number): Record<string, string> {
  return {
    list: "/v1/threats?per_page=50",
    "middle page": `/v1/threats?per_page=50&page=${Math.ceil(threats / 100)}`,
    filter: "/v1/threats?status=active&severity=high&per_page=50",
    search: "/v1/threats?q=bank-1&per_page=50",
    overview: "/console",
    "console list": "/console/threats",
    "console search": "/console/threats?q=bank-1",
  };
}

async function measureThreats(count: number) {
  const seeded = seededDatabase(count);
  const path = join(folder, "threats.db");
  copyFileSync(seeded.path, path);
  const bytes = statSync(path).size;
  const config = writeLimitsConfig(path, []);
  appendFileSync(config, `[console]\npassword = ${JSON.stringify(password)}\n`);
  await fillCaches(config);
  const { startMs, port, server } = await startAppliance(config);
  try {
    const first = server.residentBytes();
    const url = `http://127.0.0.1:${port}`;
    const headers = { authorization: `Bearer ${seeded.enterpriseKey}`, cookie: await signIn(url, password) };
    const middlePageMs = await timed(`${url}${requestsOf(count)["middle page"]}`, headers);
    const overviewMs = await timed(`${url}/console`, headers);
    await server.untilIdle();
    const requestMs: Record<string, number[]> = {};
    for (const [name, address] of Object.entries(requestsOf(count))) {
      requestMs[`${name}, ms`] = await times(`${url}${address}`, headers);
    }
    return {
      command: shownCommand(server.command),
      figures: {
        "on disk, MiB": [mib(bytes)],
        "start, ms": [startMs],
        "first middle page, ms": [middlePageMs],
        "first overview, ms": [overviewMs],
        "memory at start, MiB": [mib(first)],
        "after searches, MiB": [mib(server.residentBytes())],
        ...requestMs,
      },
    };
  } finally {
    await server.stop();
    for (const ending of ["", "-wal", "-shm", ".index"]) rmSync(`${path}${ending}`, { force: true });
  }
}

/** Starts the server once, so that it does the work that is done once for a database, such as copying its index. */
async function fillCaches(config: string): Promise<void> {
  const { port, server } = await startAppliance(config);
  try {
    const url = `http://127.0.0.1:${port}`;
    await timed(`${url}/console`, { cookie: await signIn(url, password) });
    await server.untilIdle();
  } finally {
    await server.stop();
  }
}

/** Returns the milliseconds of each request, ascending, without the first one. */
async function times(url: string, headers: Record<string, string>): Promise<number[]> {
  await timed(url, headers);
  const values: number[] = [];
  for (let index = 0; index < options.requests; index++) values.push(await timed(url, headers));
  return values.sort((one, other) => one - other);
}

async function timed(url: string, headers: Record<string, string>): Promise<number> {
  const startedAt = performance.now();
  const response = await fetch(url, { headers, redirect: "manual" });
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`${url}: ${response.status}`);
  return performance.now() - startedAt;
}

async function measureDomains(count: number) {
  const config = writeLimitsConfig(
    join(folder, `domains-${count}.db`),
    generateBrands(count).map(({ domain }) => domain),
  );
  const names = writeNames(options.names);
  const match = await run(["match", "--config", config, names]);
  const imported = await run(["import", "--config", config, names]);
  const { startMs, server } = await startAppliance(config);
  try {
    return {
      command: `${shownCommand(match.command)}; ${shownCommand(imported.command)}`,
      figures: {
        "match, names/s": [options.names / match.seconds],
        "match, MiB": [mib(match.memoryBytes)],
        "import, names/s": [options.names / imported.seconds],
        "import, MiB": [mib(imported.memoryBytes)],
        "start, ms": [startMs],
        "serve, MiB": [mib(server.residentBytes())],
      },
    };
  } finally {
    await server.stop();
  }
}

async function measureList(count: number) {
  const names = writeNames(count);
  const config = writeLimitsConfig(
    join(folder, "list.db"),
    generateBrands(listDomains).map(({ domain }) => domain),
  );
  const { command, seconds, memoryBytes } = await run(["match", "--config", config, names]);
  return {
    command: shownCommand(command),
    figures: {
      "list, MiB": [mib(statSync(names).size)],
      "match, s": [seconds],
      "match, MiB": [mib(memoryBytes)],
    },
  };
}

/** Writes generated names, in parts that fit into memory, and returns the path of the list. */
function writeNames(count: number): string {
  const path = join(folder, "names.txt");
  rmSync(path, { force: true });
  for (let seed = 1, left = count; left > 0; seed += 1, left -= namesPerSeed) {
    appendFileSync(path, generateNames(Math.min(left, namesPerSeed), seed));
  }
  return path;
}

async function run(args: string[]): Promise<MeasuredProcess> {
  const measured = await runMeasured([phishwatchExecutable, ...args]);
  if (measured.exitCode !== 0) throw new Error(`${args.join(" ")} exited with ${measured.exitCode}`);
  return measured;
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
