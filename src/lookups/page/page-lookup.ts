import type { Clock } from "../../lib/clock.ts";
import { isAtOrBelow } from "../../lib/host-names.ts";
import { createLimiter } from "../../lib/limiter.ts";
import { visible } from "../../lib/safe-text.ts";
import type { AddressRules } from "../../network/addresses.ts";
import { createHttpClient } from "../../network/http/http-client.ts";
import type { ResolveHost } from "../../network/resolve.ts";
import { createTurns, type Turns } from "../../network/turns.ts";
import type { PageImitation } from "../../vocabulary/page-signals.ts";
import { dataAddress, faviconAddress, faviconHash } from "./favicon.ts";
import type { PageContent } from "./page-content.ts";
import { asksFor, namesBrand, parkedAs } from "./page-indicators.ts";
import { createPageRequest, type Hop, type PageRequest } from "./page-request.ts";
import { followRedirects, type Trail } from "./page-trail.ts";

export type PageResult = { ok: true; page: Page } | { ok: false; reason: string };

/** Facts about a name's web page. Texts are safe to show; times are ISO 8601. */
export interface Page {
  /** First URL of the redirect chain; absent in facts that are older than this field. */
  firstUrl?: string;
  /** URL at which a visitor ends up. */
  finalUrl: string;
  /** URLs of the redirect chain, without the first. */
  redirects: string[];
  /** HTTP status of the last response. */
  status: number;
  title: string;
  asksForPassword: boolean;
  asksForCard: boolean;
  namesBrand: boolean;
  /** Why the final page could not be seen; facts about its content are then unknown. */
  unseen?: string;
  /** The name redirects to the protected domain, whose page is then not fetched. */
  redirectsToProtected: boolean;
  /** Parking service, "for sale", "parked", "expired" or "suspended". */
  parked?: string;
  /** Certificate of the first TLS connection. */
  certificate?: PageCertificate;
  /** In the form of Shodan's `http.favicon.hash`. */
  faviconHash?: string;
  /** Identifies the forms, fields, pictures and scripts of the page in their order; absent if it has few of them. */
  structureHash?: string;
  /** Result of comparing the page with its protected brand; absent: not compared. */
  imitation?: PageImitation;
}

export interface PageCertificate {
  issuer: string;
  notBefore: string;
  notAfter: string;
  /** Why a browser would warn about it. */
  fault?: string;
  /** Serial number of a trusted certificate, which an authority chose; fingerprint of any other. */
  identity?: string;
  /** Identifies the set of its names. */
  namesHash?: string;
}

/** Looks up facts about web pages. */
export interface PageLookup {
  /**
   * Fetches the page of `name` as a visitor would see it. Never throws for what servers do.
   * @param brandNames names of the protected brand.
   */
  lookUpPage(target: {
    name: string;
    protectedDomain: string;
    brandNames: readonly string[];
  }): Promise<PageResult>;
  close(): void;
}

const lookupTimeoutMs = 25_000;
const hopTimeoutMs = 10_000;
const pageBytesMax = 1024 * 1024;
const iconBytesMax = 256 * 1024;
const iconRedirectsMax = 2;
const titleLengthMax = 200;
/** Text length up to which a page with scripts or frames gets its content from them. */
const renderedTextLengthMax = 100;

/**
 * @param rules must reject private networks, because pages choose the targets of their names and redirects.
 * @param timeoutMs limit for the whole lookup: all redirects and the icon.
 * @param ports ports of HTTP and HTTPS; only tests change them.
 */
export function createPageLookup({
  clock,
  rules,
  resolveHost,
  userAgent,
  turns = createTurns(),
  timeoutMs = lookupTimeoutMs,
  ports = { http: 80, https: 443 },
}: {
  clock: Clock;
  rules: AddressRules;
  resolveHost: ResolveHost;
  userAgent: string;
  /** Shared with everything else that processes responses. */
  turns?: Turns;
  timeoutMs?: number;
  ports?: { http: number; https: number };
}): PageLookup {
  const client = createHttpClient({ rules, resolveHost, turns });
  // A page that is being read takes several times the memory of its bytes.
  const oneAtATime = createLimiter(1);
  const read = (pieces: Iterable<string>) =>
    oneAtATime(async () => {
      // Loaded on demand: its tables of character references take a few milliseconds.
      const { readPage } = await import("./page-content.ts");
      return readPage(pieces, turns);
    });
  const request = createPageRequest({ client, userAgent, ports });

  return {
    async lookUpPage({ name, protectedDomain, brandNames }) {
      const deadline = new AbortController();
      const timer = clock.after(timeoutMs, () => deadline.abort());
      try {
        const get: PageRequest = (url, limits) => request(url, { ...limits, signal: deadline.signal });
        const trail = await followRedirects({
          get: (url) =>
            get(url, { timeoutMs: Math.min(hopTimeoutMs, timeoutMs), bodyBytesMax: pageBytesMax }),
          name,
          protectedDomain,
          read,
        });
        if ("reason" in trail) {
          const late = deadline.signal.aborted ? `not finished within ${timeoutMs / 1_000} s` : trail.reason;
          return { ok: false, reason: visible(late) };
        }
        const namesOriginal = await oneAtATime(() =>
          namesBrand(trail.content, [...brandNames, protectedDomain], name, turns),
        );
        await turns.next();
        const page = pageOf(trail, { namesOriginal, protectedDomain });
        if (!page.redirectsToProtected) {
          const hash = await iconHash(trail, get);
          if (hash !== undefined) page.faviconHash = hash;
        }
        return { ok: true, page };
      } finally {
        timer.cancel();
        deadline.abort();
      }
    },
    close: () => client.close(),
  };
}

function pageOf(
  trail: Trail,
  { namesOriginal, protectedDomain }: { namesOriginal: boolean; protectedDomain: string },
): Page {
  const { hops, content, leadsTo } = trail;
  const last = hops.at(-1)!;
  const arrived = trail.addresses.at(-1)!;
  // Counts only an immediate redirect: many phishing pages redirect their victims after the form.
  const redirectsToProtected = isAtOrBelow(new URL(arrived).hostname, protectedDomain);
  const asksForPassword = asksFor("password", content);
  const asksForCard = asksFor("card", content);
  const embedded = content.embedded.filter((address) => URL.canParse(address, last.url));
  const certificate = hops.find((hop) => hop.certificate !== undefined)?.certificate;
  const silent = !asksForPassword && !asksForCard && !namesOriginal;
  const unseen =
    trail.unseen ?? (silent && !redirectsToProtected ? reasonForNoIndicators(last, content) : undefined);
  // A page that asks for secrets is never parked, whatever its text says.
  const parked =
    asksForPassword || asksForCard || last.cut
      ? undefined
      : parkedAs(content, [...leadsTo, ...embedded.map((address) => new URL(address, last.url))]);
  return {
    firstUrl: visible(trail.addresses[0]!, 2_000),
    finalUrl: visible(arrived, 2_000),
    redirects: trail.addresses.slice(1).map((address) => visible(address, 2_000)),
    status: last.status,
    title: visible(content.title, titleLengthMax),
    asksForPassword,
    asksForCard,
    namesBrand: namesOriginal,
    redirectsToProtected,
    ...(unseen === undefined ? {} : { unseen: visible(unseen) }),
    ...(parked === undefined ? {} : { parked }),
    ...(certificate === undefined ? {} : { certificate: certificateOf(certificate) }),
    ...(content.structure === undefined ? {} : { structureHash: content.structure }),
  };
}

/** Returns why a page without any indicator may still have some that could not be seen. */
function reasonForNoIndicators(
  { problem }: Hop,
  { embedded, scripted, visibleLength }: PageContent,
): string | undefined {
  if (problem !== undefined) return problem;
  const isRendered =
    visibleLength <= renderedTextLengthMax && (scripted || embedded.some((address) => address !== ""));
  return isRendered ? "its content is rendered by scripts or in a frame" : undefined;
}

function certificateOf({
  issuer,
  notBefore,
  notAfter,
  fault,
  serial,
  fingerprint,
  names,
}: NonNullable<Hop["certificate"]>): PageCertificate {
  const time = (text: string) => {
    const at = Date.parse(text);
    return Number.isNaN(at) ? visible(text, 40) : new Date(at).toISOString();
  };
  return {
    issuer: visible(issuer),
    notBefore: time(notBefore),
    notAfter: time(notAfter),
    ...(fault === undefined
      ? { identity: `serial ${serial.toLowerCase().replace(/^0+/, "")}` }
      : { fault: visible(fault), identity: `sha256 ${fingerprint.replaceAll(":", "").toLowerCase()}` }),
    ...(names === "" ? {} : { namesHash: namesHashOf(names) }),
  };
}

/** The order of the names differs between certificates of one order. */
function namesHashOf(names: string): string {
  return Bun.hash(names.toLowerCase().split(", ").toSorted().join()).toString(16);
}

/** Returns undefined if there is no icon or it cannot be fetched, which does not fail the lookup. */
async function iconHash({ hops, content }: Trail, get: PageRequest): Promise<string | undefined> {
  const base = hops.at(-1)!.url;
  let address = faviconAddress(
    content.icons,
    URL.canParse(content.base ?? "", base) ? new URL(content.base!, base).href : base,
  );
  if (address === undefined) return undefined;
  const embedded = dataAddress(address);
  if (embedded !== undefined) return faviconHash(embedded);
  for (let redirects = 0; redirects <= iconRedirectsMax; redirects += 1) {
    const hop = await get(address, { timeoutMs: hopTimeoutMs, bodyBytesMax: iconBytesMax });
    if ("reason" in hop) return undefined;
    if (hop.location !== undefined) {
      if (!URL.canParse(hop.location, address)) return undefined;
      address = new URL(hop.location, address).href;
      continue;
    }
    const isPage =
      /^text\/html/i.test(hop.contentType ?? "") || /^\s*<(!doctype html|html)/i.test(hop.start());
    return hop.status === 200 && !hop.cut && hop.body.length > 0 && !isPage
      ? faviconHash(hop.body)
      : undefined;
  }
  return undefined;
}
