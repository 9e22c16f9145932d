import type { Asset } from "./companies.ts";

/** One host of the test set. */
export interface Site {
  host: string;
  /** Further host names. */
  aliases: string[];
  /** Kind of copy or of harmless site; for an original the kind of its page. */
  class: string;
  kind: "original" | "copy" | "harmless";
  /** For a harmless site the protected domain that it mentions or resembles, if any. */
  protectedDomain: string;
  /** Address that is inspected. */
  start: string;
  /** Whether the content cannot be seen without a browser. */
  needsBrowser: boolean;
  respond(request: Request): Response | Promise<Response>;
}

/** A response for a path: HTML, a file, a redirect, or anything that depends on the request. */
export type Content =
  string | Asset | { location: string } | ((request: Request) => Response | string | Promise<Response>);

/** Responds to requests for a set of paths. The first function is called on the first request. */
export function responder(make: () => Map<string, Content>, server: string): Site["respond"] {
  let contents: Map<string, Content> | undefined;
  return async (request) => {
    contents ??= make();
    const { pathname } = new URL(request.url);
    const content = contents.get(pathname) ?? contents.get("*");
    const headers = { server };
    if (content === undefined)
      return html(
        "<html><head><title>404 Not Found</title></head><body><h1>Not Found</h1></body></html>",
        headers,
        404,
      );
    if (typeof content === "string") return html(content, headers);
    if (typeof content === "function") {
      const made = await content(request);
      return typeof made === "string" ? html(made, headers) : made;
    }
    if ("location" in content)
      return new Response(null, { status: 302, headers: { ...headers, location: content.location } });
    return new Response(await content.body(), { headers: { ...headers, "content-type": content.type } });
  };
}

function html(text: string, headers: Record<string, string>, status = 200): Response {
  return new Response(text, { status, headers: { ...headers, "content-type": "text/html; charset=utf-8" } });
}
