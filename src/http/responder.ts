import type { Log } from "../lib/log.ts";
import { pathOf } from "../lib/request-path.ts";
import { Download, downloadHeaders, downloadStream } from "./download.ts";
import { describeError } from "./errors.ts";
import type { RequestIdOf } from "./request-id.ts";

/** Headers of a response. */
export type ResponseHeaders = Record<string, string>;

/** Builds responses: common headers, errors, the metric and the log line of each request. */
export interface Responder {
  newHeaders(request: Request): ResponseHeaders;
  /** Sends an object as JSON with status 200, a download as a file, and a response as it is. */
  respond(route: string, request: Request, result: object, headers: ResponseHeaders): Response;
  /** Awaits the result. Never rejects. */
  respondLater(
    route: string,
    request: Request,
    pending: Promise<object>,
    headers: ResponseHeaders,
  ): Promise<Response>;
  /** Sends an error. */
  reject(route: string, request: Request, error: unknown, headers: ResponseHeaders): Response;
}

export function createResponder({
  log,
  metrics,
  requestIdOf,
  clientAddress,
}: {
  log: Log;
  metrics: { countRequest(route: string, method: string, status: number): void };
  requestIdOf: RequestIdOf;
  /** For the log. */
  clientAddress: (request: Request) => string | undefined;
}): Responder {
  function record(route: string, request: Request, status: number, headers: ResponseHeaders): void {
    metrics.countRequest(route, request.method, status);
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

  function respond(route: string, request: Request, result: object, headers: ResponseHeaders): Response {
    const response = responseOf(request, result, headers);
    record(route, request, response.status, headers);
    return response;
  }

  function reject(route: string, request: Request, error: unknown, headers: ResponseHeaders): Response {
    const id = headers["x-request-id"]!;
    const where = { id, method: request.method, path: loggedPath(request.url) };
    const { status, body, retryAfterSeconds } = describeError(error, where, log);
    if (retryAfterSeconds !== undefined) headers["retry-after"] = String(retryAfterSeconds);
    record(route, request, status, headers);
    return Response.json(body, { status, headers });
  }

  return {
    newHeaders: (request) => ({
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-request-id": requestIdOf(request),
    }),
    respond,
    async respondLater(route, request, pending, headers) {
      try {
        return respond(route, request, await pending, headers);
      } catch (error) {
        return reject(route, request, error, headers);
      }
    },
    reject,
  };
}

function responseOf(request: Request, result: object, headers: ResponseHeaders): Response {
  if (result instanceof Response) return result;
  if (!(result instanceof Download)) return Response.json(result, { headers });
  const { source } = result;
  return new Response(downloadStream(source, request.signal), {
    headers: { ...headers, ...downloadHeaders(source) },
  });
}

const tokenInPath = /^(\/screenshots\/[^/]*\/|.*\/lists\/).*/;

/** Omits the query, where people put keys by mistake, and the token that opens a screenshot or a list. */
function loggedPath(url: string): string {
  return pathOf(url).replace(tokenInPath, "$1…");
}
