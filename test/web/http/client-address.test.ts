import { expect, test } from "bun:test";
import { createClientAddress, createUntrustedProxy } from "../../../src/web/http/client-address.ts";
import { createLog } from "../../../src/platform/lib/log.ts";
import { manualClock } from "../../support/appliance.ts";

const trusted = ["10.0.0.0/8", "fd00::/8", "127.0.0.1/32"];
const cases: [peer: string, forwarded: string | null, client: string][] = [
  ["192.0.2.1", null, "192.0.2.1"],
  // An untrusted peer can send any header.
  ["192.0.2.1", "198.51.100.7", "192.0.2.1"],
  ["10.0.0.1", null, "10.0.0.1"],
  ["10.0.0.1", "198.51.100.7", "198.51.100.7"],
  ["::ffff:10.0.0.1", "198.51.100.7", "198.51.100.7"],
  // The client's own claim is to the left of the address that the trusted proxy saw.
  ["10.0.0.1", "203.0.113.9, 198.51.100.7", "198.51.100.7"],
  ["10.0.0.1", "203.0.113.9, 198.51.100.7, 10.0.0.2", "198.51.100.7"],
  ["10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"],
  ["fd00::1", "2001:db8::7", "2001:db8::7"],
  ["fd00::1", "[2001:db8::7]:4711", "2001:db8::7"],
  ["10.0.0.1", "198.51.100.7:4711", "198.51.100.7"],
  ["10.0.0.1", "unknown", "10.0.0.1"],
  ["10.0.0.1", "198.51.100.7, garbage\u202e", "10.0.0.1"],
  ["10.0.0.1", "", "10.0.0.1"],
  ["10.0.0.1", Array.from({ length: 5_000 }, () => "10.0.0.2").join(","), "10.0.0.2"],
];
for (const [peer, forwarded, client] of cases) {
  test(`peer ${peer} with X-Forwarded-For ${JSON.stringify(forwarded?.slice(0, 50) ?? null)} resolves to the client ${client}`, () => {
    expect(createClientAddress(trusted)(peer, forwarded)).toBe(client);
  });
}

test("A private peer that sends X-Forwarded-For without being trusted is logged once, with the setting, and a stranger is not", () => {
  const logged: Record<string, unknown>[] = [];
  const log = createLog({
    level: "warn",
    format: "json",
    clock: manualClock(),
    write: (line) => void logged.push(JSON.parse(line) as Record<string, unknown>),
  });
  const untrusted = createUntrustedProxy({ log });
  const resolveClient = createClientAddress(["10.0.0.0/8"], untrusted.note);
  for (const peer of ["10.0.0.1", "9.9.9.9", "2a00:1450::1"]) resolveClient(peer, "198.51.100.7");
  resolveClient("172.18.0.2", null);
  expect([untrusted.address(), logged]).toEqual([undefined, []]);
  for (const peer of ["::ffff:172.18.0.2", "127.0.0.1"]) resolveClient(peer, "198.51.100.7");
  expect(untrusted.address()).toBe("172.18.0.2");
  expect(logged).toMatchObject([{ peer: "172.18.0.2", setting: "server.trusted_proxies" }]);
});

test("X-Forwarded-For is ignored without trusted proxies", () => {
  expect(createClientAddress([])("10.0.0.1", "198.51.100.7")).toBe("10.0.0.1");
});
