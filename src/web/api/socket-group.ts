import { dlopen, FFIType, ptr } from "bun:ffi";
import { readdirSync } from "node:fs";
import type { GuardedRoutes } from "../http/guard.ts";
import type { Clock, Timer } from "../../platform/lib/clock.ts";

/**
 * Chooses which of several sockets that listen on the same address gets new connections. By default, Linux spreads them
 * over all, and those that wait for the old socket are reset when it is closed: 116 of 15,700 requests when it was closed
 * 60 times under load. `server.reload({ tls })` of Bun 1.4.5 loses none, but continues to serve the old certificate. See
 * SO_ATTACH_REUSEPORT_CBPF in socket(7).
 */
type Steering = ReturnType<typeof openSteering>;

/** Constants of Linux, the same on every processor that the executable is built for. */
const levelSocket = 1;
const acceptsConnections = 30;
const attachReusePortFilter = 51;
const returnConstant = 0x06;

/** `struct sockaddr_storage`. */
const addressBytesMax = 128;

/** @throws Error if the C library cannot be called */
function openSteering(port: number) {
  // musl provides its C library under this name, too.
  const { symbols } = dlopen("libc.so.6", {
    getsockname: { args: [FFIType.i32, FFIType.ptr, FFIType.ptr], returns: FFIType.i32 },
    getsockopt: {
      args: [FFIType.i32, FFIType.i32, FFIType.i32, FFIType.ptr, FFIType.ptr],
      returns: FFIType.i32,
    },
    setsockopt: {
      args: [FFIType.i32, FFIType.i32, FFIType.i32, FFIType.ptr, FFIType.u32],
      returns: FFIType.i32,
    },
  });

  function listensOnPort(descriptor: number): boolean {
    const accepts = new Int32Array(1);
    const size = new Uint32Array([accepts.byteLength]);
    if (symbols.getsockopt(descriptor, levelSocket, acceptsConnections, ptr(accepts), ptr(size)) !== 0)
      return false;
    const address = new Uint8Array(addressBytesMax);
    const length = new Uint32Array([addressBytesMax]);
    if (accepts[0] !== 1 || symbols.getsockname(descriptor, ptr(address), ptr(length)) !== 0) return false;
    return new DataView(address.buffer).getUint16(2) === port;
  }

  return {
    /**
     * Directs new connections to a socket.
     * @param index its place among the sockets of the address, in the order in which they began to listen; the last one
     * takes the place of one that was closed
     * @throws Error if the system does not permit it
     */
    directTo(index: number) {
      // Any of the sockets will do: the filter belongs to all of them.
      const descriptor = readdirSync("/proc/self/fd").map(Number).find(listensOnPort);
      if (descriptor === undefined) throw new Error(`no socket listens on port ${port}`);
      // `struct sock_filter`: one instruction.
      const instruction = new Uint8Array(8);
      const fields = new DataView(instruction.buffer);
      fields.setUint16(0, returnConstant, true);
      fields.setUint32(4, index, true);
      // `struct sock_fprog`: the number of instructions, and their address.
      const program = new Uint8Array(16);
      const head = new DataView(program.buffer);
      head.setUint16(0, 1, true);
      head.setBigUint64(8, BigInt(ptr(instruction)), true);
      if (
        symbols.setsockopt(descriptor, levelSocket, attachReusePortFilter, ptr(program), program.length) !== 0
      )
        throw new Error("the system does not direct connections to a socket");
    },
  };
}

export type HttpServer = Bun.Server<undefined>;

/** A replaced socket stays open for longer than an idle connection, so that none is closed while it is used. */
const drainMs = 130_000;
/** More replaced sockets than this are closed earlier. */
const drainingMax = 8;

/**
 * Sockets that listen on one address: the present one, and those that it has replaced and that still have connections.
 * @param options.withoutReuse returns routes whose responses close the connection
 */
export function createSocketGroup({
  clock,
  withoutReuse,
}: {
  clock: Pick<Clock, "after">;
  withoutReuse: () => GuardedRoutes;
}) {
  /** In the order of the system: the last one takes the place of one that is closed. */
  const sockets: HttpServer[] = [];
  /** Replaced sockets, oldest first, and what closes them. A timer that stayed would keep its socket in memory. */
  const draining: { server: HttpServer; timer: Timer }[] = [];
  let current: HttpServer | undefined;
  let steering: Steering | undefined;

  function close(server: HttpServer, force: boolean): void {
    const place = sockets.indexOf(server);
    if (place === -1) return;
    void server.stop(force);
    const last = sockets.pop()!;
    if (last !== server) sockets[place] = last;
    if (current !== undefined) steering?.directTo(sockets.indexOf(current));
  }

  /** Lets the connections of a replaced socket end. */
  function drain(server: HttpServer): void {
    server.reload({ routes: withoutReuse() });
    const timer = clock.after(drainMs, () => endOldest());
    draining.push({ server, timer });
    while (draining.length > drainingMax) endOldest();
  }

  /** The oldest one is also the first whose time is over. */
  function endOldest(): void {
    const oldest = draining.shift();
    if (oldest === undefined) return;
    oldest.timer.cancel();
    close(oldest.server, false);
  }

  return {
    current: () => current,

    /** Adds the first socket. */
    begin(server: HttpServer) {
      current = server;
      sockets.push(server);
    },

    /**
     * Opens another socket, which gets no connection before it replaces the present one.
     * @throws an error of the system, and then nothing has changed
     */
    prepare(open: () => HttpServer): { commit(): void; cancel(): void } {
      const previous = current!;
      steering ??= openSteering(previous.port!);
      steering.directTo(sockets.indexOf(previous));
      const next = open();
      sockets.push(next);
      return {
        commit() {
          current = next;
          steering?.directTo(sockets.indexOf(next));
          drain(previous);
        },
        cancel: () => close(next, true),
      };
    },

    /** Stops accepting, waits up to `graceMs` for requests in flight, then closes their connections. */
    async stop(graceMs: number) {
      if (current === undefined) return;
      current = undefined;
      for (const { timer } of draining.splice(0)) timer.cancel();
      const stopping = sockets.splice(0);
      const deadline = clock.after(graceMs, () => stopping.forEach((server) => void server.stop(true)));
      await Promise.all(stopping.map((server) => server.stop(false)));
      deadline.cancel();
    },
    peerOf(request: Request) {
      for (const server of sockets) {
        const address = server.requestIP(request)?.address;
        if (address !== undefined) return address;
      }
      return undefined;
    },

    /** Returns the number of requests in flight. */
    pending: () => sockets.reduce((sum, { pendingRequests }) => sum + pendingRequests, 0),
  };
}
