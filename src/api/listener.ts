import type { Config } from "../config/config.ts";
import type { GuardedRoutes } from "../http/guard.ts";
import type { Clock } from "../lib/clock.ts";
import { StartError, messageOf } from "../lib/errors.ts";

/** A socket that serves HTTP. */
export interface Listener {
  /**
   * Starts accepting connections on exactly the configured address. Returns the port: the system chooses one
   * for port 0.
   * @throws StartError if the address is in use or not local, or the certificate cannot be used
   */
  listen(): { host: string; port: number };
  /** Stops accepting, waits up to `graceMs` for requests in flight, then closes their connections. */
  stop(graceMs?: number): Promise<void>;
  /** Returns the peer's IP address; undefined if the request did not arrive on this socket. */
  peerOf(request: Request): string | undefined;
  readonly port: number | undefined;
  /** Number of requests in flight. */
  readonly pending: number;
}

const graceMsDefault = 10_000;
// Longer than the idle timeout of common load balancers, so that they never reuse a connection closed here.
const idleTimeoutSeconds = 120;

interface Address {
  host: string;
  port: number;
  tls: Config["server"]["tls"];
  /** The setting that contains it, for messages. */
  setting: string;
}

export function createListener({
  address: { host, port, tls, setting },
  clock,
  routes,
}: {
  address: Address;
  clock: Clock;
  routes: GuardedRoutes;
}): Listener {
  let server: Bun.Server<undefined> | undefined;
  return {
    listen() {
      try {
        server = Bun.serve({
          hostname: host,
          port,
          // Otherwise a second copy would silently start on the same port.
          reusePort: false,
          development: false,
          idleTimeout: idleTimeoutSeconds,
          // Each operation has its own limit and reports it; Bun's own response would be a bare 413.
          maxRequestBodySize: Number.MAX_SAFE_INTEGER,
          ...(tls === null ? {} : { tls: { cert: Bun.file(tls.certPath), key: Bun.file(tls.keyPath) } }),
          routes,
        });
      } catch (error) {
        throw listenError(error, { host, port, tls, setting });
      }
      return { host, port: server.port ?? port };
    },

    async stop(graceMs = graceMsDefault) {
      if (server === undefined) return;
      const stopping = server;
      server = undefined;
      const deadline = clock.after(graceMs, () => void stopping.stop(true));
      await stopping.stop(false);
      deadline.cancel();
    },

    peerOf: (request) => server?.requestIP(request)?.address,
    get port() {
      return server?.port;
    },
    get pending() {
      return server?.pendingRequests ?? 0;
    },
  };
}

function listenError(error: unknown, { host, port, tls, setting }: Address): StartError {
  const code = (error as { code?: string }).code ?? "";
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
  return new StartError(reason, { exitCode: 1, cause: error });
}
