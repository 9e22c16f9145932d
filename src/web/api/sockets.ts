import { defaultPublicUrl, type Config } from "../../platform/config/config.ts";
import type { HostPort } from "../../platform/config/fields/texts.ts";
import { guardRoutes } from "../http/guard.ts";
import { createHosts, type ClassifyHost } from "../http/hosts.ts";
import type { RequestIdOf } from "../http/request-id.ts";
import type { Clock } from "../../platform/lib/clock.ts";
import { nothingElse, serverAreas, trapAreasOf } from "./areas.ts";
import type { Prepared } from "../../platform/reload/reload.ts";
import { createListener, type CertificateChange, type Listener } from "./listener.ts";
import type { TlsPaths } from "./tls-pair.ts";

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
  /** With their actual ports, once they listen. */
  let [bound, boundForTraps]: [HostPort, HostPort | null] = [server, traps.listen];
  const publicUrl = () =>
    server.publicUrlIsDefault && isListening ? defaultPublicUrl(bound, tls !== null) : server.publicUrl;
  const trapsUrl = () =>
    traps.publicUrl ?? (boundForTraps === null ? publicUrl() : defaultPublicUrl(boundForTraps, tls !== null));
  let isListening = false;
  const classifyHost = createLiveHosts({ server, traps });
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
      return publicUrl();
    },
    /** Like `publicUrl`, for beacons and honeytokens. */
    get trapsUrl(): string {
      return trapsUrl();
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
      bound = main.listen();
      isListening = true;
      try {
        boundForTraps = forTraps?.listen() ?? null;
      } catch (error) {
        void main.stop(0);
        throw error;
      }
      return { url: publicUrl() };
    },
    /**
     * Prepares to use changed certificate files.
     * @throws StartError if they cannot be used, do not belong together, or the certificate has expired
     */
    prepare: ({ server: next }: Pick<Config, "server">) => prepareCertificates([main, forTraps], next.tls),
    async stop(graceMs?: number) {
      await Promise.all([main.stop(graceMs), forTraps?.stop(graceMs)]);
    },
  };
}

function prepareCertificates(listeners: readonly (Listener | null)[], paths: TlsPaths | null): Prepared {
  const unchanged: Prepared = { changes: [], commit() {}, cancel() {} };
  if (paths === null) return unchanged;
  const changes: CertificateChange[] = [];
  const cancel = () => changes.forEach((change) => change.cancel());
  try {
    for (const listener of listeners) {
      const change = listener?.prepareCertificate(paths);
      if (change === "needs_restart") return { ...unchanged, restart: ["server.tls_cert: new certificate"] };
      if (change !== undefined) changes.push(change);
    }
  } catch (error) {
    cancel();
    throw error;
  }
  if (changes.length === 0) return unchanged;
  return {
    changes: ["server.tls_cert: new certificate"],
    commit: () => changes.forEach((change) => change.commit()),
    cancel,
  };
}

/** Classifies hosts by the names in effect. */
function createLiveHosts({ server, traps }: SocketDependencies["config"]): ClassifyHost {
  const create = ({ allowedHosts, publicUrl }: typeof server, trapsUrl: string | null) => {
    const urls = trapsUrl === null ? [publicUrl] : [publicUrl, trapsUrl];
    const names = [...urls.map((url) => new URL(url).hostname), ...allowedHosts];
    return { allowedHosts, publicUrl, trapsUrl, classify: createHosts(names) };
  };
  let known = create(server, traps.publicUrl);
  return (host) => {
    const { allowedHosts, publicUrl } = server;
    const isSame = known.allowedHosts === allowedHosts && known.publicUrl === publicUrl;
    if (!isSame || known.trapsUrl !== traps.publicUrl) known = create(server, traps.publicUrl);
    return known.classify(host);
  };
}
