import type { GuardedRoutes } from "../http/guard.ts";
import type { HttpServer } from "./socket-group.ts";

type Handle = GuardedRoutes[string];

/**
 * Returns the handler of a route that suspends the idle timeout of a connection until its GET is answered. Bun counts
 * that time as idle and would close the connection without a response, as when the threat index is first read on a
 * busy machine. A request with a body keeps the timeout, since it also limits how long a client may take to send.
 */
export function untilResponse(
  handle: Handle,
  idleTimeoutSeconds: number,
): (request: Parameters<Handle>[0], server: Pick<HttpServer, "timeout">) => ReturnType<Handle> {
  return (request, server) => {
    const response = handle(request);
    if (!(response instanceof Promise) || request.method !== "GET") return response;
    server.timeout(request, 0);
    return response.finally(() => server.timeout(request, idleTimeoutSeconds));
  };
}
