import { isAtOrBelow } from "../../../platform/lib/host-names.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import type { Hop } from "../visits/page-request.ts";
import type { PageContent } from "./page-content.ts";
import { asksFor, parkedAs } from "./page-indicators.ts";
import type { Page, PageCertificate } from "./page-lookup.ts";
import type { Trail } from "./page-trail.ts";

const titleLengthMax = 200;
/** Text length up to which a page with scripts or frames gets its content from them. */
const renderedTextLengthMax = 100;

/** Returns the facts about a page. */
export function pageOf(
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

/** Returns the protected domain to which a chain that begins elsewhere leads. */
export function leavesFor(
  addresses: readonly string[],
  protectedDomains: readonly string[],
): string | undefined {
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
