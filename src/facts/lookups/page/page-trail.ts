import { isAtOrBelow } from "../../../platform/lib/host-names.ts";
import type { PageContent } from "./page-content.ts";
import { tooLong, type Hop, type PageRequest } from "../visits/page-request.ts";
import { decodePage, refreshTarget } from "../markup/page-text.ts";

/** Redirect chain from a name to the page that a visitor sees. */
export interface Trail {
  /** Responses, at least one. */
  hops: Hop[];
  /** URLs of the chain, including a last one that was not requested. */
  addresses: string[];
  /** Content of the last page. */
  content: PageContent;
  /** All targets of redirects, and of redirects that scripts contain. */
  leadsTo: URL[];
  /** Why the final page could not be seen, if the pages before it show nothing but that they lead to it. */
  unseen?: string;
}

const redirectsMax = 5;
const addressLengthMax = 2_000;
/** Length of the shown text up to which a page counts as empty, so that a redirect by script is followed. */
const emptyPageLengthMax = 200;

interface FollowRedirectsOptions {
  get: (url: string) => ReturnType<PageRequest>;
  /** URL, or a host name. */
  address: string;
  protectedDomains: readonly string[];
  read: (pieces: Iterable<string>) => Promise<PageContent>;
}

/**
 * Follows redirects by status, Refresh header and `<meta>`, and by script if the page is empty. Stops before a protected
 * domain, whose content says nothing about the suspicious name.
 */
export async function followRedirects(options: FollowRedirectsOptions): Promise<Trail | { reason: string }> {
  const { get, address, protectedDomains, read } = options;
  const start = await requestFirst(get, address);
  if ("reason" in start) return start;
  let hop = start;
  const hops = [hop];
  const addresses = [hop.url];
  const leadsTo: URL[] = [];
  for (;;) {
    const content = await takeContent(hop, read);
    const scripted = content.scriptRedirects.flatMap((target) => resolved(target, hop.url) ?? []);
    leadsTo.push(...scripted);
    const { target, isBare } = redirectOf(hop, content);
    const next = target === undefined ? (isBare ? scripted[0] : undefined) : resolved(target, hop.url);
    const trail: Trail = { hops, addresses, content, leadsTo };
    // A bare redirect shows nothing: if its target cannot be seen, nothing is known about the page. A page that loads
    // itself again has been seen.
    const leadsOn = isBare && (next === undefined ? target !== undefined : next.href !== hop.url);
    const without = (unseen: string): Trail =>
      hop.location !== undefined || leadsOn ? { ...trail, unseen } : trail;
    if (next === undefined) return without("it redirects to a URL that is not HTTP");
    leadsTo.push(next);
    if (addresses.includes(next.href) && !hop.setsCookies) return without("it redirects in a loop");
    if (addresses.length > redirectsMax) return without(`it redirects more than ${redirectsMax} times`);
    addresses.push(next.href);
    const { hostname } = new URL(hop.url);
    const entered = protectedDomains.find((domain) => isAtOrBelow(next.hostname, domain));
    // The pages of the protected domain itself redirect among themselves.
    if (entered !== undefined && !isAtOrBelow(hostname, entered)) return trail;
    const response = await get(next.href);
    // The page before the redirect is all there is to see. Why the target fails is not a fact about that page.
    if ("reason" in response) return without(response.reason);
    hop = response;
    hops.push(hop);
  }
}

/** Requests the home page of a name by HTTPS first, as browsers do, and by plain HTTP if that fails. */
async function requestFirst(
  get: (url: string) => ReturnType<PageRequest>,
  address: string,
): Promise<Hop | { reason: string }> {
  if (/^https?:/i.test(address)) {
    const url = resolved(address, address);
    return url === undefined ? { reason: "the address is not a valid URL" } : get(url.href);
  }
  if (!URL.canParse(`https://${address}/`)) return { reason: "the address is not a valid host name" };
  const secure = await get(`https://${address}/`);
  if (!("reason" in secure)) return secure;
  if (secure.failure === "dns" || secure.failure === "refused_address" || secure.failure === "aborted")
    return secure;
  const plain = await get(`http://${address}/`);
  return "reason" in plain ? { reason: `https: ${secure.reason}; http: ${plain.reason}` } : plain;
}

/** Reads the content of a response, and drops its body, so that a chain of redirects holds only one. */
async function takeContent(
  hop: Hop,
  read: (pieces: Iterable<string>) => Promise<PageContent>,
): Promise<PageContent> {
  const type = hop.contentType ?? "";
  const isPage = /html|xml/i.test(type) || (isSniffed(type) && /^\s*</.test(hop.start()));
  const content = await read(
    isPage && hop.location === undefined ? decodePage(hop.body, hop.contentType) : [],
  );
  hop.body = new Uint8Array(0);
  if (content.isCut) {
    hop.cut = true;
    hop.problem ??= tooLong;
  }
  return content;
}

/** Returns whether browsers determine the type by the content (WHATWG MIME Sniffing Standard, section 7). */
function isSniffed(contentType: string): boolean {
  const [essence = ""] = contentType.split(";");
  return (
    !/^[^\s/]+\/[^\s/]+$/.test(essence.trim()) ||
    /^\s*(?:unknown|application)\/unknown\s*$|\*\/\*/i.test(essence)
  );
}

/** Returns where a response leads by its status, header or markup, and whether its page shows next to nothing. */
function redirectOf(
  { location, refresh }: Hop,
  content: PageContent,
): { target: string | undefined; isBare: boolean } {
  return {
    target: location ?? refreshTarget(refresh ?? "") ?? content.refresh,
    isBare: content.shownLength <= emptyPageLengthMax && content.fields.length === 0,
  };
}

function resolved(target: string, base: string): URL | undefined {
  if (target.length > addressLengthMax || !URL.canParse(target, base)) return undefined;
  const url = new URL(target, base);
  url.hash = "";
  url.username = "";
  url.password = "";
  return url.protocol === "http:" || url.protocol === "https:" ? url : undefined;
}
