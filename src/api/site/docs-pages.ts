import favicon from "swagger-ui-dist/favicon-32x32.png" with { type: "file" };
import bundle from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" };
import styles from "swagger-ui-dist/swagger-ui.css" with { type: "file" };
import { noSuchRoute } from "../../http/errors.ts";
import type { Page } from "../../http/pipeline.ts";
import type { ResponseHeaders } from "../../http/responder.ts";
import { queryOf } from "../../lib/request-path.ts";
import { manualIndex, manualPage, manualPolicy } from "./manual-pages.ts";
import manualStyles from "./manual.css" with { type: "text" };

// Swagger UI writes style attributes and draws its icons from data: URLs. Everything else is blocked, and so is
// every other origin.
const readerPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const readerPage = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>phishwatch API</title>
<link rel="icon" href="/docs/api/favicon.png"><link rel="stylesheet" href="/docs/api/reader.css"></head>
<body><p>API reference. For guides, see the <a href="/docs">manual</a>.</p><div id="reader"></div><noscript><p>This page needs JavaScript. The OpenAPI document is at <a href="/openapi.json">/openapi.json</a>.</p></noscript>
<script src="/docs/api/reader.js"></script><script src="/docs/api/start.js"></script></body>
</html>
`;

const start = `SwaggerUIBundle({ url: "/openapi.json", dom_id: "#reader", deepLinking: true, docExpansion: "list", defaultModelsExpandDepth: 0, validatorUrl: null, persistAuthorization: false });
`;

interface Asset {
  type: string;
  load: () => Promise<Uint8Array<ArrayBuffer>>;
}

const embedded = (path: string) => () => Bun.file(path).bytes();
const text = (content: string) => async () => new TextEncoder().encode(content);

const assets: Record<string, Asset> = {
  "favicon.png": { type: "image/png", load: embedded(favicon) },
  "reader.css": { type: "text/css; charset=utf-8", load: embedded(styles) },
  "reader.js": { type: "text/javascript; charset=utf-8", load: embedded(bundle) },
  "manual.css": { type: "text/css; charset=utf-8", load: text(manualStyles) },
  "start.js": { type: "text/javascript; charset=utf-8", load: text(start) },
};

/** Serves the manual, the OpenAPI document and an embedded Swagger UI, which loads nothing from other origins. */
export function docsPages({ document, version }: { document: () => Promise<object>; version: string }) {
  const loaded = new Map<string, Promise<Loaded>>();

  function load(name: string): Promise<Loaded> {
    const asset = Object.hasOwn(assets, name) ? assets[name] : undefined;
    if (asset === undefined) throw noSuchRoute();
    const known = loaded.get(name) ?? asset.load().then((bytes) => withEtag(bytes, asset.type));
    loaded.set(name, known);
    return known;
  }

  return {
    // Built on each request: requests are rare, and the public URL is known only after the server listens.
    async openapi(request, headers) {
      const bytes = new TextEncoder().encode(JSON.stringify(await document()));
      return send(withEtag(bytes, "application/json; charset=utf-8"), request, headers);
    },

    async manual(request, headers) {
      const query = queryOf(request.url).get("q");
      return html(manualIndex(version, query), manualPolicy, headers);
    },

    async topic(request, headers, { topic }) {
      if (topic === "manual.css") return send(await load("manual.css"), request, headers);
      const page = manualPage(version, String(topic));
      if (page === undefined) throw noSuchRoute();
      return html(page, manualPolicy, headers);
    },

    reference: (_request, headers) => html(readerPage, readerPolicy, headers),

    async asset(request, headers, { asset }) {
      return send(await load(String(asset)), request, headers);
    },
  } satisfies Record<string, Page>;
}

function html(page: string, policy: string, headers: ResponseHeaders): Response {
  headers["content-type"] = "text/html; charset=utf-8";
  headers["content-security-policy"] = policy;
  return new Response(page, { headers });
}

interface Loaded {
  bytes: Uint8Array<ArrayBuffer>;
  type: string;
  /** Including the quotes. */
  etag: string;
}

function withEtag(bytes: Uint8Array<ArrayBuffer>, type: string): Loaded {
  const digest = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
  return { bytes, type, etag: `"${digest.slice(0, 32)}"` };
}

/** May be cached, but must be revalidated: another version of the executable has other contents. */
function send({ bytes, type, etag }: Loaded, request: Request, headers: ResponseHeaders): Response {
  headers["cache-control"] = "no-cache";
  headers["etag"] = etag;
  if (request.headers.get("if-none-match")?.includes(etag) === true) {
    return new Response(null, { status: 304, headers });
  }
  headers["content-type"] = type;
  return new Response(bytes, { headers });
}
