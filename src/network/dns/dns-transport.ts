/** Ways to carry one query to a name server and its answers back. */

export interface NameServer {
  /** IPv4 or IPv6. */
  address: string;
  port: number;
}

export interface Carried {
  server: NameServer;
  message: Uint8Array;
  onMessage: (message: Uint8Array) => void;
  /** There will be no answer; the reason is for people. */
  onFailure: (reason: string) => void;
}

/** Sends, and answers how to close what was opened for it. */
export type Transport = (carried: Carried) => Promise<() => void>;

/** Twice what we say that we take; more is nobody's honest answer. */
const datagramBytesMax = 4096;
/** RFC 1035 section 4.2.2: the length stands before each message, in two bytes. */
const lengthBytes = 2;
const idBytes = 2;
const messageBytesMax = 65_535;

/** Sockets are shared when so many are open to one server: a query's port is one of many. */
const socketsShared = 16;
/** A port that was used so often has been seen by enough of the network. */
const queriesPerSocketMax = 32;

interface SharedSocket {
  socket: Bun.udp.ConnectedSocket<"buffer">;
  uses: number;
  /** Who waits for an answer with this identifier. */
  waiting: Map<number, Set<Carried>>;
}

/**
 * Sockets on ports that the system chose at random, connected, so that only the server's own datagrams come in:
 * a forger has to guess port and identifier (RFC 5452). While queries are under way they share sockets, for to
 * open one costs more than all else about a query; each is used a few times, and none is kept when nobody waits.
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
            else carried.onFailure("the answer is larger than a datagram may be");
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
    const sockets = open.get(key) ?? [];
    open.set(key, sockets);
    let shared = sockets.length < socketsShared ? undefined : leastUsed(sockets);
    if (shared === undefined) {
      shared = await openSocket(server);
      sockets.push(shared);
    }
    // Nothing may be waited for from here on: a socket for which nobody waits is closed.
    const { socket, waiting } = shared;
    if (++shared.uses >= queriesPerSocketMax) remove(sockets, shared);
    const id = (message[0]! << 8) | message[1]!;
    const same = waiting.get(id) ?? new Set();
    waiting.set(id, same.add(carried));
    // A datagram that the system has no room for is lost like one on the way: the next attempt is for that.
    socket.send(message);
    return () => {
      same.delete(carried);
      if (same.size === 0) waiting.delete(id);
      if (waiting.size > 0) return;
      remove(sockets, shared);
      socket.close();
    };
  };
}

/** So that all come to their end evenly. */
function leastUsed(sockets: readonly SharedSocket[]): SharedSocket {
  return sockets.reduce((least, one) => (one.uses < least.uses ? one : least));
}

function remove<T>(list: T[], item: T): void {
  const index = list.indexOf(item);
  if (index >= 0) list.splice(index, 1);
}

/** One connection for one query (RFC 7766). Takes one message of 64 KiB at most and nothing after it. */
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
      // A query is far smaller than any send buffer.
      open: (opened) => void opened.write(frame),
      data(_, piece) {
        received += piece.copy(incoming, received);
        if (received < lengthBytes) return;
        const end = lengthBytes + incoming.readUInt16BE(0);
        if (received >= end) onMessage(incoming.subarray(lengthBytes, end));
      },
      close: () => onFailure("the server closed the connection without an answer"),
      error: () => onFailure("the connection to the server broke"),
      connectError: () => onFailure("the server refuses the connection"),
    },
  });
  return () => socket.terminate();
};
