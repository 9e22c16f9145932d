import { afterEach, describe, expect, test } from "bun:test";
import { systemClock } from "../../../src/platform/lib/clock.ts";
import { embeddedAddressRegistries } from "../../../src/facts/lookups/network/address-registries.ts";
import { createNetworkLookup } from "../../../src/facts/lookups/network/network-lookup.ts";
import { readRdapNetwork, readWhoisNetwork } from "../../../src/facts/lookups/network/network-records.ts";
import { startReceiver } from "../../support/receiver.ts";
import { startWhoisServer } from "../../support/whois-server.ts";
import * as texts from "./network-texts.ts";

const open: { stop(): void }[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.stop();
});

function opened<T extends { stop(): void }>(server: T): T {
  open.push(server);
  return server;
}

const json = (body: unknown, init: ResponseInit = {}) =>
  new Response(JSON.stringify(body), { headers: { "content-type": "application/rdap+json" }, ...init });

function lookup({
  rdapPort = 1,
  whoisPort = 1,
  allowPrivateNetworks = true,
}: {
  rdapPort?: number;
  whoisPort?: number;
  allowPrivateNetworks?: boolean;
}) {
  const made = createNetworkLookup({
    clock: systemClock,
    rules: { allowPrivateNetworks },
    resolveHost: async () => ["127.0.0.1"],
    userAgent: "phishwatch/test",
    registryFor: () => ({
      rdapUrl: `http://rdap.registry.example:${rdapPort}/registry/`,
      whoisServer: `whois.registry.example:${whoisPort}`,
    }),
    timeoutMs: 20_000,
    intervalMs: 0,
  });
  open.push({ stop: () => made.close() });
  return made;
}

const arinNetwork = {
  first: "104.152.0.0",
  last: "104.152.7.255",
  name: "EXAMPLE-HOST",
  organization: "Example Host LLC",
  asn: 64501,
  abuseEmail: "abuse@example-host.example",
  abusePhone: "+1-555-555-0100",
};
const expected = {
  ripe: {
    name: "DE-BEISPIEL-20120801",
    organization: "Beispiel Hosting GmbH",
    country: "DE",
    abuseEmail: "missbrauch@beispiel-hosting.example",
  },
  apnic: {
    name: "EXAMPLENET-AP",
    organization: "Examplenet Pte Ltd",
    country: "SG",
    abuseEmail: "net-abuse@examplenet.example",
  },
  lacnic: {
    organization: "Ejemplo Hosting S.A.",
    country: "CL",
    asn: 64502,
    abuseEmail: "abuso@ejemplo-hosting.example",
  },
  afrinic: { name: "EXAMPLE-ZA", country: "ZA", abuseEmail: "reports@cape-hosting.example" },
};

describe("responses", () => {
  test.each([
    ["ARIN", "104.152.1.1", texts.arin, arinNetwork],
    ["RIPE NCC", "185.12.64.9", texts.ripe, expected.ripe],
    ["APNIC", "103.20.5.1", texts.apnic, expected.apnic],
    ["LACNIC", "179.60.128.1", texts.lacnic, expected.lacnic],
    ["AFRINIC", "2c0f:f000::1", texts.afrinic, expected.afrinic],
  ])("The network and its abuse contact are read from RDAP of %s", (_registry, address, body, network) => {
    const reading = readRdapNetwork(JSON.stringify(body), address);
    expect(reading).toMatchObject({ kind: "network", network });
  });

  test.each([
    ["ARIN", "104.152.1.1", texts.whoisArin, { ...arinNetwork, country: "US" }],
    ["RIPE NCC", "185.12.64.9", texts.whoisRipe, expected.ripe],
    ["APNIC", "103.20.5.1", texts.whoisApnic, expected.apnic],
    [
      "LACNIC",
      "179.60.128.1",
      texts.whoisLacnic,
      { ...expected.lacnic, first: "179.60.128.0", last: "179.60.131.255" },
    ],
    ["AFRINIC", "2c0f:f000::1", texts.whoisAfrinic, expected.afrinic],
  ])("The network and its abuse contact are read from WHOIS of %s", (_registry, address, text, network) => {
    expect(readWhoisNetwork(text, address)).toMatchObject({ kind: "network", network });
  });

  test("Addresses of other roles are never taken as the abuse contact", () => {
    const [registrant] = texts.arin.entities;
    const withoutDesk = { ...texts.arin, entities: [{ ...registrant, entities: [] }] };
    const reading = readRdapNetwork(JSON.stringify(withoutDesk), "104.152.1.1");
    expect(reading).toMatchObject({ kind: "network", network: { organization: "Example Host LLC" } });
    expect(JSON.stringify(reading)).not.toContain("@");
    const whois = texts.whoisArin.replace(/^OrgAbuse.*$/gm, "");
    expect(JSON.stringify(readWhoisNetwork(whois, "104.152.1.1"))).not.toContain("@");
  });

  test.each([
    ["another network", { startAddress: "9.9.9.0", endAddress: "9.9.9.255" }],
    ["all of the Internet", { startAddress: "0.0.0.0", endAddress: "255.255.255.255" }],
    ["addresses that are none", { startAddress: "104.152.0.0/21", endAddress: "x" }],
    ["ends in the wrong order", { startAddress: "104.152.7.255", endAddress: "104.152.0.0" }],
    ["another family", { startAddress: "::", endAddress: "ffff::" }],
    ["an RDAP error", { errorCode: 404, title: "Not found" }],
  ])("A response about %s is unreadable", (_what, change) => {
    const body = JSON.stringify({ ...texts.arin, ...change });
    expect(readRdapNetwork(body, "104.152.1.1")).toMatchObject({ kind: "unreadable" });
  });

  test("Hostile values are dropped or escaped, and the work on them is limited", () => {
    const email = "abuse@example.net\r\nBcc: everyone@example.org";
    const deep = (depth: number): object => ({
      roles: ["technical"],
      entities: depth === 0 ? [] : [deep(depth - 1)],
    });
    const body = JSON.stringify({
      ...texts.arin,
      name: "A\u202eB",
      country: "USA",
      arin_originas0_originautnums: [1e99],
      entities: [
        { roles: ["abuse"], vcardArray: ["vcard", [["email", {}, "text", email]]] },
        deep(2_000),
        ...Array.from({ length: 500 }, () => ({ roles: ["abuse"], vcardArray: { a: 1 } })),
      ],
      remarks: [{ description: [`abuse ${"a@".repeat(20_000)}`] }],
    });
    const reading = readRdapNetwork(body, "104.152.1.1");
    expect(reading).toEqual({
      kind: "network",
      network: { first: "104.152.0.0", last: "104.152.7.255", name: "A\\u{202e}B" },
      parentUrl: undefined,
    });
  });
});

describe("the lookup", () => {
  test("One query is enough for the addresses of one network, also for concurrent ones", async () => {
    const registry = opened(startReceiver(() => json(texts.arin)));
    const { lookUpNetwork } = lookup({ rdapPort: registry.port });
    const addresses = ["104.152.1.1", "104.152.1.2", "104.152.1.1"];
    const results = await Promise.all(addresses.map((address) => lookUpNetwork(address)));
    expect(results[0]).toEqual({
      ok: true,
      network: {
        ...arinNetwork,
        source: "rdap",
        url: `http://rdap.registry.example:${registry.port}/registry/ip/104.152.1.1`,
      },
    });
    expect(results.every(({ ok }) => ok)).toBe(true);
    expect((await lookUpNetwork("104.152.7.1")).ok).toBe(true);
    expect(registry.received.map(({ path }) => path)).toEqual(["/registry/ip/104.152.1.1"]);
  });

  test("A response about a large network is not reused for addresses far away, where there may be smaller ones", async () => {
    const large = { ...texts.arin, startAddress: "104.144.0.0", endAddress: "104.159.255.255" };
    const registry = opened(startReceiver(() => json(large)));
    const { lookUpNetwork } = lookup({ rdapPort: registry.port });
    for (const address of ["104.152.1.1", "104.152.9.1", "104.153.1.1"]) await lookUpNetwork(address);
    expect(registry.received.map(({ path }) => path)).toEqual([
      "/registry/ip/104.152.1.1",
      "/registry/ip/104.153.1.1",
    ]);
  });

  test("A redirect to another regional registry is followed, and the source names the one that responded", async () => {
    const ripe = opened(startReceiver(() => json(texts.ripe)));
    const location = `http://rdap.ripe.example:${ripe.port}/ip/185.12.64.9`;
    const arin = opened(startReceiver(() => new Response(null, { status: 301, headers: { location } })));
    const result = await lookup({ rdapPort: arin.port }).lookUpNetwork("185.12.64.9");
    expect(result).toMatchObject({ ok: true, network: { ...expected.ripe, url: location } });
  });

  test("A loop of redirects ends, and WHOIS is queried instead", async () => {
    const loop = opened(
      startReceiver(({ path }) => new Response(null, { status: 302, headers: { location: path } })),
    );
    const whois = opened(await startWhoisServer(() => texts.whoisRipe));
    const result = await lookup({ rdapPort: loop.port, whoisPort: whois.port }).lookUpNetwork("185.12.64.9");
    expect(result).toMatchObject({
      ok: true,
      network: { ...expected.ripe, source: "whois", url: `whois://whois.registry.example:${whois.port}` },
    });
    expect(loop.received).toHaveLength(4);
    expect(whois.queries).toEqual(["185.12.64.9"]);
  });

  test("One WHOIS referral is followed, and a loop of referrals ends", async () => {
    const ripe = opened(await startWhoisServer(() => texts.whoisRipe));
    const referring = (port: number) =>
      startWhoisServer(() => `ReferralServer:  whois://whois.ripe.example:${port}\n`);
    const arin = opened(await referring(ripe.port));
    const found = await lookup({ whoisPort: arin.port }).lookUpNetwork("185.12.64.9");
    expect(found).toMatchObject({ ok: true, network: expected.ripe });
    const far = opened(await referring(ripe.port));
    const farther = opened(await referring(far.port));
    const lost = await lookup({ whoisPort: farther.port }).lookUpNetwork("185.12.64.9");
    expect(lost).toMatchObject({ ok: false, reason: expect.stringContaining("referral") });
  });

  test("The contact of the network that contains one without a contact is used if the same server knows it", async () => {
    const child = {
      startAddress: "104.152.1.0",
      endAddress: "104.152.1.255",
      name: "CUSTOMER-7",
      entities: [],
    };
    const registry = opened(
      startReceiver(({ path, headers }) => {
        const links = [{ rel: "up", href: `http://${headers["host"]}/parent` }];
        return json(path === "/parent" ? texts.arin : { ...texts.arin, ...child, links });
      }),
    );
    const result = await lookup({ rdapPort: registry.port }).lookUpNetwork("104.152.1.1");
    expect(result).toMatchObject({
      ok: true,
      network: { ...arinNetwork, first: "104.152.1.0", last: "104.152.1.255" },
    });
    const elsewhere = opened(
      startReceiver(() =>
        json({
          ...texts.arin,
          ...child,
          links: [{ rel: "up", href: `http://other.example:${registry.port}/parent` }],
        }),
      ),
    );
    const alone = await lookup({ rdapPort: elsewhere.port }).lookUpNetwork("104.152.1.1");
    expect(alone).toMatchObject({ ok: true, network: { name: "CUSTOMER-7" } });
    expect(JSON.stringify(alone)).not.toContain("abuse@");
  });

  test("A registry that demands a pause gets it, and nobody else is queried", async () => {
    const registry = opened(
      startReceiver(() => new Response(null, { status: 429, headers: { "retry-after": "120" } })),
    );
    const whois = opened(await startWhoisServer(() => texts.whoisArin));
    const { lookUpNetwork } = lookup({ rdapPort: registry.port, whoisPort: whois.port });
    expect(await lookUpNetwork("104.152.1.1")).toMatchObject({ ok: false, retryAfterMs: 120_000 });
    expect(await lookUpNetwork("104.160.1.1")).toMatchObject({ ok: false, postponed: true });
    expect([registry.received.length, whois.queries.length]).toEqual([1, 0]);
  });

  test("Nothing is queried for an address that is not public, and no server in a private network", async () => {
    const registry = opened(startReceiver(() => json(texts.arin)));
    const { lookUpNetwork } = lookup({ rdapPort: registry.port });
    for (const address of [
      "127.0.0.1",
      "10.1.2.3",
      "169.254.169.254",
      "::1",
      "2001:db8::1",
      "not an address",
    ])
      expect(await lookUpNetwork(address)).toMatchObject({ ok: false });
    const guarded = lookup({ rdapPort: registry.port, allowPrivateNetworks: false });
    expect(await guarded.lookUpNetwork("104.152.1.1")).toMatchObject({ ok: false });
    expect(registry.received).toEqual([]);
  });
});

test("Every address belongs to the regional registry that IANA allocated it to", () => {
  const registryFor = embeddedAddressRegistries();
  const serverOf = (address: string) => registryFor(address)?.whoisServer;
  expect(["104.16.1.1", "185.12.64.9", "103.20.5.1", "200.3.12.1", "41.1.1.1"].map(serverOf)).toEqual(
    ["arin", "ripe", "apnic", "lacnic", "afrinic"].map((name) => `whois.${name}.net`),
  );
  expect(["2606:4700::1", "2a01::1", "2404::1", "2801::1", "2c0f::1", "2001:1200::1"].map(serverOf)).toEqual(
    ["arin", "ripe", "apnic", "lacnic", "afrinic", "lacnic"].map((name) => `whois.${name}.net`),
  );
  expect(["10.0.0.1", "127.0.0.1", "239.1.1.1", "fd00::1", ""].map(serverOf)).toEqual(
    Array.from({ length: 5 }, () => undefined),
  );
});
