import { noSuchRoute } from "../http/errors.ts";
import type { Area } from "../http/guard.ts";
import type { RequestIdOf } from "../http/request-id.ts";
import type { PublicError } from "../../platform/lib/errors.ts";
import { pathOf } from "../../platform/lib/request-path.ts";
import { badRequestResponse, notFoundResponse } from "../../response/traps/responses.ts";

type Respond = (request: Request) => Response | Promise<Response>;

/** Areas that serve the same under any host name. `/v1` needs a key, and liveness reveals nothing. */
const openToAnyHost: readonly string[] = ["/v1", "/healthz"];

/**
 * Returns the areas of the server, one for each first segment of its routes. A new area responds only under known
 * hosts, because its paths may need no key.
 */
export function serverAreas({
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
export function trapAreasOf({
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
export const nothingElse = (requestIdOf: RequestIdOf): Area => ({
  path: "",
  hosts: "any",
  handle: (request) => withId(notFoundResponse(), requestIdOf(request)),
  reject: (request) => withId(badRequestResponse(), requestIdOf(request)),
});

function withId(response: Response, id: string): Response {
  response.headers.set("x-request-id", id);
  return response;
}
