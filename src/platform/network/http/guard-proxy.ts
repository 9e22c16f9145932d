import net from "node:net";
import type { Clock } from "../../lib/clock.ts";
import { createLimiter } from "../../lib/limiter.ts";
import { ExchangeError } from "../failure.ts";
import { allowedAddresses, type AddressAccess } from "../resolve.ts";
import { connectFirst } from "./open-connection.ts";

export interface RefusedConnection {
  /** As in a URL, without a trailing dot. */
  host: string;
  reason: string;
}

/**
 * Forward proxy on loopback through which a browser reaches only addresses that `rules` allow. A browser resolves names
 * for each connection and follows the page's instructions, so a check before it starts would not protect against a
 * name that changes its address (DNS rebinding) or against a redirect to an internal address.
 */
export type GuardProxy = Awaited<ReturnType<typeof startGuardProxy>>;

interface GuardProxyOptions extends AddressAccess {
  clock: Clock;
  /** Maximum size of the responses of one connection; longer ones are cut off. */
  bytesMax: number;
  /** Names that are never connected to, such as those to which a browser reports. */
  refusedHosts?: readonly string[];
  /** Ports that replace the default ones, for tests. */
  ports?: { http: number; https: number };
}

const headBytesMax = 64 * 1024;
const headTimeoutMs = 10_000;
const connectTimeoutMs = 10_000;
const connectionsMax = 128;
const resolvesMax = 16;
const refusedKeptMax = 20;
const httpPort = 80;
const httpsPort = 443;
const headEnd = Buffer.from("\r\n\r\n");

export async function startGuardProxy(options: GuardProxyOptions) {
  const { rules, resolveHost, clock, bytesMax, refusedHosts = [] } = options;
  const { ports = { http: httpPort, https: httpsPort } } = options;
  const portOf = (port: number) => (port === httpPort ? ports.http : port === httpsPort ? ports.https : port);
  const sockets = new Set<net.Socket>();
  const limited = createLimiter(resolvesMax);
  const refused: RefusedConnection[] = [];

  function keep(socket: net.Socket): net.Socket {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
    return socket;
  }

  async function serve(client: net.Socket, head: Buffer, rest: Buffer): Promise<void> {
    const request = readRequest(head);
    if (request === undefined) return answer(client, "400 Bad Request");
    const { host, port, forwarded } = request;
    try {
      if (refusedHosts.includes(host)) throw new ExchangeError("refused_address", `${host} is blocked`);
      const addresses = await limited(() => allowedAddresses({ hostname: host, rules, resolveHost }));
      const server = keep(await connectFirst(addresses, (one) => connectTo(one, portOf(port), clock)));
      if (client.destroyed) return void server.destroy();
      if (forwarded === undefined) client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      else server.write(forwarded);
      if (rest.length > 0) server.write(rest);
      join(client, server);
    } catch (error) {
      const { kind, message } = error as ExchangeError;
      if (kind === "refused_address" && refused.length < refusedKeptMax)
        refused.push({ host, reason: message });
      answer(client, kind === "refused_address" ? "403 Forbidden" : "502 Bad Gateway");
    }
  }

  function join(client: net.Socket, server: net.Socket): void {
    let bytes = 0;
    server.on("data", (data: Buffer) => {
      bytes += data.length;
      if (bytes > bytesMax) server.destroy();
    });
    server.on("close", () => client.destroy());
    client.on("close", () => server.destroy());
    server.pipe(client);
    client.pipe(server);
  }

  const listener = net.createServer((client) => {
    keep(client);
    let head: Buffer = Buffer.alloc(0);
    const late = clock.after(headTimeoutMs, () => client.destroy());
    client.on("close", () => late.cancel());
    client.on("data", function collect(data: Buffer) {
      head = Buffer.concat([head, data]);
      const end = head.indexOf(headEnd);
      if (end === -1) return void (head.length > headBytesMax && client.destroy());
      late.cancel();
      client.off("data", collect);
      client.pause();
      void serve(client, head.subarray(0, end), head.subarray(end + headEnd.length));
    });
  });
  listener.maxConnections = connectionsMax;
  await new Promise<void>((resolve, reject) => {
    listener.once("error", reject);
    listener.listen(0, "127.0.0.1", resolve);
  });

  return {
    port: (listener.address() as net.AddressInfo).port,

    /** Returns the first connections that were refused since the last call. */
    refused: () => refused.splice(0),
    close() {
      listener.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Returns the destination of a request, and for a plain request the head to forward; a tunnel has none. */
function readRequest(head: Buffer): { host: string; port: number; forwarded?: string } | undefined {
  const [line = "", ...fields] = head.toString("latin1").split("\r\n");
  const [method, target, version] = line.split(" ");
  if (target === undefined || version !== "HTTP/1.1") return undefined;
  const url = URL.parse(method === "CONNECT" ? `https://${target}` : target);
  if (url === null || (method !== "CONNECT" && url.protocol !== "http:")) return undefined;
  const host = url.hostname.replace(/\.$/, "");
  if (url.port === "0") return undefined;
  const port = Number(url.port) || (method === "CONNECT" ? httpsPort : httpPort);
  if (method === "CONNECT") return { host, port };
  // One request per connection: the next one could be for another host, which must be checked, too.
  const kept = fields.filter((field) => !/^(proxy-|connection:|keep-alive:)/i.test(field));
  const first = `${method} ${url.pathname}${url.search} HTTP/1.1`;
  return { host, port, forwarded: [first, ...kept, "Connection: close", "", ""].join("\r\n") };
}

function connectTo(host: string, port: number, clock: Clock): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ host, port });
    const late = clock.after(connectTimeoutMs, () => socket.destroy(new Error("timed out")));
    socket.once("connect", () => {
      late.cancel();
      resolve(socket);
    });
    socket.once("error", (error) => {
      late.cancel();
      reject(new ExchangeError("connect", error.message));
    });
  });
}

function answer(client: net.Socket, status: string): void {
  client.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
}
