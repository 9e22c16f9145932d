import { displayName } from "../../../engines/detection/names/name.ts";
import { escapeMarkup } from "../../../platform/lib/safe-text.ts";
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

const width = 1280;
const height = 800;
// A Latin letter takes one column, a Chinese character two.
const columnsMax = 42;
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\u{1f300}-\u{3fffd}]/u;

/**
 * Returns the image behind `screenshot_url` while there is no screenshot: an SVG of shapes and text only, with the
 * domain in display form and A-label form, and the reason.
 * @param domain in A-label form; chosen by an attacker
 */
function placeholderImage(domain: string, why: string): string {
  const shown = displayName(domain);
  const names = shown === domain ? [domain] : [shown, domain];
  const rows = [
    ...names.flatMap((name, index) => wrap(name).map((text) => (index === 0 ? title(text) : note(text)))),
    { ...note(why), font: "system-ui, sans-serif" },
  ];
  let y = height / 2 - rows.reduce((sum, { size }) => sum + size * lineHeight, 0) / 2;
  const lines = rows.map(({ text, size, color, font }) => {
    y += size * lineHeight;
    return `<text x="${width / 2}" y="${Math.round(y)}" text-anchor="middle" font-family="${font}" font-size="${size}" fill="${color}">${escapeMarkup(text)}</text>`;
  });
  const label = escapeMarkup(`No screenshot of ${shown}: ${why}`);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">
<rect width="${width}" height="${height}" fill="#f3f4f6"/>
<rect x="40" y="40" width="${width - 80}" height="${height - 80}" rx="16" fill="#ffffff" stroke="#d1d5db" stroke-width="2" stroke-dasharray="10 8"/>
${lines.join("\n")}
</svg>
`;
}

const lineHeight = 1.4;
const monospace = "ui-monospace, Menlo, Consolas, monospace";
const title = (text: string) => ({ text, size: 44, color: "#1f2937", font: monospace });
const note = (text: string) => ({ text, size: 26, color: "#6b7280", font: monospace });

/** Breaks a name into lines, at characters rather than UTF-16 units: half a surrogate pair is not well-formed XML. */
function wrap(name: string): string[] {
  const lines = [""];
  let columns = 0;
  for (const character of name) {
    columns += wide.test(character) ? 2 : 1;
    if (columns > columnsMax) {
      lines.push("");
      columns = wide.test(character) ? 2 : 1;
    }
    lines[lines.length - 1] += character;
  }
  return lines;
}

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
  const pages: Record<string, Page> = {
    "/"(_request, headers) {
      // Without a console, the API reference is the only page.
      headers["location"] = consolePage === null ? "/docs" : "/console";
      return new Response(null, { status: 302, headers });
    },

    "/healthz": () => ({ status: "ok" }),

    "/readyz"(_request, headers) {
      const { ready, checks, unknown } = readiness();
      const body = { status: ready ? "ready" : "not ready", checks, unknown };
      return Response.json(body, { status: ready ? 200 : 503, headers });
    },

    async "/screenshots/:id/:token"(_request, headers, { id, token }) {
      const threat = typeof id === "string" && isId("threat", id) ? threats.get(id) : undefined;
      if (
        threat === undefined ||
        typeof token !== "string" ||
        !equalInConstantTime(token, threat.screenshotToken)
      )
        throw notFound("There is no screenshot at this URL.");
      const screenshot = await readScreenshot(threat.id);
      headers["content-security-policy"] = screenshotPolicy;
      headers["content-type"] = "webp" in screenshot ? "image/webp" : "image/svg+xml";
      const image = "webp" in screenshot ? screenshot.webp : placeholderImage(threat.domain, screenshot.why);
      return new Response(image, { headers });
    },
  };

  const metrics: Page = async (request, headers, _params, bearer) => {
    requireToken(bearer, config.metricsToken, headers);
    const format = chooseFormat(request.headers.get("accept"));
    headers["content-type"] = contentTypes[format];
    headers["vary"] = "Accept";
    return new Response(await renderMetrics(format), { headers });
  };

  return {
    /** By path. */
    pages,
    metrics,
    consolePage: (...call: Parameters<Page>) => {
      if (consolePage === null) throw noSuchRoute();
      return consolePage(...call);
    },
  };
}

function requireToken(sent: string | undefined, token: string | null, headers: ResponseHeaders): void {
  if (token === null || (sent !== undefined && equalInConstantTime(sent, token))) return;
  headers["www-authenticate"] = "Bearer";
  throw new PublicError(
    "unauthorized",
    "Send server.metrics_token in the header Authorization: Bearer <token>.",
  );
}
