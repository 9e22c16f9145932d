/** Transports for one query to a name server and its responses. */

export interface NameServer {
  /** IPv4 or IPv6. */
  address: string;
  port: number;
}

export interface Carried {
  server: NameServer;
  message: Uint8Array;
  onMessage: (message: Uint8Array) => void;
  /** No response will come. The reason is readable text. */
  onFailure: (reason: string) => void;
}

/**
 * Sends the query and returns a function that releases its resources.
 * @throws an error of the system, and then nothing has to be released
 */
export type Transport = (carried: Carried) => Promise<() => void>;

/** Twice the advertised size. Nothing longer is a legitimate response. */
const datagramBytesMax = 4096;
/** RFC 1035 section 4.2.2: two bytes of length precede each message. */
const lengthBytes = 2;
const idBytes = 2;
const messageBytesMax = 65_535;

/** Number of sockets to one server from which on they are shared, so that a query's port is one of many. */
const socketsShared = 16;
/** Queries after which a socket is replaced, because its port has been visible on the network for long enough. */
const queriesPerSocketMax = 32;

interface SharedSocket {
  socket: Bun.udp.ConnectedSocket<"buffer">;
  uses: number;
  /** Queries that wait for a response with this identifier. */
  waiting: Map<number, Set<Carried>>;
}

/**
 * Uses connected sockets on random ports, so that only the server's datagrams arrive: a forger has to guess port and
 * identifier (RFC 5452). Queries in flight share sockets, because opening one costs more than the rest of a query.
 * Each socket is used a limited number of times, and idle sockets are closed.
 */
export function createUdpTransport(): Transport {
  const open = new Map<string, SharedSocket[]>();

  async function openSocket({ address, port }: NameServer): Promise<SharedSocket> {
    const waiting: SharedSocket["waiting"] = new Map();
    const socket = await Bun.udpSocket({
      connect: { hostname: address, port },
      socket: {
        data(_, data) {
          if (data.length < idBytes) return;
          for (const carried of waiting.get(data.readUInt16BE(0)) ?? []) {
            if (data.length <= datagramBytesMax) carried.onMessage(data);
            else carried.onFailure("the response is larger than a datagram");
          }
        },
        error() {
          const all = [...waiting.values()].flatMap((some) => [...some]);
          for (const carried of all) carried.onFailure("the server refuses the connection");
        },
      },
    });
    return { socket, uses: 0, waiting };
  }

  return async (carried) => {
    const { server, message } = carried;
    const key = `${server.address} ${server.port}`;
    const sockets = open.getOrInsertComputed(key, () => []);
    let shared = sockets.length < socketsShared ? undefined : leastUsed(sockets);
    if (shared === undefined) {
      shared = await openSocket(server);
      sockets.push(shared);
    }
    // No await from here on: a socket without waiting queries is closed.
    const { socket, waiting } = shared;
    if (++shared.uses >= queriesPerSocketMax) remove(sockets, shared);
    const id = (message[0]! << 8) | message[1]!;
    const same = waiting.getOrInsertComputed(id, () => new Set()).add(carried);
    const release = () => {
      same.delete(carried);
      if (same.size === 0) waiting.delete(id);
      if (waiting.size > 0) return;
      remove(sockets, shared);
      socket.close();
    };
    try {
      // A datagram that the system cannot buffer counts as lost; the next attempt repeats it.
      socket.send(message);
    } catch (error) {
      // The server refused an earlier query on this socket: the system reports it with the next one.
      release();
      throw error;
    }
    return release;
  };
}

/** Returns the least used socket, so that all are used evenly. */
function leastUsed(sockets: readonly SharedSocket[]): SharedSocket {
  return sockets.reduce((least, one) => (one.uses < least.uses ? one : least));
}

function remove<T>(list: T[], item: T): void {
  const index = list.indexOf(item);
  if (index >= 0) list.splice(index, 1);
}

/** Uses one connection per query (RFC 7766). Accepts one message of at most 64 KiB and nothing after it. */
export const carryByTcp: Transport = async ({ server, message, onMessage, onFailure }) => {
  const frame = new Uint8Array(lengthBytes + message.length);
  new DataView(frame.buffer).setUint16(0, message.length);
  frame.set(message, lengthBytes);
  const incoming = Buffer.allocUnsafe(lengthBytes + messageBytesMax);
  let received = 0;
  const socket = await Bun.connect({
    hostname: server.address,
    port: server.port,
    socket: {
      // A query is much smaller than any send buffer.
      open: (opened) => void opened.write(frame),
      data(_, piece) {
        received += piece.copy(incoming, received);
        if (received < lengthBytes) return;
        const end = lengthBytes + incoming.readUInt16BE(0);
        if (received >= end) onMessage(incoming.subarray(lengthBytes, end));
      },
      close: () => onFailure("the server closed the connection without a response"),
      error: () => onFailure("the connection to the server broke"),
      connectError: () => onFailure("the server refuses the connection"),
    },
  });
  return () => socket.terminate();
};
