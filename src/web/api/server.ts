import type { KeyUsage } from "../../access/keys/key-usage.ts";
import type { ApiKeys } from "../../access/keys/keys.ts";
import { createRateLimiter } from "../../access/keys/rate-limit.ts";
import type { Needs } from "../../platform/database/needs.ts";
import { clientAddresses } from "../http/client-address.ts";
import type { Config } from "../../platform/config/config.ts";
import type { DatabaseHealth } from "../../platform/database/health/health.ts";
import { createAdmission } from "../http/admission.ts";
import { type BodyBudget, createBodyBudget } from "../http/body/body-budget.ts";
import { createPipeline, type Handler } from "../http/pipeline.ts";
import {
  createRequestIds,
  createResponder,
  type RequestIdOf,
  type ResponseHeaders,
} from "../http/responder.ts";
import { createTurns, type Turns } from "../http/turns.ts";
import type { BuildInfo } from "../../platform/lib/build-info.ts";
import { pathStart } from "../../platform/lib/request-path.ts";
import { lazy } from "../../platform/lib/startup.ts";
import type { Yielder } from "../../platform/lib/yielder.ts";
import { serverCollector } from "../../operations/monitoring/collect/appliance.ts";
import type { Collector } from "../../operations/monitoring/metrics/metrics.ts";
import { renderMetrics } from "../../operations/monitoring/metrics/exposition.ts";
import { createRequestMeter, type RequestMeter } from "../../operations/monitoring/request-meter.ts";
import type { Lists } from "../../response/outputs/block-lists/lists.ts";
import type { ReloadPart } from "../../platform/reload/reload.ts";
import type { Threats } from "../../threats/threats/threats.ts";
import type { Traps } from "../../response/traps/traps.ts";
import { createRoutes } from "./routes.ts";
import { checkReadiness, type Readiness } from "./site/health.ts";
import { listPage } from "./site/list-page.ts";
import type { ReadScreenshot } from "./site/site-pages.ts";
import { createSockets } from "./sockets.ts";
import { describeApi } from "./v1/openapi.ts";
import { apiOperations } from "./v1/operations.ts";
import type { ApiServices } from "./v1/services.ts";

export interface ServerDependencies extends Needs<"clock" | "database" | "log"> {
  config: Pick<Config, "server" | "console" | "api"> & {
    traps: Pick<Config["traps"], "listen" | "publicUrl">;
  };
  /** Returns a unique string of `[A-Za-z0-9._-]`. */
  newRequestId: () => string;
  build: BuildInfo;
  /** Memory limit of the process. */
  memoryBytes: number;
  /** Divides long-running work into slices, which go around between owners. */
  yielder: (owner?: string) => Yielder;
  databaseHealth: Pick<DatabaseHealth, "status">;
  keys: ApiKeys;
  keyUsage: KeyUsage;
  threats: Threats;
  /** Services that only the operations under `/v1` use. */
  api: Pick<ApiServices, "candidates" | "caseOf" | "exports" | "factsOf" | "inspections" | "threatIndex">;
  /** Returns what collects the metrics of all other services. */
  collectors: () => readonly Collector[];
  readScreenshot: ReadScreenshot;
  /** Loads the web console, a layer above this one, on its first request. */
  openConsole: () => Promise<ConsoleHandler>;
  traps: Pick<Traps, "kinds" | "respond">;
  lists: Pick<Lists, "at" | "file" | "noteFetch">;
  schedulersRunning: () => boolean;
}

/** Handles a request for the web console. The response carries `headers` and the console's own. */
export type ConsoleHandler = (
  request: Request,
  headers: ResponseHeaders,
  /** The client's address. */
  address: string | undefined,
) => Promise<Response>;

/** The HTTP server. */
export interface Server {
  /** Without a trailing slash. Until the server listens, this is the configured URL. */
  readonly publicUrl: string;
  /** Like `publicUrl`, for beacons and honeytokens. */
  readonly trapsUrl: string;
  readonly readiness: () => Readiness;
  /** Returns the address of a proxy that the configuration does not trust, if requests came through one. */
  readonly untrustedProxy: () => string | undefined;
  /** Returns whether a request came from a proxy in `server.trusted_proxies`, by the address of its peer. */
  readonly isFromTrustedProxy: (request: Request) => boolean;
  /** Limits the memory of request bodies, including the console. */
  readonly bodies: BodyBudget;
  /** Shares the processor between those who send requests, to the console included. */
  readonly turns: Turns;
  /** Counts a request of the API that something else responds to. Returns the headers that its response has. */
  charge(request: Request): ResponseHeaders;
  /**
   * Handles a request that did not arrive on this server's sockets, without checking its host and path.
   * @param peer the peer's IP address; absent: unknown
   */
  handle(request: Request, peer?: string): Promise<Response>;
  /**
   * Starts accepting connections on exactly the configured addresses.
   * @throws StartError if an address is in use or not local, or the certificate cannot be used
   */
  listen(): { url: string };
  /**
   * Prepares to use changed certificate files for new connections.
   * @throws StartError if they cannot be used, do not belong together, or the certificate has expired
   */
  prepare: ReloadPart["prepare"];
  /** Stops accepting, waits up to `graceMs` for requests in flight, then closes their connections. */
  stop(graceMs?: number): Promise<void>;
}

/** The server with what tests need in addition. */
export interface TestableServer extends Server {
  routes: { method: string; path: string }[];
  readonly port: number | undefined;
  /** Port of `traps.listen`. */
  readonly trapsPort: number | undefined;
  /** Number of requests in flight. */
  readonly pending: number;
  /** Handles a request as if it had arrived on the socket. */
  dispatch(request: Request): Response | Promise<Response>;
}

export function createServer({
  config,
  clock,
  log,
  newRequestId,
  build,
  database,
  memoryBytes,
  yielder,
  databaseHealth,
  keys,
  keyUsage,
  threats,
  api,
  collectors,
  readScreenshot,
  openConsole,
  traps,
  lists,
  schedulersRunning,
}: ServerDependencies): TestableServer {
  const publicUrl = () => sockets.publicUrl();
  const readiness = () => checkReadiness({ database, databaseHealth, schedulersRunning });
  const meter = createRequestMeter();
  /** Peers of requests that did not arrive on the server's socket. */
  const peers = new WeakMap<Request, string>();
  const peerOf = (request: Request) => peers.get(request) ?? sockets.peerOf(request);
  const { clientAddress, isFromTrustedProxy, untrustedProxy } = clientAddresses({ config, log, peerOf });
  const bodies = createBodyBudget({ memoryBytes, yielder: yielder(), clock, log });
  const shared = { bodies, turns: createTurns({ yielder }) };
  const requestIdOf = createRequestIds(newRequestId);
  const collectOwn = serverCollector({ bodies, pending: () => sockets.pending, readiness });
  const all = lazy(() => [...collectors(), collectOwn, meter.collect]);
  const pipeline = createPipeline({
    admit: createAdmission({ keys, usage: keyUsage, limiter: createRateLimiter(), clock }),
    ...shared,
    responder: createResponder({ log, meter, requestIdOf, clientAddress, secret: newRequestId() }),
    snapshot: database.snapshot,
  });
  const app = createRoutes({
    version: build.version,
    pipeline,
    operations: apiOperations(config.api),
    services: { ...api, database, threats, publicUrl, clientAddress, now: clock.now },
    site: {
      threats,
      readScreenshot,
      renderMetrics: (format) => renderMetrics(all(), format, log),
      config: config.server,
      readiness,
      consolePage: config.console.enabled ? consolePageOf(openConsole, clientAddress) : null,
    },
    lists: listPage({ clientAddress, lists }),
    traps: trapRoutes({ traps, meter, clientAddress, requestIdOf }),
    document: async () => describeApi({ publicUrl: publicUrl(), version: build.version, ...config.api }),
  });
  const respond = (request: Request) => app.fetch(withRoutableUrl(request));
  const sockets = createSockets({
    config,
    clock,
    routes: app.routes,
    trapPaths: traps.kinds.map(({ pathSegment }) => `/${pathSegment}`),
    respond,
    reject: pipeline.reject,
    requestIdOf,
    countRequest: meter.countRequest,
  });

  return {
    routes: app.routes.map(({ method, path }) => ({ method, path })),
    get publicUrl() {
      return sockets.publicUrl();
    },
    get trapsUrl() {
      return sockets.trapsUrl();
    },
    readiness,
    isFromTrustedProxy,
    untrustedProxy,
    ...shared,
    get port() {
      return sockets.port;
    },
    get trapsPort() {
      return sockets.trapsPort;
    },
    get pending() {
      return sockets.pending;
    },
    dispatch: respond,
    charge: pipeline.charge,
    async handle(request, peer) {
      if (peer !== undefined) peers.set(request, peer);
      return respond(request);
    },
    listen: sockets.listen,
    prepare: sockets.prepare,
    stop: sockets.stop,
  };
}

function consolePageOf(
  openConsole: ServerDependencies["openConsole"],
  clientAddress: (request: Request) => string | undefined,
) {
  let handler: Promise<ConsoleHandler> | undefined;
  return async (request: Request, headers: ResponseHeaders): Promise<Response> =>
    (await (handler ??= openConsole()))(request, headers, clientAddress(request));
}

/** Routes of the traps, with no common header but the request's ID: the others would reveal the product to visitors. */
function trapRoutes({
  traps,
  meter,
  clientAddress,
  requestIdOf,
}: Pick<ServerDependencies, "traps"> & {
  meter: RequestMeter;
  requestIdOf: RequestIdOf;
  clientAddress: (request: Request) => string | undefined;
}): { path: string; handler: Handler }[] {
  return traps.kinds.map(({ pathSegment }) => ({
    path: `/${pathSegment}`,
    handler({ request }) {
      const beganMs = performance.now();
      const response = traps.respond(request, clientAddress(request));
      response.headers.set("x-request-id", requestIdOf(request));
      const seconds = (performance.now() - beganMs) / 1000;
      meter.countRequest(`/${pathSegment}/*`, request.method, response.status, seconds);
      return response;
    },
  }));
}

/**
 * Elysia searches for the path from the 12th character of the URL on, so it would miss the path behind a host
 * name of one to three letters (`http://pw/v1/threats`). An HTTP/1.0 request without a host has a path alone.
 * A new Request would have no peer, so this one gets a `url` of its own.
 */
function withRoutableUrl(request: Request): Request {
  const { url } = request;
  const pathAt = pathStart(url);
  if (pathAt < elysiaPathOffset)
    Object.defineProperty(request, "url", {
      value: `http://localhost${pathAt === -1 ? "/" : url.slice(pathAt)}`,
    });
  return request;
}
const elysiaPathOffset = 11;
