/**
 * Reads the address inside links that mail gateways and large sites rewrite, so that a click passes through them. Only
 * forms that contain the address are read: nothing is fetched.
 */
import parameters from "../data/link-parameters.json" with { type: "json" };

/** Returns the address in a link of one of these hosts, as it is written there; undefined if there is none. */
type ReadTarget = (url: URL) => string | undefined;

/** Numbers of replaced characters that Proofpoint writes as one character, from 2. */
const runLengths = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Hosts that rewrite links, with all names below them. Those with only a parameter are listed with its names. */
const readerOf = new Map<string, ReadTarget>([
  ...Object.entries(parameters).map(([host, names]) => [host, parameter(...names)] as const),
  ["urldefense.proofpoint.com", readProofpoint],
  ["urldefense.com", readProofpoint],
  ["urldefense.us", readProofpoint],
  ["secure-web.cisco.com", lastPathSegment],
  ["protection.sophos.com", readSophos],
  ["url.avanan.click", ({ href }) => /___(.+?)___/.exec(href)?.[1]],
  ["bing.com", readBing],
  ["translate.goog", readTranslated],
]);

const translationSuffix = ".translate.goog";
const googleHost = /^(?:www\.)?google(?:\.[a-z]{2,3}){1,2}$/;
const target = /^https?:\/\/./i;
const bareHost = /^[^\s/:?#@]+\.[^\s/:?#@]+$/;

const dot = 0x2e;

/** The four bytes before the last dot of each host, as one number: enough to rule out nearly all other hosts. */
const endings = new Set(
  [...readerOf.keys(), "google.com", "google.co.uk", "google.com.au"].map((host) =>
    endingOf(new TextEncoder().encode(`.${host}`), 0, host.length + 1),
  ),
);

/** Returns whether links of the host in `bytes[start..end)` may contain another address. */
export function rewritesLinks(bytes: Uint8Array, start: number, end: number): boolean {
  if (!endings.has(endingOf(bytes, start, end))) return false;
  const host = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString("latin1");
  return readerFor(host.toLowerCase()) !== undefined;
}

function endingOf(bytes: Uint8Array, start: number, end: number): number {
  let lastDot = end - 1;
  while (lastDot > start && bytes[lastDot] !== dot) lastDot--;
  let ending = 0;
  // Letters in lower case.
  for (let i = Math.max(start, lastDot - 4); i < lastDot; i++)
    ending = (ending << 8) | (bytes[i] ?? 0) | 0x20;
  return ending;
}

/** Returns the address in a rewritten link: a URL, or a host name if the link contains only that; undefined for others. */
export function unwrapLink(url: URL): string | undefined {
  const found = readerFor(url.hostname)?.(url)?.trim();
  return found !== undefined && (target.test(found) || bareHost.test(found)) ? found : undefined;
}

/** Returns the address of a site that a translation service shows: the site, and not the service, is what visitors see. */
export function withoutTranslation(address: string): string {
  const url = URL.parse(address);
  return url?.hostname.endsWith(translationSuffix) === true ? (unwrapLink(url) ?? address) : address;
}

function readerFor(host: string): ReadTarget | undefined {
  if (googleHost.test(host)) return readGoogle;
  for (let at = 0; at !== -1; at = host.indexOf(".", at + 1)) {
    const reader = readerOf.get(at === 0 ? host : host.slice(at + 1));
    if (reader !== undefined) return reader;
  }
  return undefined;
}

/** Reads the first of these parameters that the query has. */
function parameter(...names: readonly string[]): ReadTarget {
  return ({ searchParams }) =>
    names.map((name) => searchParams.get(name)).find((value) => value !== null) ?? undefined;
}

/** Redirects of mail and search, and pages of AMP. */
function readGoogle(url: URL): string | undefined {
  const amp = /^\/amp\/(s\/)?(?=[^/]+\.)/.exec(url.pathname);
  if (amp !== null)
    return `http${amp[1] === undefined ? "" : "s"}://${url.pathname.slice(amp[0].length)}${url.search}`;
  return url.pathname === "/url" ? parameter("q", "url")(url) : undefined;
}

/** Reads the three versions of URL Defense. */
function readProofpoint(url: URL): string | undefined {
  if (url.pathname.startsWith("/v1/")) return url.searchParams.get("u") ?? undefined;
  if (url.pathname.startsWith("/v2/")) {
    const written = url.searchParams.get("u");
    return written === null ? undefined : decoded(written.replace(/-/g, "%").replace(/_/g, "/"));
  }
  // Version 3 writes characters that plain links do not have as * (one) or ** and a length, and lists them behind.
  const [, written, listed] = /\/v3\/__(.+?)__;([^!]*)!/.exec(url.href) ?? [];
  if (written === undefined || listed === undefined) return undefined;
  const characters = [...Buffer.from(listed, "base64url").toString("utf8")];
  let used = 0;
  return written
    .replace(/^(https?:\/)(?!\/)/i, "$1/")
    .replace(/\*(?:\*(.))?/g, (_, length: string | undefined) => {
      const from = used;
      used += length === undefined ? 1 : runLengths.indexOf(length) + 2;
      return characters.slice(from, used).join("");
    });
}

function readSophos({ searchParams }: URL): string | undefined {
  const written = searchParams.get("u");
  const link = written === null ? "" : Buffer.from(written, "base64").toString("utf8");
  return target.test(link) ? link : (searchParams.get("d") ?? undefined);
}

/** A translated site is shown under a label that is its name, with dots as "-" and hyphens as "--". */
function readTranslated({ hostname, pathname, protocol, searchParams }: URL): string | undefined {
  const label = hostname.slice(0, -translationSuffix.length);
  if (label === "" || label.includes(".")) return undefined;
  const host = label.replace(/--?/g, (hyphens) => (hyphens === "--" ? "-" : "."));
  const query = new URLSearchParams(
    [...searchParams].filter(([name]) => !name.startsWith("_x_tr_")),
  ).toString();
  return `${protocol}//${host}${pathname}${query === "" ? "" : `?${query}`}`;
}

function readBing({ pathname, searchParams }: URL): string | undefined {
  const written = searchParams.get("u");
  if (pathname !== "/ck/a" || written === null || !written.startsWith("a1")) return undefined;
  return Buffer.from(written.slice("a1".length), "base64url").toString("utf8");
}

function lastPathSegment({ pathname }: URL): string | undefined {
  return decoded(pathname.slice(pathname.lastIndexOf("/") + 1));
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
