/** Opens the appliance from source for benchmarks in which it connects to loopback, which the executable never does. */
import { openApp } from "../../src/app/app.ts";
import type { Environment } from "../../src/app/environment.ts";
import { loadConfig } from "../../src/platform/config/load.ts";
import { systemClock } from "../../src/platform/lib/clock.ts";
import { createLog } from "../../src/platform/lib/log.ts";

/**
 * @param sections of the configuration file, beside those that all benchmarks share.
 * @param folder of the database.
 */
export function openBenchmarkedApp({
  folder,
  key,
  port,
  sections,
  ...environment
}: { folder: string; key: string; port: string; sections: string } & Pick<
  Environment,
  "reach" | "startWorker"
>) {
  const text = `
[server]
listen = "127.0.0.1:${port}"
[storage]
path = "phishwatch.db"
${sections}
[[protected_domains]]
domain = "example-bank.com"
[[api_keys]]
name = "benchmark"
key = "${key}"
plan = "enterprise"
scopes = ["threats:read", "candidates:write"]
`;
  const loaded = loadConfig({ path: `${folder}/phishwatch.toml`, text, env: {}, readFile: () => "" });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  return openApp({
    config: loaded.config,
    clock: systemClock,
    log: createLog({
      level: "warn",
      format: "json",
      clock: systemClock,
      write: (line) => void process.stderr.write(line),
    }),
    fillRandom: (bytes) => void crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>),
    ...environment,
  });
}
