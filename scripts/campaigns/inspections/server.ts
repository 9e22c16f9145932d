/** Runs the appliance with inspections on loopback, which the executable does not allow. Argument: settings as JSON. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { openApp } from "../../../src/app.ts";
import { loadConfig } from "../../../src/config/load.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { createLog } from "../../../src/lib/log.ts";
import type { ThreadData } from "../../../src/vocabulary/threads.ts";

const { config: path, webPort } = JSON.parse(process.argv[2]!) as { config: string; webPort: number };
const loaded = loadConfig({ path, text: readFileSync(path, "utf8"), env: {}, readFile: () => "" });
if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
const app = openApp({
  config: loaded.config,
  clock: systemClock,
  log: createLog({
    level: "info",
    format: "json",
    clock: systemClock,
    write: (line) => void process.stderr.write(line),
  }),
  fillRandom: (bytes) => void crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>),
  // Nothing listens on the port of HTTPS.
  reach: { rules: { allowPrivateNetworks: true }, ports: { http: webPort, https: 9 } },
  startWorker: (task = "screening") => {
    const workerData: ThreadData = { task, lists: {} };
    return new Worker(join(import.meta.dir, "../../../src/main.ts"), { workerData });
  },
});
await app.start();
app.server.listen();
// Without waiting for the full minute.
void app.inspection.originals.run();
