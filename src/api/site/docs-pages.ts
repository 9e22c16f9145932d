import { noSuchRoute } from "../../http/errors.ts";
import { icon } from "../../http/icon.ts";
import type { Page } from "../../http/pipeline.ts";
import type { ResponseHeaders } from "../../http/responder.ts";
import { lazy } from "../../lib/startup.ts";
import { queryOf } from "../../lib/request-path.ts";
import { clients } from "../clients/clients.ts";
import type { OpenApiDocument } from "./api-reference.ts";
import manualStyles from "./manual.css" with { type: "text" };

/** The texts of the manual are loaded with its first page. */
const loadManual = () => import("./manual-pages.ts");

const embedded = (text: string, type: string) => lazy(() => withEtag(new TextEncoder().encode(text), type));

/** Serves the manual, the clients, the OpenAPI document and its reference as pages without scripts. */
export function docsPages({ document, version }: { document: () => Promise<object>; version: string }) {
  const styles = embedded(manualStyles, "text/css; charset=utf-8");
  const iconFile = embedded(icon, "image/svg+xml");

  return {
    // Built on each request: requests are rare, and the public URL is known only after the server listens.
    async openapi(request, headers) {
      const bytes = new TextEncoder().encode(JSON.stringify(await document()));
      return send(withEtag(bytes, "application/json; charset=utf-8"), request, headers);
    },

    async manual(request, headers) {
      const { manualIndex, manualPolicy } = await loadManual();
      const query = queryOf(request.url).get("q");
      return html(manualIndex(version, query), manualPolicy, headers);
    },

    async topic(request, headers, { topic }) {
      if (topic === "manual.css") return send(styles(), request, headers);
      const { manualPage, manualPolicy } = await loadManual();
      const page = manualPage(version, String(topic));
      if (page === undefined) throw noSuchRoute();
      return html(page, manualPolicy, headers);
    },

    async client(request, headers, { file }) {
      const found = clients.find((client) => client.file === file);
      if (found === undefined) throw noSuchRoute();
      const bytes = new TextEncoder().encode(await found.load());
      return send(withEtag(bytes, "text/plain; charset=utf-8"), request, headers);
    },

    async reference(_request, headers) {
      const [{ manualPolicy }, { apiReference }] = await Promise.all([
        loadManual(),
        import("./api-reference.ts"),
      ]);
      const page = apiReference(version, (await document()) as OpenApiDocument);
      return html(page, manualPolicy, headers);
    },

    favicon: (request, headers) => send(iconFile(), request, headers),
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
