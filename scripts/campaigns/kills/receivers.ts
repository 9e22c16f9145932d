import net from "node:net";
import type { Random } from "../../benchmarks/random.ts";

/** Everything that one receiver got. */
export interface Receiver {
  port: number;
  /** By event ID. */
  received: Map<string, Receipt>;
  /** From now on, it returns 200 for everything. */
  recover(): void;
  stop(): void;
}

export interface Receipt {
  bodies: Set<string>;
  requests: number;
  /** Number of complete responses with status 200. */
  accepted: number;
}

type Behavior = "accept" | "fail" | "limit" | "redirect" | "hang" | "drip" | "cut";
const behaviors: readonly Behavior[] = [
  "accept",
  "accept",
  "fail",
  "limit",
  "redirect",
  "hang",
  "drip",
  "cut",
];
const dripIntervalMs = 20;

const accepted = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const responses: Record<Behavior, string> = {
  accept: accepted,
  fail: "HTTP/1.1 500 X\r\nContent-Length: 0\r\n\r\n",
  limit: "HTTP/1.1 429 X\r\nContent-Length: 0\r\n\r\n",
  redirect: "HTTP/1.1 302 X\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n",
  hang: "",
  drip: accepted,
  cut: "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nok",
};

/** Starts a receiver on loopback; one that is hostile chooses what it does with each request. */
export async function startReceiver({ hostile }: { hostile: Random | undefined }): Promise<Receiver> {
  const received = new Map<string, Receipt>();
  const sockets = new Set<net.Socket>();
  let random = hostile;

  function respond(socket: net.Socket, receipt: Receipt): void {
    const behavior = random?.pick(behaviors) ?? "accept";
    const response = responses[behavior];
    if (behavior === "cut") return void socket.end(response);
    if (behavior !== "drip") {
      // Counted before it is sent: the client may have it as soon as it is written.
      if (behavior === "accept") receipt.accepted += 1;
      return void socket.write(response);
    }
    let sent = 0;
    const timer = setInterval(() => {
      if (socket.destroyed) return clearInterval(timer);
      sent += 1;
      if (sent < response.length) return void socket.write(response[sent - 1]!);
      clearInterval(timer);
      receipt.accepted += 1;
      socket.write(response[sent - 1]!);
    }, dripIntervalMs);
  }

  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    let bytes = Buffer.alloc(0);
    socket.on("data", (data: Buffer) => {
      bytes = Buffer.concat([bytes, data]);
      const end = bytes.indexOf("\r\n\r\n");
      if (end === -1) return;
      const length = Number(/content-length: (\d+)/i.exec(bytes.toString("latin1", 0, end))?.[1] ?? 0);
      if (bytes.length < end + 4 + length) return;
      const body = bytes.toString("utf8", end + 4, end + 4 + length);
      bytes = bytes.subarray(end + 4 + length);
      const { id } = JSON.parse(body) as { id: string };
      const receipt = received.get(id) ?? { bodies: new Set(), requests: 0, accepted: 0 };
      received.set(id, receipt);
      receipt.bodies.add(body);
      receipt.requests += 1;
      respond(socket, receipt);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as net.AddressInfo).port,
    received,
    recover: () => void (random = undefined),
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
