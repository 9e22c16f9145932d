import { Elysia } from "elysia";
import { bearerToken } from "../access/bearer.ts";
import type { Log } from "../lib/log.ts";
import type { Admission } from "./admission.ts";
import type { createCandidateOperations } from "./candidate-operations.ts";
import { docsRoutes } from "./docs-routes.ts";
import { describeError, noSuchRoute } from "./errors.ts";
import { siteRoutes, type SiteDependencies } from "./site-routes.ts";
import type { createThreatOperations } from "./threat-operations.ts";

export interface RouteDependencies {
  log: Log;
  newRequestId: () => string;
  admit: Admission;
  threats: ReturnType<typeof createThreatOperations>;
  candidates: ReturnType<typeof createCandidateOperations>;
  site: SiteDependencies;
  /** The OpenAPI document as it is now. */
  document: () => object;
}

const givenRequestId = /^[A-Za-z0-9._-]{1,128}$/;

/** Every path the server knows. */
export function createRoutes(dependencies: RouteDependencies) {
  const { log, newRequestId, site, document } = dependencies;
  const { metrics } = site;
  return new Elysia({ normalize: false, strictPath: true })
    .headers({ "cache-control": "no-store", "x-content-type-options": "nosniff" })
    .onRequest(({ request, set }) => {
      const given = request.headers.get("x-request-id");
      set.headers["x-request-id"] = given !== null && givenRequestId.test(given) ? given : newRequestId();
    })
    .onError(({ error, request, path, set }) => {
      const id = String(set.headers["x-request-id"]);
      const { status, body } = describeError(error, { id, method: request.method, path }, log);
      set.status = status;
      return body;
    })
    .mapResponse(({ request, route, responseValue, set }) => {
      metrics.countRequest(route ?? "none", request.method, set.status as number);
      // Given back as it is: for a path that no route has, the router takes what this answers.
      return responseValue as Response;
    })
    .use(versionOne(dependencies))
    .use(siteRoutes(site))
    .use(docsRoutes({ document }));
}

/** `/v1`: the key is checked first, whatever path and method are asked for. */
function versionOne({ admit, threats, candidates }: RouteDependencies) {
  return (
    new Elysia({ prefix: "/v1", normalize: false, strictPath: true })
      .use(bearerToken())
      .derive(({ bearer, set, request }) => {
        const key = admit(bearer, set.headers as Record<string, string | number>);
        // The router would answer HEAD like GET.
        if (request.method === "HEAD") throw noSuchRoute();
        return { key };
      })
      // Bodies are read by the operations, after the key was checked.
      .get("/threats", ({ key, request }) => threats.list(key, request.url))
      .post("/threats/batch", ({ key, request }) => threats.batch(key, request), { parse: "none" })
      .get("/threats/:id", ({ key, params, request }) => threats.get(key, idOf(params), request.url))
      .patch("/threats/:id", ({ key, params, request }) => threats.update(key, idOf(params), request), {
        parse: "none",
      })
      .post("/candidates", ({ key, request }) => candidates.submit(key, request), { parse: "none" })
      .all("", () => Promise.reject(noSuchRoute()), { parse: "none" })
      .all("/*", () => Promise.reject(noSuchRoute()), { parse: "none" })
  );
}

/** The router gives null, against its type, for what is not percent-encoded UTF-8. */
function idOf(params: { id: string | null }): string {
  return params.id ?? "";
}
