import { dlopen, FFIType, ptr } from "bun:ffi";

/**
 * Reports the state of the server to the service manager, by the protocol of sd_notify(3). No call throws, and none has
 * an effect without a service manager.
 */
export type ServiceNotifier = ReturnType<typeof createServiceNotifier>;

export interface Watchdog {
  /** The service manager restarts the process if it gets no sign of life for this long. */
  timeoutMs: number;
  /** Sends a sign of life. */
  alive(): void;
}

/** Longer lines are truncated. */
const statusCharactersMax = 200;

/**
 * @param options.failed receives the first error of the connection to the service manager
 * @param options.pid of this process
 */
export function createServiceNotifier(options: {
  env: Readonly<Record<string, string | undefined>>;
  failed: (error: unknown) => void;
  pid?: number;
}) {
  const { env, failed, pid = process.pid } = options;
  const name = env["NOTIFY_SOCKET"];
  let hasFailed = false;
  let isStopping = false;

  function attempt<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      if (!hasFailed) failed(error);
      hasFailed = true;
      return undefined;
    }
  }

  const socket = name === undefined || name === "" ? undefined : attempt(() => openNotifySocket(name));
  const send = (assignments: (open: NotifySocket) => string[]) => {
    // A reload may still end during shutdown, but the server is not ready again.
    if (socket !== undefined && !isStopping) attempt(() => socket.send(assignments(socket).join("\n")));
  };
  const timeoutMs = socket === undefined ? undefined : watchdogTimeoutMs(env, pid);
  const watchdog: Watchdog | undefined =
    timeoutMs === undefined ? undefined : { timeoutMs, alive: () => send(() => ["WATCHDOG=1"]) };
  return {
    /** The server is ready, or a reload has ended. */
    ready: () => send(() => ["READY=1"]),

    /** A reload has begun. `ready` must follow. */
    reloading: () => send(({ monotonicUs }) => ["RELOADING=1", `MONOTONIC_USEC=${monotonicUs()}`]),

    /** Shutdown has begun. Nothing is sent afterward. */
    stopping() {
      send(() => ["STOPPING=1"]);
      isStopping = true;
    },

    /** Sets the line that `systemctl status` shows. */
    // A line break would start another assignment.
    status: (text: string) =>
      send(() => [`STATUS=${text.replaceAll(/\s+/g, " ").slice(0, statusCharactersMax)}`]),

    /** Undefined if the service manager expects no signs of life. */
    watchdog,
  };
}

/** See sd_watchdog_enabled(3). Returns undefined if the watchdog is off, or meant for another process. */
function watchdogTimeoutMs(
  { WATCHDOG_USEC: timeoutUs = "", WATCHDOG_PID: ofPid = "" }: Readonly<Record<string, string | undefined>>,
  pid: number,
): number | undefined {
  if (ofPid !== "" && ofPid !== String(pid)) return undefined;
  return /^[1-9][0-9]{0,15}$/.test(timeoutUs) ? Number(timeoutUs) / 1_000 : undefined;
}

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
function openNotifySocket(name: string) {
  const address = encodeAddress(name);
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
