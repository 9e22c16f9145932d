import { describeFailure, type FailureKind } from "../../../platform/network/failure.ts";
import type { PeerCertificate } from "../../../platform/network/http/connection.ts";
import {
  acceptedEncodings,
  decodeBody,
  unknownCoding,
} from "../../../platform/network/http/content-encoding.ts";
import type { NetworkNeeds } from "../../../platform/network/http/needs.ts";
import type { Visitor } from "./visitors.ts";
import { isAtOrBelow } from "../../../platform/lib/host-names.ts";

/** One response of a redirect chain. */
export interface Hop {
  url: string;
  status: number;
  /** Target of a redirect, as written. */
  location: string | undefined;
  contentType: string | undefined;
  /** Decoded body, up to the requested length. */
  body: Uint8Array;
  cut: boolean;
  /** Why the body is not complete. */
  problem: string | undefined;
  /** Value of the Refresh header, which browsers treat like the meta element. */
  refresh: string | undefined;
  certificate: PeerCertificate | undefined;
  /** Whether it sets cookies, so that the same address can show something else the next time. */
  setsCookies: boolean;
  /** Returns the first characters of the body. */
  start(): string;
}

/**
 * `kind`: what the browser would load, a page or a part of one. `mustBeComplete`: a response that never ends is a failure;
 * otherwise, what arrived of it is read, as in a browser.
 */
export type PageRequest = (
  url: string,
  limits: {
    kind: "page" | "part";
    timeoutMs: number;
    bodyBytesMax: number;
    mustBeComplete?: boolean;
    signal?: AbortSignal;
  },
) => Promise<Hop | { failure: FailureKind; reason: string }>;

export const tooLong = "it is too long to be read completely";
export const incomplete = "it did not arrive completely";
const redirectStatuses = new Set([301, 302, 303, 307, 308]);
/** Below this, only the web's own ports are allowed, so that no redirect makes us contact a mail server. */
const unprivilegedPort = 1_024;

const acceptOf = {
  page: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
  part: "image/avif,image/webp,image/png,image/svg+xml,*/*;q=0.8",
};

/** Ports of web pages; only tests change them. */
export interface WebPorts {
  http: number;
  https: number;
}

interface PageRequestDependencies extends NetworkNeeds<"client"> {
  visitor: Visitor;
  cookies: CookieJar;
  ports: WebPorts;
}

/** Requests pages as a visitor's browser would. Certificates are recorded, but not relied on. */
export function createPageRequest({ client, visitor, cookies, ports }: PageRequestDependencies): PageRequest {
  return async (address, { kind, timeoutMs, bodyBytesMax, mustBeComplete = false, signal }) => {
    const url = new URL(address);
    if (url.protocol !== "http:" && url.protocol !== "https:")
      return { failure: "protocol", reason: "redirects to a URL that is not HTTP" };
    const port = url.port === "" ? undefined : Number(url.port);
    if (port !== undefined && port < unprivilegedPort && port !== ports.http && port !== ports.https)
      return { failure: "protocol", reason: `redirects to port ${port}, which is not a web port` };
    // The caller defines the default ports.
    if (port === undefined) url.port = String(url.protocol === "https:" ? ports.https : ports.http);
    const cookie = cookies.headerFor(url);
    const result = await client.send({
      url: url.href,
      headers: {
        "User-Agent": visitor.userAgent,
        Accept: acceptOf[kind],
        "Accept-Language": visitor.languages,
        "Accept-Encoding": acceptedEncodings,
        ...(visitor.referrer === undefined || kind === "part" ? {} : { Referer: visitor.referrer }),
        ...(cookie === undefined ? {} : { Cookie: cookie }),
        ...(kind === "part" ? {} : { "Upgrade-Insecure-Requests": "1" }),
      },
      timeoutMs,
      bodyBytesMax,
      anyCertificate: true,
      asBrowser: !mustBeComplete,
      signal,
    });
    if (!("response" in result)) return { failure: result.failure, reason: describeFailure(result) };
    const { status, headers, body, cut } = result.response;
    cookies.take(url, headers.get("set-cookie"));
    const decoded = await decodeBody(body, headers.get("content-encoding"), bodyBytesMax);
    // Browsers show a body whose coding they do not know as it is.
    const isAsSent = "error" in decoded && decoded.error === unknownCoding;
    const content = !("error" in decoded) ? decoded.body : isAsSent ? body : new Uint8Array(0);
    const isCut = cut || ("error" in decoded ? !isAsSent : decoded.cut);
    const whyCut = result.response.incomplete === true ? incomplete : isCut ? tooLong : undefined;
    return {
      url: address,
      status,
      location: redirectStatuses.has(status) ? headers.get("location") : undefined,
      contentType: headers.get("content-type"),
      body: content,
      cut: isCut,
      problem: "error" in decoded && !isAsSent ? decoded.error : whyCut,
      refresh: headers.get("refresh"),
      certificate: result.certificate,
      setsCookies: headers.has("set-cookie"),
      start: () => new TextDecoder("latin1").decode(content.subarray(0, 256)),
    };
  };
}

/** Cookies of one visit. Many sites redirect in a loop to visitors that return none. */
type CookieJar = ReturnType<typeof createCookieJar>;

const cookiesMax = 50;
const cookieLengthMax = 4_096;
/** Length of the Set-Cookie headers of a response that is read, in characters. */
const headerLengthMax = 16_384;

export function createCookieJar() {
  /** By domain and name. The domain is the host, or one above it that the cookie names. */
  const cookies = new Map<string, { domain: string; isExact: boolean; pair: string }>();
  return {
    /** Value of the Cookie header; undefined if there are none for this host. */
    headerFor({ hostname }: URL) {
      const sent = [...cookies.values()].filter(({ domain, isExact }) =>
        isExact ? hostname === domain : isAtOrBelow(hostname, domain),
      );
      return sent.length === 0 ? undefined : sent.map(({ pair }) => pair).join("; ");
    },

    /** @param header the Set-Cookie headers of a response, joined by commas */
    take({ hostname }: URL, header: string | undefined) {
      for (const cookie of separated(header ?? "")) {
        const [pair = "", ...attributes] = cookie.split(";").map((part) => part.trim());
        const name = pair.slice(0, pair.indexOf("="));
        if (name === "" || pair.length > cookieLengthMax || /[^\x20-\x7e]/.test(pair)) continue;
        const named = attributes.find((attribute) => /^domain=/i.test(attribute))?.slice("domain=".length);
        const domain = named?.replace(/^\./, "").toLowerCase();
        // A page may set cookies for its own domain only; a name without a dot is a top-level domain.
        const isAbove = domain !== undefined && domain.includes(".") && isAtOrBelow(hostname, domain);
        const key = `${isAbove ? domain : hostname}\n${name}`;
        if (cookies.size >= cookiesMax && !cookies.has(key)) continue;
        cookies.set(key, { domain: isAbove ? domain : hostname, isExact: !isAbove, pair });
      }
    },
  };
}

/** Repeated headers are joined by commas; a comma in a date is not followed by a name and an equals sign. */
function separated(header: string): string[] {
  return header === ""
    ? []
    : header.slice(0, headerLengthMax).split(/,\s{0,9}(?=[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}=)/);
}
