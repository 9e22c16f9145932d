import type { Clock } from "../../lib/clock.ts";
import { isAtOrBelow } from "../../lib/host-names.ts";
import { visible } from "../../lib/safe-text.ts";
import type { AddressRules } from "../../network/addresses.ts";
import { createHttpClient } from "../../network/http/http-client.ts";
import type { ResolveHost } from "../../network/resolve.ts";
import { dataAddress, faviconAddress, faviconHash } from "./favicon.ts";
import { createPageRequest, type Hop, type PageRequest } from "./page-request.ts";
import { asksFor, namesBrand, parkedAs } from "./page-indicators.ts";
import type { PageContent } from "./page-content.ts";
import { followed, type Trail } from "./page-trail.ts";

export type PageResult = { ok: true; page: Page } | { ok: false; reason: string };

/** What a look at a name's web page showed. Texts are safe to show; times are ISO 8601. */
export interface Page {
  /** Where the way began; absent in what was looked at before this was kept. */
  firstUrl?: string;
  /** Where a visitor ends up. */
  finalUrl: string;
  /** The addresses that were gone through to get there, without the first. */
  redirects: string[];
  /** HTTP status of the last answer. */
  status: number;
  title: string;
  asksForPassword: boolean;
  asksForCard: boolean;
  namesBrand: boolean;
  /** Why the page at the end was not seen; what is told of it is then not known. */
  unseen?: string;
  /** It leads to the protected domain; that page is then not looked at. */
  redirectsToProtected: boolean;
  /** The service that holds the page, "for sale", "parked", "expired" or "suspended". */
  parked?: string;
  /** Of the first connection by TLS. */
  certificate?: PageCertificate;
  /** As Shodan's `http.favicon.hash`. */
  faviconHash?: string;
}

export interface PageCertificate {
  issuer: string;
  notBefore: string;
  notAfter: string;
  /** Why a browser would warn of it. */
  fault?: string;
}

export interface PageLookup {
  /**
   * Looks at the page of `name` as a visitor would get it. Never throws for what others did.
   * @param brandNames what the protected domain's owner is called
   */
  lookUpPage(look: {
    name: string;
    protectedDomain: string;
    brandNames: readonly string[];
  }): Promise<PageResult>;
  close(): void;
}

const lookTimeoutMs = 25_000;
const hopTimeoutMs = 10_000;
const pageBytesMax = 1024 * 1024;
const iconBytesMax = 256 * 1024;
const iconRedirectsMax = 2;
const titleLengthMax = 200;
/** A page with so little text of its own, and scripts, has its content from these. */
const drawnTextLengthMax = 100;

/**
 * @param rules addresses within one's own network are to be refused here: the pages looked at choose where their
 * names and redirects lead
 * @param ports where http and https are, for tests
 */
export function createPageLookup({
  clock,
  rules,
  resolveHost,
  userAgent,
  timeoutMs = lookTimeoutMs,
  ports = { http: 80, https: 443 },
}: {
  clock: Clock;
  rules: AddressRules;
  resolveHost: ResolveHost;
  userAgent: string;
  /** For a whole look: all redirects and the icon. */
  timeoutMs?: number;
  ports?: { http: number; https: number };
}): PageLookup {
  const client = createHttpClient({ rules, resolveHost });
  const request = createPageRequest({ client, userAgent, ports });

  return {
    async lookUpPage({ name, protectedDomain, brandNames }) {
      const deadline = new AbortController();
      const timer = clock.after(timeoutMs, () => deadline.abort());
      try {
        const get: PageRequest = (url, limits) => request(url, { ...limits, signal: deadline.signal });
        const trail = await followed({
          get: (url) =>
            get(url, { timeoutMs: Math.min(hopTimeoutMs, timeoutMs), bodyBytesMax: pageBytesMax }),
          name,
          protectedDomain,
        });
        if ("reason" in trail) {
          const late = deadline.signal.aborted ? `not done within ${timeoutMs / 1_000} s` : trail.reason;
          return { ok: false, reason: visible(late) };
        }
        const page = judged(trail, { name, protectedDomain, brandNames });
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

function judged(
  trail: Trail,
  {
    name,
    protectedDomain,
    brandNames,
  }: { name: string; protectedDomain: string; brandNames: readonly string[] },
): Page {
  const { hops, content, leadsTo } = trail;
  const last = hops.at(-1)!;
  const arrived = trail.addresses.at(-1)!;
  // Only where the visitor is sent at once: many a phishing page sends its victim on after the form.
  const redirectsToProtected = isAtOrBelow(new URL(arrived).hostname, protectedDomain);
  const asksForPassword = asksFor("password", content);
  const asksForCard = asksFor("card", content);
  const embedded = content.embedded.filter((address) => URL.canParse(address, last.url));
  const certificate = hops.find((hop) => hop.certificate !== undefined)?.certificate;
  // What asks for secrets is no parked page, whatever else it says of itself.
  const namesOriginal = namesBrand(content, [...brandNames, protectedDomain], name);
  const silent = !asksForPassword && !asksForCard && !namesOriginal;
  const unseen = trail.unseen ?? (silent && !redirectsToProtected ? notRead(last, content) : undefined);
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
  };
}

/** Why a page without any sign of the brand need not be without it. */
function notRead({ fault }: Hop, { embedded, scripted, visibleLength }: PageContent): string | undefined {
  if (fault !== undefined) return fault;
  const drawn =
    visibleLength <= drawnTextLengthMax && (scripted || embedded.some((address) => address !== ""));
  return drawn ? "what it shows is drawn by scripts or stands in a frame" : undefined;
}

function certificateOf({
  issuer,
  notBefore,
  notAfter,
  fault,
}: NonNullable<Hop["certificate"]>): PageCertificate {
  const time = (text: string) => {
    const at = Date.parse(text);
    return Number.isNaN(at) ? visible(text, 40) : new Date(at).toISOString();
  };
  return {
    issuer: visible(issuer),
    notBefore: time(notBefore),
    notAfter: time(notAfter),
    ...(fault === undefined ? {} : { fault: visible(fault) }),
  };
}

/** Undefined when there is no icon or it cannot be had: the look stands without it. */
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
