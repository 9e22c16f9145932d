import { readdirSync } from "node:fs";

/**
 * Chooses which of several sockets that listen on the same address gets new connections. By default, Linux spreads them
 * over all, and those that wait for the old socket are reset when it is closed: 116 of 15,700 requests when it was closed
 * 60 times under load. `server.reload({ tls })` of Bun 1.4.5 loses none, but continues to serve the old certificate. See
 * SO_ATTACH_REUSEPORT_CBPF in socket(7).
 */
export type Steering = ReturnType<typeof openSteering>;

/** Constants of Linux, the same on every processor that the executable is built for. */
const levelSocket = 1;
const acceptsConnections = 30;
const attachReusePortFilter = 51;
const returnConstant = 0x06;

/** `struct sockaddr_storage`. */
const addressBytesMax = 128;

/** @throws Error if the C library cannot be called */
export function openSteering(port: number) {
  const { dlopen, FFIType, ptr } = require("bun:ffi") as typeof import("bun:ffi");
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
