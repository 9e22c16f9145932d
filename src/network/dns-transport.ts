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
const messageBytesMax = 65_535;

/**
 * A socket for each query: the system gives each a random port, which a forger has to guess beside the random
 * id, and as it is connected only the server's own datagrams come in (RFC 5452). Opening one takes some 10 µs.
 */
export const carryByUdp: Transport = async ({ server, message, onMessage, onFailure }) => {
  const socket = await Bun.udpSocket({
    connect: { hostname: server.address, port: server.port },
    socket: {
      data: (_, data) => {
        if (data.length <= datagramBytesMax) onMessage(data);
        else onFailure("the answer is larger than a datagram may be");
      },
      error: () => onFailure("the server refuses the connection"),
    },
  });
  // A datagram that the system has no room for is lost like one on the way: the next attempt is for that.
  socket.send(message);
  return () => socket.close();
};

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
