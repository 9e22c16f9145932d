import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { createPageInspector } from "../../src/facts/inspection/inspector/page-inspector.ts";
import { createThreadInspector } from "../../src/facts/inspection/inspector/thread-inspector.ts";
import type { Inspector } from "../../src/facts/inspection/model/inspector.ts";
import { systemClock } from "../../src/platform/lib/clock.ts";
import { createPageReader } from "../../src/facts/lookups/page/page-reader.ts";
import { createTurns } from "../../src/platform/network/turns.ts";
import { startLoopMeter } from "../campaigns/hostile/loop-meter.ts";
import { hostileClasses } from "./hostile-page-server.ts";
import { readOptions } from "./options.ts";
import { formatTable } from "./statistics.ts";

const options = readOptions({
  benchmark: "pages",
  summary:
    "Hostile pages of each class, inspected several at once: the longest turn of the event loop that serves\n" +
    "requests in CPU time, and the memory that they take, with the inspections in their thread and without it.",
  options: {
    at_once: { default: 8, value: "N", description: "number of inspections of a class at the same time" },
    only: { default: "", value: "CLASS,CLASS", description: "classes to inspect" },
  },
});

const sampleMs = 5;
const mebibyte = 2 ** 20;
const rules = { allowPrivateNetworks: true };
const loop = startLoopMeter();
const brands = { read: async () => [], onChange: () => {} };

const server = Bun.spawn([process.execPath, join(import.meta.dir, "hostile-page-server.ts")], {
  stdout: "pipe",
});
process.on("exit", () => server.kill());
const { value } = await server.stdout.getReader().read();
const port = Number(new TextDecoder().decode(value));

function inThread(): Inspector {
  const path = join(import.meta.dir, "../../src/main.ts");
  return createThreadInspector({
    brands,
    browser: undefined,
    clock: systemClock,
    settings: () => ({ rules, ports: undefined, resolvers: [], queriesPerSecond: 100, hasBrowser: false }),
    startWorker: (task) => new Worker(path, { workerData: { task, lists: {} } }),
  });
}

function inThisThread(): Inspector {
  const turns = createTurns();
  const reader = createPageReader({ clock: systemClock, rules, resolveHost: async () => [], turns });
  return createPageInspector({ clock: systemClock, reader, render: undefined, turns });
}

async function measure(inspector: Inspector, name: string) {
  Bun.gc(true);
  const beforeBytes = process.memoryUsage.rss();
  let peakBytes = beforeBytes;
  const timer = setInterval(() => (peakBytes = Math.max(peakBytes, process.memoryUsage.rss())), sampleMs);
  loop.take();
  const startedMs = performance.now();
  const signal = new AbortController().signal;
  const target = { address: `http://127.0.0.1:${port}/${name}`, browser: "never" } as const;
  await Promise.all(Array.from({ length: options.at_once }, () => inspector.inspect(target, signal)));
  clearInterval(timer);
  return {
    longestMs: loop.take().cpuMs,
    seconds: (performance.now() - startedMs) / 1_000,
    addedMib: (peakBytes - beforeBytes) / mebibyte,
  };
}

const classes = options.only === "" ? hostileClasses : options.only.split(",");
const thread = inThread();
const here = inThisThread();
await measure(thread, "plain");
const measured = [];
for (const name of classes) measured.push({ name, other: await measure(thread, name) });
// Afterward, because this leaves garbage whose collection would be counted above.
await measure(here, "plain");
const rows: string[][] = [];
for (const { name, other } of measured) {
  const own = await measure(here, name);
  rows.push([
    name,
    other.longestMs.toFixed(1),
    own.longestMs.toFixed(1),
    other.addedMib.toFixed(0),
    other.seconds.toFixed(1),
  ]);
}
console.log(
  formatTable(["page", "longest turn ms", "without the thread", "peak MiB added", "seconds"], rows),
);
await Promise.all([here.close(), thread.close()]);
process.exit(0);
