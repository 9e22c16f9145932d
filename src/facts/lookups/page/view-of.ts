import { publicSuffixes } from "../../../platform/lib/host-names.ts";
import { incomplete, tooLong } from "../visits/page-request.ts";
import type { ReadPictures } from "./page-pictures.ts";
import type { Trail } from "./page-trail.ts";
import type { ContentOrigin, PageView } from "./page-view.ts";

/** Text length up to which a page without fields shows nothing. */
const emptyTextLengthMax = 40;
/** Text length up to which a page may say no more than that it shows nothing. */
const messageLengthMax = 1_500;
const certificateNamesMax = 100;
/** Titles of pages that servers and protection services show to visitors that they do not trust. */
const rejectingTitle =
  /access denied|forbidden|blocked|not found|not available|\b40[0-9]\b|\b50[0-9]\b|just a moment|attention required|are you (?:a )?human|captcha|service unavailable/i;

/**
 * Returns whether the visitor was shown a page: not an error, an empty page, a rejection, or just a redirect to another
 * site.
 */
export function isShown({ hops, addresses, content, unseen }: Trail): boolean {
  const { status, problem } = hops.at(-1)!;
  if (content.fields.some(({ type }) => type === "password")) return true;
  if (unseen !== undefined) return false;
  if (status >= 400 || (problem !== undefined && problem !== tooLong && problem !== incomplete)) return false;
  const isRendered = content.scripted || content.embedded.some((address) => address !== "");
  if (content.visibleLength <= emptyTextLengthMax && content.fields.length === 0)
    return isRendered || content.pictures.length > 0;
  if (content.visibleLength <= messageLengthMax && rejectingTitle.test(content.title)) return false;
  return siteOf(addresses[0]!) === siteOf(addresses.at(-1)!);
}

/** Share by which the lengths of the texts of one page may differ between two visits. */
const lengthDifferenceMax = 0.2;

/** Returns whether two visitors were shown the same page, apart from what changes with each visit. */
export function isSamePage({ addresses, content }: Trail, other: PageView): boolean {
  const { fields, title, visibleLength } = content;
  const longer = Math.max(visibleLength, other.text.length);
  return (
    siteOf(addresses.at(-1)!) === siteOf(other.addresses.at(-1)!) &&
    title === other.title &&
    fields.length === other.forms.reduce((sum, form) => sum + form.fields.length, 0) &&
    Math.abs(visibleLength - other.text.length) <= lengthDifferenceMax * longer
  );
}

function siteOf(address: string): string {
  const { hostname } = new URL(address);
  return publicSuffixes().getDomain(hostname, { allowPrivateDomains: true }) ?? hostname;
}

/** @param base address against which links of the page are resolved */
export function viewOf(
  { addresses, content, hops, unseen: unseenTarget }: Trail,
  {
    base,
    from,
    pictures,
    unseen,
  }: { base: string; from: ContentOrigin; pictures: ReadPictures | undefined; unseen: string | undefined },
): PageView {
  const { status, certificate, cut } = hops.at(-1)!;
  const absolute = (address: string): string | undefined => {
    const url = URL.parse(address, base);
    return url !== null && /^https?:$/.test(url.protocol) ? url.href : undefined;
  };
  const withAbsolute = <T extends { url: string }>(items: readonly T[]): T[] =>
    items.flatMap((item) => {
      const url = absolute(item.url);
      return url === undefined ? [] : [{ ...item, url }];
    });
  const siteName = content.siteName ?? pictures?.manifestNames?.[0];
  const canonical = content.canonical === undefined ? undefined : absolute(content.canonical);
  return {
    addresses,
    status,
    from,
    ...(content.language === undefined ? {} : { language: content.language }),
    title: content.title,
    ...(siteName === undefined ? {} : { siteName }),
    ...(canonical === undefined ? {} : { canonical }),
    headings: content.headings,
    text: content.text.slice(0, content.visibleLength),
    shownLength: content.shownLength,
    hiddenText: content.text.slice(content.visibleLength + 1),
    elements: content.elements,
    links: content.links.flatMap((link) => absolute(link) ?? []),
    linkTexts: withAbsolute(content.linkTexts),
    resources: withAbsolute(content.resources),
    forms: content.forms.map(({ action, method, fields }) => ({
      // A form that runs a script is sent by it.
      action: (action === "" ? undefined : absolute(action)) ?? addresses.at(-1)!,
      method,
      fields,
    })),
    labels: [...content.labels, ...content.buttons],
    pictures: pictures?.pictures ?? [],
    scriptHashes: content.scriptHashes,
    scriptAddresses: content.scriptAddresses,
    ...(pictures?.manifestNames === undefined ? {} : { manifestNames: pictures.manifestNames }),
    ...(certificate === undefined || certificate.fault !== undefined
      ? {}
      : { certificateNames: certificateNames(certificate.names) }),
    ...(content.savedFrom === undefined ? {} : { savedFrom: content.savedFrom }),
    ...(unseen === undefined ? {} : { unseen }),
    ...(unseenTarget === undefined ? {} : { isMereRedirect: true }),
    ...(cut ? { isCut: true } : {}),
  };
}

function certificateNames(names: string): string[] {
  return names
    .split(", ")
    .filter((name) => name.startsWith("DNS:"))
    .map((name) => name.slice("DNS:".length))
    .slice(0, certificateNamesMax);
}
