import type { Clock } from "../../../platform/lib/clock.ts";
import { createLimiter, type Limiter } from "../../../platform/lib/limiter.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import type { AddressRules } from "../../../platform/network/addresses.ts";
import { createHttpClient } from "../../../platform/network/http/http-client.ts";
import type { ResolveHost } from "../../../platform/network/resolve.ts";
import { createTurns, type Turns } from "../../../platform/network/turns.ts";
import { markupPieces } from "../markup/page-text.ts";
import type { PageRequest } from "../visits/page-request.ts";
import { createVisiting, type Visiting } from "../visits/visiting.ts";
import { otherVisitor, visitorsFor, type Visitor } from "../visits/visitors.ts";
import type { PageContent } from "./page-content.ts";
import { leavesFor, pageOf } from "./page-facts.ts";
import { namesBrand } from "./page-indicators.ts";
import type { Page } from "./page-lookup.ts";
import { readPictures } from "./page-pictures.ts";
import { followRedirects, type Trail } from "./page-trail.ts";
import type { ContentOrigin, PageView } from "./page-view.ts";
import { isSamePage, isShown, viewOf } from "./view-of.ts";

/** A page with its facts, which can be read again as a browser rendered it. */
export interface ReadPage {
  ok: true;
  page: Page;
  view: PageView;
  /** Reads the page as a browser rendered it at `address`. The certificate and the redirects before stay. */
  readRendered(rendered: { html: string; address: string }): Promise<{ page: Page; view: PageView }>;
}

/** Reads web pages, and determines facts about them. */
export interface PageReader {
  /** Opens an address as a visitor would. Never throws for what servers do. */
  read(target: PageTarget): Promise<ReadPage | { ok: false; reason: string }>;
  close(): void;
}

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
}: {
  clock: Clock;
  rules: AddressRules;
  resolveHost: ResolveHost;
  visitors?: (languages?: readonly string[]) => readonly Visitor[];
  /** Shared with everything else that processes responses. */
  turns?: Turns;
  timeoutMs?: number;
  ports?: { http: number; https: number };
}): PageReader {
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
    async read(target) {
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
  {
    from,
    get,
    reading,
    target,
  }: { from: ContentOrigin; get: PageRequest; reading: Reading; target: PageTarget },
): Promise<ReadPage> {
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

/** Address against which those of the page are resolved. */
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
