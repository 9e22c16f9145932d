import { afterEach, describe, expect, test } from "bun:test";
import { createHash, randomFillSync } from "node:crypto";
import type { Socket } from "node:net";
import {
  controlFrame,
  createFrameReader,
  type FrameEvent,
} from "../../../src/platform/network/websocket/frames.ts";
import { createTurns } from "../../../src/platform/network/turns.ts";
import { createWebSocketClient } from "../../../src/platform/network/websocket/websocket.ts";
import { createAuthority, issue } from "../../support/certificates.ts";
import { manualClock } from "../../support/appliance.ts";
import { randomFrom, seed } from "../../support/random.ts";
import { startRawServer, type RawServer } from "../../support/raw-server.ts";
import { until } from "../../support/until.ts";

console.error(`seed ${seed}`);
const messageBytesMax = 100_000;

/** Makes a frame of a server. */
function frame(opcode: number, payload: Uint8Array | string, { isLast = true, first = 0 } = {}): Buffer {
  const bytes = Buffer.from(payload);
  const head = [first | opcode | (isLast ? 0x80 : 0)];
  if (bytes.length < 126) head.push(bytes.length);
  else if (bytes.length < 65_536) head.push(126, bytes.length >> 8, bytes.length & 0xff);
  else head.push(127, 0, 0, 0, 0, ...Buffer.from(Uint32Array.of(bytes.length).buffer).reverse());
  return Buffer.concat([Buffer.from(head), bytes]);
}

function shown(event: FrameEvent): string {
  if (event.kind === "close") return `close ${event.code} ${event.reason}`;
  return "bytes" in event ? `${event.kind} ${Buffer.from(event.bytes).toString("latin1")}` : event.kind;
}

/** Reads frames that arrive in pieces, up to an error. */
function readFrames(bytes: Uint8Array, pieces: () => number): string[] {
  const reader = createFrameReader({ messageBytesMax });
  const events: string[] = [];
  for (let at = 0; at < bytes.length;) {
    const size = pieces();
    const problem = reader.push(bytes.subarray(at, at + size), (event) => events.push(shown(event)));
    if (problem !== undefined) return [...events, `! ${problem}`];
    at += size;
  }
  return events;
}

describe("frames", () => {
  test.each<[string, Buffer[], string[]]>([
    ["a message", [frame(1, "hello")], ["message hello"]],
    ["a binary message", [frame(2, "hello")], ["message hello"]],
    ["an empty message", [frame(1, "")], ["message "]],
    ["a message of 300 bytes", [frame(1, "x".repeat(300))], [`message ${"x".repeat(300)}`]],
    ["a message of 70,000 bytes", [frame(1, "x".repeat(70_000))], [`message ${"x".repeat(70_000)}`]],
    [
      "a message in parts with a ping between them",
      [frame(1, "a", { isLast: false }), frame(9, "p"), frame(0, "b", { isLast: false }), frame(0, ""), frame(1, "c")],
      ["ping p", "message ab", "message c"],
    ],
    ["a pong", [frame(10, "x")], ["pong"]],
    ["a close frame", [frame(8, Buffer.from("\x03\xe8bye", "latin1"))], ["close 1000 bye"]],
    ["a close frame without a code", [frame(8, "")], ["close 1005 "]],
    ["a masked frame", [Buffer.from([0x81, 0x80, 0, 0, 0, 0])], ["! a masked frame"]],
    ["a compressed frame", [frame(1, "x", { first: 0x40 })], ["! a frame with an extension that was not requested"]],
    ["an unknown kind", [frame(3, "x")], ["! a frame of an unknown kind"]],
    ["a ping in parts", [frame(9, "x", { isLast: false })], ["! an invalid control frame"]],
    ["a long ping", [frame(9, "x".repeat(126))], ["! an invalid control frame"]],
    ["a part without a beginning", [frame(0, "x")], ["! the parts of a message out of order"]],
    [
      "a message within another",
      [frame(1, "a", { isLast: false }), frame(1, "b")],
      ["! the parts of a message out of order"],
    ],
    ["a frame of 8 exabytes", [Buffer.from([0x82, 127, 0x7f, ...Array<number>(7).fill(0xff)])], ["! a message over 100000 bytes"]],
    [
      "a message that is too long in parts",
      [frame(1, "x".repeat(60_000), { isLast: false }), frame(0, "x".repeat(60_000))],
      ["! a message over 100000 bytes"],
    ],
    [
      "endless empty parts",
      [frame(1, "a", { isLast: false }), ...Array.from({ length: 10_000 }, () => frame(0, "", { isLast: false }))],
      ["! a message in more than 10000 parts"],
    ],
  ])("%s: read alike however it is divided", (_, frames, expected) => {
    const random = randomFrom(seed);
    const bytes = Buffer.concat(frames);
    expect(readFrames(bytes, () => bytes.length)).toEqual(expected);
    expect(readFrames(bytes, () => 1)).toEqual(expected);
    for (let round = 0; round < 5; round++)
      expect(readFrames(bytes, () => 1 + random(bytes.length))).toEqual(expected);
  }); // prettier-ignore

  test("random bytes are read or rejected, never with an exception", () => {
    const random = randomFrom(seed);
    for (let round = 0; round < 2_000; round++) {
      const bytes = Uint8Array.from({ length: 1 + random(60) }, () =>
        random(3) === 0 ? random(256) : random(3) + 0x80,
      );
      expect(() => readFrames(bytes, () => 1 + random(10))).not.toThrow();
    }
  });

  test("a control frame of the client is masked and unmasks to its content", () => {
    const bytes = controlFrame("pong", Buffer.from("hello"), Uint8Array.of(1, 2, 3, 4));
    expect([...bytes.subarray(0, 6)]).toEqual([0x8a, 0x85, 1, 2, 3, 4]);
    expect(Buffer.from(bytes.subarray(6).map((byte, i) => byte ^ ((i % 4) + 1))).toString()).toBe("hello");
  });
});

let server: RawServer | undefined;
let http: ReturnType<typeof Bun.serve> | undefined;
let ending = new AbortController();
afterEach(() => {
  ending.abort();
  ending = new AbortController();
  server?.stop();
  void http?.stop(true);
  [server, http] = [undefined, undefined];
});

function openSocket(
  url: string,
  { allowPrivateNetworks = true, clock = manualClock(), resolved = ["127.0.0.1"] } = {},
) {
  const messages: string[] = [];
  const ends: string[] = [];
  const client = createWebSocketClient({
    clock,
    fillRandom: (bytes) => void randomFillSync(bytes),
    resolveHost: () => Promise.resolve(resolved),
    rules: { allowPrivateNetworks },
    turns: createTurns(),
  });
  const opened = client.open({
    url,
    headers: { "User-Agent": "phishwatch/test", "X-Key": "secret", Host: "other.example" },
    messageBytesMax,
    signal: ending.signal,
    onMessage: (bytes) => messages.push(Buffer.from(bytes).toString()),
    onEnd: (reason) => ends.push(reason),
  });
  opened.catch(() => {});
  return { opened, messages, ends, clock };
}

/** Answers a handshake as a server does that follows the protocol. */
function accept(
  socket: Socket,
  request: string,
  { suffix = "", rest = Buffer.alloc(0) }: { suffix?: string; rest?: Uint8Array } = {},
): void {
  const key = /sec-websocket-key: (.*)\r\n/i.exec(request)![1]!;
  const hash = createHash("sha1")
    .update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11${suffix}`)
    .digest("base64");
  const head = `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${hash}\r\n\r\n`;
  socket.write(Buffer.concat([Buffer.from(head), rest]));
}

describe("connections", () => {
  test("messages of a WebSocket server arrive, with the headers and the host of the URL", async () => {
    let seen: Headers | undefined;
    http = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch(request, own) {
        seen = request.headers;
        own.upgrade(request, { data: undefined });
      },
      websocket: {
        open(socket) {
          socket.send("first");
          socket.send("x".repeat(80_000));
          socket.send(Buffer.from("last"));
        },
        message() {},
      },
    });
    const { opened, messages, ends } = openSocket(`ws://stream.example:${http.port}/feed?key=1`);
    await opened;
    await until(() => messages.length === 3, "all messages arrive");
    expect(messages.map((message) => message.length)).toEqual([5, 80_000, 4]);
    expect(seen!.get("host")).toBe(`stream.example:${http.port}`);
    expect(seen!.get("x-key")).toBe("secret");
    expect(ends).toEqual([]);
    await http.stop(true);
    await until(() => ends.length === 1, "the end is reported");
    expect(ends[0]).toMatch(/^(closed|lost)/);
  });

  test("messages that arrive with the handshake are not lost, and pings are answered at most once a second", async () => {
    const received: Buffer[] = [];
    server = await startRawServer((socket, request) => {
      socket.removeAllListeners("data");
      socket.on("data", (bytes) => received.push(Buffer.from(bytes)));
      const rest = [
        frame(1, "early"),
        ...Array.from({ length: 5_000 }, () => frame(9, "p")),
        frame(1, "late"),
      ];
      accept(socket, request, { rest: Buffer.concat(rest) });
    });
    const { opened, messages, clock } = openSocket(`ws://127.0.0.1:${server.port}/`);
    await opened;
    await until(() => messages.length === 2, "both messages arrive");
    await until(() => Buffer.concat(received).length === 7, "one pong arrives");
    expect(messages).toEqual(["early", "late"]);
    clock.advance(120_000);
    await until(() => Buffer.concat(received).length > 7, "a ping is sent on an idle connection");
    expect(Buffer.concat(received).subarray(7, 9)).toEqual(Buffer.from([0x89, 0x80]));
  });

  test("a connection on which nothing arrives, not even a pong, is given up", async () => {
    server = await startRawServer((socket, request) => accept(socket, request));
    const { opened, ends, clock } = openSocket(`ws://127.0.0.1:${server.port}/`);
    await opened;
    clock.advance(60_000);
    clock.advance(60_000);
    clock.advance(60_000);
    expect(ends).toEqual(["nothing arrived for 120 s, not even a response to a ping"]);
  });

  test.each<[string, (socket: Socket, request: string) => void, RegExp]>([
    ["redirects", (socket) => socket.end("HTTP/1.1 302 Found\r\nLocation: ws://169.254.169.254/\r\n\r\n"), /^redirects to ws:\/\/169\.254\.169\.254\/ \(status 302\)/],
    ["demands a key", (socket) => socket.end("HTTP/1.1 401 Unauthorized\r\n\r\n"), /^refused with status 401; check the secrets/],
    ["is a web site", (socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"), /^responded with status 200, which is no WebSocket/],
    ["is no HTTP server", (socket) => socket.end("220 mail.example ESMTP\r\n\r\n"), /^not an HTTP\/1 response/],
    ["computes a wrong key", (socket, request) => accept(socket, request, { suffix: "x" }), /^responded with an invalid WebSocket handshake/],
    ["sends endless headers", (socket) => socket.write(`HTTP/1.1 101 x\r\nX: ${"x".repeat(40_000)}`), /^headers over 16 KiB/],
    ["closes at once", (socket) => socket.end(), /^closed without a response/],
  ])("a server that %s is reported with what to do", async (_, respond, message) => {
    server = await startRawServer(respond);
    const { opened } = openSocket(`ws://127.0.0.1:${server.port}/`);
    await expect(opened).rejects.toThrow(message);
    await until(() => server!.connections() === 0, "the connection is closed");
  }); // prettier-ignore

  test("a server that accepts the connection and stays silent is given up after a time", async () => {
    server = await startRawServer(() => {});
    const { opened, clock } = openSocket(`ws://127.0.0.1:${server.port}/`);
    await until(() => server!.requests.length === 1, "the handshake is sent");
    clock.advance(15_000);
    await expect(opened).rejects.toThrow("not accepted within 15 s");
  });

  test("a server that breaks the protocol is disconnected, and the reason is reported", async () => {
    server = await startRawServer((socket, request) => {
      accept(socket, request, { rest: Buffer.from([0x82, 127, 0x7f, 255, 255, 255, 255, 255, 255, 255]) });
    });
    const { opened, ends } = openSocket(`ws://127.0.0.1:${server.port}/`);
    await opened;
    await until(() => ends.length === 1, "the end is reported");
    expect(ends).toEqual(["the server sent a message over 100000 bytes"]);
    await until(() => server!.connections() === 0, "the connection is closed");
  });

  test("the code and the reason of a close frame are reported", async () => {
    server = await startRawServer((socket, request) => {
      accept(socket, request, {
        rest: frame(8, Buffer.concat([Buffer.from([0x03, 0xf1]), Buffer.from("slow \u202e")])),
      });
    });
    const { opened, ends } = openSocket(`ws://127.0.0.1:${server.port}/`);
    await opened;
    await until(() => ends.length === 1, "the end is reported");
    expect(ends).toEqual(["closed by the server (code 1009: slow \\u{202e})"]);
  });

  test("a server with a certificate that nobody trusts is not connected to", async () => {
    const tls = issue(createAuthority(), ["stream.example"]);
    http = Bun.serve({ port: 0, hostname: "127.0.0.1", tls, fetch: () => new Response("never") });
    const { opened } = openSocket(`wss://stream.example:${http.port}/`);
    await expect(opened).rejects.toMatchObject({ kind: "tls" });
  });

  test.each([
    ["a private address", "ws://192.168.0.1/", [], /private address/],
    ["a name with a private address", "ws://stream.example/", ["203.0.114.1", "10.0.0.1"], /stream\.example: 10\.0\.0\.1 is a private address/],
    ["a metadata service", "ws://stream.example/", ["169.254.169.254"], /never connected to/],
  ])("no connection is made to %s", async (_, url, resolved, message) => {
    const { opened } = openSocket(url, { allowPrivateNetworks: false, resolved });
    await expect(opened).rejects.toThrow(message);
  }); // prettier-ignore

  test("the signal ends a connection without a report, and a handshake at once", async () => {
    server = await startRawServer((socket, request, count) => {
      if (count === 1) accept(socket, request);
    });
    const first = openSocket(`ws://127.0.0.1:${server.port}/`);
    await first.opened;
    const second = openSocket(`ws://127.0.0.1:${server.port}/`);
    await until(() => server!.requests.length === 2, "the second handshake is sent");
    ending.abort();
    await expect(second.opened).rejects.toThrow("given up");
    await until(() => server!.connections() === 0, "both connections are closed");
    expect(first.ends).toEqual([]);
  });
});
