import { isIP } from "node:net";
import { PublicError } from "../platform/lib/errors.ts";
import { isAtOrBelow } from "../platform/lib/host-names.ts";

/**
 * Rejects requests that a web page of another origin makes. A sandbox's keys and password are public, and any page
 * in a developer's browser can reach this machine: as its own origin, after DNS rebinding (visible in Host), or by a
 * cross-origin request (visible in Origin and Sec-Fetch-Site). A page cannot forge these headers. The check of the
 * origin covers only the control plane: screenshots, beacons and honeytokens serve other origins, and the API and
 * the console have their own protection.
 * @throws PublicError `forbidden`
 */
export function requireLocalCaller({ headers }: Request, path: string): void {
  const host = headers.get("host") ?? "";
  if (!isLocal(host))
    throw new PublicError(
      "forbidden",
      "The sandbox only accepts requests to an IP address, localhost or the name of a container in the Host header.",
    );
  if (!path.startsWith("/sandbox")) return;
  const origin = headers.get("origin");
  const foreign = origin !== null && !(URL.canParse(origin) && new URL(origin).host === host);
  const site = headers.get("sec-fetch-site");
  if (foreign || (site !== null && site !== "same-origin" && site !== "none"))
    throw new PublicError(
      "forbidden",
      "The control plane does not accept requests from pages of other origins.",
    );
}

function isLocal(host: string): boolean {
  // HTTP/1.0 without Host: not a browser.
  if (host === "") return true;
  const name = URL.parse(`http://${host}`)?.hostname.replace(/\.$/, "") ?? "";
  if (isIP(name.replace(/^\[(.*)\]$/, "$1")) !== 0) return true;
  if (isAtOrBelow(name, "localhost") || containerHosts.includes(name)) return true;
  return name !== "" && !name.includes(".");
}

/**
 * Names by which containers reach their host. Other names below `internal`, `lan` or `test` are not accepted: in a
 * network that resolves them, an attacker could point one at this machine.
 */
const containerHosts: readonly string[] = [
  "host.docker.internal",
  "gateway.docker.internal",
  "host.containers.internal",
];
