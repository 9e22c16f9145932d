import type { Server } from "bun";

export interface ListRequestSeen {
  method: string;
  path: string;
  query: string;
  headers: Headers;
  body: string;
}

/** HTTP server on loopback whose response to each request a test chooses. */
export interface ListServer {
  readonly url: string;
  readonly requests: readonly ListRequestSeen[];
  /** Sets the response to all following requests. */
  respond: (respond: (request: ListRequestSeen) => Response | Promise<Response>) => void;
  stop(): void;
}

export function startListServer(): ListServer {
  const requests: ListRequestSeen[] = [];
  let current: (request: ListRequestSeen) => Response | Promise<Response> = () =>
    new Response("nothing here", { status: 404 });
  const server: Server<undefined> = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const { pathname: path, search: query } = new URL(request.url);
      const { method, headers } = request;
      const seen = { method, path, query, headers, body: await request.text() };
      requests.push(seen);
      return current(seen);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    requests,
    respond: (respond) => void (current = respond),
    stop: () => void server.stop(true),
  };
}

/** Responds with a list, or with 304 if the client has it already. */
export function listResponse(
  request: Pick<ListRequestSeen, "headers" | "method">,
  content: string | Uint8Array<ArrayBuffer>,
): Response {
  const etag = `"${Bun.hash(content).toString(16)}"`;
  const headers = { etag };
  if (request.headers.get("if-none-match") === etag) return new Response(null, { status: 304, headers });
  return new Response(request.method === "HEAD" ? null : content, { headers });
}
