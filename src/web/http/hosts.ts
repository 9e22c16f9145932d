import { isIP } from "node:net";

/**
 * How a `Host` header is classified. `known`: an IP address, `localhost`, a configured name, or no header at all (only
 * HTTP/1.0 allows that, and no browser sends it). `unknown`: any other host name. `invalid`: not a host.
 */
export type HostClass = "known" | "unknown" | "invalid";

export type ClassifyHost = (host: string | null) => HostClass;

/** Host name or IPv4 address, or IPv6 address in brackets; optionally a port. `URL` checks the details. */
const hostForm = /^(?:[a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::[0-9]{0,5})?$/i;
/** Maximum number of headers whose class is remembered. */
const rememberedMax = 1_000;

/**
 * Returns a function that classifies `Host` headers. With DNS rebinding, a web page can reach the server under the
 * page's own name, so a path that needs no key must not respond under any name.
 * @param names configured names, with or without a port
 */
export function createHosts(names: readonly string[]): ClassifyHost {
  const configured = new Set(names.map(canonicalHost));
  const remembered = new Map<string, HostClass>();
  return (host) => {
    if (host === null) return "known";
    const known = remembered.get(host);
    if (known !== undefined) return known;
    const found = classify(host, configured);
    if (found === "invalid") return found;
    if (remembered.size >= rememberedMax) remembered.clear();
    remembered.set(host, found);
    return found;
  };
}

function classify(host: string, configured: ReadonlySet<string | undefined>): HostClass {
  const name = hostForm.test(host) ? canonicalHost(host) : undefined;
  if (name === undefined) return "invalid";
  return name === "localhost" || isIP(name) !== 0 || configured.has(name) ? "known" : "unknown";
}

/** Returns the host without its port, brackets and trailing dot, in lowercase; undefined if it is invalid. */
function canonicalHost(host: string): string | undefined {
  return URL.parse(`http://${host}`)?.hostname.replace(/^\[(.*)\]$|\.$/, "$1");
}
