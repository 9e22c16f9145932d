import { afterEach, expect, test } from "bun:test";
import hostingText from "../../../src/facts/lookups/dns/hosting.txt" with { type: "text" };
import { decode } from "dns-packet";
import { createExistenceLookup } from "../../../src/facts/lookups/dns/existence.ts";
import { createWildcardProbe } from "../../../src/facts/lookups/dns/wildcards.ts";
import { systemClock } from "../../../src/platform/lib/clock.ts";
import { createDnsClient } from "../../../src/platform/network/dns/dns-client.ts";
import { fillRandom } from "../../support/appliance.ts";
import { answerTo, startDnsServer, type DnsServer, type Zones } from "../../support/dns-server.ts";

const running: DnsServer[] = [];
afterEach(() => {
  for (const server of running.splice(0)) server.stop();
});

async function open(zones: Zones) {
  const server = await startDnsServer(zones);
  running.push(server);
  const dns = createDnsClient({
    clock: systemClock,
    fillRandom,
    resolvers: () => [server.server],
    queriesPerSecond: () => 10_000,
    timeoutMs: 60,
  });
  const probeWildcard = createWildcardProbe({ dns, clock: systemClock, fillRandom });
  return { lookUp: createExistenceLookup({ dns, probeWildcard }), ...server };
}

const nothing = { addresses: [], mailServers: [], nameServers: [], wildcard: false };

test("a name in use exists, with all of its records", async () => {
  const { lookUp } = await open({
    "shop.com": {
      A: ["192.0.2.1"],
      AAAA: ["2001:db8::1"],
      NS: ["ns1.host.net", "ns2.host.net"],
      MX: [
        [20, "backup.shop.com"],
        [10, "mail.shop.com"],
      ],
    },
    "claimed.com": { A: ["192.0.2.6"], NS: ["ns1.host.net", "ns1.sinkhole.shadowserver.org"] },
    "alias.com": { CNAME: "end.net" },
    "end.net": { A: ["192.0.2.2"], NS: ["ns.end.net"] },
  });
  expect(await lookUp("shop.com")).toEqual({
    exists: "yes",
    addresses: ["192.0.2.1", "2001:db8::1"],
    mailServers: ["mail.shop.com", "backup.shop.com"],
    nameServers: ["ns1.host.net", "ns2.host.net"],
    wildcard: false,
  });
  // The name servers of an alias's target do not belong to the name.
  expect(await lookUp("claimed.com")).not.toHaveProperty("sinkholed");
  expect(await lookUp("alias.com")).toEqual({
    ...nothing,
    exists: "yes",
    addresses: ["192.0.2.2"],
    canonicalName: "end.net",
  });
});

test("a name without an address exists if it has mail servers, name servers or an SOA record", async () => {
  const { lookUp } = await open({
    "mail.com": { MX: [[10, "mx.host.net"]] },
    "nullmail.com": { MX: [[0, "."]], NS: ["ns.host.net"] },
    "delegated.com": { NS: ["ns.host.net"] },
    "zone.com": { SOA: true },
    "dangling.com": { CNAME: "gone.net" },
  });
  expect(await lookUp("mail.com")).toEqual({ ...nothing, exists: "yes", mailServers: ["mx.host.net"] });
  expect(await lookUp("nullmail.com")).toEqual({ ...nothing, exists: "yes", nameServers: ["ns.host.net"] });
  expect(await lookUp("delegated.com")).toEqual({ ...nothing, exists: "yes", nameServers: ["ns.host.net"] });
  expect(await lookUp("zone.com")).toEqual({ ...nothing, exists: "yes" });
  expect(await lookUp("dangling.com")).toEqual({ ...nothing, exists: "yes", canonicalName: "gone.net" });
});

test("a missing name costs one query, and a name without any record is missing as well", async () => {
  const { lookUp, askedAbout } = await open({
    "below.empty.com": { A: ["192.0.2.3"] },
    "text.com": { TXT: ["x"] },
  });
  expect(await lookUp("nobody.com")).toEqual({ exists: "no", ...nothing });
  expect(askedAbout("nobody.com")).toEqual(["A udp"]);
  expect(await lookUp("empty.com")).toEqual({ exists: "no", ...nothing });
  expect(await lookUp("text.com")).toEqual({ exists: "no", ...nothing });
});

test("a name is unknown, neither present nor gone, if no server gives a definite response", async () => {
  const { lookUp } = await open({
    "broken.com": { rcode: "SERVFAIL" },
    "refused.com": { rcode: "REFUSED" },
    "silent.com": { silent: true },
    "lame.com": { referral: true },
    "circle.com": { CNAME: "elcric.com" },
    "elcric.com": { CNAME: "circle.com" },
    "noise.com": { raw: () => [Buffer.alloc(40)] },
  });
  const names = ["broken.com", "refused.com", "silent.com", "lame.com", "circle.com", "noise.com"];
  for (const name of names) {
    expect(await lookUp(name)).toEqual({ exists: "unknown", reason: expect.any(String), ...nothing });
  }
});

test("wildcard parents are recognized, and so are registered names below them", async () => {
  const { lookUp, asked } = await open({
    "*.ws": { A: ["203.0.113.1"], MX: [[1, "all.ws"]] },
    "real.ws": { A: ["203.0.113.1"], NS: ["ns.host.net"] },
    "other.ws": { A: ["192.0.2.4"] },
    "mail.ws": { A: ["203.0.113.1"], MX: [[1, "own.mail.ws"]] },
  });
  expect(await lookUp("shop.ws")).toMatchObject({
    exists: "yes",
    wildcard: true,
    addresses: ["203.0.113.1"],
  });
  expect(await lookUp("real.ws")).toMatchObject({ exists: "yes", wildcard: false });
  expect(await lookUp("other.ws")).toMatchObject({ exists: "yes", wildcard: false });
  expect(await lookUp("mail.ws")).toMatchObject({ exists: "yes", wildcard: false });
  // The parent is probed once: four queries for names of sixteen random letters.
  expect(asked.filter(({ name }) => /^[a-z]{16}\.ws$/.test(name)).length).toBe(4);
});

test("an address alone does not prove registration if every name gets another address", async () => {
  let last = 0;
  const { lookUp } = await open({
    "*.random.com": { raw: (query) => [randomAddress(query, ++last)] },
    "named.random.com": { A: ["192.0.2.9"], NS: ["ns.host.net"] },
  });
  expect(await lookUp("shop.random.com")).toMatchObject({ exists: "yes", wildcard: true });
  expect(await lookUp("named.random.com")).toMatchObject({ exists: "yes", wildcard: false });
});

test("a name without name servers of its own is unknown while its parent cannot be probed", async () => {
  const { lookUp } = await open({
    "*.flaky": { rcode: "SERVFAIL" },
    "shop.flaky": { A: ["192.0.2.5"] },
    "own.flaky": { A: ["192.0.2.5"], NS: ["ns.host.net"] },
  });
  expect(await lookUp("shop.flaky")).toMatchObject({
    exists: "unknown",
    reason: expect.stringContaining("flaky"),
  });
  expect(await lookUp("own.flaky")).toMatchObject({ exists: "yes", wildcard: false });
});

test("parked and sinkholed names are recognized by their targets", async () => {
  const { lookUp } = await open({
    "sale.com": { A: ["192.0.2.6"], NS: ["ns1.sedoparking.com"] },
    "wait.com": { A: ["199.59.243.10"], NS: ["ns.host.net"] },
    "mixed.com": { A: ["199.59.243.10", "192.0.2.7"], NS: ["ns.host.net"] },
    "claimed.com": { A: ["192.0.2.6"], NS: ["ns1.host.net", "ns1.sinkhole.shadowserver.org"] },
    "alias.com": { CNAME: "parkingpage.namecheap.com" },
    "parkingpage.namecheap.com": { A: ["192.0.2.8"] },
    "seized.com": { A: ["192.0.2.6"], NS: ["ns1.microsoftinternetsafety.net"] },
    "lookalike.com": { A: ["192.0.2.6"], NS: ["ns1.notsedoparking.com"] },
  });
  expect(await lookUp("sale.com")).toMatchObject({ parked: "Sedo" });
  expect(await lookUp("wait.com")).toMatchObject({ parked: "Bodis" });
  expect(await lookUp("mixed.com")).not.toHaveProperty("parked");
  expect(await lookUp("claimed.com")).not.toHaveProperty("sinkholed");
  expect(await lookUp("alias.com")).toMatchObject({ parked: "Namecheap" });
  expect(await lookUp("seized.com")).toMatchObject({ sinkholed: "Microsoft" });
  expect(await lookUp("lookalike.com")).not.toHaveProperty("parked");
});

test("the list of parking services and sinkholes is well formed and has no duplicates", () => {
  const lines = hostingText.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  const form = /^(parked|sinkholed) ([a-z0-9-]+(\.[a-z0-9-]+)+|\d+(\.\d+){3}\/\d{1,2}) \S.*$/;
  expect(lines.filter((line) => !form.test(line))).toEqual([]);
  const markers = lines.map((line) => line.split(" ")[1]!);
  expect(markers.filter((marker, index) => markers.indexOf(marker) !== index)).toEqual([]);
});

test("failed queries for a name that exists are reported", async () => {
  const { lookUp } = await open({
    "half.com": {
      raw: (query) => (query.includes(Buffer.from([0, 15, 0, 1])) ? [] : [address(query, "192.0.2.9")]),
    },
  });
  const found = await lookUp("half.com");
  expect(found).toMatchObject({ exists: "yes", addresses: ["192.0.2.9"], mailServers: [] });
  expect(found.reason).toBe("MX: no response within 60 ms");
});

function randomAddress(query: Buffer, last: number): Buffer {
  return address(query, `198.51.100.${last}`);
}

/** Returns a response with this address to a query for addresses, and without records to any other. */
function address(query: Buffer, data: string): Buffer {
  const { questions } = decode(query);
  const { name, type } = questions![0]!;
  return answerTo(query, type === "A" ? [{ type: "A", name, ttl: 1, class: "IN", data }] : []);
}
