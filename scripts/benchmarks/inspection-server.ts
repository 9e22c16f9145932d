/** Runs the appliance with inspections on loopback, which the executable does not allow. Argument: settings as JSON. */
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { ThreadData } from "../../src/platform/vocabulary/threads.ts";
import { openBenchmarkedApp } from "./benchmarked-app.ts";

const { folder, port, key, dnsPort, webPort, perMinute } = JSON.parse(process.argv[2]!) as Record<
  string,
  string
>;
const app = openBenchmarkedApp({
  folder: folder!,
  key: key!,
  port: port!,
  sections: `[scan]
schedule = ""
resolvers = ["127.0.0.1:${dnsPort}"]
registration_data = false
screenshots = "off"
[inspection]
per_minute = ${perMinute}`,
  reach: { rules: { allowPrivateNetworks: true }, ports: { http: Number(webPort), https: 9 } },
  startWorker: (task = "screening") => {
    const workerData: ThreadData = { task, lists: {} };
    return new Worker(join(import.meta.dir, "../../src/main.ts"), { workerData });
  },
});
await app.start();
await app.inspection.originals.run();
app.server.listen();

/** Longest delay of a timer since the last report. */
let longestMs = 0;
let expectedAtMs = performance.now();
const tickMs = 2;
setInterval(() => {
  const now = performance.now();
  longestMs = Math.max(longestMs, now - expectedAtMs - tickMs);
  expectedAtMs = now;
}, tickMs);
setInterval(() => {
  const { running, totals, waiting } = app.inspection.inspections.status();
  const report = {
    waiting: waiting.person + waiting.submission + waiting.feed,
    running,
    totals,
    longestMs,
    cpuSeconds: (process.cpuUsage().user + process.cpuUsage().system) / 1e6,
    residentMiB: process.memoryUsage().rss / 2 ** 20,
  };
  longestMs = 0;
  process.stdout.write(`${JSON.stringify(report)}\n`);
}, 500);
