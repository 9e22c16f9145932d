import net from "node:net";
import { expect, test } from "bun:test";
import { openFiles } from "../../../src/cli/checks/machine.ts";
import {
  connectionLimits,
  isLackOfDescriptors,
  parseDescriptorLimit,
} from "../../../src/platform/network/descriptors.ts";
import { loaded } from "../../platform/config/helper.ts";
import { commandFolder, quickest, type CommandFolder } from "../../support/command-line.ts";
import { startReceiver } from "../../support/receiver.ts";
import { until } from "../../support/until.ts";

const secret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
const endpoint = (name: string, url: string) =>
  `[[webhooks.endpoints]]\nname = "${name}"\nurl = "${url}"\nsecret = "${secret}"\nevents = ["threat.created"]\n`;
const events = 2;
const healthyCount = 4;

function configuration(limit: number, healthy: string, hanging: string): string {
  /** With two events for each, the requests would need more descriptors than there are. */
  const hangingCount = Math.ceil(limit / 2);
  const many = (count: number, base: string, name: string) =>
    Array.from({ length: count }, (_, index) => endpoint(`${name}-${index}`, `${base}-${name}-${index}`));
  return `[server]
listen = "127.0.0.1:0"
[storage]
path = "phishwatch.db"
[scan]
schedule = ""
registration_data = false
screenshots = "off"
[log]
format = "json"
[webhooks]
allow_http = true
timeout = "600ms"
retry_delays = ["1h"]
${many(healthyCount, healthy, "healthy").join("")}${many(hangingCount, hanging, "hanging").join("")}
[[protected_domains]]
domain = "example-bank.com"
[[api_keys]]
name = "test"
key = "pk_test_key_for_descriptors_0123456789"
scopes = ["threats:read", "threats:write"]
`;
}

/** Starts the server so that it may open at most `limit` files. */
function serveWith(folder: CommandFolder, limit: number) {
  const command = ["/bin/sh", "-c", `ulimit -n ${limit}; exec "$0" "$@"`, ...quickest];
  return folder.serve({ command });
}

function connectIdle(url: string): net.Socket {
  const { hostname, port } = new URL(url);
  return net.connect({ host: hostname, port: Number(port) }).on("error", () => {});
}

interface Outcome {
  /** Deliveries to healthy endpoints by status, and the failed attempts at them. */
  healthy: Record<string, number>;
  failedAttempts: number;
  log: string;
}

async function deliverWith(limit: number, { clients }: { clients: number }): Promise<Outcome> {
  await using cleanup = new AsyncDisposableStack();
  const healthy = cleanup.adopt(startReceiver(), ({ stop }) => stop());
  const hanging = cleanup.adopt(
    startReceiver(() => new Promise<Response>(() => {})),
    ({ stop }) => stop(),
  );
  const folder = cleanup.adopt(commandFolder(configuration(limit, healthy.url, hanging.url)), (one) =>
    one.dispose(),
  );
  const server = cleanup.adopt(
    await serveWith(folder, limit),
    async (one) => void (await one.stop("SIGKILL")),
  );
  const sockets = Array.from({ length: clients }, () => connectIdle(server.url));
  const names = Array.from({ length: events }, (_, index) => `example-bank-login${index}.top\n`).join("");
  await folder.run(["import", folder.file("names.txt", names)]);
  await until(
    () => new Set(healthy.received.map(({ path, body }) => path + body)).size === events * healthyCount,
    "delivered",
    60_000,
  );
  // Shutdown waits for open connections.
  for (const socket of sockets) socket.destroy();
  await server.stop();
  const { out } = await folder.run(["webhooks", "deliveries", "--json", "--limit", "1000"]);
  const all = out
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { endpoint: string; status: string; attempts: number })
    .filter(({ endpoint: name }) => name.startsWith("healthy-"));
  return {
    healthy: Object.fromEntries(
      Map.groupBy(all, ({ status }) => status)
        .entries()
        .map(([status, some]) => [status, some.length]),
    ),
    failedAttempts: all.reduce((sum, { attempts }) => sum + attempts, 0) - all.length,
    log: server.err(),
  };
}

// They wait for timeouts most of the time.
test.concurrent.each([
  [64, 0],
  [64, 40],
  [24, 0],
])(
  "With at most %i open files and %i idle API clients, endpoints that hang use up no attempt of healthy ones",
  async (limit, clients) => {
    const { healthy, failedAttempts, log } = await deliverWith(limit, { clients });
    expect(healthy).toEqual({ succeeded: events * healthyCount });
    expect(failedAttempts).toBe(0);
    expect(log).toContain("open files");
    const lacking = log.split("\n").filter((line) => line.includes("no file descriptor left"));
    expect(lacking.length).toBeLessThanOrEqual(1);
  },
  120_000,
);

test("The limit of open files is read from the text that Linux provides", () => {
  const text = "Limit                     Soft Limit           Hard Limit           Units     \n";
  const line = (soft: string) =>
    `${text}Max open files            ${soft}                524288               files     \n`;
  expect(parseDescriptorLimit(line("1024"))).toBe(1_024);
  expect(parseDescriptorLimit(line("unlimited"))).toBeNull();
  expect(parseDescriptorLimit(text)).toBeNull();
});

test("Connections leave most descriptors to files and API clients, whatever the limit is", () => {
  for (const limit of [64, 100, 256, 1_024, 4_096, 20_000, 1_048_576]) {
    const { requestsMax, idleMax } = connectionLimits(limit);
    expect(requestsMax).toBeGreaterThan(1);
    expect(requestsMax + idleMax).toBeLessThanOrEqual(Math.max(4, limit / 2));
  }
  expect(connectionLimits(24)).toEqual({ requestsMax: 2, idleMax: 2 });
  expect(connectionLimits(null)).toEqual({ requestsMax: 4_096, idleMax: 4_096 });
});

test("`check` says how to raise a low limit of open files", () => {
  const config = loaded("");
  expect(openFiles(config, 1_024)).toMatchObject({
    state: "warning",
    change: expect.stringContaining("LimitNOFILE"),
  });
  expect(openFiles(config, 2_000)).toMatchObject({ state: "ok" });
  expect(openFiles(config, null)).toMatchObject({ state: "ok" });
});

test("An error that a lack of descriptors caused is recognized behind other errors", () => {
  const lack = Object.assign(new Error("too many open files"), { code: "EMFILE" });
  expect(isLackOfDescriptors(new Error("ca.pem cannot be used", { cause: lack }))).toBeTrue();
  expect(isLackOfDescriptors(new Error("ca.pem cannot be used"))).toBeFalse();
});
