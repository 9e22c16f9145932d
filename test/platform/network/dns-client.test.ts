import { afterEach, expect, test } from "bun:test";
import { systemClock, type Clock } from "../../../src/platform/lib/clock.ts";
import {
  createDnsClient,
  type DnsAnswer,
  type NameServer,
} from "../../../src/platform/network/dns/dns-client.ts";
import { parseResolvers } from "../../../src/platform/network/dns/system-resolvers.ts";
import { fillRandom, manualClock } from "../../support/appliance.ts";
import { answerTo, startDnsServer, type DnsServer, type Zones } from "../../support/dns-server.ts";
import { until } from "../../support/until.ts";

const running: DnsServer[] = [];
afterEach(() => {
  for (const server of running.splice(0)) server.stop();
});

async function serve(zones: Zones): Promise<DnsServer> {
  const server = await startDnsServer(zones);
  running.push(server);
  return server;
}

const client = (
  servers: NameServer[],
  options: { clock?: Clock; timeoutMs?: number; queriesPerSecond?: () => number } = {},
) =>
  createDnsClient({
    clock: systemClock,
    fillRandom,
    resolvers: () => servers,
    queriesPerSecond: () => 10_000,
    timeoutMs: 300,
    ...options,
  });

/** A port of loopback where nobody listens. */
async function deadServer(): Promise<NameServer> {
  const server = await startDnsServer({});
  server.stop();
  return server.server;
}

const shown = (answer: DnsAnswer) =>
  answer.outcome === "answer" ? answer.records.map(({ name, type, data }) => [name, type, data]) : answer;

test("each record type is read with its owner and its data", async () => {
  const { server } = await serve({
    "all.test": {
      A: ["192.0.2.1", "192.0.2.2"],
      AAAA: ["2001:db8::1"],
      NS: ["NS1.all.test"],
      MX: [[10, "mail.all.test"]],
      TXT: ["v=spf1 -all"],
      SOA: true,
    },
    "alias.test": { CNAME: "all.test" },
  });
  const { query } = client([server]);
  expect(shown(await query("all.test", "A"))).toEqual([
    ["all.test", "A", "192.0.2.1"],
    ["all.test", "A", "192.0.2.2"],
  ]);
  expect(shown(await query("all.test", "AAAA"))).toEqual([["all.test", "AAAA", "2001:db8::1"]]);
  expect(shown(await query("all.test", "NS"))).toEqual([["all.test", "NS", "ns1.all.test"]]);
  const mail = { preference: 10, exchange: "mail.all.test" };
  expect(shown(await query("all.test", "MX"))).toEqual([["all.test", "MX", mail]]);
  expect(shown(await query("all.test", "TXT"))).toEqual([["all.test", "TXT", "v=spf1 -all"]]);
  const soa = { primary: "ns.test", mailbox: "admin.test", serial: 1 };
  expect(shown(await query("all.test", "SOA"))).toEqual([["all.test", "SOA", soa]]);
  expect(shown(await query("alias.test", "CNAME"))).toEqual([["alias.test", "CNAME", "all.test"]]);
});

test("NXDOMAIN, NODATA and no usable response are three different results", async () => {
  const { server } = await serve({
    "mail.test": { MX: [[1, "mx.test"]] },
    "broken.test": { rcode: "SERVFAIL" },
    "refused.test": { rcode: "REFUSED" },
    "silent.test": { silent: true },
    "lame.test": { referral: true },
  });
  const { query } = client([server], { timeoutMs: 50 });
  expect(await query("nothing.test", "A")).toEqual({ outcome: "nxdomain" });
  expect(await query("mail.test", "A")).toEqual({ outcome: "nodata" });
  expect(await query("broken.test", "A")).toEqual({ outcome: "unknown", reason: "SERVFAIL" });
  expect(await query("refused.test", "A")).toEqual({ outcome: "unknown", reason: "REFUSED" });
  expect(await query("silent.test", "A")).toEqual({ outcome: "unknown", reason: "no response within 50 ms" });
  const lame = { outcome: "unknown", reason: "the server does not resolve names of others" };
  expect(await query("lame.test", "A")).toEqual(lame as DnsAnswer);
});

test("a CNAME chain is followed to its end, and a chain that ends at a missing name is still a definite result", async () => {
  const { server } = await serve({
    "a.test": { CNAME: "b.test" },
    "b.test": { CNAME: "c.test" },
    "c.test": { A: ["192.0.2.3"] },
    "dangling.test": { CNAME: "gone.test" },
    "circle.test": { CNAME: "elcric.test" },
    "elcric.test": { CNAME: "circle.test" },
  });
  const { query } = client([server]);
  expect(shown(await query("a.test", "A"))).toEqual([
    ["a.test", "CNAME", "b.test"],
    ["b.test", "CNAME", "c.test"],
    ["c.test", "A", "192.0.2.3"],
  ]);
  expect(shown(await query("dangling.test", "A"))).toEqual([["dangling.test", "CNAME", "gone.test"]]);
  const circle = { outcome: "unknown", reason: "its CNAME records run in a circle" };
  expect(await query("circle.test", "A")).toEqual(circle as DnsAnswer);
});

test("a truncated response is requested again over TCP", async () => {
  const many = Array.from({ length: 200 }, (_, i) => `192.0.2.${i + 1}`);
  const { server, askedAbout } = await serve({ "big.test": { truncated: true, A: many } });
  const answer = await client([server]).query("big.test", "A");
  expect(answer.outcome === "answer" && answer.records.length).toBe(200);
  expect(askedAbout("big.test")).toEqual(["A udp", "A tcp"]);
});

test("a server that does not support EDNS is queried again without it", async () => {
  const { server, asked } = await serve({ "old.test": { rcode: "FORMERR", A: ["192.0.2.4"] } });
  expect(shown(await client([server]).query("old.test", "A"))).toEqual([["old.test", "A", "192.0.2.4"]]);
  expect(asked.map(({ edns }) => edns)).toEqual([true, false]);
});

test("the next resolver is queried after one that is down, refuses or fails", async () => {
  const good = await serve({ "here.test": { A: ["192.0.2.5"] } });
  const refusing = await serve({ "here.test": { rcode: "REFUSED" } });
  const failing = await serve({ "here.test": { rcode: "SERVFAIL" } });
  for (const first of [await deadServer(), refusing.server, failing.server]) {
    const { query } = client([first, good.server]);
    for (let i = 0; i < 4; i++) expect((await query("here.test", "A")).outcome).toBe("answer");
  }
});

test("a resolver with repeated timeouts is no longer queried first", async () => {
  const silent = await serve({ "*.": { silent: true } });
  const good = await serve({ "here.test": { A: ["192.0.2.5"] } });
  const { query } = client([silent.server, good.server], { timeoutMs: 30 });
  for (let i = 0; i < 20; i++) expect((await query("here.test", "A")).outcome).toBe("answer");
  expect(silent.asked.length).toBe(3);
});

test("only a response with the question and identifier of the query is accepted", async () => {
  const record = { type: "A", name: "bank.test", ttl: 1, class: "IN", data: "203.0.113.66" } as const;
  const { server } = await serve({
    "bank.test": {
      raw(query) {
        const forged = answerTo(query, [record]);
        const otherId = Buffer.from(forged);
        otherId.writeUInt16BE(forged.readUInt16BE(0) ^ 1, 0);
        const otherName = Buffer.from(forged);
        otherName[13] = 0x78;
        const otherType = Buffer.from(forged);
        otherType[12 + 11 + 1] = 28;
        const noResponse = Buffer.from(forged);
        noResponse[2]! &= 0x7f;
        const honest = answerTo(query, [{ ...record, data: "192.0.2.7" }]);
        return [otherId, otherName, otherType, noResponse, Buffer.alloc(0), Buffer.alloc(11), honest];
      },
    },
  });
  expect(shown(await client([server]).query("bank.test", "A"))).toEqual([["bank.test", "A", "192.0.2.7"]]);
});

test("a datagram from another address than the server's is not received", async () => {
  const record = { type: "A", name: "bank.test", ttl: 1, class: "IN", data: "203.0.113.66" } as const;
  const forger = await Bun.udpSocket({ hostname: "127.0.0.1", socket: { data() {}, error() {} } });
  const asking = { port: 0, query: Buffer.alloc(0) };
  const { server, asked } = await serve({
    "bank.test": {
      raw(query) {
        Object.assign(asking, { port: asked.at(-1)!.port, query: Buffer.from(query) });
        forger.send(answerTo(query, [record]), asking.port, "127.0.0.1");
        return [];
      },
    },
  });
  expect((await client([server], { timeoutMs: 60 }).query("bank.test", "A")).outcome).toBe("unknown");
  expect(asking.port).not.toBe(0);
  forger.close();
});

test("identifiers are random, and queries use many ports, each for a limited time", async () => {
  const { server, asked } = await serve({});
  const { query } = client([server]);
  const ask = async (from: number) => {
    for (let i = 0; i < 40; i++) await query(`n${from + i}.test`, "A");
  };
  await Promise.all(Array.from({ length: 50 }, (_, i) => ask(i * 100)));
  const ids = asked.map(({ id }) => id);
  expect(new Set(ids).size).toBeGreaterThan(1_900);
  const uses = Map.groupBy(asked, ({ port }) => port);
  expect(uses.size).toBeGreaterThan(50);
  // Thirty-two, unless the system chose the same port twice.
  expect(Math.max(...[...uses.values()].map(({ length }) => length))).toBeLessThan(100);
  const steps = [...uses.keys()].slice(1).map((port, i) => port - [...uses.keys()][i]!);
  expect(steps.filter((step) => Math.abs(step) <= 2).length).toBeLessThan(10);
});

test("the rate of queries never exceeds the limit", async () => {
  const { server, asked } = await serve({});
  const { query } = client([server], { queriesPerSecond: () => 100 });
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: 45 }, (_, i) => query(`n${i}.test`, "A")));
  const seconds = (performance.now() - startedAt) / 1000;
  // One of them checks that the resolver knows names at all.
  expect(asked.length).toBe(46);
  // A fiftieth of a second's worth may go at once.
  expect(seconds).toBeGreaterThan(0.41);
});

test("an aborted query resolves at once, even while it waits for the rate limit", async () => {
  const { server, asked } = await serve({ "silent.test": { silent: true } });
  const { query } = client([server], { queriesPerSecond: () => 1, timeoutMs: 3_600_000 });
  const abort = new AbortController();
  const { signal } = abort;
  const answers = Promise.all([query("silent.test", "A", { signal }), query("late.test", "A", { signal })]);
  await until(() => asked.length > 0, "the first query arrives");
  abort.abort();
  expect((await answers).map(({ outcome }) => outcome)).toEqual(["unknown", "unknown"]);
  expect(asked.length).toBe(1);
});

test("a resolver that resolves unregistered names is detected and not used again", async () => {
  const liar = await serve({ "*.": { A: ["203.0.113.80"] } });
  const honest = await serve({});
  const silent = await serve({ "*.": { silent: true } });
  const dns = client([liar.server, honest.server, silent.server], { timeoutMs: 50 });
  const checks = await dns.checkResolvers();
  expect(checks.map(({ verdict }) => verdict)).toEqual(["lying", "honest", "silent"]);
  expect(checks[0]!.detail).toContain("203.0.113.80");
  const before = liar.asked.length;
  for (let i = 0; i < 10; i++) expect((await dns.query(`n${i}.test`, "A")).outcome).toBe("nxdomain");
  expect(liar.asked.length).toBe(before);
});

test("a resolver that denies names that always exist is not believed, and the others are used in its place", async () => {
  const denying = await startDnsServer({ "here.test": { A: ["192.0.2.5"] } }, { denies: () => true });
  running.push(denying);
  const good = await serve({ "here.test": { A: ["192.0.2.5"] } });
  const dns = client([denying.server, good.server]);
  for (let i = 0; i < 4; i++) {
    expect((await dns.query("here.test", "A")).outcome).toBe("answer");
    expect((await dns.query(`n${i}.test`, "A")).outcome).toBe("nxdomain");
  }
  const alone = client([denying.server]);
  const doubted = { outcome: "unknown", reason: 'the resolver says that not even "com" exists' };
  expect(await alone.query("here.test", "A")).toEqual(doubted as DnsAnswer);
  const checks = await dns.checkResolvers();
  expect(checks.map(({ verdict }) => verdict)).toEqual(["denying", "honest"]);
});

test("a resolver that denies every name with empty responses is not believed either", async () => {
  const empty = await serve({ "*.": {} });
  const dns = client([empty.server]);
  expect((await dns.query("here.test", "A")).outcome).toBe("unknown");
  expect((await dns.checkResolvers())[0]!.verdict).toBe("denying");
});

test("a resolver that begins to deny every name is detected, and so is its recovery", async () => {
  let denies = false;
  const server = await startDnsServer({}, { denies: () => denies });
  running.push(server);
  const clock = manualClock(Date.UTC(2026, 0, 15));
  const dns = client([server.server], { clock });
  expect((await dns.query("a.test", "A")).outcome).toBe("nxdomain");
  expect(await dns.confirmDenials()).toBe(true);
  denies = true;
  expect(await dns.confirmDenials()).toBe(false);
  expect((await dns.query("b.test", "A")).outcome).toBe("unknown");
  // It is reported once: names that are denied from now on are not believed.
  expect(await dns.confirmDenials()).toBe(true);
  denies = false;
  clock.advance(5_000);
  expect((await dns.query("c.test", "A")).outcome).toBe("nxdomain");
});

test("a resolver that loses half of the queries passes the check", async () => {
  let count = 0;
  // Every second datagram is lost, which a single attempt for each probe does not survive.
  const lossy = await startDnsServer({}, { drops: () => count++ % 2 === 0 });
  running.push(lossy);
  const dns = client([lossy.server], { timeoutMs: 60 });
  for (let i = 0; i < 5; i++) expect((await dns.checkResolvers())[0]!.verdict).toBe("honest");
});

test("without resolvers, the result is unknown and nothing is thrown", async () => {
  expect(await client([]).query("a.test", "A")).toEqual({
    outcome: "unknown",
    reason: "there is no usable resolver",
  });
  const { query } = client([await deadServer()]);
  expect(await query("a.test", "A")).toEqual({
    outcome: "unknown",
    reason: "the server refuses the connection",
  });
});

test("the system's resolvers are read from resolv.conf", () => {
  const text =
    "# nameserver 1.1.1.1\nsearch test\nnameserver 192.0.2.53\nnameserver  2001:db8::53 \nnameserver nonsense\n";
  expect(parseResolvers(text)).toEqual([
    { address: "192.0.2.53", port: 53 },
    { address: "2001:db8::53", port: 53 },
  ]);
  expect(parseResolvers("")).toEqual([{ address: "127.0.0.1", port: 53 }]);
});
