import { noSuchRoute } from "../../http/errors.ts";
import { icon } from "../../http/icon.ts";
import type { Page } from "../../http/pipeline.ts";
import { encoded, namesTag, notModified } from "../../http/representation.ts";
import type { ResponseHeaders } from "../../http/responder.ts";
import { lazy } from "../../../platform/lib/startup.ts";
import { queryOf } from "../../../platform/lib/request-path.ts";
import { clients } from "../clients/clients.ts";
import type { OpenApiDocument } from "./api-reference.ts";
import manualStyles from "./manual.css" with { type: "text" };

/** The texts of the manual are loaded with its first page. */
const loadManual = () => import("./manual-pages.ts");

const embedded = (text: string, type: string) => lazy(() => withEtag(new TextEncoder().encode(text), type));

/** Returns the manual, the clients, the OpenAPI document and its reference as pages without scripts, by path. */
export function docsPages({
  document,
  version,
  pause,
}: {
  document: () => Promise<object>;
  version: string;
  /** Lets others take their turn before a page that takes milliseconds. */
  pause: () => Promise<void>;
}) {
  const styles = embedded(manualStyles, "text/css; charset=utf-8");
  const iconFile = embedded(icon, "image/svg+xml");

  return {
    // Built on each request: requests are rare, and the public URL is known only after the server listens.
    async "/openapi.json"(request, headers) {
      await pause();
      const bytes = new TextEncoder().encode(JSON.stringify(await document()));
      return send(withEtag(bytes, "application/json; charset=utf-8"), request, headers);
    },

    async "/docs"(request, headers) {
      const { manualIndex, manualPolicy } = await loadManual();
      await pause();
      const query = queryOf(request.url).get("q");
      return html(manualIndex(version, query), manualPolicy, request, headers);
    },

    async "/docs/:topic"(request, headers, { topic }) {
      if (topic === "manual.css") return send(styles(), request, headers);
      const { manualPage, manualPolicy } = await loadManual();
      const page = manualPage(version, String(topic));
      if (page === undefined) throw noSuchRoute();
      return html(page, manualPolicy, request, headers);
    },

    async "/docs/clients/:file"(request, headers, { file }) {
      const found = clients.find((client) => client.file === file);
      if (found === undefined) throw noSuchRoute();
      const bytes = new TextEncoder().encode(found.text);
      return send(withEtag(bytes, "text/plain; charset=utf-8"), request, headers);
    },

    async "/docs/api"(request, headers) {
      const [{ manualPolicy }, { apiReference }] = await Promise.all([
        loadManual(),
        import("./api-reference.ts"),
      ]);
      await pause();
      const page = apiReference(version, (await document()) as OpenApiDocument);
      return html(page, manualPolicy, request, headers);
    },

    "/favicon.ico": (request, headers) => send(iconFile(), request, headers),
  } satisfies Record<string, Page>;
}

function html(page: string, policy: string, request: Request, headers: ResponseHeaders): Response {
  headers["content-type"] = "text/html; charset=utf-8";
  headers["content-security-policy"] = policy;
  return new Response(encoded(page, request, headers), { headers });
}

interface Loaded {
  bytes: Uint8Array<ArrayBuffer>;
  type: string;
  tag: string;
}

function withEtag(bytes: Uint8Array<ArrayBuffer>, type: string): Loaded {
  const digest = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
  return { bytes, type, tag: digest.slice(0, 32) };
}

/** May be cached, but must be revalidated: another version of the executable has other contents. */
function send({ bytes, type, tag }: Loaded, request: Request, headers: ResponseHeaders): Response {
  headers["cache-control"] = "no-cache";
  // Weak: it is the same for the compressed bytes.
  headers["etag"] = `W/"${tag}"`;
  if (namesTag(request.headers.get("if-none-match") ?? "", tag)) return notModified(bytes, headers);
  headers["content-type"] = type;
  return new Response(encoded(bytes, request, headers), { headers });
}
