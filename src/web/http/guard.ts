import { isIP } from "node:net";
import { badRequest, type PublicError } from "../../platform/lib/errors.ts";
import { pathOf, pathStart } from "../../platform/lib/request-path.ts";

/**
 * How a `Host` header is classified. `known`: an IP address, `localhost`, a configured name, or no header at all (only
 * HTTP/1.0 allows that, and no browser sends it). `unknown`: any other host name. `invalid`: not a host.
 */
type HostClass = "known" | "unknown" | "invalid";

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

/** A path and everything below it. */
export interface Area {
  /** `/` and one segment, such as `/console`. Empty: every path outside the other areas. */
  path: string;
  /** Whether the area responds under any host name, or only under those at which the server is known to be reached. */
  hosts: "any" | "known";
  handle: (request: Request) => Response | Promise<Response>;
  /** Responds to a request that the guard rejects. */
  reject: (request: Request, error: PublicError) => Response;
}

/** A request as `Bun.serve` passes it to a route, with the percent-decoded segments of the path as it was sent. */
type RoutedRequest = Request & { params: Readonly<Record<string, string>> };

export type GuardedRoutes = Record<string, (request: RoutedRequest) => Response | Promise<Response>>;

/** Maximum number of segments below an area that are checked one by one. The server has no longer path. */
const segmentsMax = 6;
const segmentNames = Array.from({ length: segmentsMax }, (_, index) => `s${index + 1}`);
/** Backslash, or a dot segment. `#` ends the path for URL parsers. */
const changedByParsers = /\\|(?:^|\/)\.\.?(?:[/#]|$)/;

/**
 * Returns routes for `Bun.serve` that reject what a proxy in front and this server could read differently.
 * `request.url` is normalized: `\` has become `/`, and dot segments are resolved, so `/t/..\metrics` reads `/metrics`
 * there, while a proxy that forwards only `/t/` let it pass. Routes match the path as it was sent, and their parameters
 * are its segments. Hence one route for each number of segments, and one for the other paths.
 */
export function guardRoutes(areas: readonly Area[], classifyHost: ClassifyHost): GuardedRoutes {
  const routes: GuardedRoutes = {};
  for (const area of areas) {
    const guarded = (isUnchanged: (request: RoutedRequest) => boolean) => (request: RoutedRequest) => {
      const error = isUnchanged(request) ? checkHost(request, area, classifyHost) : ambiguousPath();
      return error === undefined ? area.handle(request) : area.reject(request, error);
    };
    for (let count = 0; count <= segmentsMax; count += 1) {
      const names = segmentNames.slice(0, count);
      const path = `${area.path}${names.map((name) => `/:${name}`).join("")}`;
      const handle = guarded(({ url, params }) => isInside(url, area.path) && haveOneReading(params, names));
      if (path !== "") routes[path] = handle;
      routes[`${path}/`] = handle;
    }
    routes[`${area.path}/*`] = guarded(({ url }) => isInside(url, area.path) && isIrregular(url, area.path));
  }
  return routes;
}

function haveOneReading(segments: RoutedRequest["params"], names: readonly string[]): boolean {
  for (const name of names) if (changedByParsers.test(segments[name]!)) return false;
  return true;
}

function isInside(url: string, area: string): boolean {
  const start = pathStart(url);
  if (start === -1 || !url.startsWith(area, start)) return false;
  const next = url.charAt(start + area.length);
  return next === "/" || next === "" || next === "?" || next === "#";
}

/**
 * Returns whether a path has an empty segment or more segments than there are routes for. The segments of such a path
 * are not available as they were sent, but if the normalized path is a regular one, normalizing has changed it.
 */
function isIrregular(url: string, area: string): boolean {
  const segments = pathOf(url).slice(area.length).split("/").slice(1);
  return segments.length > segmentsMax || segments.slice(0, -1).includes("");
}

function checkHost(
  { headers }: Request,
  { hosts }: Area,
  classifyHost: ClassifyHost,
): PublicError | undefined {
  const host = headers.get("host");
  const found = classifyHost(host);
  if (found === "invalid") return badRequest("The Host header must be a host name or an IP address.");
  return found === "known" || hosts === "any" ? undefined : unknownHost(host!);
}

function unknownHost(host: string): PublicError {
  const name = host.slice(0, hostLengthShown);
  return badRequest(
    `This server is not known as "${name}". Use the address of server.public_url, or add the host name to server.allowed_hosts in the configuration file.`,
  );
}
const hostLengthShown = 80;

function ambiguousPath(): PublicError {
  return badRequest("The path must not contain a backslash or a dot segment (. or ..), encoded or not.");
}
