/** Runs the appliance with lookups on loopback, which the executable does not allow. Argument: settings as JSON. */
import { openApp } from "../../src/app.ts";
import { loadConfig } from "../../src/config/load.ts";
import { rdapServices } from "../../src/lookups/registration/rdap-services.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createLog } from "../../src/lib/log.ts";

const { folder, port, key, dnsPort, webPort, registryPort } = JSON.parse(process.argv[2]!) as Record<
  string,
  string
>;
const text = `
[server]
listen = "127.0.0.1:${port}"
[storage]
path = "phishwatch.db"
[scan]
resolvers = ["127.0.0.1:${dnsPort}"]
queries_per_second = 100000
screenshots = "off"
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
const app = openApp({
  config: loaded.config,
  clock: systemClock,
  log: createLog({
    level: "warn",
    format: "json",
    clock: systemClock,
    write: (line) => void process.stderr.write(line),
  }),
  fillRandom: (bytes) => void crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>),
  reach: {
    rules: { allowPrivateNetworks: true },
    ports: { http: Number(webPort), https: 9 },
    rdapServices: rdapServices([["com", `http://registry.test:${registryPort}/`]]),
    whoisServerFor: () => undefined,
  },
});
app.server.listen();
app.start();
// Reports the number of lookups in flight to the benchmark.
setInterval(() => process.stdout.write(`${app.enrichment.running()}\n`), 1_000);
