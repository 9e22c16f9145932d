/** The socket of a service manager, for the datagrams of sd_notify(3). */
export type NotifySocket = ReturnType<typeof openNotifySocket>;

/** Constants of Linux, the same on every processor that the executable is built for. */
const addressFamilyUnix = 1;
const typeDatagram = 2;
const closeOnExec = 0o2000000;
const doNotWait = 0x40;
const noSignal = 0x4000;
const clockMonotonic = 1;

/** `sun_path` in unix(7). */
const pathBytesMax = 108;

/**
 * Opens the socket that the environment variable NOTIFY_SOCKET names. Bun has no datagram sockets of the family AF_UNIX,
 * and the program systemd-notify would be another process, whose messages systemd rejects by default.
 * @param name absolute path, or "@" and the name of an abstract socket
 * @throws Error if the name is invalid, or if the C library cannot be called
 */
export function openNotifySocket(name: string) {
  const address = encodeAddress(name);
  const { dlopen, FFIType, ptr } = require("bun:ffi") as typeof import("bun:ffi");
  // musl provides its C library under this name, too.
  const { symbols } = dlopen("libc.so.6", {
    socket: { args: [FFIType.i32, FFIType.i32, FFIType.i32], returns: FFIType.i32 },
    sendto: {
      args: [FFIType.i32, FFIType.ptr, FFIType.u64, FFIType.i32, FFIType.ptr, FFIType.u32],
      returns: FFIType.i64,
    },
    clock_gettime: { args: [FFIType.i32, FFIType.ptr], returns: FFIType.i32 },
  });
  const descriptor = symbols.socket(addressFamilyUnix, typeDatagram | closeOnExec, 0);
  if (descriptor < 0) throw new Error("no socket can be opened");
  return {
    /**
     * Sends one datagram, without waiting.
     * @throws Error if it was not sent
     */
    send(text: string) {
      const bytes = Buffer.from(text);
      const flags = doNotWait | noSignal;
      const sent = symbols.sendto(descriptor, ptr(bytes), bytes.length, flags, ptr(address), address.length);
      if (Number(sent) !== bytes.length) throw new Error(`nothing was sent to ${name}`);
    },

    /** Returns the time of CLOCK_MONOTONIC in microseconds, which systemd compares reloads with. */
    monotonicUs() {
      const time = new BigInt64Array(2);
      symbols.clock_gettime(clockMonotonic, ptr(time));
      return time[0]! * 1_000_000n + time[1]! / 1_000n;
    },
  };
}

/** Returns `struct sockaddr_un`. The name of an abstract socket starts with a zero byte and has no end. */
function encodeAddress(name: string): Uint8Array {
  const isAbstract = name.startsWith("@");
  if (!isAbstract && !name.startsWith("/"))
    throw new Error("NOTIFY_SOCKET is neither an absolute path nor an abstract socket");
  const path = Buffer.from(isAbstract ? `\0${name.slice(1)}` : `${name}\0`);
  if (path.length > pathBytesMax) throw new Error(`NOTIFY_SOCKET is longer than ${pathBytesMax} bytes`);
  const family = Buffer.from(new Uint16Array([addressFamilyUnix]).buffer);
  return Buffer.concat([family, path]);
}
