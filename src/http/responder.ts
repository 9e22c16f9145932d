import type { Log } from "../lib/log.ts";
import { pathOf } from "../lib/request-path.ts";
import { Download, downloadHeaders, downloadStream } from "./download.ts";
import { describeError } from "./errors.ts";
import { JsonText } from "./operation.ts";
import type { RequestIdOf } from "./request-id.ts";

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
}

/** Builds responses: common headers, errors, the metrics and the log line of each request. */
export interface Responder {
  begin(route: string, request: Request): Exchange;
  /** Sends an object or `JsonText` as JSON with status 200, a download as a file, and a response as it is. */
  respond(exchange: Exchange, result: object): Response;
  /** Awaits the result. Never rejects. */
  respondLater(exchange: Exchange, pending: Promise<object>): Promise<Response>;
  /** Sends an error. */
  reject(exchange: Exchange, error: unknown): Response;
}

export function createResponder({
  log,
  meter,
  requestIdOf,
  clientAddress,
}: {
  log: Log;
  meter: { countRequest(route: string, method: string, status: number, seconds: number): void };
  requestIdOf: RequestIdOf;
  /** For the log. */
  clientAddress: (request: Request) => string | undefined;
}): Responder {
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

  function respond(exchange: Exchange, result: object): Response {
    const response = responseOf(exchange.request, result, exchange.headers);
    record(exchange, response.status);
    return response;
  }

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
    begin: (route, request) => ({
      route,
      request,
      headers: {
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        "x-request-id": requestIdOf(request),
      },
      beganMs: performance.now(),
    }),
    respond,
    async respondLater(exchange, pending) {
      try {
        return respond(exchange, await pending);
      } catch (error) {
        return reject(exchange, error);
      }
    },
    reject,
  };
}

function responseOf(request: Request, result: object, headers: ResponseHeaders): Response {
  if (result instanceof JsonText) {
    headers["content-type"] = jsonContentType;
    return new Response(result.text, { headers });
  }
  if (result instanceof Response) return result;
  if (!(result instanceof Download)) return Response.json(result, { headers });
  const { source } = result;
  // The response to HEAD has no body that would be read to its end.
  if (request.method === "HEAD") source.close();
  return new Response(downloadStream(source, request.signal), {
    headers: { ...headers, ...downloadHeaders(source) },
  });
}

/** The one that `Response.json` sends. */
const jsonContentType = "application/json;charset=utf-8";

const tokenInPath = /^(\/screenshots\/[^/]*\/|.*\/lists\/).*/;

/** Omits the query, where people put keys by mistake, and the token that opens a screenshot or a list. */
function loggedPath(url: string): string {
  return pathOf(url).replace(tokenInPath, "$1…");
}
