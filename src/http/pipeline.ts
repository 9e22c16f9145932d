import { tokenOf } from "../access/keys/bearer.ts";
import type { ApiKey } from "../access/keys/keys.ts";
import type { Database } from "../database/database.ts";
import type { Log } from "../lib/log.ts";
import { pathOf } from "../lib/request-path.ts";
import type { Admission } from "./admission.ts";
import { describeError, noSuchRoute } from "./errors.ts";

/** Headers of an answer. */
export type AnswerHeaders = Record<string, string>;

/** What the router gives a handler. Parameters are null, against its types, where their encoding is wrong. */
export interface RouteContext {
  request: Request;
  params: Record<string, string | null>;
  /** The bearer token, on routes behind `bearerToken`. */
  bearer?: string | undefined;
}

export type Handler = (context: RouteContext) => Response | Promise<Response>;

/** What a path under `/v1` does for an admitted key; answers the body. */
export type Operation = (
  key: ApiKey,
  request: Request,
  params: RouteContext["params"],
) => object | Promise<object>;

/** What any other path does; may set headers. Answers the whole answer, or a body to be sent as JSON. */
export type Page = (
  request: Request,
  headers: AnswerHeaders,
  params: RouteContext["params"],
  bearer: string | undefined,
) => Response | object | Promise<Response>;

/** Makes handlers for the router, and sees to what all answers have in common. */
export interface Answering {
  /** Checks the key before anything else. */
  guarded(route: string, operation: Operation): Handler;
  /** The same for an operation that only reads: key and answer come from one state of the database. */
  reading(route: string, operation: (...args: Parameters<Operation>) => object): Handler;
  open(route: string, page: Page): Handler;
  /** For what the router could not bring to a handler. */
  refuse(error: unknown, request: Request): Response;
}

const givenRequestId = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * Handlers build their answers themselves, and nothing is left to the router's hooks: its way of gathering
 * headers, derived values and errors costs 3 µs a request, a seventh of what reading a threat takes in all.
 */
export function createAnswering({
  admit,
  log,
  metrics,
  newRequestId,
  clientAddress,
  snapshot,
}: {
  admit: Admission;
  log: Log;
  metrics: { countRequest(route: string, method: string, status: number): void };
  newRequestId: () => string;
  /** For the log. */
  clientAddress: (request: Request) => string | undefined;
  snapshot: Database["snapshot"];
}): Answering {
  const logsRequests = log.isLevelEnabled("debug");

  function newHeaders(request: Request): AnswerHeaders {
    const given = request.headers.get("x-request-id");
    return {
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-request-id": given !== null && givenRequestId.test(given) ? given : newRequestId(),
    };
  }

  function note(route: string, request: Request, status: number, headers: AnswerHeaders): void {
    metrics.countRequest(route, request.method, status);
    if (!logsRequests) return;
    const { method } = request;
    const path = loggedPath(request.url);
    const client = clientAddress(request);
    log.debug({ request: headers["x-request-id"], method, path, status, client }, "request");
  }

  function enter(request: Request, headers: AnswerHeaders): ApiKey {
    const key = admit(tokenOf(request.headers.get("authorization")), headers);
    // The router would answer HEAD like GET.
    if (request.method === "HEAD") throw noSuchRoute();
    return key;
  }

  function readOnce(
    operation: (...args: Parameters<Operation>) => object,
    request: Request,
    params: RouteContext["params"],
    headers: AnswerHeaders,
  ): object {
    return snapshot(() => operation(enter(request, headers), request, params));
  }

  function respond(route: string, request: Request, body: object, headers: AnswerHeaders): Response {
    note(route, request, 200, headers);
    return Response.json(body, { headers });
  }

  function refuse(route: string, error: unknown, request: Request, headers: AnswerHeaders): Response {
    const id = headers["x-request-id"]!;
    const where = { id, method: request.method, path: loggedPath(request.url) };
    const { status, body } = describeError(error, where, log);
    note(route, request, status, headers);
    return Response.json(body, { status, headers });
  }

  async function settle(
    route: string,
    pending: Promise<object>,
    request: Request,
    headers: AnswerHeaders,
  ): Promise<Response> {
    try {
      return finish(route, await pending, request, headers);
    } catch (error) {
      return refuse(route, error, request, headers);
    }
  }

  function finish(route: string, answer: object, request: Request, headers: AnswerHeaders): Response {
    if (!(answer instanceof Response)) return respond(route, request, answer, headers);
    note(route, request, answer.status, headers);
    return answer;
  }

  // The router reads the source of a handler: a call after a `return` or an arrow makes it wait for a promise,
  // even if none comes. Hence functions that assign what they answer.
  return {
    guarded: (route, operation) =>
      function guarded({ request, params }) {
        const headers = newHeaders(request);
        let answer: Response | Promise<Response>;
        try {
          const body = operation(enter(request, headers), request, params);
          if (body instanceof Promise) answer = settle(route, body, request, headers);
          else answer = respond(route, request, body, headers);
        } catch (error) {
          answer = refuse(route, error, request, headers);
        }
        return answer;
      },

    reading: (route, operation) =>
      function reading({ request, params }) {
        const headers = newHeaders(request);
        let answer: Response;
        try {
          const body = readOnce(operation, request, params, headers);
          answer = respond(route, request, body, headers);
        } catch (error) {
          answer = refuse(route, error, request, headers);
        }
        return answer;
      },

    open: (route, page) =>
      function open({ request, params, bearer }) {
        const headers = newHeaders(request);
        let answer: Response | Promise<Response>;
        try {
          const body = page(request, headers, params, bearer);
          if (body instanceof Promise) answer = settle(route, body, request, headers);
          else answer = finish(route, body, request, headers);
        } catch (error) {
          answer = refuse(route, error, request, headers);
        }
        return answer;
      },

    refuse: (error, request) => refuse("none", error, request, newHeaders(request)),
  };
}

const pictureToken = /^(\/screenshots\/[^/]*\/).*/;

/** Without the query, where people put keys by mistake, and without the token that opens a picture. */
function loggedPath(url: string): string {
  return pathOf(url).replace(pictureToken, "$1…");
}
