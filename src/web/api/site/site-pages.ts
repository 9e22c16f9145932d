import { equalInConstantTime } from "../../../access/console/password.ts";
import { noSuchRoute } from "../../http/errors.ts";
import type { Page } from "../../http/pipeline.ts";
import type { ResponseHeaders } from "../../http/responder.ts";
import { notFound, PublicError } from "../../../platform/lib/errors.ts";
import { isId } from "../../../platform/lib/ids.ts";
import {
  chooseFormat,
  contentTypes,
  type ExpositionFormat,
} from "../../../operations/monitoring/metrics/exposition.ts";
import type { Threats } from "../../../threats/threats/threats.ts";
import type { Readiness } from "./health.ts";
import { placeholderImage } from "./placeholder-image.ts";

/** Returns the screenshot of a threat as WebP, or the reason why there is none. */
export type ReadScreenshot = (
  threatId: string,
) => Promise<{ webp: Uint8Array<ArrayBuffer> } | { why: string }>;

export interface SiteDependencies {
  threats: Pick<Threats, "get">;
  readScreenshot: ReadScreenshot;
  /** Returns all metrics as text. */
  renderMetrics: (format: ExpositionFormat) => Promise<string>;
  /** `metricsToken` null: /metrics is public. Read for each request, because it can change. */
  config: { readonly metricsToken: string | null };
  readiness: () => Readiness;
  /** Null: the web console is disabled. */
  consolePage: Page | null;
}

const screenshotPolicy = "default-src 'none'; sandbox";

/** Pages outside `/v1`: health, metrics, screenshots and the console. */
export function sitePages({
  threats,
  readScreenshot,
  renderMetrics,
  config,
  readiness,
  consolePage,
}: SiteDependencies) {
  return {
    health: () => ({ status: "ok" }),

    ready(_request, headers) {
      const { ready, checks, unknown } = readiness();
      const body = { status: ready ? "ready" : "not ready", checks, unknown };
      return Response.json(body, { status: ready ? 200 : 503, headers });
    },

    async metrics(request, headers, _params, bearer) {
      requireToken(bearer, config.metricsToken, headers);
      const format = chooseFormat(request.headers.get("accept"));
      headers["content-type"] = contentTypes[format];
      headers["vary"] = "Accept";
      return new Response(await renderMetrics(format), { headers });
    },

    async screenshot(_request, headers, { id, token }) {
      const threat = typeof id === "string" && isId("threat", id) ? threats.get(id) : undefined;
      if (
        threat === undefined ||
        typeof token !== "string" ||
        !equalInConstantTime(token, threat.screenshotToken)
      ) {
        throw notFound("There is no screenshot at this URL.");
      }
      const screenshot = await readScreenshot(threat.id);
      headers["content-security-policy"] = screenshotPolicy;
      headers["content-type"] = "webp" in screenshot ? "image/webp" : "image/svg+xml";
      const image = "webp" in screenshot ? screenshot.webp : placeholderImage(threat.domain, screenshot.why);
      return new Response(image, { headers });
    },

    root(_request, headers) {
      // Without a console, the API reference is the only page.
      headers["location"] = consolePage === null ? "/docs" : "/console";
      return new Response(null, { status: 302, headers });
    },

    consolePage(...call) {
      if (consolePage === null) throw noSuchRoute();
      return consolePage(...call);
    },
  } satisfies Record<string, Page>;
}

function requireToken(sent: string | undefined, token: string | null, headers: ResponseHeaders): void {
  if (token === null || (sent !== undefined && equalInConstantTime(sent, token))) return;
  headers["www-authenticate"] = "Bearer";
  throw new PublicError(
    "unauthorized",
    "Send server.metrics_token in the header Authorization: Bearer <token>.",
  );
}
