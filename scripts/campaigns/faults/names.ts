import { Database } from "bun:sqlite";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startReceiver } from "../kills/receivers.ts";
import { runCommand } from "../server.ts";
import { createExpectations, endpointText, openAppliance, within, type Fault } from "./appliance.ts";
import { startNameServer, type Resolve } from "./name-server.ts";

const silentEndpoints = 40;
const events = 15;
const deliveredMsMax = 20_000;
const stopMsMax = 25_000;
/** Names that a scan uses to check a resolver: 20 random letters. */
const probe = /^[a-z]{20}\./;

const silentNames: Fault = {
  name: `the name server is silent for ${silentEndpoints} endpoints`,
  async run({ folder }) {
    const { violations, expect } = createExpectations();
    const resolvers = join(folder, "resolv.conf");
    writeFileSync(resolvers, "nameserver 127.0.0.1\n");
    const mounted = Bun.spawnSync(["mount", "--bind", resolvers, "/etc/resolv.conf"]);
    if (mounted.exitCode !== 0) throw new Error(mounted.stderr.toString());
    const names = await startNameServer((name) => (name.startsWith("good") ? ["127.0.0.1"] : "silent"), {
      port: 53,
    });
    const receiver = await startReceiver({ hostile: undefined });
    const feed = join(folder, "feed.txt");
    writeFileSync(feed, "");
    const silent = Array.from({ length: silentEndpoints }, (_, index) =>
      endpointText(`silent${index}`, `http://h${index}.hang.test:${receiver.port}/`),
    );
    const appliance = await openAppliance({
      folder,
      settings: `${silent.join("")}${endpointText("good", `http://good.test:${receiver.port}/`)}
[[feeds]]
name = "feed"
path = ${JSON.stringify(feed)}`,
    });
    for (let count = 0; count < events; count += 1) await appliance.submit();
    appendFileSync(feed, "example-bank-feed.com\n");
    const isDelivered = await within(deliveredMsMax, () => receiver.received.size === events + 1);
    expect(
      isDelivered,
      `${receiver.received.size} of ${events + 1} events, one from the feed, were delivered`,
    );
    const failed = failuresOf(appliance.databasePath, "good");
    expect(failed.length === 0, `attempts of the healthy endpoint failed: ${failed.join(", ")}`);
    const { exitCode, durationMs } = await appliance.stop();
    expect(
      exitCode === 0 && durationMs < stopMsMax,
      `stopped with ${exitCode} after ${durationMs.toFixed(0)} ms`,
    );
    names.stop();
    receiver.stop();
    Bun.spawnSync(["umount", "/etc/resolv.conf"]);
    return violations;
  },
};

const hangingEndpoints = 60;
const healthyEndpoints = 4;
const descriptorsMax = 64;

const fewDescriptors: Fault = {
  name: `the process may have ${descriptorsMax} descriptors`,
  async run({ folder }) {
    const { violations, expect } = createExpectations();
    const receiver = await startReceiver({ hostile: undefined });
    const hanging = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
    const endpoints = [
      ...Array.from({ length: hangingEndpoints }, (_, index) =>
        endpointText(`hang${index}`, `http://127.0.0.1:${hanging.port}/${index}`),
      ),
      ...Array.from({ length: healthyEndpoints }, (_, index) =>
        endpointText(`good${index}`, `http://127.0.0.1:${receiver.port}/${index}`),
      ),
    ];
    const appliance = await openAppliance({
      folder,
      wrapper: ["sh", "-c", `ulimit -n ${descriptorsMax}; exec "$@"`, "sh"],
      // The hanging endpoints take turns with the healthy ones.
      settings: `[webhooks]\nallow_http = true\ntimeout = "1s"\n${endpoints.join("")}`,
    });
    const wanted = 8;
    for (let count = 0; count < wanted; count += 1) {
      const { status } = await appliance.submit();
      expect(status === 200, `a submission returned ${status}`);
    }
    const total = () => [...receiver.received.values()].reduce((sum, { accepted }) => sum + accepted, 0);
    const isDelivered = await within(3 * deliveredMsMax, () => total() >= wanted * healthyEndpoints);
    expect(isDelivered, `${total()} of ${wanted * healthyEndpoints} deliveries arrived`);
    const failed = failuresOf(appliance.databasePath, "good");
    expect(failed.length === 0, `attempts of healthy endpoints failed: ${failed.join(", ")}`);
    const refused = failuresOf(appliance.databasePath, "hang").filter((text) =>
      text.includes("ECONNREFUSED"),
    );
    expect(refused.length === 0, `${refused.length} attempts were recorded as refused by the receiver`);
    await appliance.stop();
    hanging.stop(true);
    receiver.stop();
    return violations;
  },
};

function failuresOf(databasePath: string, prefix: string): string[] {
  const database = new Database(databasePath, { readonly: true });
  try {
    return database
      .query<{ failure: string; error: string }, [string]>(
        `SELECT a.failure, a.error FROM delivery_attempts a JOIN deliveries d ON d.seq = a.delivery_seq
         JOIN recipients r ON r.seq = d.recipient_seq WHERE a.failure IS NOT NULL AND r.name LIKE ? || '%'`,
      )
      .all(prefix)
      .map(({ failure, error }) => `${failure}: ${error}`);
  } finally {
    database.close();
  }
}

/** A resolver that lies or fails, and whether a scan with it must fail. */
const resolvers: { name: string; resolve: Resolve; fails: boolean }[] = [
  { name: "the resolver returns an address for every name", resolve: () => ["192.0.2.1"], fails: true },
  { name: "the resolver denies every name", resolve: () => "none", fails: true },
  { name: "the resolver is silent", resolve: () => "silent", fails: true },
  {
    name: "the resolver loses the first probes",
    resolve: (name, count) => {
      if (["example-bank.com", "com", "net", "org"].includes(name)) return ["192.0.2.1"];
      return probe.test(name) && count === 1 ? "silent" : "none";
    },
    fails: false,
  },
];

const resolverFaults = resolvers.map(({ name, resolve, fails }): Fault => ({
  name,
  async run({ folder }) {
    const { violations, expect } = createExpectations();
    const names = await startNameServer(resolve);
    const appliance = await openAppliance({
      folder,
      settings: `[scan]
schedule = ""
resolvers = ["127.0.0.1:${names.port}"]
queries_per_second = 10000
registration_data = false
screenshots = "off"`,
    });
    const { exitCode, output } = await runCommand(["scan", "example-bank.com", "--config", appliance.config]);
    expect((exitCode !== 0) === fails, `the scan ended with ${exitCode}: ${output.trim().slice(-300)}`);
    if (fails)
      expect(/resolver/i.test(output), `the output does not name the resolver: ${output.slice(-300)}`);
    const { text } = await appliance.request("GET", "/v1/threats");
    const { meta } = JSON.parse(text) as { meta: { total: number } };
    expect(meta.total === 0, `${meta.total} threats were recorded`);
    await appliance.stop();
    names.stop();
    return violations;
  },
}));

export const nameFaults: Fault[] = [silentNames, fewDescriptors, ...resolverFaults];
