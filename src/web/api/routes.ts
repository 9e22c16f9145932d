import { Elysia } from "elysia";
import { bearerToken } from "../../access/keys/bearer.ts";
import { routeOf, type Handler, type Page, type Pipeline } from "../http/pipeline.ts";
import { pathStart } from "../../platform/lib/request-path.ts";
import { docsPages } from "./site/docs-pages.ts";
import { sitePages, type SiteDependencies } from "./site/site-pages.ts";
import type { ApiOperation, ApiServices } from "./v1/services.ts";

export interface RouteDependencies {
  pipeline: Pipeline;
  operations: readonly ApiOperation[];
  services: ApiServices;
  site: SiteDependencies;
  lists: Page;
  /** Each handles every request at its path and below. */
  traps: readonly { path: string; handler: Handler }[];
  /** Returns the current OpenAPI document. */
  document: () => Promise<object>;
  version: string;
}

interface Route {
  /** `ALL`: every method. */
  method: string;
  path: string;
  handler: Handler;
}

export interface Routes {
  readonly routes: readonly { method: string; path: string }[];
  fetch(request: Request): Response | Promise<Response>;
}

const metricsPath = "/metrics";

/** Every path of the server. */
export function createRoutes({
  pipeline,
  operations,
  services,
  site,
  lists,
  traps,
  document,
  version,
}: RouteDependencies): Routes {
  const { page, pause } = pipeline;
  const { consolePage, metrics, pages } = sitePages(site);
  const all = (path: string, handler: Handler): Route => ({ method: "ALL", path, handler });
  const routes: Route[] = [
    ...Object.entries<Page>({ ...pages, ...docsPages({ document, version, pause }) }).map(
      ([path, own]): Route => ({ method: "GET", path, handler: page(path, own) }),
    ),
    all("/console", page("/console", consolePage)),
    all("/console/*", page("/console", consolePage)),
    all("/lists", page("/lists", lists)),
    all("/lists/*", page("/lists/*", lists)),
    ...traps.flatMap(({ path, handler }) => [all(path, handler), all(`${path}/*`, handler)]),
    ...operations.map((operation) => ({
      method: operation.method,
      path: routeOf(operation.path),
      handler: pipeline.operation(operation, services),
    })),
    // Under `/v1` the key is checked first, for every path and method.
    all("/v1", pipeline.unknownOperation()),
    all("/v1/*", pipeline.unknownOperation()),
  ];
  const app = createApp(pipeline);
  // Handlers read the body themselves, after they have checked the key. A `parse` option makes Elysia await the
  // handler, so routes without a body do without it.
  for (const { method, path, handler } of routes)
    app.route(method, path, handler, method === "GET" ? {} : { parse: "none" });
  // An application of its own: with the plugin, Elysia copies the headers and parses the query of each request to an
  // application, which takes 2 µs.
  const behindToken = createApp(pipeline).use(bearerToken()).get(metricsPath, page(metricsPath, metrics));
  return {
    routes: [...app.routes, ...behindToken.routes],
    fetch(request) {
      const { url } = request;
      const responsible = url.startsWith(metricsPath, pathStart(url)) ? behindToken : app;
      return responsible.fetch(request);
    },
  };
}

function createApp(pipeline: Pipeline) {
  return new Elysia({ normalize: false, strictPath: true }).onError(({ error, request }) =>
    pipeline.reject(error, request),
  );
}
