import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { systemClock } from "../../../src/platform/lib/clock.ts";
import { createDnsClient } from "../../../src/platform/network/dns/dns-client.ts";
import { createUdpTransport, type NameServer } from "../../../src/platform/network/dns/dns-transport.ts";
import { fillRandom } from "../../support/appliance.ts";
import { startDnsServer } from "../../support/dns-server.ts";
import { until } from "../../support/until.ts";

const isLinux = process.platform === "linux";
/** Returns the number of UDP sockets that are connected to a port. */
function socketsTo({ port }: NameServer): number {
  const remote = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const lines = readFileSync("/proc/self/net/udp", "utf8").trim().split("\n").slice(1);
  return lines.filter((line) => line.trim().split(/\s+/)[2]!.endsWith(remote)).length;
}

test.skipIf(!isLinux)("after a resolver refused queries under load, no socket stays open", async () => {
  const { server, stop } = await startDnsServer({});
  stop();
  const { query } = createDnsClient({
    clock: systemClock,
    fillRandom,
    resolvers: () => [server],
    queriesPerSecond: () => 1_000_000,
    timeoutMs: 100,
  });
  const names = Array.from({ length: 1_000 }, (_, index) => `name-${index}.test`);
  const answers = await Promise.all(names.map((name) => query(name, "A")));
  expect(new Set(answers.map(({ outcome }) => outcome))).toEqual(new Set(["unknown"]));
  await until(() => socketsTo(server) === 0, "the sockets are closed");
});

test.skipIf(!isLinux)("a query that cannot be sent releases its socket", async () => {
  const { server, stop } = await startDnsServer({});
  stop();
  const carry = createUdpTransport();
  // The system reports that the server refused a query when the next one is sent on the same socket.
  const send = (id: number) =>
    carry({ server, message: new Uint8Array([0, id]), onMessage() {}, onFailure() {} });
  const sent = await Promise.allSettled(Array.from({ length: 16 }, (_, id) => send(id)));
  const further = await Promise.allSettled(Array.from({ length: 32 }, (_, id) => send(100 + id)));
  expect(socketsTo(server)).toBeGreaterThan(0);
  expect(further.some(({ status }) => status === "rejected")).toBe(true);
  for (const one of [...sent, ...further]) if (one.status === "fulfilled") one.value();
  await until(() => socketsTo(server) === 0, "the sockets are closed");
});
