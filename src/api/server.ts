import { defaultPublicUrl, type Config } from "../config/config.ts";
import type { ApiKeys } from "../access/keys/keys.ts";
import type { KeyUsage } from "../access/keys/key-usage.ts";
import { createRateLimiter } from "../access/keys/rate-limit.ts";
import type { Database } from "../database/database.ts";
import type { BuildInfo } from "../lib/build-info.ts";
import type { Clock } from "../lib/clock.ts";
import { StartError, messageOf } from "../lib/errors.ts";
import type { Log } from "../lib/log.ts";
import { pathOf, pathStart } from "../lib/request-path.ts";
import type { Scans } from "../scans/scans.ts";
import type { Candidates } from "../sources/candidates.ts";
import type { Threats } from "../threats/threats.ts";
import type { Traps } from "../traps/traps.ts";
import type { Deliveries } from "../webhooks/deliveries.ts";
import { createAdmission } from "../http/admission.ts";
import { createAnswering, type AnswerHeaders } from "../http/pipeline.ts";
import { createCandidateOperations } from "./v1/candidate-operations.ts";
import { createClientAddress } from "../http/client-address.ts";
import { checkReadiness, type Readiness } from "./site/health.ts";
import { createMetrics } from "./site/metrics.ts";
import { createRoutes } from "./routes.ts";
import type { ReadCapture } from "./site/site-pages.ts";
import { createThreatOperations } from "./v1/threat-operations.ts";

export interface ServerDependencies {
  config: Pick<Config, "server" | "console" | "api">;
  clock: Clock;
  log: Log;
  /** A text that no other request has, of `[A-Za-z0-9._-]`. */
  newRequestId: () => string;
  build: BuildInfo;
  database: Database;
  keys: ApiKeys;
  keyUsage: KeyUsage;
  threats: Threats;
  candidates: Candidates;
  deliveries: Pick<Deliveries, "totals">;
  scans: Pick<Scans, "totals">;
  readCapture: ReadCapture;
  /** The web console, which stands above this subject; called at the first request for it. */
  openConsole: () => Promise<AnswerConsole>;
  traps: Pick<Traps, "front" | "totals">;
  /** Whether what runs by itself runs. */
  schedulersRunning: () => boolean;
}

/** Answers a request for the web console, with these headers and its own. */
export type AnswerConsole = (
  request: Request,
  headers: AnswerHeaders,
  /** The client's. */
  address: string | undefined,
) => Promise<Response>;

/** Everything that is answered over HTTP. */
export interface Server {
  /** Where it is reached, without trailing slash; while a port is still to be taken, what the configuration says. */
  readonly publicUrl: string;
  readonly readiness: () => Readiness;
  /** Answers one request, without a socket of ours. @param peer the address that it came from; absent: not known. */
  handle(request: Request, peer?: string): Promise<Response>;
  /**
   * Starts to accept connections, on exactly the configured address.
   * @throws StartError: the address is taken or not this machine's, a certificate that cannot be used.
   */
  listen(): { url: string };
  /** Stops to accept, lets requests under way end for `graceMs` at most, then closes what is left. */
  stop(graceMs?: number): Promise<void>;
}

const graceMsDefault = 10_000;
// Longer than any load balancer keeps an idle connection by default, so that it never meets a closed one.
const idleTimeoutSeconds = 120;

/** What tests look at besides. */
export interface TestableServer extends Server {
  routes: { method: string; path: string }[];
  readonly port: number | undefined;
  /** Requests under way. */
  readonly pending: number;
  /** As the socket asks for it. */
  answer(request: Request): Response | Promise<Response>;
}

export function createServer({
  config,
  clock,
  log,
  newRequestId,
  build,
  database,
  keys,
  keyUsage,
  threats,
  candidates,
  deliveries,
  scans,
  readCapture,
  openConsole,
  traps,
  schedulersRunning,
}: ServerDependencies): TestableServer {
  let publicUrl = config.server.publicUrl;
  let server: Bun.Server<undefined> | undefined;

  const metrics = createMetrics({
    build,
    threatTotals: threats.totals,
    deliveryTotals: deliveries.totals,
    scanTotals: scans.totals,
    trapTotals: traps.totals,
    memory: () => process.memoryUsage(),
    cpu: () => process.cpuUsage(),
  });
  const clientOf = createClientAddress(config.server.trustedProxies);
  /** Where requests came from that came through somebody else's socket. */
  const peers = new WeakMap<Request, string>();
  const clientAddress = (request: Request): string | undefined => {
    const peer = peers.get(request) ?? server?.requestIP(request)?.address;
    return peer === undefined ? undefined : clientOf(peer, request.headers.get("x-forwarded-for"));
  };
  const readiness = () => checkReadiness({ database, schedulersRunning });
  let opened: Promise<AnswerConsole> | undefined;
  const answering = createAnswering({
    admit: createAdmission({ keys, usage: keyUsage, limiter: createRateLimiter(), clock }),
    log,
    metrics,
    newRequestId,
    snapshot: database.snapshot,
    clientAddress,
  });
  const app = createRoutes({
    answering,
    threats: createThreatOperations({
      database,
      threats,
      publicUrl: () => publicUrl,
      clientAddress,
      ...config.api,
    }),
    candidates: createCandidateOperations({ candidates }),
    site: {
      threats,
      readCapture,
      metrics,
      metricsToken: config.server.metricsToken,
      readiness,
      answerConsole: config.console.enabled
        ? async (request, headers) =>
            (await (opened ??= openConsole()))(request, headers, clientAddress(request))
        : null,
    },
    // Past everything that other answers have in common: it would tell visitors what they have walked into.
    trap: function trap({ request }) {
      const answer = traps.front.answer(request, clientAddress(request));
      const route = /^\/b(\/|$)/.test(pathOf(request.url)) ? "/b/*" : "/t/*";
      metrics.countRequest(route, request.method, answer.status);
      return answer;
    },
    async document() {
      // Its many schemas are made when somebody asks, not at the start.
      const { describeApi } = await import("./v1/openapi.ts");
      return describeApi({ publicUrl, version: build.version, ...config.api });
    },
  });
  const handle = (request: Request) => app.fetch(withPlainUrl(request));

  return {
    routes: app.routes.map(({ method, path }) => ({ method, path })),
    get publicUrl() {
      return publicUrl;
    },
    readiness,
    get port() {
      return server?.port;
    },
    get pending() {
      return server?.pendingRequests ?? 0;
    },
    answer: handle,
    async handle(request, peer) {
      const plain = withPlainUrl(request);
      if (peer !== undefined) peers.set(plain, peer);
      return app.fetch(plain);
    },

    listen() {
      const { host, port, tls, publicUrlIsDefault } = config.server;
      try {
        server = Bun.serve({
          hostname: host,
          port,
          // Else a second copy would start on the same port without a word.
          reusePort: false,
          development: false,
          idleTimeout: idleTimeoutSeconds,
          // Each operation has its own limit and says so; Bun's own answer would be a bare 413.
          maxRequestBodySize: Number.MAX_SAFE_INTEGER,
          ...(tls === null ? {} : { tls: { cert: Bun.file(tls.certPath), key: Bun.file(tls.keyPath) } }),
          fetch: handle,
        });
      } catch (error) {
        throw cannotListen(error, { host, port, tls });
      }
      const taken = { host, port: server.port ?? port };
      if (publicUrlIsDefault) publicUrl = defaultPublicUrl(taken, tls !== null);
      return { url: publicUrl };
    },

    async stop(graceMs = graceMsDefault) {
      if (server === undefined) return;
      const stopping = server;
      server = undefined;
      const late = clock.at(clock.now() + graceMs, () => void stopping.stop(true));
      await stopping.stop(false);
      late.cancel();
    },
  };
}

/**
 * Elysia looks for the path from the 12th character of the address on, so that a host name of one to three
 * letters (`http://pw/v1/threats`) would hide it; an HTTP/1.0 request without a host has the path alone.
 */
function withPlainUrl(request: Request): Request {
  const { url } = request;
  const pathAt = pathStart(url);
  if (pathAt >= elysiaLooksFrom) return request;
  return new Request(`http://localhost${pathAt === -1 ? "/" : url.slice(pathAt)}`, request);
}
const elysiaLooksFrom = 11;

function cannotListen(
  error: unknown,
  { host, port, tls }: Pick<Config["server"], "host" | "port" | "tls">,
): StartError {
  const code = (error as { code?: string }).code ?? "";
  const address = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const reasons: Record<string, string> = {
    EADDRINUSE: `another program listens on ${address} already; stop it, or set server.listen to another port`,
    EADDRNOTAVAIL: `${host} is no address of this machine; set server.listen to one that is`,
    EACCES: `this user may not listen on port ${port}; set server.listen to a port from 1024 on`,
  };
  const certificate = `server.tls_cert (${tls?.certPath}) and server.tls_key (${tls?.keyPath})`;
  const reason =
    tls !== null && (code === "ENOENT" || code.startsWith("ERR_OSSL"))
      ? `${certificate} cannot be used: ${messageOf(error)}; both have to be PEM files that belong together`
      : (reasons[code] ?? `cannot listen on ${address}: ${messageOf(error)}`);
  return new StartError(reason, { exitCode: 1, cause: error });
}
