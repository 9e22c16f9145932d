import { tokenOf } from "../access/keys/bearer.ts";
import type { ApiKey } from "../access/keys/keys.ts";
import { requireScope } from "../access/keys/permissions.ts";
import type { Database } from "../database/database.ts";
import { PublicError } from "../lib/errors.ts";
import type { Scope } from "../vocabulary/keys.ts";
import type { Admission } from "./admission.ts";
import type { BodyBudget } from "./body/body-budget.ts";
import { noSuchRoute } from "./errors.ts";
import { Later, type IncomingCall, type Operation, type PathParameters } from "./operation.ts";
import type { Responder, ResponseHeaders } from "./responder.ts";

/** Context that Elysia passes to a handler. */
export interface RouteContext {
  request: Request;
  params: PathParameters;
  /** The bearer token, on routes behind `bearerToken`. */
  bearer?: string | undefined;
}

export type Handler = (context: RouteContext) => Response | Promise<Response>;

/** A path that needs no API key. May set headers. Returns a response, or an object to send as JSON. */
export type Page = (
  request: Request,
  headers: ResponseHeaders,
  params: PathParameters,
  bearer: string | undefined,
) => Response | object | Promise<Response>;

/**
 * Turns operations and pages into handlers. The order of errors is fixed: key, rate limit, scope, query, body.
 *
 * Handlers build their responses themselves instead of using Elysia's hooks: `derive`, `onBeforeHandle`,
 * `onError` and its way to collect headers cost 3 µs per request, a seventh of the time to read a threat.
 */
export interface Pipeline {
  /** An operation behind an API key. */
  operation<Services>(operation: Operation<Services, ApiKey> & { scope: Scope }, services: Services): Handler;
  /** Every path and method under an area that needs an API key, but has no operation. */
  unknownOperation(): Handler;
  page(route: string, page: Page): Handler;
  /**
   * Authenticates and counts a request of the API that something else responds to. Returns the headers that its
   * response has, whatever its status is.
   */
  charge(request: Request): ResponseHeaders;
  /** The response to a request that Elysia could not route to a handler. */
  reject(error: unknown, request: Request): Response;
}

export function createPipeline({
  admit,
  bodies,
  responder,
  snapshot,
}: {
  admit: Admission;
  bodies: BodyBudget;
  responder: Responder;
  snapshot: Database["snapshot"];
}): Pipeline {
  const { begin, respond, respondLater, reject } = responder;

  function authenticate(request: Request, headers: ResponseHeaders): ApiKey {
    const key = admit(tokenOf(request.headers.get("authorization")), headers);
    // Elysia would route HEAD to GET.
    if (request.method === "HEAD") throw noSuchRoute();
    return key;
  }

  // Elysia inspects the source code of a handler: if it sees a call after `return` or an arrow, it awaits the
  // result, even if that is no promise. Hence function expressions that assign their response first.

  function guarded(route: string, run: (call: IncomingCall<ApiKey>) => object | Promise<object>): Handler {
    return function handleGuarded({ request, params }) {
      const exchange = begin(route, request);
      let response: Response | Promise<Response>;
      try {
        const result = run({ caller: authenticate(request, exchange.headers), request, params, bodies });
        if (result instanceof Promise) response = respondLater(exchange, result);
        else response = respond(exchange, result);
      } catch (error) {
        response = reject(exchange, error);
      }
      return response;
    };
  }

  /** Reads the result from one state of the database, which also saves a lock per query. The key is checked just before. */
  function reading(route: string, run: (call: IncomingCall<ApiKey>) => object): Handler {
    function read(request: Request, params: PathParameters, headers: ResponseHeaders): object {
      return snapshot(() => run({ caller: authenticate(request, headers), request, params, bodies }));
    }
    return function handleReading({ request, params }) {
      const exchange = begin(route, request);
      let response: Response | Promise<Response>;
      try {
        const result = read(request, params, exchange.headers);
        if (result instanceof Later) response = respondLater(exchange, result.run());
        else response = respond(exchange, result);
      } catch (error) {
        response = reject(exchange, error);
      }
      return response;
    };
  }

  return {
    operation({ method, path, scope, execute }, services) {
      const route = routeOf(path);
      const run = (call: IncomingCall<ApiKey>) => {
        requireScope(call.caller, scope);
        return execute(services, call);
      };
      return method === "GET" ? reading(route, (call) => requireSync(run(call))) : guarded(route, run);
    },

    unknownOperation: () =>
      guarded("none", () => {
        throw noSuchRoute();
      }),

    page: (route, page) =>
      function handlePage({ request, params, bearer }) {
        const exchange = begin(route, request);
        let response: Response | Promise<Response>;
        try {
          const result = page(request, exchange.headers, params, bearer);
          if (result instanceof Promise) response = respondLater(exchange, result);
          else response = respond(exchange, result);
        } catch (error) {
          response = reject(exchange, error);
        }
        return response;
      },

    charge(request) {
      const { headers } = begin("none", request);
      try {
        authenticate(request, headers);
      } catch (error) {
        // Without a valid key there are no limits to state.
        if (!(error instanceof PublicError)) throw error;
      }
      return headers;
    },

    reject: (error, request) => reject(begin("none", request), error),
  };
}

/** Turns `/v1/threats/{id}` into Elysia's form, `/v1/threats/:id`. */
export function routeOf(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ":$1");
}

/** A snapshot ends when its function returns, so what runs in it must not wait for anything: see `Later`. */
function requireSync(result: object | Promise<object>): object {
  if (result instanceof Promise) throw new TypeError("a GET operation must not return a promise");
  return result;
}
