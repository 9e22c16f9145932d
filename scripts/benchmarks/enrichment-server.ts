/** Runs the appliance with lookups on loopback, which the executable does not allow. Argument: settings as JSON. */
import { rdapServices } from "../../src/facts/lookups/registration/rdap-services.ts";
import { openBenchmarkedApp } from "./benchmarked-app.ts";

const { folder, port, key, dnsPort, webPort, registryPort } = JSON.parse(process.argv[2]!) as Record<
  string,
  string
>;
const app = openBenchmarkedApp({
  folder: folder!,
  key: key!,
  port: port!,
  sections: `[scan]
resolvers = ["127.0.0.1:${dnsPort}"]
queries_per_second = 100000
screenshots = "off"`,
  reach: {
    rules: { allowPrivateNetworks: true },
    ports: { http: Number(webPort), https: 9 },
    rdapServices: rdapServices([["com", `http://registry.test:${registryPort}/`]]),
    whoisServerFor: () => undefined,
  },
});
app.server.listen();
await app.start();
// Reports the number of lookups in flight to the benchmark.
setInterval(() => process.stdout.write(`${app.enrichment.running()}\n`), 1_000);
