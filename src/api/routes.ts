import { Elysia } from "elysia";
import { bearerToken } from "../access/keys/bearer.ts";
import type { Answering, Handler } from "../http/pipeline.ts";
import type { createCandidateOperations } from "./v1/candidate-operations.ts";
import { docsPages } from "./site/docs-pages.ts";
import { noSuchRoute } from "../http/errors.ts";
import { sitePages, type SiteDependencies } from "./site/site-pages.ts";
import type { createThreatOperations } from "./v1/threat-operations.ts";

export interface RouteDependencies {
  answering: Answering;
  threats: ReturnType<typeof createThreatOperations>;
  candidates: ReturnType<typeof createCandidateOperations>;
  site: SiteDependencies;
  /** Beacons and honeytokens: answers whatever is asked for below /b and /t. */
  trap: Handler;
  /** The OpenAPI document as it is now. */
  document: () => Promise<object>;
}

// Bodies are read by those who answer, after they checked who asks.
const unread = { parse: "none" } as const;

/** Every path the server knows. */
export function createRoutes({ answering, threats, candidates, site, trap, document }: RouteDependencies) {
  const { guarded, reading, open, refuse } = answering;
  const { health, ready, metrics, picture, root, consolePage } = sitePages(site);
  const { openapi, docs, asset } = docsPages({ document });
  const nothing = guarded("none", () => {
    throw noSuchRoute();
  });
  return (
    new Elysia({ normalize: false, strictPath: true })
      .onError(({ error, request }) => refuse(error, request))
      .get("/", open("/", root))
      .all("/console", open("/console", consolePage), unread)
      .all("/console/*", open("/console", consolePage), unread)
      .get("/healthz", open("/healthz", health))
      .get("/readyz", open("/readyz", ready))
      .get("/screenshots/:id/:token", open("/screenshots/:id/:token", picture))
      .get("/openapi.json", open("/openapi.json", openapi))
      .get("/docs", open("/docs", docs))
      .get("/docs/:asset", open("/docs/:asset", asset))
      // `/v1`: the key is checked first, whatever path and method are asked for.
      .get("/v1/threats", reading("/v1/threats", threats.list))
      .post("/v1/threats/batch", guarded("/v1/threats/batch", threats.batch), unread)
      .get("/v1/threats/:id", reading("/v1/threats/:id", threats.get))
      .patch("/v1/threats/:id", guarded("/v1/threats/:id", threats.update), unread)
      .post("/v1/candidates", guarded("/v1/candidates", candidates.submit), unread)
      .all("/b", trap, unread)
      .all("/b/*", trap, unread)
      .all("/t", trap, unread)
      .all("/t/*", trap, unread)
      .all("/v1", nothing, unread)
      .all("/v1/*", nothing, unread)
      .use(bearerToken())
      .get("/metrics", open("/metrics", metrics))
  );
}
