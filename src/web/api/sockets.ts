import { noSuchRoute } from "../http/errors.ts";
import { type Area, type ClassifyHost, createHosts, guardRoutes } from "../http/guard.ts";
import type { RequestIdOf } from "../http/responder.ts";
import type { PublicError } from "../../platform/lib/errors.ts";
import { pathOf } from "../../platform/lib/request-path.ts";
import { badRequestResponse, notFoundResponse } from "../../response/traps/responses.ts";
import { type Config, defaultPublicUrl } from "../../platform/config/config.ts";
import type { HostPort } from "../../platform/config/fields/texts.ts";
import type { Clock } from "../../platform/lib/clock.ts";
import type { Prepared } from "../../platform/reload/reload.ts";
import { type CertificateChange, createListener, type Listener, type TlsPaths } from "./listener.ts";

type Respond = (request: Request) => Response | Promise<Response>;

/** Areas that serve the same under any host name. `/v1` needs a key, and liveness reveals nothing. */
const openToAnyHost: readonly string[] = ["/v1", "/healthz"];

/**
 * Returns the areas of the server, one for each first segment of its routes. A new area responds only under known
 * hosts, because its paths may need no key.
 */
function serverAreas({
  routes,
  trapAreas,
  respond,
  reject,
}: {
  routes: readonly { path: string }[];
  trapAreas: readonly Area[];
  respond: Respond;
  reject: (error: unknown, request: Request) => Response;
}): Area[] {
  const paths = new Set(routes.map(({ path }) => `/${path.split("/")[1] ?? ""}`));
  for (const { path } of trapAreas) paths.delete(path);
  paths.delete("/");
  const rejectRequest = (request: Request, error: PublicError) => reject(error, request);
  const areas = [...paths].map((path): Area => {
    const hosts = openToAnyHost.includes(path) ? "any" : "known";
    return { path, hosts, handle: respond, reject: rejectRequest };
  });
  const others: Area = {
    path: "",
    hosts: "known",
    // Without the routes: nothing outside the areas may be mistaken for one of them.
    handle: (request) => (pathOf(request.url) === "/" ? respond(request) : reject(noSuchRoute(), request)),
    reject: rejectRequest,
  };
  return [...areas, ...trapAreas, others];
}

/** Returns the areas of the traps. A rejection must not reveal the product to visitors. */
function trapAreasOf({
  paths,
  respond,
  requestIdOf,
  countRequest,
}: {
  paths: readonly string[];
  respond: Respond;
  requestIdOf: RequestIdOf;
  countRequest: (route: string, method: string, status: number) => void;
}): Area[] {
  return paths.map((path) => ({
    path,
    hosts: "any",
    handle: respond,
    reject(request) {
      countRequest(`${path}/*`, request.method, 400);
      return withId(badRequestResponse(), requestIdOf(request));
    },
  }));
}

/** Everything outside the traps, on a listener that serves only them. */
const nothingElse = (requestIdOf: RequestIdOf): Area => ({
  path: "",
  hosts: "any",
  handle: (request) => withId(notFoundResponse(), requestIdOf(request)),
  reject: (request) => withId(badRequestResponse(), requestIdOf(request)),
});

function withId(response: Response, id: string): Response {
  response.headers.set("x-request-id", id);
  return response;
}

interface SocketDependencies {
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
    /** Returns the address without a trailing slash. Contains the actual port once `listen` has returned. */
    publicUrl,
    /** Like `publicUrl`, for beacons and honeytokens. */
    trapsUrl,
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
