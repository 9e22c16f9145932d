import type { Server, ServerWebSocket } from "bun";
import { randomFrom } from "../random.ts";
import { generateNames } from "../sample-names.ts";
import { createBlockLog, createBlocks, type BlockLog } from "./block-logs.ts";
import type { WorldInstruction, WorldReport } from "./messages.ts";

// Certificate logs, lists, a certstream server and a webhook receiver, in a process of their own.

const blocksMade = 128;
const entriesPerBlock = 256;
/** One certificate in this many has a look-alike. */
const lookAlikeEvery = 4_096;
const streamIntervalMs = 10;
const messagesMade = 4_096;
/** A flood keeps this much waiting in the socket. */
const floodBytes = 4 << 20;

const random = randomFrom(11);
const logs = new Map<string, BlockLog>();
const sockets = new Set<ServerWebSocket<undefined>>();
let gate = Promise.withResolvers<void>();
gate.resolve();
let lists: string[] = [];
let messages: string[] = [];
let messagesPerSecond = 0;
let messagesDue = 0;
let messagesSent = 0;
let blocksServed = 0;
let deliveries = 0;
let listsServed = 0;

const server: Server<undefined> = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  async fetch(request): Promise<Response | undefined> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/stream") {
      return server.upgrade(request) ? undefined : new Response("not a WebSocket", { status: 400 });
    }
    if (pathname === "/hook") {
      await request.bytes();
      deliveries++;
      return new Response("ok");
    }
    if (pathname.startsWith("/list")) return list(Number(pathname.slice("/list".length)), request);
    const [, name = "", rest = ""] = /^\/([^/]+)\/(.*)$/.exec(pathname) ?? [];
    await gate.promise;
    const response =
      logs.get(name)?.respond(rest, searchParams) ?? new Response("not found", { status: 404 });
    if (response.ok && /tile\/data|get-entries/.test(rest)) blocksServed++;
    return response;
  },
  websocket: {
    open: (socket) => void sockets.add(socket),
    message() {},
    close: (socket) => void sockets.delete(socket),
  },
});
const url = `http://127.0.0.1:${server.port}/`;
setInterval(sendMessages, streamIntervalMs);

process.on("message", (instruction: WorldInstruction) => {
  perform(instruction);
  process.send!(report());
});
process.on("disconnect", () => process.exit());

function perform(instruction: WorldInstruction): void {
  switch (instruction.do) {
    case "open":
      return open(instruction);
    case "grow":
      for (const log of logs.values()) log.grow(instruction.blocks);
      return;
    case "gate":
      if (instruction.isOpen) gate.resolve();
      else gate = Promise.withResolvers();
      return;
    case "stream":
      messagesPerSecond = instruction.perSecond;
      return;
    case "change lists":
      lists = lists.map((text, index) => text + linesOf(text.length % 97, 50_000, `changed${index}`));
  }
}

function open({ logs: count, protectedDomains, listNames }: WorldInstruction & { do: "open" }): void {
  const lookAlike = (index: number) =>
    `${protectedDomains[index % protectedDomains.length]!.replace(/\..*/, "")}-login-${index}.com`;
  const names = namesOf(blocksMade * entriesPerBlock, 21).map((name, index) =>
    index % lookAlikeEvery === 0 ? lookAlike(index / lookAlikeEvery) : name,
  );
  const blocks = createBlocks(names, random);
  for (let index = 0; index < count; index++) {
    const name = `log${index}`;
    const from = Math.floor((index * blocksMade) / count);
    const own = [...blocks.slice(from), ...blocks.slice(0, from)];
    const protocol = index % 2 === 0 ? "static" : "rfc6962";
    logs.set(name, createBlockLog({ name, protocol, url: `${url}${name}/`, blocks: own }));
  }
  lists = [1, 2].map((index) => linesOf(index, listNames, `list${index}`));
  messages = namesOf(messagesMade, 5).map(certstreamMessage);
}

function namesOf(count: number, seed: number): string[] {
  return new TextDecoder().decode(generateNames(count, seed)).trimEnd().split("\n");
}

/** Returns lines with names that are in no other list. */
function linesOf(seed: number, count: number, label: string): string {
  return namesOf(count, seed)
    .map((name, index) => `${label}x${index}${name}\n`)
    .join("");
}

/** A message as servers send it in their complete form, with a chain. */
function certstreamMessage(name: string, index: number): string {
  const issuer = { C: "US", O: "Test CA", CN: "R1", aggregated: "/C=US/O=Test CA/CN=R1" };
  const leaf = {
    all_domains: [name, `www.${name}`],
    subject: { CN: name, aggregated: `/CN=${name}` },
    issuer,
    not_before: Math.floor(Date.now() / 1_000),
    serial_number: index.toString(16).padStart(32, "0"),
    fingerprint: "AA:".repeat(20),
    extensions: {
      subjectAltName: `DNS:${name}, DNS:www.${name}`,
      ctlSignedCertificateTimestamp: "BIHx".repeat(80),
    },
  };
  const data = {
    cert_index: index,
    leaf_cert: leaf,
    chain: [{ subject: issuer, issuer }],
    source: { name: "log" },
  };
  return JSON.stringify({ message_type: "certificate_update", data });
}

function sendMessages(): void {
  if (sockets.size === 0 || messagesPerSecond === 0) return;
  if (messagesPerSecond === Infinity) {
    for (const socket of sockets)
      while (socket.getBufferedAmount() < floodBytes) socket.send(messages[messagesSent++ % messagesMade]!);
    return;
  }
  messagesDue = Math.min(messagesPerSecond, messagesDue + (messagesPerSecond * streamIntervalMs) / 1_000);
  for (; messagesDue >= 1; messagesDue--, messagesSent++)
    for (const socket of sockets) socket.send(messages[messagesSent % messagesMade]!);
}

function list(number: number, request: Request): Response {
  const text = lists[number - 1];
  if (text === undefined) return new Response("not found", { status: 404 });
  const etag = `"${text.length}"`;
  if (request.headers.get("if-none-match") === etag)
    return new Response(null, { status: 304, headers: { etag } });
  listsServed++;
  return new Response(text, { headers: { etag, "content-type": "text/plain" } });
}

function report(): WorldReport {
  return {
    port: server.port!,
    logs: [...logs.values()].map(({ name, protocol, key, size }) => ({
      name,
      protocol,
      key,
      url: `${url}${name}/`,
      size: size(),
    })),
    blocksServed,
    messagesSent,
    deliveries,
    listsServed,
  };
}
