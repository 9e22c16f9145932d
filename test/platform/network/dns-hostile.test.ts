import { afterEach, describe, expect, test } from "bun:test";
import { isIP } from "node:net";
import { systemClock } from "../../../src/platform/lib/clock.ts";
import { createDnsClient } from "../../../src/platform/network/dns/dns-client.ts";
import { encodeQuery, readReply, type DnsQuery } from "../../../src/platform/network/dns/dns-message.ts";
import { fillRandom } from "../../support/appliance.ts";
import { answerTo, startDnsServer, type DnsServer, type Zones } from "../../support/dns-server.ts";

const query: DnsQuery = { id: 0x1234, name: "bank.test", type: "A" };
const sent = encodeQuery(query, { edns: true });
const name = "bank.test";
const a = { type: "A", name, ttl: 60, class: "IN", data: "192.0.2.1" } as const;

/** A response header with the question of `sent`, and room for what follows. */
function answerOf(body: Uint8Array, answers = 1): Buffer {
  const question = Buffer.from(sent.subarray(12, sent.indexOf(0, 12) + 5));
  const header = Buffer.alloc(12);
  header.writeUInt16BE(query.id, 0);
  header.writeUInt16BE(0x8180, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(answers, 6);
  return Buffer.concat([header, question, body]);
}

/** Type, class IN, time to live and length of the data of a record. */
function record(type: number, data: Uint8Array): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([fixed, data]);
}

const malformed = { kind: "answer", answer: { outcome: "unknown", reason: "the response is malformed" } };

describe("a hostile DNS message", () => {
  test("with compression pointers to itself, forward or past the end is rejected as malformed", () => {
    const start = answerOf(new Uint8Array()).length;
    for (const pointer of [start, start + 2, 0x3fff, start - 1]) {
      const owner = Buffer.from([0xc0 | (pointer >> 8), pointer & 0xff]);
      const reply = readReply(answerOf(Buffer.concat([owner, record(1, new Uint8Array(4))])), query, sent);
      const harmless: unknown[] = [malformed, { kind: "answer", answer: { outcome: "nodata" } }];
      expect(harmless).toContainEqual(reply);
    }
    const circle = Buffer.from([0xc0, start + 2, 0xc0, start]);
    expect(readReply(answerOf(Buffer.concat([circle, record(1, new Uint8Array(4))])), query, sent)).toEqual(
      malformed as never,
    );
  });

  test("with 8,000 chained pointers in 4,000 records is read in bounded time", () => {
    const start = answerOf(new Uint8Array()).length;
    const chain = [Buffer.from([0])];
    let last = start + 11;
    let end = last + 1;
    while (end < 0x3fff - 2) {
      chain.push(Buffer.from([0xc0 | (last >> 8), last & 0xff]));
      last = end;
      end += 2;
    }
    const owner = Buffer.from([0xc0 | (last >> 8), last & 0xff]);
    const many = Array.from({ length: 4_000 }, () =>
      Buffer.concat([owner, record(65_280, new Uint8Array())]),
    );
    const body = Buffer.concat([Buffer.from([0]), record(65_280, Buffer.concat(chain)), ...many]);
    expect(readReply(answerOf(body, 4_001), query, sent).kind).toBe("answer");
  }, 20_000);

  test("that announces 65,535 records and is truncated anywhere is rejected as malformed", () => {
    expect(readReply(answerOf(new Uint8Array(), 65_535), query, sent)).toEqual(malformed as never);
    const whole = answerTo(Buffer.from(sent), [a]);
    const question = answerOf(new Uint8Array()).length;
    for (let length = 0; length < whole.length; length++) {
      const reply = readReply(whole.subarray(0, length), query, sent);
      expect(reply).toEqual((length < question ? { kind: "foreign" } : malformed) as never);
    }
    expect(readReply(whole, query, sent)).toMatchObject({ answer: { outcome: "answer" } });
  });

  test("with control and bidirectional characters in names and texts is escaped", () => {
    const hostile = "\u001b[31m\u202e\u0000.evil";
    const reply = readReply(
      answerTo(Buffer.from(sent), [{ type: "CNAME", name, ttl: 1, class: "IN", data: hostile }]),
      query,
      sent,
    );
    expect(JSON.stringify(reply)).toContain("u{1b}");
    const text = { ...query, type: "TXT" as const };
    const sentText = encodeQuery(text, { edns: true });
    const answer = answerTo(Buffer.from(sentText), [
      { type: "TXT", name, ttl: 1, class: "IN", data: [hostile] },
    ]);
    for (const each of [reply, readReply(answer, text, sentText)]) {
      const strings = JSON.stringify(each, (_, value) => (typeof value === "string" ? value : value));
      expect(JSON.parse(strings)).toMatchObject({ kind: "answer", answer: { outcome: "answer" } });
      expect(strings).not.toMatch(/\\u001b|\u202e|\\u0000/);
    }
  });

  test("of arbitrary bytes (mutated real responses) never throws", () => {
    const seed = Number(process.env["TEST_SEED"] ?? Math.floor(Math.random() * 2 ** 32));
    console.log(`seed ${seed}`);
    const random = mulberry32(seed);
    const below = (limit: number) => Math.floor(random() * limit);
    const honest = [
      answerTo(Buffer.from(sent), [a, { ...a, data: "192.0.2.2" }]),
      answerTo(Buffer.from(sent), [
        { type: "CNAME", name, ttl: 1, class: "IN", data: "other.test" },
        { ...a, name: "other.test" },
      ]),
      answerTo(Buffer.from(sent), [{ type: "TXT", name, ttl: 1, class: "IN", data: ["x".repeat(255), "y"] }]),
      answerTo(Buffer.from(sent), [
        { type: "MX", name, ttl: 1, class: "IN", data: { preference: 1, exchange: "mail.test" } },
      ]),
    ];
    for (let round = 0; round < 60_000; round++) {
      const message = Buffer.concat([honest[below(honest.length)]!, Buffer.alloc(below(40))]);
      for (let change = below(6) + 1; change > 0; change--) message[below(message.length)] = below(256);
      // The identifier and the question stay, most of the time: behind them the reader goes to work.
      if (round % 8 !== 0) message.set(answerOf(new Uint8Array(), below(4)).subarray(0, message.length), 0);
      const cut = below(4) === 0 ? below(message.length) : message.length;
      const reply = readReply(message.subarray(0, cut), query, sent);
      if (reply.kind !== "answer" || reply.answer.outcome !== "answer") continue;
      for (const { type, data } of reply.answer.records) if (type === "A") expect(isIP(data)).toBe(4);
    }
  });
});

function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const running: DnsServer[] = [];
afterEach(() => {
  for (const server of running.splice(0)) server.stop();
});

async function ask(zones: Zones) {
  const server = await startDnsServer({ ...zones, "next.test": { A: ["192.0.2.9"] } });
  running.push(server);
  const dns = createDnsClient({
    clock: systemClock,
    fillRandom,
    resolvers: () => [server.server],
    queriesPerSecond: () => 10_000,
    timeoutMs: 60,
  });
  const answer = await dns.query("bank.test", "A");
  // After any response, the next query still works.
  expect((await dns.query("next.test", "A")).outcome).toBe("answer");
  return answer;
}

describe("a hostile DNS server", () => {
  test("that sends garbage, a giant datagram or a flood of unrelated responses leaves the name unknown", async () => {
    const noise = Array.from({ length: 200 }, (_, i) => Buffer.alloc(100, i));
    expect(await ask({ "bank.test": { raw: () => noise } })).toMatchObject({ outcome: "unknown" });
    const giant = { raw: (asked: Buffer) => [Buffer.concat([answerTo(asked, [a]), Buffer.alloc(60_000)])] };
    const reason = "the response is larger than a datagram";
    expect(await ask({ "bank.test": giant })).toEqual({ outcome: "unknown", reason });
  });

  test("that sends garbage, half a response or no end over TCP leaves the name unknown", async () => {
    const overTcp = (bytes: (asked: Buffer) => Buffer): Zones => ({
      "bank.test": {
        raw: (asked, over) => (over === "tcp" ? [bytes(asked)] : [answerTo(asked, [], 0x0200)]),
      },
    });
    for (const bytes of [
      () => Buffer.alloc(65_535, 0xc0),
      (asked: Buffer) => answerTo(asked, [a]).subarray(0, 20),
      (asked: Buffer) => answerTo(asked, [a], 0x0200),
    ]) {
      expect(await ask(overTcp(bytes))).toMatchObject({ outcome: "unknown" });
    }
  });
});
