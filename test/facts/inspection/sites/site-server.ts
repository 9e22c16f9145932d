import { createAuthority, issue } from "../../../support/certificates.ts";
import type { Site } from "./site.ts";

/** Serves sites on loopback, by HTTP and HTTPS, each under its host names. */
export function serveSites(sites: readonly Site[]) {
  const byHost = new Map(
    sites.flatMap((site) => [site.host, ...site.aliases].map((host) => [host, site] as const)),
  );
  let requests = 0;
  const respond = async (request: Request): Promise<Response> => {
    requests++;
    const host = (request.headers.get("host") ?? "").replace(/:\d+$/, "").toLowerCase();
    const site = byHost.get(host);
    return site === undefined ? new Response("unknown host", { status: 421 }) : await site.respond(request);
  };
  const tls = issue(createAuthority("Authority of the test sites"), ["sites.example"]);
  const http = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: respond });
  const https = Bun.serve({ port: 0, hostname: "127.0.0.1", tls, fetch: respond });
  return {
    ports: { http: http.port!, https: https.port! },
    requests: () => requests,
    /** Resolves the names of the sites to loopback, and throws for every other name. */
    async resolveHost(name: string): Promise<string[]> {
      if (byHost.has(name)) return ["127.0.0.1"];
      throw Object.assign(new Error("name does not exist"), { code: "ENOTFOUND" });
    },
    async stop() {
      await Promise.all([http.stop(true), https.stop(true)]);
    },
  };
}
