import type { Log } from "../../platform/lib/log.ts";
import { pathOf } from "../../platform/lib/request-path.ts";
import { Download, downloadHeaders, downloadStream, unknownLength } from "./download.ts";
import { describeError } from "./errors.ts";
import { JsonText } from "./operation.ts";
import { acceptsGzip, encoded, namesTag, notModified } from "./representation.ts";

const validRequestId = /^[A-Za-z0-9._-]{1,128}$/;

/** Returns the ID of a request for its response's X-Request-Id header. */
export type RequestIdOf = (request: Request) => string;

/** Returns a function that takes the caller's ID if it is valid, else a new one. */
export function createRequestIds(newRequestId: () => string): RequestIdOf {
  return ({ headers }) => {
    const given = headers.get("x-request-id");
    return given !== null && validRequestId.test(given) ? given : newRequestId();
  };
}

/** Headers of a response. */
export type ResponseHeaders = Record<string, string>;

/** A request that is being handled. */
export interface Exchange {
  readonly route: string;
  readonly request: Request;
  /** Headers of the response. */
  readonly headers: ResponseHeaders;
  /** When it began, by `performance.now()`. */
  readonly beganMs: number;
  /** Whether a response in JSON has an entity tag, so that a client can ask whether it has changed. */
  readonly isTagged: boolean;
}

/** Builds responses: common headers, errors, the metrics and the log line of each request. */
export type Responder = ReturnType<typeof createResponder>;

export function createResponder({
  log,
  meter,
  requestIdOf,
  clientAddress,
  secret,
}: {
  log: Log;
  meter: { countRequest(route: string, method: string, status: number, seconds: number): void };
  requestIdOf: RequestIdOf;
  /** For the log. */
  clientAddress: (request: Request) => string | undefined;
  /** Secret text, without which no one can write content that has the entity tag of other content. */
  secret: string;
}) {
  const tagSeed = BigInt(Bun.hash(secret));
  function record({ route, request, headers, beganMs }: Exchange, status: number): void {
    meter.countRequest(route, request.method, status, (performance.now() - beganMs) / 1000);
    if (!log.isEnabled("http.request")) return;
    const { method } = request;
    const path = loggedPath(request.url);
    const client = clientAddress(request);
    log.event("http.request", {
      request: headers["x-request-id"] ?? "",
      method,
      path,
      statusCode: status,
      client,
    });
  }

  /** Sends an object or `JsonText` as JSON with status 200, a download as a file, and a response as it is. */
  function respond(exchange: Exchange, result: object): Response {
    const response = responseOf(exchange, result, tagSeed);
    record(exchange, response.status);
    return response;
  }

  /** Sends an error. */
  function reject(exchange: Exchange, error: unknown): Response {
    const { request, headers } = exchange;
    const id = headers["x-request-id"]!;
    const where = { id, method: request.method, path: loggedPath(request.url) };
    const { status, body, retryAfterSeconds } = describeError(error, where, log);
    if (retryAfterSeconds !== undefined) headers["retry-after"] = String(retryAfterSeconds);
    record(exchange, status);
    return Response.json(body, { status, headers });
  }

  return {
    begin: (route: string, request: Request, isTagged = false): Exchange => ({
      route,
      request,
      headers: {
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        "x-request-id": requestIdOf(request),
      },
      beganMs: performance.now(),
      isTagged,
    }),
    respond,
    /** Awaits the result. Never rejects. */
    async respondLater(exchange: Exchange, pending: Promise<object>): Promise<Response> {
      try {
        return respond(exchange, await pending);
      } catch (error) {
        return reject(exchange, error);
      }
    },
    reject,
  };
}

function responseOf(exchange: Exchange, result: object, tagSeed: bigint): Response {
  const { request, headers } = exchange;
  if (result instanceof JsonText) return respondWithJson(exchange, result.text, tagSeed);
  if (result instanceof Response) return result;
  if (!(result instanceof Download)) return respondWithJson(exchange, JSON.stringify(result), tagSeed);
  const { source } = result;
  Object.assign(headers, downloadHeaders(source));
  const isCompressed = acceptsGzip(request, headers);
  if (request.method === "HEAD") {
    source.close();
    return new Response(null, { headers: { ...headers, ...unknownLength } });
  }
  const stream = downloadStream(source, request.signal);
  return new Response(isCompressed ? stream.pipeThrough(gzip()) : stream, { headers });
}

function respondWithJson({ request, headers, isTagged }: Exchange, text: string, tagSeed: bigint): Response {
  if (isTagged) {
    const tag = Bun.hash.xxHash3(text, tagSeed).toString(16);
    // Weak: it is the same for the compressed text.
    headers["etag"] = `W/"${tag}"`;
    const known = request.headers.get("if-none-match");
    if (known !== null && namesTag(known, tag)) return notModified(text, headers);
  }
  headers["content-type"] = jsonContentType;
  return new Response(encoded(text, request, headers), { headers });
}

/** The types of the platform allow any source of bytes as input. */
const gzip = () =>
  new CompressionStream("gzip") as unknown as TransformStream<Uint8Array, Uint8Array<ArrayBuffer>>;

/** The type that `Response.json` sends. */
const jsonContentType = "application/json;charset=utf-8";

const tokenInPath = /^(\/screenshots\/[^/]*\/|.*\/lists\/).*/;

/** Omits the query, where people put keys by mistake, and the token that opens a screenshot or a list. */
function loggedPath(url: string): string {
  return pathOf(url).replace(tokenInPath, "$1…");
}
