import { equalInConstantTime } from "../../access/console/password.ts";
import { notFound, PublicError } from "../../lib/errors.ts";
import { isId } from "../../lib/ids.ts";
import type { Threats } from "../../threats/threats.ts";
import type { AnswerHeaders, Page } from "../../http/pipeline.ts";
import { noSuchRoute } from "../../http/errors.ts";
import type { Readiness } from "./health.ts";
import type { Metrics } from "./metrics.ts";
import { placeholderPicture } from "./placeholder-image.ts";

/** The captured page of a threat as WebP, or in words why there is none. */
export type ReadCapture = (threatId: string) => Promise<{ webp: Uint8Array<ArrayBuffer> } | { why: string }>;

export interface SiteDependencies {
  threats: Pick<Threats, "get">;
  readCapture: ReadCapture;
  metrics: Metrics;
  /** Null: anybody may read /metrics. */
  metricsToken: string | null;
  readiness: () => Readiness;
  /** Null: the web console is switched off. */
  answerConsole: Page | null;
}

const picturePolicy = "default-src 'none'; sandbox";

/** What stands beside `/v1`: health, metrics, pictures and the way to the console. */
export function sitePages({
  threats,
  readCapture,
  metrics,
  metricsToken,
  readiness,
  answerConsole,
}: SiteDependencies) {
  return {
    health: () => ({ status: "ok" }),

    ready(_request, headers) {
      const { ready, checks } = readiness();
      const body = { status: ready ? "ready" : "not ready", checks };
      return Response.json(body, { status: ready ? 200 : 503, headers });
    },

    metrics(_request, headers, _params, bearer) {
      requireToken(bearer, metricsToken, headers);
      headers["content-type"] = "text/plain; version=0.0.4; charset=utf-8";
      return new Response(metrics.render(), { headers });
    },

    async picture(_request, headers, { id, token }) {
      const threat = typeof id === "string" && isId("threat", id) ? threats.get(id) : undefined;
      if (
        threat === undefined ||
        typeof token !== "string" ||
        !equalInConstantTime(token, threat.screenshotToken)
      ) {
        throw notFound("There is no picture at this address.");
      }
      const capture = await readCapture(threat.id);
      headers["content-security-policy"] = picturePolicy;
      headers["content-type"] = "webp" in capture ? "image/webp" : "image/svg+xml";
      const picture = "webp" in capture ? capture.webp : placeholderPicture(threat.domain, capture.why);
      return new Response(picture, { headers });
    },

    root(_request, headers) {
      // Where there is no console, the reference is what there is to see.
      headers["location"] = answerConsole === null ? "/docs" : "/console";
      return new Response(null, { status: 302, headers });
    },

    consolePage(...given) {
      if (answerConsole === null) throw noSuchRoute();
      return answerConsole(...given);
    },
  } satisfies Record<string, Page>;
}

function requireToken(sent: string | undefined, token: string | null, headers: AnswerHeaders): void {
  if (token === null || (sent !== undefined && equalInConstantTime(sent, token))) return;
  headers["www-authenticate"] = "Bearer";
  throw new PublicError(
    "unauthorized",
    "Send server.metrics_token in the header Authorization: Bearer <token>.",
  );
}
