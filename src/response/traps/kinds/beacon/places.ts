/**
 * Determines where a page was shown from a URL that a browser, or a program that pretends to be one, sent. Host names
 * are compared in one form (A-labels, lowercase, no trailing dot) and label by label, so that `evil-example.com` is
 * not below `example.com`.
 */
import { domainToASCII } from "node:url";
import { decodeLabel, normalizeName } from "../../../../engines/detection/names/name.ts";
import { isAtOrBelow } from "../../../../platform/lib/host-names.ts";
import { addressClass } from "../../../../platform/network/addresses.ts";
import { isLocalName } from "../../../../platform/network/local-names.ts";
import type { PlaceClass } from "../../../../platform/vocabulary/traps.ts";
import servicesText from "./places.txt" with { type: "text" };

export type Place =
  /** Name, IPv4 address, or IPv6 address without brackets. */
  | { kind: "host"; host: string }
  | { kind: "file" }
  /** `data:`, `about:`, a browser extension. */
  | { kind: "none" };

const hostLengthMax = 253;
// oxlint-disable-next-line no-control-regex -- matching control characters is the purpose
const controls = /[\0-\x1f\x7f]/;

/** Returns undefined for an invalid URL: `null`, an empty text, or one with control characters. */
export function placeOf(text: string | null): Place | undefined {
  const url = text === null || controls.test(text) ? null : URL.parse(text);
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
      // The path is the origin of the page that created it, or `null` if that page had none.
      const inner = placeOf(url.pathname);
      return inner?.kind === "host" ? inner : { kind: "none" };
    }
    default:
      return { kind: "none" };
  }
}

/** The URL parser has already normalized case, A-labels, and the forms of IPv4 addresses. */
function plainHost(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
}

/**
 * Returns the domain to record as a threat for a host; undefined for an IP address, and if no part of the host is a
 * valid name. Browsers open hosts with characters that no host name may contain, such as `$(x).evil.com` under a
 * wildcard, and a forged report can contain anything. The result is then the longest valid suffix.
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

/** Returns whether `host` is one of `names` or below one. */
export function isBelow(host: string, names: readonly string[]): boolean {
  return names.some((name) => isAtOrBelow(host, name));
}

const services = servicesText
  .split("\n")
  .map((line) => line.replace(/#.*/, "").trim().split(/\s+/))
  .filter(([, suffix]) => suffix !== undefined) as [PlaceClass, suffix: string][];

/**
 * Classifies a place. The returned host differs from the given one if a translation service showed a copy: the
 * translation of a copy is a copy.
 *
 * @param own hosts that may show the page, including all hosts below them
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
 * Returns the host whose page a translation proxy shows: `www-example--bank-com.translate.goog` shows
 * `www.example-bank.com`. Dots are encoded as one hyphen and hyphens as two (AMP Cache URL format, which Google
 * Translate uses too). Returns undefined if the name was too long and is a hash.
 */
export function decodeTranslated(host: string): string | undefined {
  const label = encodedBy.exec(host)?.[1];
  if (label === undefined) return undefined;
  const bare = decodeLabel(label).replace(/^0-(.*)-0$/, "$1");
  const name = bare.replaceAll(/--|-/g, (hyphens) => (hyphens === "--" ? "-" : "."));
  const ascii = domainToASCII(name);
  return ascii.includes(".") && !ascii.startsWith(".") && !ascii.includes("..") ? ascii : undefined;
}
