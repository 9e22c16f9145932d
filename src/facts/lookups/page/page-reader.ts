import { createLimiter, type Limiter } from "../../../platform/lib/limiter.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import { createHttpClient } from "../../../platform/network/http/http-client.ts";
import type { NetworkNeeds } from "../../../platform/network/http/needs.ts";
import { createTurns, type Turns } from "../../../platform/network/turns.ts";
import { markupPieces } from "../markup/page-text.ts";
import {
  type PageRequest,
  createPageRequest,
  createCookieJar,
  type Hop,
  type WebPorts,
} from "../visits/page-request.ts";
import { otherVisitor, visitorsFor, type Visitor } from "../visits/visitors.ts";
import type { PageContent } from "./page-content.ts";
import { namesBrand, asksFor, parkedAs } from "./page-indicators.ts";
import type { Page, PageCertificate } from "./page-lookup.ts";
import { readPictures } from "./page-pictures.ts";
import { followRedirects, type Trail } from "./page-trail.ts";
import type { ContentOrigin, PageView } from "./page-view.ts";
import { isSamePage, isShown, viewOf } from "./view-of.ts";
import { isAtOrBelow } from "../../../platform/lib/host-names.ts";

/** A page with its facts, which can be read again as a browser rendered it. */
export interface ReadPage {
  ok: true;
  page: Page;
  view: PageView;
  /** Reads the page as a browser rendered it at `address`. The certificate and the redirects before stay. */
  readRendered(rendered: { html: string; address: string }): Promise<{ page: Page; view: PageView }>;
}

/** Reads web pages, and determines facts about them. */
export type PageReader = ReturnType<typeof createPageReader>;

export interface PageTarget {
  /** URL (HTTP or HTTPS), or a host name. */
  address: string;
  /** Redirects to these domains are not followed. */
  protectedDomains: readonly string[];
  /** Names of the protected brands. */
  brandNames: readonly string[];
  /** Languages of the protected sites, the most important first. */
  languages?: readonly string[];
  /** Whether a page that never ends is a failure. Default: no, as for a browser. */
  mustBeComplete?: boolean;
  /** Page that another visitor was shown: this one is read if it differs, as one other visitor. */
  unlike?: PageView;
  signal?: AbortSignal | undefined;
}

const lookupTimeoutMs = 30_000;
const hopTimeoutMs = 10_000;
const pageBytesMax = 1024 * 1024;

/**
 * @param rules must reject private networks, because pages choose the targets of their names and redirects.
 * @param visitors returns those that are tried in turn until one is shown something
 * @param timeoutMs limit for the whole lookup: all visits, redirects and pictures.
 * @param ports ports of HTTP and HTTPS; only tests change them.
 */
export function createPageReader({
  clock,
  rules,
  resolveHost,
  visitors = visitorsFor,
  turns = createTurns(),
  timeoutMs = lookupTimeoutMs,
  ports = { http: 80, https: 443 },
}: NetworkNeeds<"clock" | "resolveHost" | "rules"> & {
  visitors?: (languages?: readonly string[]) => readonly Visitor[];
  turns?: Turns;
  timeoutMs?: number;
  ports?: WebPorts;
}) {
  const client = createHttpClient({ rules, resolveHost, turns });
  // A page that is being read takes several times the memory of its bytes.
  const oneAtATime = createLimiter(1);
  const readContent = (pieces: Iterable<string>) =>
    oneAtATime(async () => {
      // Loaded on demand: its tables of character references take a few milliseconds.
      const { readPage } = await import("./page-content.ts");
      return readPage(pieces, turns);
    });

  const reading: Reading = {
    oneAtATime,
    readContent,
    timeoutMs,
    turns,
    visiting: createVisiting({ client, clock, ports }),
  };

  return {
    /** Opens an address as a visitor would. Never throws for what servers do. */
    async read(target: PageTarget): Promise<ReadPage | { ok: false; reason: string }> {
      const startedMs = clock.monotonicMs();
      const remainingMs = () => timeoutMs - (clock.monotonicMs() - startedMs);
      let first: Visit | undefined;
      let shown: Visit | undefined;
      const { unlike } = target;
      const tried = unlike === undefined ? visitors(target.languages) : [otherVisitor(target.languages)];
      for (const visitor of tried) {
        const deadlineMs = remainingMs();
        if (deadlineMs <= 0 || shown !== undefined) break;
        const trail = await follow(target, visitor, { deadlineMs, reading });
        if ("reason" in trail) {
          // The name or the server does not work: another visitor would not see more.
          if (first === undefined) return { ok: false, reason: visible(trail.reason) };
          break;
        }
        first ??= { trail, visitor };
        const isElsewhere = leavesFor(trail.addresses, target.protectedDomains) !== undefined;
        if (!isElsewhere && isShown(trail)) shown = { trail, visitor };
      }
      const visit = shown ?? first;
      if (visit === undefined) return { ok: false, reason: lateReason(timeoutMs) };
      if (unlike !== undefined && (shown === undefined || isSamePage(visit.trail, unlike)))
        return { ok: false, reason: "another visitor is shown the same" };
      const deadlineMs = Math.max(1, remainingMs());
      const from = visit.trail.content.isDecoded ? "scripts" : "markup";
      return reading.visiting(visit.visitor, { deadlineMs, signal: target.signal }, (get) =>
        factsOf(visit, { from, get, reading, target }),
      );
    },
    close: () => client.close(),
  };
}

const lateReason = (timeoutMs: number) => `not finished within ${timeoutMs / 1_000} s`;

/** Means of reading one page. */
interface Reading {
  oneAtATime: Limiter;
  readContent: (pieces: Iterable<string>) => Promise<PageContent>;
  timeoutMs: number;
  turns: Turns;
  visiting: Visiting;
}

interface Visit {
  trail: Trail;
  visitor: Visitor;
}

/** Follows the address as one visitor. */
function follow(
  { address, mustBeComplete = false, protectedDomains, signal }: PageTarget,
  visitor: Visitor,
  { deadlineMs, reading }: { deadlineMs: number; reading: Reading },
): Promise<Trail | { reason: string }> {
  const { timeoutMs } = reading;
  return reading.visiting(visitor, { deadlineMs, signal }, async (get, isLate) => {
    const limits = {
      timeoutMs: Math.min(hopTimeoutMs, timeoutMs),
      bodyBytesMax: pageBytesMax,
      mustBeComplete,
    };
    const trail = await followRedirects({
      get: (url) => get(url, { kind: "page", ...limits }),
      address,
      protectedDomains,
      read: reading.readContent,
    });
    return "reason" in trail && isLate() ? { reason: lateReason(timeoutMs) } : trail;
  });
}

/** Reads the pictures of a page that was visited, and determines its facts. */
async function factsOf(
  { trail, visitor }: Visit,
  options: { from: ContentOrigin; get: PageRequest; reading: Reading; target: PageTarget },
): Promise<ReadPage> {
  const { from, get, reading, target } = options;
  const { oneAtATime, readContent, timeoutMs, turns, visiting } = reading;
  const { protectedDomains, brandNames, address, signal } = target;
  const name = URL.parse(trail.addresses[0]!)?.hostname ?? address;
  const namesOriginal = await oneAtATime(() =>
    namesBrand(trail.content, [...brandNames, ...protectedDomains], name, turns),
  );
  await turns.next();
  const page = pageOf(trail, { namesOriginal, protectedDomains });
  const base = baseOf(trail);
  const pictures = page.redirectsToProtected ? undefined : await readPictures(trail.content, { base, get });
  if (pictures?.faviconHash !== undefined) page.faviconHash = pictures.faviconHash;
  if (from !== "markup") page.from = from;
  if (visitor.name !== "desktop") page.shownTo = visitor.name;
  await turns.next();
  return {
    ok: true,
    page,
    view: viewOf(trail, { base, from, pictures, unseen: page.unseen }),
    readRendered: ({ html, address: renderedAt }) =>
      visiting(visitor, { deadlineMs: timeoutMs, signal }, async (again) => {
        const content = await readContent(markupPieces(html));
        const rendered = renderedTrail(trail, content, renderedAt);
        return factsOf({ trail: rendered, visitor }, { from: "browser", get: again, reading, target });
      }),
  };
}

/** Returns the address against which links of the page are resolved. */
function baseOf({ hops, content }: Trail): string {
  const { url } = hops.at(-1)!;
  return content.base !== undefined && URL.canParse(content.base, url)
    ? new URL(content.base, url).href
    : url;
}

/** Replaces the content of the last page by what a browser shows. */
function renderedTrail(trail: Trail, content: PageContent, address: string): Trail {
  const last = trail.hops.at(-1)!;
  const url = URL.canParse(address) && /^https?:/.test(address) ? new URL(address).href : last.url;
  const addresses = trail.addresses.includes(url) ? trail.addresses : [...trail.addresses, url];
  const { unseen: _unseen, ...seenBefore } = trail;
  return {
    ...seenBefore,
    addresses,
    content,
    hops: [...trail.hops.slice(0, -1), { ...last, url, problem: undefined }],
  };
}

/** Runs work with the requests of a new visit, within a time limit. */
type Visiting = <T>(
  visitor: Visitor,
  limits: { deadlineMs: number; signal: AbortSignal | undefined },
  work: (get: PageRequest, isLate: () => boolean) => Promise<T>,
) => Promise<T>;

function createVisiting(dependencies: NetworkNeeds<"client" | "clock"> & { ports: WebPorts }): Visiting {
  const { client, clock, ports } = dependencies;
  return async (visitor, { deadlineMs, signal }, work) => {
    const abort = new AbortController();
    let late = false;
    const timer = clock.after(deadlineMs, () => {
      late = true;
      abort.abort();
    });
    const giveUp = () => abort.abort();
    signal?.addEventListener("abort", giveUp, { once: true });
    if (signal?.aborted === true) giveUp();
    const request = createPageRequest({ client, visitor, cookies: createCookieJar(), ports });
    try {
      return await work(
        (url, limits) => request(url, { ...limits, signal: abort.signal }),
        () => late,
      );
    } finally {
      timer.cancel();
      signal?.removeEventListener("abort", giveUp);
      abort.abort();
    }
  };
}

const titleLengthMax = 200;
/** Text length up to which a page with scripts or frames gets its content from them. */
const renderedTextLengthMax = 100;

/** Returns the facts about a page. */
function pageOf(
  trail: Trail,
  { namesOriginal, protectedDomains }: { namesOriginal: boolean; protectedDomains: readonly string[] },
): Page {
  const { hops, content, leadsTo } = trail;
  const last = hops.at(-1)!;
  const arrived = trail.addresses.at(-1)!;
  // Counts only an immediate redirect: many phishing pages redirect their victims after the form.
  const redirectsToProtected = leavesFor(trail.addresses, protectedDomains) !== undefined;
  const asksForPassword = asksFor("password", content);
  const asksForCard = asksFor("card", content);
  const embedded = content.embedded.filter((address) => URL.canParse(address, last.url));
  const certificate = hops.find((hop) => hop.certificate !== undefined)?.certificate;
  const silent = !asksForPassword && !asksForCard && !namesOriginal;
  const unseen =
    trail.unseen ?? (silent && !redirectsToProtected ? reasonForNoIndicators(last, content) : undefined);
  // A page that asks for secrets is never parked, regardless of its text.
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

/** Returns the protected domain to which a chain that begins elsewhere leads. */
function leavesFor(addresses: readonly string[], protectedDomains: readonly string[]): string | undefined {
  const [first, arrived] = [addresses[0]!, addresses.at(-1)!].map((address) => new URL(address).hostname);
  return protectedDomains.find((domain) => isAtOrBelow(arrived!, domain) && !isAtOrBelow(first!, domain));
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

function certificateOf(options: NonNullable<Hop["certificate"]>): PageCertificate {
  const { issuer, notBefore, notAfter, fault, serial, fingerprint, names } = options;
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
