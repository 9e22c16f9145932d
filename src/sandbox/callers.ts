import { isIP } from "node:net";
import { PublicError } from "../lib/errors.ts";
import { isLocalName } from "../network/local-names.ts";

/**
 * Keys and password of a sandbox are known to everybody, and a page that a developer's browser shows can reach
 * this machine: as its own origin once its name leads here (DNS rebinding), which shows in Host, and by requests to
 * another origin, which show in Origin and Sec-Fetch-Site. The page chooses none of them. Pictures, beacons and
 * tokens are there for other origins, API and console see to it themselves: the latter is for the control plane.
 * @throws PublicError `forbidden`
 */
export function refuseForeignPages({ headers }: Request, path: string): void {
  const host = headers.get("host") ?? "";
  if (!isLocal(host))
    throw new PublicError(
      "forbidden",
      "The sandbox is only for callers that name it by an address, localhost or a name of the own network.",
    );
  if (!path.startsWith("/sandbox")) return;
  const origin = headers.get("origin");
  const foreign = origin !== null && !(URL.canParse(origin) && new URL(origin).host === host);
  if (foreign || headers.get("sec-fetch-site") === "cross-site")
    throw new PublicError("forbidden", "The control plane is not for pages of other origins.");
}

function isLocal(host: string): boolean {
  // HTTP/1.0 without a Host: no browser.
  if (host === "") return true;
  const name = URL.parse(`http://${host}`)?.hostname.replace(/\.$/, "") ?? "";
  if (isIP(name.replace(/^\[(.*)\]$/, "$1")) !== 0) return true;
  return name !== "" && isLocalName(name);
}
