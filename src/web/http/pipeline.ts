import { tokenOf } from "../../access/keys/bearer.ts";
import type { ApiKey } from "../../access/keys/keys.ts";
import { requireScope } from "../../access/keys/permissions.ts";
import type { Database } from "../../platform/database/database.ts";
import { PublicError } from "../../platform/lib/errors.ts";
import type { Scope } from "../../platform/vocabulary/keys.ts";
import type { Admission } from "./admission.ts";
import type { BodyBudget } from "./body/body-budget.ts";
import { noSuchRoute } from "./errors.ts";
import { Later, type IncomingCall, type Operation, type PathParameters } from "./operation.ts";
import type { Responder, ResponseHeaders } from "./responder.ts";
import type { Turns } from "./turns.ts";

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
  /** Resolves when it is the turn of those who send requests without a key. */
  pause(): Promise<void>;
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
  turns,
}: {
  admit: Admission;
  bodies: BodyBudget;
  responder: Responder;
  turns: Turns;
  snapshot: Database["snapshot"];
}): Pipeline {
  const { begin, respond, respondLater, reject } = responder;

  const authenticate = ({ headers }: Request, responseHeaders: ResponseHeaders): ApiKey =>
    admit(tokenOf(headers.get("authorization")), responseHeaders);

  // Elysia inspects the source code of a handler, which the compiler may have simplified: if it sees a call after `return`
  // or an arrow, it awaits the result, even if that is no promise. It also collects whatever properties of the context a
  // handler could use, unless it names them. Hence a function expression that assigns its response in `try`.

  /** Responds with the result of `run`, which may set headers. */
  function handling(
    route: string,
    run: (...page: Parameters<Page>) => object | Promise<object>,
    isTagged = false,
  ): Handler {
    return function handle({ request, params, bearer }) {
      const exchange = begin(route, request, isTagged);
      let response: Response | Promise<Response>;
      try {
        const result = run(request, exchange.headers, params, bearer);
        if (result instanceof Promise) response = respondLater(exchange, result);
        else if (result instanceof Later) response = respondLater(exchange, result.run());
        else response = respond(exchange, result);
      } catch (error) {
        response = reject(exchange, error);
      }
      return response;
    };
  }

  const guarded = (route: string, run: (call: IncomingCall<ApiKey>) => object | Promise<object>) =>
    handling(route, (request, headers, params) =>
      run({ caller: authenticate(request, headers), request, params, bodies }),
    );

  /** Reads the result from one state of the database, which also saves a lock per query. The key is checked just before. */
  const reading = (route: string, run: (call: IncomingCall<ApiKey>) => object) =>
    handling(
      route,
      (request, headers, params) =>
        snapshot(() => run({ caller: authenticate(request, headers), request, params, bodies })),
      true,
    );

  return {
    operation({ method, path, scope, execute }, services) {
      const route = routeOf(path);
      const run = (call: IncomingCall<ApiKey>) => {
        requireScope(call.caller, scope);
        return execute(services, call);
      };
      return method === "GET"
        ? reading(route, (call) => inTurn(turns, call, requireSync(run(call))))
        : guarded(route, run);
    },

    unknownOperation: () =>
      guarded("none", () => {
        throw noSuchRoute();
      }),

    page: (route, page) => handling(route, page),

    pause: () => turns.pause("anonymous"),

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

/** Makes a result that takes long wait for the turn of its key. */
function inTurn(turns: Turns, { caller, request }: IncomingCall<ApiKey>, result: object): object {
  if (!(result instanceof Later)) return result;
  return new Later(() => turns.run({ owner: ownerOf(caller) }, request.signal, result.run));
}

/** Returns the name under which a key shares what is limited. */
export function ownerOf({ seq }: Pick<ApiKey, "seq">): string {
  return `key ${seq}`;
}

/** A snapshot ends when its function returns, so what runs in it must not wait for anything: see `Later`. */
function requireSync(result: object | Promise<object>): object {
  if (result instanceof Promise) throw new TypeError("a GET operation must not return a promise");
  return result;
}
