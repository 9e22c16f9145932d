import { Elysia } from "elysia";
import { sameText } from "../access/console-password.ts";
import { canonicalAuthorization } from "../access/bearer.ts";
import { PublicError } from "../lib/errors.ts";
import { isId } from "../lib/ids.ts";
import type { Threats } from "../threats/threats.ts";
import { noSuchRoute } from "./errors.ts";
import type { Readiness } from "./health.ts";
import { plainPage, plainPagePolicy } from "./markup.ts";
import type { Metrics } from "./metrics.ts";
import { placeholderPicture } from "./placeholder-picture.ts";

export interface SiteDependencies {
  threats: Pick<Threats, "get">;
  metrics: Metrics;
  /** Null: anybody may read /metrics. */
  metricsToken: string | null;
  readiness: () => Readiness;
  consoleEnabled: boolean;
}

const picturePolicy = "default-src 'none'; sandbox";

/** What stands beside `/v1`: health, metrics, pictures and the way to the console. */
export function siteRoutes({ threats, metrics, metricsToken, readiness, consoleEnabled }: SiteDependencies) {
  return new Elysia({ normalize: false, strictPath: true })
    .get("/healthz", () => ({ status: "ok" }))
    .get("/readyz", ({ set }) => {
      const { ready, checks } = readiness();
      if (!ready) set.status = 503;
      return { status: ready ? "ready" : "not ready", checks };
    })
    .get("/metrics", ({ request, set }) => {
      requireToken(request, metricsToken, set.headers);
      set.headers["content-type"] = "text/plain; version=0.0.4; charset=utf-8";
      return metrics.render();
    })
    .get("/screenshots/:id/:token", ({ params, set }) => {
      const { id, token } = params as { id: string | null; token: string | null };
      const threat = id !== null && isId("threat", id) ? threats.get(id) : undefined;
      if (threat === undefined || token === null || !sameText(token, threat.screenshotToken)) {
        throw new PublicError("not_found", "There is no picture at this address.");
      }
      set.headers["content-type"] = "image/svg+xml";
      set.headers["content-security-policy"] = picturePolicy;
      return placeholderPicture(threat.domain, "This version does not capture pages.");
    })
    .get("/", ({ set }) => {
      set.status = 302;
      set.headers["location"] = "/console";
      return "";
    })
    .get("/console", ({ set }) => {
      if (!consoleEnabled) throw noSuchRoute();
      set.headers["content-type"] = "text/html; charset=utf-8";
      set.headers["content-security-policy"] = plainPagePolicy();
      return consolePage;
    });
}

const consolePage = plainPage(
  "phishwatch",
  `<p>The web console is not part of this version. Everything can be done with the <a href="/docs">HTTP API</a> and the command line (<code>phishwatch --help</code>).</p>
<p><a href="/docs">API reference</a> · <a href="/healthz">Health</a></p>`,
);

function requireToken(request: Request, token: string | null, headers: Record<string, unknown>): void {
  if (token === null) return;
  const sent = canonicalAuthorization(request.headers.get("authorization") ?? undefined);
  if (sent !== undefined && sameText(sent, `Bearer ${token}`)) return;
  headers["www-authenticate"] = "Bearer";
  throw new PublicError(
    "unauthorized",
    "Send server.metrics_token in the header Authorization: Bearer <token>.",
  );
}
