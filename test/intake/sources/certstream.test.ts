import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { randomFillSync } from "node:crypto";
import type { ServerWebSocket } from "bun";
import { createLog } from "../../../src/platform/lib/log.ts";
import { grouped } from "../../../src/platform/lib/wording.ts";
import { createYielder } from "../../../src/platform/lib/yielder.ts";
import { createTurns } from "../../../src/platform/network/turns.ts";
import { createCandidates } from "../../../src/intake/sources/candidates.ts";
import { createCertstreamFeeds } from "../../../src/intake/sources/certstream/certstream-feed.ts";
import { readMessage } from "../../../src/intake/sources/certstream/messages.ts";
import { createNameQueue } from "../../../src/intake/sources/certstream/name-queue.ts";
import { createSourcePauses } from "../../../src/intake/sources/pauses/source-pauses.ts";
import type { Source } from "../../../src/intake/sources/source.ts";
import { manualClock } from "../../support/appliance.ts";
import { randomFrom, seed } from "../../support/random.ts";
import { analyst, openStores, type Stores } from "../../support/stores.ts";

const lite = {
  message_type: "certificate_update",
  data: {
    update_type: "PrecertLogEntry",
    cert_index: 1_234_567,
    cert_link: "https://log.example/2026h2/ct/v1/get-entries?start=1234567&end=1234567",
    leaf_cert: {
      all_domains: ["examp1e-bank.com", "*.examp1e-bank.com", "www.nobody.example"],
      issuer: {
        C: "US",
        CN: "R11",
        O: "Let's Encrypt",
        OU: null,
        aggregated: "/C=US/CN=R11/O=Let's Encrypt",
      },
      not_before: 1_768_478_400,
      serial_number: "4A1B2C",
      subject: { CN: "examp1e-bank.com" },
    },
    seen: 1_768_478_500.5,
    source: { name: "Google 'Argon2026h2' log", url: "https://log.example/2026h2/" },
  },
};
const namesOnly = (...names: string[]) => ({ message_type: "dns_entries", data: names });
const bytesOf = (message: unknown) => new TextEncoder().encode(JSON.stringify(message));

describe("messages", () => {
  test("a lite message yields the names and what is known of the certificate, marked as unverified", () => {
    expect(readMessage(bytesOf(lite))).toEqual({
      names: ["examp1e-bank.com", "www.nobody.example"],
      certificate: {
        issuer: "C=US, O=Let's Encrypt, CN=R11",
        serial: "4a1b2c",
        notBefore: Date.UTC(2026, 0, 15, 12),
        log: "Google 'Argon2026h2' log",
        entryUrl: "https://log.example/2026h2/ct/v1/get-entries?start=1234567&end=1234567",
        index: 1_234_567,
        isVerified: false,
      },
    });
  });

  test.each<[string, unknown, unknown]>([
    ["names only", namesOnly("a.com", "*.b.com"), { names: ["a.com", "b.com"], certificate: undefined }],
    ["a heartbeat", { message_type: "heartbeat", timestamp: 1 }, null],
    ["a certificate without names", namesOnly(), null],
    ["a certificate whose list of names is null", { message_type: "dns_entries", data: null }, null],
    ["names that are no texts", namesOnly(...([1, null, "a.com", {}, "", "x".repeat(400)] as string[])), { names: ["a.com"], certificate: undefined }],
    ["no object", 17, { error: "JSON without message_type" }],
    ["another object", { type: "names", data: [] }, { error: "JSON without message_type" }],
    ["a prototype", { message_type: "dns_entries", data: { __proto__: ["a.com"] } }, { error: "a message without a list of names" }],
    ["an update without a certificate", { message_type: "certificate_update", data: {} }, { error: "a message without a list of names" }],
    ["too many names", namesOnly(...Array<string>(10_001).fill("a.com")), { error: "a certificate with more than 10000 names" }],
    [
      "hostile facts",
      {
        message_type: "certificate_update",
        data: {
          cert_index: -1,
          cert_link: "javascript:alert(1)",
          leaf_cert: { all_domains: ["a.com"], issuer: { CN: "\u202eR,11" }, not_before: 1e12, serial_number: "<b>" },
          source: { name: 5, url: "data:text/html,x" },
        },
      },
      {
        names: ["a.com"],
        certificate: { issuer: "CN=\\\\u{202e}R\\,11", serial: "", notBefore: null, log: "data:text/html,x", entryUrl: "", index: 0, isVerified: false },
      },
    ],
  ])("%s: read for what it is", (_, message, expected) => {
    expect<unknown>(readMessage(bytesOf(message))).toEqual(expected);
  }); // prettier-ignore

  test("malformed text is rejected, and never with an exception", () => {
    expect(readMessage(new TextEncoder().encode("{"))).toEqual({ error: "no JSON" });
    expect(readMessage(new TextEncoder().encode("[".repeat(500_000)))).toEqual({ error: "no JSON" });
    const random = randomFrom(seed);
    const whole = bytesOf(lite);
    for (let round = 0; round < 2_000; round++) {
      const damaged = whole.slice();
      for (let i = 0; i < 3; i++) damaged[random(damaged.length)] = random(256);
      expect(() => readMessage(damaged)).not.toThrow();
    }
  });
});

test("a full queue drops what arrives and keeps what it has, in order", async () => {
  const queue = createNameQueue({ clock: manualClock(), charactersMax: 1_000 });
  const added = Array.from({ length: 8 }, (_, i) => queue.add({ names: [`name-${i}.com`], certificate: undefined }));
  expect(added).toEqual([true, true, true, true, false, false, false, false]);
  const stopping = new AbortController();
  const batches = queue.batches(stopping.signal);
  const { value } = await batches.next();
  expect(value && [...Array(value.count).keys()].map((i) => value.name(i))).toEqual(
    ["name-0.com", "name-1.com", "name-2.com", "name-3.com"],
  );
  expect(queue.add({ names: ["late.com"], certificate: undefined })).toBeTrue();
  stopping.abort();
  expect((await batches.next()).value?.name(0)).toBe("late.com");
  expect((await batches.next()).done).toBeTrue();
}); // prettier-ignore

describe("feeds", () => {
  let stores: Stores;
  let sockets: Set<ServerWebSocket<unknown>>;
  let requests: Request[];
  let server: ReturnType<typeof Bun.serve>;
  let source: Source | undefined;
  let log: { message: string; [field: string]: unknown }[];

  beforeEach(() => {
    stores = openStores();
    [sockets, requests, log] = [new Set(), [], []];
    server = serve(0);
  });
  afterEach(async () => {
    await source?.stop();
    source = undefined;
    await server.stop(true);
    stores.dispose();
  });

  function serve(port: number): ReturnType<typeof Bun.serve> {
    return Bun.serve({
      port,
      hostname: "127.0.0.1",
      fetch(request, own) {
        requests.push(request);
        return own.upgrade(request, { data: undefined }) ? undefined : new Response("no WebSocket");
      },
      websocket: {
        open: (socket) => void sockets.add(socket),
        close: (socket) => void sockets.delete(socket),
        message() {},
      },
    });
  }

  /** @param checking names are checked once it resolves. */
  function create({
    url = `ws://127.0.0.1:${server.port}/domains-only?key=secret-too`,
    allowPrivateNetworks = true,
    checking = Promise.resolve(),
  } = {}): Source {
    const { clock } = stores;
    const write = (line: string) => void log.push(JSON.parse(line));
    const yielder = () => createYielder({ sliceMs: 10, elapsedMs: () => performance.now() });
    const candidates = createCandidates({ ...stores, yielder });
    const open = createCertstreamFeeds({
      candidates: {
        ...candidates,
        process: (batches, options) => checking.then(() => candidates.process(batches, options)),
      },
      clock,
      fillRandom: (bytes) => void randomFillSync(bytes),
      inspectFeed: () => undefined,
      log: createLog({ level: "info", format: "json", clock, write }),
      pauses: createSourcePauses(stores),
      resolveHost: () => Promise.resolve(["127.0.0.1"]),
      turns: createTurns(),
      userAgent: "phishwatch/test",
    });
    source = open({
          name: "stream", path: null, url, type: "certstream", schedule: "0 0 * * *", headers: { "X-Key": "abc" },
          query: "token=secret", username: null, password: null, zones: [], bytesMax: 1 << 30, allowPrivateNetworks,
          format: "auto", column: null, inspect: false,
        });
    return source!;
  } // prettier-ignore

  /** Advances the clock in small steps until the condition holds. */
  async function until(condition: () => boolean, what: string, stepMs = 250): Promise<void> {
    const end = Date.now() + 20_000;
    while (!condition()) {
      if (Date.now() > end) throw new Error(`never: ${what}; ${JSON.stringify([source?.status(), log])}`);
      stores.clock.advance(stepMs);
      await new Promise<void>((resolve) => void setImmediate(resolve));
    }
  }

  const send = (message: unknown) => {
    for (const socket of sockets)
      socket.send(typeof message === "string" ? message : JSON.stringify(message));
  };
  const threats = () => stores.threats.list({}, { page: 1, perPage: 100 }).threats;
  const connected = () =>
    until(() => sockets.size === 1 && source!.status().state === "watching", "connected");

  test("names of a stream become threats with the certificate as a fact, also the last ones before silence", async () => {
    create().start();
    await connected();
    send(namesOnly("nobody.example", "not a name", "examp1e-shop.com"));
    send(lite);
    await until(() => threats().length === 2, "both threats are recorded");
    const found = threats().map(({ id, domain, source: from }) => ({
      domain,
      from,
      certificates: stores.threats
        .origins(id)
        .certificates.map(({ serial, isVerified }) => ({ serial, isVerified })),
    }));
    expect(found).toContainEqual({
      domain: "examp1e-shop.com",
      from: "certificate_transparency",
      certificates: [],
    });
    expect(found).toContainEqual({
      domain: "examp1e-bank.com",
      from: "certificate_transparency",
      certificates: [{ serial: "4a1b2c", isVerified: false }],
    });
    expect(source!.status()).toMatchObject({
      state: "watching",
      problem: null,
      location: `ws://127.0.0.1:${server.port}/domains-only`,
      latest: { name: "examp1e-bank.com" },
      amounts: [
        { count: 2, unit: "certificate" },
        { count: 5, unit: "name" },
      ],
      invalid: 1,
      matched: 2,
      created: 2,
    });
    expect(requests[0]!.url).toEndWith("/domains-only?key=secret-too&token=secret");
    expect(requests[0]!.headers.get("x-key")).toBe("abc");
    expect(requests[0]!.headers.get("user-agent")).toBe("phishwatch/test");
    expect(JSON.stringify([source!.status(), log])).not.toContain("secret");
  });

  test("a lost connection is made again, later after each failure, and reported until names arrive", async () => {
    create().start();
    await connected();
    send(namesOnly("nobody.example"));
    await until(() => source!.status().amounts[0]!.count === 1, "the name arrives");
    const { port } = server;
    await server.stop(true);
    await until(() => source!.status().state === "unavailable", "the loss is noticed");
    expect(source!.status().problem).toMatch(/^(closed|lost)/);
    await until(() => source!.status().problem!.startsWith("no connection:"), "the next attempt fails");
    const attemptsBefore = log.length;
    // In an hour, a handful of attempts fail for the same reason, which is logged once.
    for (let step = 0; step < 360; step++) {
      stores.clock.advance(10_000);
      for (let turn = 0; turn < 5; turn++) await new Promise<void>((resolve) => void setImmediate(resolve));
    }
    expect(log.length).toBe(attemptsBefore);
    server = serve(port!);
    await until(() => sockets.size === 1, "it is connected again", 10_000);
    await until(() => source!.status().state === "watching", "the handshake is complete");
    expect(source!.status().problem).toStartWith("no connection:");
    send(namesOnly("examp1e-bank.com"));
    await until(() => threats().length === 1, "the threat is recorded");
    expect(source!.status().problem).toBeNull();
    expect(log.map(({ message, reason }) => [message, reason])).toEqual([
      ["certstream connected", undefined],
      ["certstream disconnected", expect.stringMatching(/^(closed|lost)/)],
      ["certstream disconnected", expect.stringMatching(/^no connection:/)],
      ["certstream connected", undefined],
    ]);
  });

  test("a server that accepts and stays silent, or sends only heartbeats, is reported", async () => {
    create().start();
    await connected();
    for (let minute = 0; minute < 6 && source!.status().problem === null; minute++) {
      send({ message_type: "heartbeat" });
      await until(() => true, "");
      stores.clock.advance(60_000);
      await new Promise<void>((resolve) => void setImmediate(resolve));
    }
    expect(source!.status()).toMatchObject({ state: "unavailable", problem: "sent no names for 5 minutes" });
    await until(() => requests.length === 2, "it connects again");
  });

  test("messages in another format are counted, and many of them end the connection with what to change", async () => {
    create().start();
    await connected();
    for (let i = 0; i < 99; i++) send("nonsense");
    send(namesOnly("nobody.example"));
    await until(() => source!.status().amounts.some(({ count }) => count === 99), "they are counted");
    expect(source!.status()).toMatchObject({ state: "watching", problem: null });
    for (let i = 0; i < 100; i++) send("nonsense");
    await until(() => source!.status().problem !== null, "the connection is ended", 1);
    expect(source!.status().problem).toBe(
      "sends messages in another format (no JSON); url must be that of a certstream server",
    );
  });

  test("names that arrive faster than they are checked are dropped, counted and reported", async () => {
    const checking = Promise.withResolvers<void>();
    create({ checking: checking.promise }).start();
    await connected();
    const names = Array.from({ length: 9_000 }, (_, i) => `${"x".repeat(60)}.name-${i}.example`);
    for (let i = 0; i < 18; i++) send(namesOnly(...names));
    await until(() => source!.status().amounts[0]!.count === 18, "all messages arrive");
    const dropped = source!.status().amounts.find(({ unit }) => unit === "dropped name")!.count;
    expect(dropped).toBeGreaterThan(9_000);
    expect(source!.status().problem).toBe(
      `${grouped(dropped)} names dropped: they arrive faster than they can be checked`,
    );
    checking.resolve();
    await until(() => source!.status().amounts[1]!.count + dropped === 18 * 9_000, "the rest is checked");
    const isOver = () => {
      send(namesOnly("nobody.example"));
      return source!.status().problem === null;
    };
    await until(isOver, "the problem is over", 10_000);
  });

  test("a pause disconnects, also across a restart, and resuming connects again", async () => {
    create().start();
    await connected();
    source!.pausing!.pause({ by: analyst });
    await until(() => sockets.size === 0, "it is disconnected");
    expect(source!.status()).toMatchObject({ state: "paused", problem: null });
    await source!.stop();
    const again = create();
    again.start();
    await until(() => true, "");
    expect(requests.length).toBe(1);
    again.pausing!.resume({ by: analyst });
    await connected();
    send(namesOnly("examp1e-bank.com"));
    await until(() => threats().length === 1, "the threat is recorded");
  });

  test("the check connects without recording a name, and reports a private address with the setting", async () => {
    expect(await create().check()).toEqual({
      level: "ok",
      detail: `ws://127.0.0.1:${server.port}/domains-only: accepts connections`,
    });
    await until(() => sockets.size === 0, "the check closes its connection");
    expect(await create({ allowPrivateNetworks: false }).check()).toEqual({
      level: "error",
      detail: expect.stringMatching(
        /127\.0\.0\.1 is a loopback address; allow_private_networks = true would allow it$/,
      ),
    });
    expect(threats()).toEqual([]);
  });
});
