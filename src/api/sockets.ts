import { defaultPublicUrl, type Config } from "../config/config.ts";
import { guardRoutes } from "../http/guard.ts";
import { createHosts } from "../http/hosts.ts";
import type { RequestIdOf } from "../http/request-id.ts";
import type { Clock } from "../lib/clock.ts";
import { nothingElse, serverAreas, trapAreasOf } from "./areas.ts";
import { createListener } from "./listener.ts";

export interface SocketDependencies {
  config: Pick<Config, "server"> & { traps: Pick<Config["traps"], "listen" | "publicUrl"> };
  clock: Clock;
  routes: readonly { path: string }[];
  trapPaths: readonly string[];
  respond: (request: Request) => Response | Promise<Response>;
  /** Responds to a request outside the traps that the guard rejects. */
  reject: (error: unknown, request: Request) => Response;
  requestIdOf: RequestIdOf;
  countRequest: (route: string, method: string, status: number) => void;
}

/** Creates the socket of the server and, if configured, the one of the traps. Nothing gets past the guard. */
export function createSockets({
  config: { server, traps },
  clock,
  routes,
  trapPaths,
  respond,
  reject,
  requestIdOf,
  countRequest,
}: SocketDependencies) {
  const { tls } = server;
  let { publicUrl } = server;
  let trapsUrl = traps.publicUrl ?? (traps.listen && defaultPublicUrl(traps.listen, tls !== null));
  const ownUrls = traps.publicUrl === null ? [publicUrl] : [publicUrl, traps.publicUrl];
  const ownHosts = ownUrls.map((url) => new URL(url).hostname);
  const classifyHost = createHosts([...ownHosts, ...server.allowedHosts]);
  const trapAreas = trapAreasOf({ paths: trapPaths, respond, requestIdOf, countRequest });
  const main = createListener({
    address: { ...server, setting: "server.listen" },
    clock,
    routes: guardRoutes(serverAreas({ routes, trapAreas, respond, reject }), classifyHost),
  });
  const forTraps =
    traps.listen &&
    createListener({
      address: { ...traps.listen, tls, setting: "traps.listen" },
      clock,
      routes: guardRoutes([...trapAreas, nothingElse(requestIdOf)], classifyHost),
    });

  return {
    /** Without a trailing slash. Contains the actual port once `listen` has returned. */
    get publicUrl(): string {
      return publicUrl;
    },
    /** Like `publicUrl`, for beacons and honeytokens. */
    get trapsUrl(): string {
      return trapsUrl ?? publicUrl;
    },
    get port() {
      return main.port;
    },
    get trapsPort() {
      return forTraps?.port;
    },
    /** Number of requests in flight. */
    get pending() {
      return main.pending + (forTraps?.pending ?? 0);
    },
    peerOf: (request: Request) => main.peerOf(request) ?? forTraps?.peerOf(request),
    /** @throws StartError if an address is in use or not local, or the certificate cannot be used */
    listen(): { url: string } {
      const bound = main.listen();
      if (server.publicUrlIsDefault) publicUrl = defaultPublicUrl(bound, tls !== null);
      try {
        const boundForTraps = forTraps?.listen();
        if (boundForTraps !== undefined && traps.publicUrl === null)
          trapsUrl = defaultPublicUrl(boundForTraps, tls !== null);
      } catch (error) {
        void main.stop(0);
        throw error;
      }
      return { url: publicUrl };
    },
    async stop(graceMs?: number) {
      await Promise.all([main.stop(graceMs), forTraps?.stop(graceMs)]);
    },
  };
}
