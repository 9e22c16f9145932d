/**
 * WebSocket client (RFC 6455) for servers that only send, over connections whose address was checked.
 *
 * Bun's client resolves the name again when it connects, and has no limit for the size of a message, so that a server
 * could reach internal addresses and fill the memory. The package `ws` is replaced by it when it runs in Bun.
 */
import { createHash } from "node:crypto";
import type { Clock, Timer } from "../../lib/clock.ts";
import type { FillRandom } from "../../lib/ids.ts";
import { visible } from "../../lib/safe-text.ts";
import { ExchangeError } from "../failure.ts";
import type { Connection } from "../http/connection.ts";
import { openConnection } from "../http/open-connection.ts";
import { createHeadReader, type ResponseHead } from "../http/response-head.ts";
import type { AddressAccess } from "../resolve.ts";
import type { Turns } from "../turns.ts";
import { controlFrame, createFrameReader } from "./frames.ts";

export interface WebSocketRequest {
  /** `wss://` or `ws://`. */
  url: string;
  /** Without the headers of the handshake: the client sets them. */
  headers: Readonly<Record<string, string>>;
  messageBytesMax: number;
  /** Ends the connection. */
  signal: AbortSignal;
  /** Called for each message, text or binary; the bytes are valid during the call. */
  onMessage: (bytes: Uint8Array) => void;
  /** Called once after `open` has resolved, with why the connection ended, as a phrase; not if the signal ended it. */
  onEnd: (reason: string) => void;
}

interface WebSocketDependencies extends AddressAccess {
  clock: Clock;
  fillRandom: FillRandom;
  /** Shared with everything else that processes what others send. */
  turns: Turns;
}

export interface WebSocketClient {
  /**
   * Resolves once the server has accepted.
   * @throws ExchangeError
   */
  open(request: WebSocketRequest): Promise<void>;
}

const handshakeTimeoutMs = 15_000;
/** A connection on which nothing arrives for this long is tested with a ping, and closed after as long again. */
const idleMsMax = 60_000;
/** Pings may come faster than a server reads the pongs, and only the newest needs one (section 5.5.3). */
const pongIntervalMs = 1_000;
const closeCode = { normal: 1_000, protocolError: 1_002 } as const;
/** Part of the input that is processed at once. */
const pieceBytes = 32_768;
/** Section 1.3. */
const acceptSuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const maskBytes = 4;
const keyBytes = 16;

export function createWebSocketClient(dependencies: WebSocketDependencies): WebSocketClient {
  const { clock, fillRandom, resolveHost, rules, turns } = dependencies;
  const random = (bytes: number) => {
    const filled = new Uint8Array(bytes);
    fillRandom(filled);
    return filled;
  };

  return {
    async open(request) {
      const deadline = new AbortController();
      const late = clock.after(handshakeTimeoutMs, () => deadline.abort());
      const signal = AbortSignal.any([request.signal, deadline.signal]);
      try {
        const connection = await openConnection({ url: new URL(request.url), rules, resolveHost, signal });
        const key = Buffer.from(random(keyBytes)).toString("base64");
        const rest = await shakeHands(connection, request, { key, signal });
        receive(connection, request, { clock, mask: () => random(maskBytes), rest, turns });
      } catch (error) {
        if (!deadline.signal.aborted || request.signal.aborted) throw error;
        throw new ExchangeError("timeout", `not accepted within ${handshakeTimeoutMs / 1_000} s`);
      } finally {
        late.cancel();
      }
    },
  };
}

/** Sends the request and reads the response (section 4). Returns the bytes after it, which belong to frames. */
function shakeHands(
  connection: Connection,
  { url, headers }: WebSocketRequest,
  { key, signal }: { key: string; signal: AbortSignal },
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const reader = createHeadReader();
    const fail = (kind: "protocol" | "connect" | "aborted", reason: string) => {
      signal.removeEventListener("abort", onAbort);
      connection.listen(undefined);
      connection.destroy();
      reject(new ExchangeError(kind, reason));
    };
    const onAbort = () => fail("aborted", "given up");
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    connection.listen({
      onData(bytes) {
        const end = reader.read(bytes, 0);
        const state = reader.state();
        if (state === "too long") return fail("protocol", "headers over 16 KiB");
        if (state === "more") return;
        const head = reader.parse();
        const invalid = typeof head === "string" ? head : refusalIn(head, key);
        if (invalid !== undefined) return fail("protocol", invalid);
        signal.removeEventListener("abort", onAbort);
        // The server has to wait until the frames are read.
        connection.pause();
        resolve(bytes.slice(end));
      },
      onClose: (error) => fail("connect", error?.message ?? "closed without a response"),
    });
    connection.write(Buffer.from(handshake(new URL(url), headers, key), "latin1"));
  });
}

function handshake(url: URL, headers: Readonly<Record<string, string>>, key: string): string {
  const own = /^(host|upgrade|connection|content-length|transfer-encoding|sec-websocket-.*)$/i;
  const lines = Object.entries(headers).filter(([name]) => !own.test(name));
  return [
    `GET ${url.pathname}${url.search} HTTP/1.1`,
    `Host: ${url.host}`,
    "Upgrade: websocket",
    "Connection: Upgrade",
    `Sec-WebSocket-Key: ${key}`,
    "Sec-WebSocket-Version: 13",
    ...lines.map(([name, value]) => `${name}: ${value}`),
    "\r\n",
  ].join("\r\n");
}

/** Returns why a response does not accept the handshake. */
function refusalIn({ status, headers }: ResponseHead, key: string): string | undefined {
  const location = headers.get("location");
  if (status >= 300 && status < 400 && location !== undefined)
    return `redirects to ${visible(location)} (status ${status}); set url to that address if it is right`;
  if (status === 401 || status === 403) return `refused with status ${status}; check the secrets of the feed`;
  if (status !== 101) return `responded with status ${status}, which is no WebSocket; check the path of url`;
  const accept = createHash("sha1").update(`${key}${acceptSuffix}`).digest("base64");
  const isAccepted =
    headers.get("upgrade")?.toLowerCase() === "websocket" &&
    /(^|,)\s*upgrade\s*(,|$)/i.test(headers.get("connection") ?? "") &&
    headers.get("sec-websocket-accept") === accept;
  if (!isAccepted) return "responded with an invalid WebSocket handshake";
  return headers.has("sec-websocket-extensions") ? "uses an extension that was not requested" : undefined;
}

/** Receives messages until the connection ends. */
function receive(
  connection: Connection,
  { messageBytesMax, onEnd, onMessage, signal }: WebSocketRequest,
  { clock, mask, rest, turns }: { clock: Clock; mask: () => Uint8Array; rest: Uint8Array; turns: Turns },
): void {
  const frames = createFrameReader({ messageBytesMax });
  let isEnded = false;
  let hasHeard = true;
  let hasPinged = false;
  let isPongDue = true;
  /** Number of pieces that were received and not processed yet. */
  let pieces = 0;
  const timers = new Set<Timer>();

  function after(delayMs: number, run: () => void): void {
    const timer = clock.after(delayMs, () => {
      timers.delete(timer);
      run();
    });
    timers.add(timer);
  }

  function end(reason: string | undefined, code: number = closeCode.normal): void {
    if (isEnded) return;
    isEnded = true;
    signal.removeEventListener("abort", onAbort);
    for (const timer of timers) timer.cancel();
    if (connection.open) {
      connection.listen({ onData: () => {}, onClose: () => {} });
      connection.write(controlFrame("close", Uint8Array.of(code >> 8, code & 0xff), mask()));
      connection.destroy();
    }
    if (reason !== undefined) onEnd(reason);
  }
  const onAbort = () => end(undefined);

  function checkIdle(): void {
    if (hasHeard) hasPinged = false;
    else if (hasPinged)
      return end(`nothing arrived for ${(2 * idleMsMax) / 1_000} s, not even a response to a ping`);
    else {
      hasPinged = true;
      connection.write(controlFrame("ping", new Uint8Array(0), mask()));
    }
    hasHeard = false;
    after(idleMsMax, checkIdle);
  }

  function respond(payload: Uint8Array): void {
    if (!isPongDue) return;
    isPongDue = false;
    connection.write(controlFrame("pong", payload, mask()));
    after(pongIntervalMs, () => (isPongDue = true));
  }

  function take(piece: Uint8Array): void {
    const problem = frames.push(piece, (event) => {
      if (isEnded) return;
      if (event.kind === "message") onMessage(event.bytes);
      else if (event.kind === "ping") respond(event.bytes);
      else if (event.kind === "close")
        end(
          `closed by the server (code ${event.code}${event.reason === "" ? "" : `: ${visible(event.reason)}`})`,
        );
    });
    if (problem !== undefined) end(`the server sent ${problem}`, closeCode.protocolError);
  }

  /** The server has to wait while its messages are processed, and they share turns with everything else. */
  function onData(bytes: Uint8Array): void {
    hasHeard = true;
    pieces += Math.ceil(bytes.length / pieceBytes);
    for (let from = 0; from < bytes.length; from += pieceBytes)
      turns.run(() => {
        pieces--;
        if (!isEnded) take(bytes.subarray(from, from + pieceBytes));
        if (pieces === 0 && !isEnded) connection.resume();
      });
    if (pieces > 0 && !isEnded) connection.pause();
  }

  connection.listen({
    onData,
    // After the pieces that were received before.
    onClose: (error) =>
      turns.run(() => end(error === undefined ? "closed without a close frame" : `lost: ${error.message}`)),
  });
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) return onAbort();
  if (!connection.open) return end("closed without a close frame");
  after(idleMsMax, checkIdle);
  if (rest.length > 0) onData(rest);
  else connection.resume();
}
