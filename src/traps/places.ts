/**
 * Where a page was shown, read from an address that a browser, or whoever pretends to be one, sent. Host names
 * are compared in one form: A-labels, lower case, no trailing dot; and label by label, so that
 * `evil-example.com` is not below `example.com`.
 */
import { domainToASCII } from "node:url";
import { decodeLabel, normalizeName } from "../detection/names/name.ts";
import { isAtOrBelow } from "../lib/host-names.ts";
import { addressClass } from "../network/addresses.ts";
import { isLocalName } from "../network/local-names.ts";
import servicesText from "./places.txt" with { type: "text" };
import type { PlaceClass } from "../vocabulary/traps.ts";

export type Place =
  /** Name, IPv4 or IPv6 address (without brackets). */
  | { kind: "host"; host: string }
  | { kind: "file" }
  /** `data:`, `about:`, a browser extension. */
  | { kind: "none" };

const hostLengthMax = 253;
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const controls = /[\0-\x1f\x7f]/;

/** Undefined for what is no address: `null`, an empty text, control characters in it. */
export function placeOf(address: string | null): Place | undefined {
  const url = address === null || controls.test(address) ? null : URL.parse(address);
  if (url === null) return undefined;
  switch (url.protocol) {
    case "http:":
    case "https:": {
      const host = plainHost(url.hostname);
      return host === "" || host.length > hostLengthMax ? undefined : { kind: "host", host };
    }
    case "file:":
      return { kind: "file" };
    case "blob:": {
      // What follows is the origin of the page that made it; `null` where that had none.
      const inner = placeOf(url.pathname);
      return inner?.kind === "host" ? inner : { kind: "none" };
    }
    default:
      return { kind: "none" };
  }
}

/** The URL parser has seen to case, A-labels and the forms of IPv4 addresses already. */
function plainHost(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
}

/**
 * The name that a host is a threat by; undefined for an address, and for what no name is in. Browsers go to hosts
 * of characters that no host name may have, such as `$(x).evil.com` under a wildcard, and whoever forges a report
 * writes what he likes: then it is the part from the first label on that can be a name.
 */
export function threatNameOf(host: string): string | undefined {
  if (addressClass(host) !== undefined) return undefined;
  const labels = host.replace(/\.+$/, "").split(".");
  let name: string | undefined;
  for (let from = labels.length - 2; from >= 0; from -= 1) {
    const longer = labels.slice(from).join(".");
    const read = normalizeName(longer);
    if (!("name" in read) || read.name !== longer) break;
    name = longer;
  }
  return name;
}

/** Whether `host` is one of `names` or below one. */
export function isBelow(host: string, names: readonly string[]): boolean {
  return names.some((name) => isAtOrBelow(host, name));
}

const services = servicesText
  .split("\n")
  .map((line) => line.replace(/#.*/, "").trim().split(/\s+/))
  .filter(([, suffix]) => suffix !== undefined) as [PlaceClass, suffix: string][];

/**
 * @param own names on which the page may be shown, with all below them.
 * @returns the host may be another one: a translation of a copy is a copy.
 */
export function classifyPlace(
  place: Place,
  own: readonly string[],
): { class: PlaceClass; host: string | null } {
  if (place.kind === "file") return { class: "local_file", host: null };
  if (place.kind === "none") return { class: "no_host", host: null };
  const { host } = place;
  if (isBelow(host, own)) return { class: "own", host };
  if (isLocal(host)) return { class: "local_network", host };
  const service = services.find(([, suffix]) => isBelow(host, [suffix]));
  if (service === undefined) return { class: "foreign", host };
  const original = decodeTranslated(host);
  if (original === undefined || isBelow(original, own)) return { class: service[0], host };
  return { class: "foreign", host: original };
}

function isLocal(host: string): boolean {
  const kind = addressClass(host);
  if (kind !== undefined) return kind !== "global";
  return isLocalName(host);
}

const encodedBy = /^([a-z0-9-]+)\.(?:translate\.goog|cdn\.ampproject\.org)$/;

/**
 * The host whose page a translation proxy shows: `www-example--bank-com.translate.goog` is
 * `www.example-bank.com`. Dots are single hyphens there and hyphens double ones (AMP Cache URL format; Google
 * Translate has the same). Undefined where the name was too long and is a hash.
 */
export function decodeTranslated(host: string): string | undefined {
  const label = encodedBy.exec(host)?.[1];
  if (label === undefined) return undefined;
  const bare = decodeLabel(label).replace(/^0-(.*)-0$/, "$1");
  const name = bare.replaceAll(/--|-/g, (hyphens) => (hyphens === "--" ? "-" : "."));
  const ascii = domainToASCII(name);
  return ascii.includes(".") && !ascii.startsWith(".") && !ascii.includes("..") ? ascii : undefined;
}
