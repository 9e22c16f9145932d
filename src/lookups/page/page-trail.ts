import { isAtOrBelow } from "../../lib/host-names.ts";
import type { PageContent } from "./page-content.ts";
import type { Hop, PageRequest } from "./page-request.ts";
import { decodePage, refreshTarget } from "./page-text.ts";

/** The way from a name to the page that a visitor sees. */
export interface Trail {
  /** At least one. */
  hops: Hop[];
  /** Every address gone to, the one that was left unvisited at the end included. */
  addresses: string[];
  /** Of the last page. */
  content: PageContent;
  /** Everywhere that the visitor is sent, or that a script mentions to be sent to. */
  leadsTo: URL[];
  /** Why the page that the last hop leads to was not seen, where there is nothing to see before it. */
  unseen?: string;
}

const redirectsMax = 5;
const addressLengthMax = 2_000;
/** A page with so little to see that what its script sends the visitor to is the page. */
const emptyPageLengthMax = 200;

/**
 * Follows redirects of every kind: status, Refresh, `<meta>`, and a script's where there is nothing else to see.
 * Ends, unvisited, at the protected domain: what stands there says nothing about the suspicious name.
 */
export async function followed({
  get,
  name,
  protectedDomain,
}: {
  get: (url: string) => ReturnType<PageRequest>;
  name: string;
  protectedDomain: string;
}): Promise<Trail | { reason: string }> {
  const start = await begun(get, name);
  if ("reason" in start) return start;
  let hop = start;
  const hops = [hop];
  const addresses = [hop.url];
  const leadsTo: URL[] = [];
  for (;;) {
    const content = await contentOf(hop);
    const scripted = content.scriptRedirects.flatMap((target) => resolved(target, hop.url) ?? []);
    leadsTo.push(...scripted);
    const next = nextAddress(hop, content, scripted);
    const trail: Trail = { hops, addresses, content, leadsTo };
    // A bare redirect shows nothing: where its end cannot be seen, nothing is known of the page.
    const without = (unseen: string): Trail => (hop.location === undefined ? trail : { ...trail, unseen });
    if (next === undefined) return without("it leads to no address of the web");
    leadsTo.push(next);
    if (addresses.includes(next.href)) return without("it leads in a circle");
    if (addresses.length > redirectsMax) return without(`it leads further than ${redirectsMax} redirects`);
    addresses.push(next.href);
    if (isAtOrBelow(next.hostname, protectedDomain)) return trail;
    const answer = await get(next.href);
    // The page before is all that there is to see: the reason why the next one does not answer is not its fact.
    if ("reason" in answer) return without(answer.reason);
    hop = answer;
    hops.push(hop);
  }
}

/** Browsers try https first. Where nothing trustworthy or nothing at all answers there, plain http may. */
async function begun(
  get: (url: string) => ReturnType<PageRequest>,
  name: string,
): Promise<Hop | { reason: string }> {
  const secure = await get(`https://${name}/`);
  if (!("reason" in secure)) return secure;
  if (secure.failure === "dns" || secure.failure === "refused_address" || secure.failure === "aborted")
    return secure;
  const plain = await get(`http://${name}/`);
  return "reason" in plain ? { reason: `https: ${secure.reason}; http: ${plain.reason}` } : plain;
}

async function contentOf(hop: Hop): Promise<PageContent> {
  // Its tables of character references take some milliseconds to load, which only looks at pages are to cost.
  const { readPage } = await import("./page-content.ts");
  const isPage =
    /html|xml/i.test(hop.contentType ?? "") || (hop.contentType === undefined && /^\s*</.test(hop.start()));
  return readPage(isPage && hop.location === undefined ? decodePage(hop.body, hop.contentType) : "");
}

function nextAddress(hop: Hop, content: PageContent, scripted: readonly URL[]): URL | undefined {
  const told = hop.location ?? refreshTarget(hop.refresh ?? "") ?? content.refresh;
  if (told !== undefined) return resolved(told, hop.url);
  const empty = content.visibleLength <= emptyPageLengthMax && content.fields.length === 0;
  return empty ? scripted[0] : undefined;
}

function resolved(target: string, base: string): URL | undefined {
  if (target.length > addressLengthMax || !URL.canParse(target, base)) return undefined;
  const url = new URL(target, base);
  url.hash = "";
  url.username = "";
  url.password = "";
  return url.protocol === "http:" || url.protocol === "https:" ? url : undefined;
}
