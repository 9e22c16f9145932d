import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Config } from "../../platform/config/config.ts";
import { type Clock, type Instant, toPlainTime } from "../../platform/lib/clock.ts";
import { messageOf, StartError, codeOf } from "../../platform/lib/errors.ts";
import type { GuardedRoutes } from "../http/guard.ts";
import { createSocketGroup, type HttpServer } from "./socket-group.ts";

export type TlsPaths = NonNullable<Config["server"]["tls"]>;

/** A certificate chain and its private key, as PEM. */
interface TlsPair {
  cert: string;
  key: string;
}

/** @throws an error of the system */
function readTlsPair({ certPath, keyPath }: TlsPaths): TlsPair {
  return { cert: readFileSync(certPath, "utf8"), key: readFileSync(keyPath, "utf8") };
}

/**
 * Reads the files that replace those in use.
 * @throws StartError if they cannot be used, do not belong together, or the certificate has expired
 */
function readValidPair(paths: TlsPaths, now: Instant): TlsPair {
  const { certPath, keyPath } = paths;
  const reject = (reason: string) =>
    new StartError(`server.tls_cert (${certPath}) and server.tls_key (${keyPath}): ${reason}`, {
      exitCode: 2,
    });
  let pair: TlsPair;
  let certificate: X509Certificate;
  let isMatch: boolean;
  try {
    pair = readTlsPair(paths);
    certificate = new X509Certificate(pair.cert);
    isMatch = certificate.checkPrivateKey(createPrivateKey(pair.key));
  } catch (error) {
    throw reject(`cannot be used: ${messageOf(error)}; both must be PEM files that belong together`);
  }
  if (!isMatch) throw reject("the key does not match the certificate");
  const endsAt = certificate.validToDate.getTime();
  if (endsAt <= now) throw reject(`the certificate expired on ${toPlainTime(endsAt)}`);
  return pair;
}

type Handle = GuardedRoutes[string];

/**
 * Returns the handler of a route that suspends the idle timeout of a connection until its GET is answered. Bun counts
 * that time as idle and would close the connection without a response, as when the threat index is first read on a
 * busy machine. A request with a body keeps the timeout, since it also limits how long a client may take to send.
 */
export function untilResponse(
  handle: Handle,
  idleTimeoutSeconds: number,
): (request: Parameters<Handle>[0], server: Pick<HttpServer, "timeout">) => ReturnType<Handle> {
  return (request, server) => {
    const response = handle(request);
    if (!(response instanceof Promise) || request.method !== "GET") return response;
    server.timeout(request, 0);
    return response.finally(() => server.timeout(request, idleTimeoutSeconds));
  };
}

/** A socket that serves HTTP. */
export type Listener = ReturnType<typeof createListener>;

export interface CertificateChange {
  /** Uses the certificate for new connections. Does not throw. */
  commit(): void;
  cancel(): void;
}

const graceMsDefault = 10_000;
// Longer than the idle timeout of common load balancers, so that they never reuse a connection closed here.
const idleTimeoutSeconds = 120;
/** Whether a certificate can be replaced while the server listens. Other systems spread connections differently. */
const canReplaceCertificate = process.platform === "linux";

interface Address {
  host: string;
  port: number;
  tls: TlsPaths | null;
  /** The setting that contains it, for messages. */
  setting: string;
}

export function createListener({
  address: { host, port: wantedPort, tls, setting },
  clock,
  routes,
}: {
  address: Address;
  clock: Clock;
  routes: GuardedRoutes;
}) {
  const group = createSocketGroup({ clock, withoutReuse: () => closingAfterResponse(routes) });
  const suspendingRoutes = Object.fromEntries(
    Object.entries(routes).map(([path, handle]) => [path, untilResponse(handle, idleTimeoutSeconds)]),
  );
  let pair: TlsPair | undefined;

  function open(port: number, reusePort: boolean): HttpServer {
    return Bun.serve({
      hostname: host,
      port,
      reusePort,
      development: false,
      idleTimeout: idleTimeoutSeconds,
      // Each operation has its own limit and reports it; Bun's own response would be a bare 413.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      ...(pair === undefined ? {} : { tls: pair }),
      routes: suspendingRoutes,
    });
  }

  return {
    /**
     * Starts accepting connections on exactly the configured address. Returns the port: the system chooses one
     * for port 0.
     * @throws StartError if the address is in use or not local, or the certificate cannot be used
     */
    listen() {
      try {
        if (tls !== null) pair = readTlsPair(tls);
        // Without this check, a second copy would silently start on the same port.
        const isShared = tls !== null && canReplaceCertificate;
        if (isShared && wantedPort !== 0) void open(wantedPort, false).stop(true);
        const first = open(wantedPort, isShared);
        group.begin(first);
        return { host, port: first.port ?? wantedPort };
      } catch (error) {
        throw listenError(error, { host, port: wantedPort, tls, setting });
      }
    },

    /**
     * Prepares to use the present content of the files of a certificate for new connections. Those that exist go on
     * with the previous one. Returns undefined if that is the content in use.
     * @throws StartError if the files cannot be used, do not belong together, or the certificate has expired
     */
    prepareCertificate(paths: TlsPaths): CertificateChange | "needs_restart" | undefined {
      const port = group.current()?.port;
      if (port === undefined || pair === undefined) return undefined;
      const before = pair;
      const next = readIfChanged(paths, before, clock.now());
      if (next === undefined) return undefined;
      if (!canReplaceCertificate) return "needs_restart";
      try {
        pair = next;
        const { commit, cancel } = group.prepare(() => open(port, true));
        return {
          cancel,
          commit() {
            pair = next;
            commit();
          },
        };
      } catch (error) {
        const reason = `the certificate cannot be replaced without a restart: ${messageOf(error)}`;
        throw new StartError(reason, { cause: error });
      } finally {
        pair = before;
      }
    },

    /** Stops accepting, waits up to `graceMs` for requests in flight, then closes their connections. */
    stop: (graceMs = graceMsDefault) => group.stop(graceMs),

    /** Returns the peer's IP address; undefined if the request did not arrive on this socket. */
    peerOf: group.peerOf,
    get port() {
      return group.current()?.port;
    },

    /** Number of requests in flight. */
    get pending() {
      return group.pending();
    },
  };
}

/** Returns the content of the files if it is not the one in use. An expired certificate in use is no error here. */
function readIfChanged(paths: TlsPaths, inUse: TlsPair, now: number): TlsPair | undefined {
  try {
    if (Bun.deepEquals(readTlsPair(paths), inUse)) return undefined;
  } catch {
    // Reported below.
  }
  return readValidPair(paths, now);
}

/** Asks clients to open a new connection for their next request. */
function closingAfterResponse(routes: GuardedRoutes): GuardedRoutes {
  return Object.fromEntries(
    Object.entries(routes).map(([path, handle]): [string, GuardedRoutes[string]] => [
      path,
      async (request) => {
        const response = await handle(request);
        response.headers.set("connection", "close");
        return response;
      },
    ]),
  );
}

function listenError(error: unknown, { host, port, tls, setting }: Address): StartError {
  const code = codeOf(error) ?? "";
  const address = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const reasons: Record<string, string> = {
    EADDRINUSE: `${address} is already in use by another program; stop it, or set ${setting} to another port`,
    EADDRNOTAVAIL: `${host} is not an address of this machine; set ${setting} to one that is`,
    EACCES: `this user may not listen on port ${port}; set ${setting} to a port from 1024 on`,
  };
  const certificate = `server.tls_cert (${tls?.certPath}) and server.tls_key (${tls?.keyPath})`;
  const reason =
    tls !== null && (code === "ENOENT" || code.startsWith("ERR_OSSL"))
      ? `${certificate} cannot be used: ${messageOf(error)}; both must be PEM files that belong together`
      : (reasons[code] ?? `cannot listen on ${address}: ${messageOf(error)}`);
  return new StartError(reason, { cause: error });
}
