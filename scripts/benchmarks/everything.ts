import { Database } from "bun:sqlite";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { setPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { createApiLatency, threatPaths, type Figures } from "./everything/api-latency.ts";
import { memoryOf, startInstance, type Instance } from "./everything/instance.ts";
import { useEverything } from "./everything/use-everything.ts";
import type { WorldReport } from "./everything/messages.ts";
import { startDns, startWorld, type World } from "./everything/world.ts";
import { readOptions } from "./options.ts";
import { freePort } from "./server-process.ts";
import { generateBrands, generateNames } from "./sample-names.ts";
import { formatTable, median, printGoal, quantile } from "./statistics.ts";

const options = readOptions({
  benchmark: "everything",
  summary:
    "Memory of the executable with everything enabled: certificate logs of both protocols, lists by URL, a folder, certstream,\n" +
    "the archive and its search, scans, lookups, webhooks, API and console. Then the memory, and the API next to the same API\n" +
    "when idle, while the logs are read at full speed, and while a certstream server sends as much as it can.",
  options: {
    seconds: { default: 300, value: "N", description: "duration with everything enabled" },
    logs: { default: 30, value: "N", description: "certificate logs" },
    rate: { default: 5_000, value: "N", description: "entries per second of all logs together" },
    stream: { default: 1_000, value: "N", description: "messages per second of certstream" },
    names: { default: 1_000_000, value: "N", description: "names in each list" },
    phases: { default: 8, value: "N", description: "phases at full speed, each after an idle one" },
    assumed: {
      default: 128,
      value: "MIB",
      description: "memory that the runtime assumes (BUN_JSC_forceRAMSize); 0: that of the machine",
    },
    only: { default: null, value: "RUN", description: "everything, speed, or flood" },
  },
});
const memoryGoalMiB = 300;
const latencyGoal = 2;
const phaseMs = 6_000;
const settleMs = 1_000;
const sampleMs = 200;
const floodMs = 20_000;
/** Blocks of each log that are read at full speed: more than are read. */
const backlogBlocks = 40_000;
const dns = { address: "127.0.0.1", port: freePort() };
const protectedDomains = generateBrands(100).map(({ domain }) => domain);
const mebibyte = 2 ** 20;

const rows: string[][] = [];
const goals: (() => void)[] = [];
try {
  // Otherwise the times of requests would include those for which this process waits for a processor.
  setPriority(-10);
} catch {
  console.log("without permission for a higher priority: latencies include delays of this process");
}
if (options.only === null || options.only === "everything") await run("everything", everything);
if (options.only === null || options.only === "speed") await run("speed", fullSpeed);
if (options.only === null || options.only === "flood") await run("flood", flood);
console.log(
  formatTable(["", "MiB median", "MiB anonymous", "MiB peak", "entries/s", "names/s", "CPU cores"], rows),
);
console.log();
for (const print of goals) print();
process.exit(0);

interface RunContext {
  folder: string;
  world: World;
}

async function run(name: string, work: (context: RunContext) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), `phishwatch-bench-${name}-`));
  const world = startWorld();
  try {
    await world.send({
      do: "open",
      logs: options.logs,
      protectedDomains,
      listNames: name === "everything" ? options.names : 1,
    });
    await work({ folder, world });
  } finally {
    world.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Everything at a realistic rate. */
async function everything({ folder, world }: RunContext): Promise<void> {
  const nameServer = await startDns(protectedDomains, dns);
  mkdirSync(join(folder, "names"));
  writeFileSync(join(folder, "names/first.txt"), generateNames(options.names / 5, 31));
  const report = await world.send({ do: "grow", blocks: 4 });
  const instance = await startInstance({
    assumed: options.assumed,
    folder,
    world: report,
    protectedDomains,
    firstStart: "end",
    dns,
    certstream: true,
  });
  await world.send({ do: "stream", perSecond: options.stream });
  const watch = watchMemory(instance);
  const startedAt = performance.now();
  await useEverything({ ...options, instance, world, folder });
  const seconds = (performance.now() - startedAt) / 1_000;
  const after = await world.send({ do: "report" });
  addRow("everything", { instance, folder, watch, seconds });
  printRecorded(folder, after);
  await instance.stop();
  nameServer.stop();
}

/** The logs at full speed, and the API at the same time. */
async function fullSpeed({ folder, world }: RunContext): Promise<void> {
  const report = await world.send({ do: "grow", blocks: backlogBlocks });
  const instance = await startInstance({
    assumed: options.assumed,
    folder,
    world: report,
    protectedDomains,
    firstStart: "beginning",
    dns: undefined,
    certstream: false,
  });
  await Bun.sleep(phaseMs);
  const { list, threats } = await threatPaths(instance.url);
  const watch = watchMemory(instance);
  const kinds = [
    {
      name: "GET one threat",
      latency: createApiLatency(instance.url, () => threats),
      idle: [] as Figures[],
      busy: [] as Figures[],
    },
    {
      name: "GET the list",
      latency: createApiLatency(instance.url, () => [list]),
      idle: [] as Figures[],
      busy: [] as Figures[],
    },
  ];
  let busySeconds = 0;
  let busyEntries = 0;
  for (let phase = 0; phase < options.phases; phase++) {
    await world.send({ do: "gate", isOpen: false });
    await Bun.sleep(settleMs);
    for (const { latency, idle } of kinds) idle.push(await latency.measure(phaseMs / 2));
    await world.send({ do: "gate", isOpen: true });
    await Bun.sleep(settleMs);
    const before = totals(folder);
    const startedAt = performance.now();
    for (const { latency, busy } of kinds) busy.push(await latency.measure(phaseMs / 2));
    busySeconds += (performance.now() - startedAt) / 1_000;
    busyEntries += totals(folder).entries - before.entries;
  }
  addRow("logs at full speed", { instance, folder, watch, seconds: busySeconds, entries: busyEntries });
  for (const { name, idle, busy } of kinds) {
    const ratio = (of: (figures: Figures) => number) =>
      median(busy.map((figures, index) => of(figures) / of(idle[index]!)));
    const text = (figures: Figures[]) =>
      `p50 ${median(figures.map(({ p50Ms }) => p50Ms)).toFixed(2)} ms, p99 ${median(figures.map(({ p99Ms }) => p99Ms)).toFixed(2)} ms`;
    goals.push(() => {
      console.log(
        `${name}: idle ${text(idle)}; busy ${text(busy)}; p50 × ${ratio(({ p50Ms }) => p50Ms).toFixed(2)}`,
      );
      printGoal(
        `${name}: p99 busy / idle`,
        ratio(({ p99Ms }) => p99Ms),
        { kind: "at most", limit: latencyGoal, digits: 2 },
      );
    });
  }
  await instance.stop();
}

/** A certstream server that sends as much as it can. */
async function flood({ folder, world }: RunContext): Promise<void> {
  const report = await world.send({ do: "report" });
  const instance = await startInstance({
    assumed: options.assumed,
    folder,
    world: { ...report, logs: [] },
    protectedDomains,
    firstStart: "end",
    dns: undefined,
    certstream: true,
  });
  const watch = watchMemory(instance);
  const before = await world.send({ do: "stream", perSecond: Infinity });
  await Bun.sleep(floodMs);
  const after = await world.send({ do: "stream", perSecond: 0 });
  const perSecond = (after.messagesSent - before.messagesSent) / (floodMs / 1_000);
  addRow("certstream flood", { instance, folder, watch, seconds: floodMs / 1_000 });
  goals.push(() => console.log(`certstream flood: ${perSecond.toFixed(0)} messages per second accepted`));
  await instance.stop();
}

interface MemoryWatch {
  stop(): { residentMiB: number; anonymousMiB: number; peakMiB: number };
}

function watchMemory({ pid }: Instance): MemoryWatch {
  const resident: number[] = [];
  const anonymous: number[] = [];
  const timer = setInterval(() => {
    const memory = memoryOf(pid);
    resident.push(memory.resident / mebibyte);
    anonymous.push(memory.anonymous / mebibyte);
  }, sampleMs);
  return {
    stop() {
      clearInterval(timer);
      return {
        residentMiB: median(resident),
        anonymousMiB: quantile(
          anonymous.toSorted((a, b) => a - b),
          0.5,
        ),
        peakMiB: memoryOf(pid).peak / mebibyte,
      };
    },
  };
}

function addRow(
  name: string,
  {
    instance,
    folder,
    watch,
    seconds,
    entries,
  }: { instance: Instance; folder: string; watch: MemoryWatch; seconds: number; entries?: number },
): void {
  const { residentMiB, anonymousMiB, peakMiB } = watch.stop();
  const read = totals(folder);
  const cells = [
    residentMiB,
    anonymousMiB,
    peakMiB,
    (entries ?? read.entries) / seconds,
    read.names / seconds,
  ];
  rows.push([name, ...cells.map((value) => value.toFixed(0)), (instance.cpuSeconds() / seconds).toFixed(2)]);
  goals.push(() => printGoal(`${name}: peak MiB`, peakMiB, { kind: "at most", limit: memoryGoalMiB }));
}

/** Reads what the executable has recorded. */
function totals(folder: string): { entries: number; names: number; threats: number } {
  const database = new Database(join(folder, "phishwatch.db"), { readonly: true });
  const count = (sql: string) => Number(database.query<{ total: number | null }, []>(sql).get()?.total ?? 0);
  try {
    return {
      entries: count("SELECT sum(entries) AS total FROM certificate_logs"),
      names: count("SELECT sum(names) AS total FROM source_activity"),
      threats: count("SELECT count(*) AS total FROM threats"),
    };
  } finally {
    database.close();
  }
}

function printRecorded(folder: string, { deliveries, listsServed, messagesSent }: WorldReport): void {
  const { threats } = totals(folder);
  console.log(
    `${threats} threats, ${deliveries} webhook deliveries, ${listsServed} lists served, ${messagesSent} messages\n`,
  );
}
