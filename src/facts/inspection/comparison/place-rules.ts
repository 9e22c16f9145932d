import { addressParts, isIpAddress, isKnown, siteOf } from "../measures/addresses.ts";
import { partOf, type Measures } from "./signal-rule.ts";

/** Age in days from which on a certificate says nothing: kits are rarely used for longer. */
const certificateDaysMax = 14;
const brandLinksDoubt = 2;
const brandFilesDoubt = 1;

export const placeMeasures = {
  links_to_brand: (page, brand) => {
    const own = page.links.filter(({ to }) => brand.isOwnPage(to.host)).length;
    const all = page.links.length;
    return { strength: partOf(own, all, brandLinksDoubt), params: { own, all } };
  },
  files_from_brand: (page, brand) => {
    const files = page.resources.filter(({ kind }) => kind === "picture" || kind === "style");
    const own = files.filter(({ from }) => brand.isOwnHost(from.host)).length;
    const all = files.length;
    return { strength: partOf(own, all, brandFilesDoubt), params: { own, all } };
  },
  brand_in_address: ({ addressWords }, { names }) =>
    names.count(addressWords) > 0 ? { strength: 1 } : undefined,
  email_of_brand: ({ forms, print, seen }, brand) => {
    const domain = brand.brand.protectedDomain;
    const isForMailbox = forms.some(({ asksFor }) => asksFor.includes("password"));
    return spelledOut(seen.requested ?? print.address).some((text) => text.includes(`@${domain}`))
      ? { strength: isForMailbox ? 1 : 0.2, params: { domain } }
      : undefined;
  },
  free_hosting: ({ at, hosted }) =>
    hosted || isKnown("hosting", at) ? { strength: 1, params: { host: at.host } } : undefined,
  ip_address: ({ at }) => (isIpAddress(at.host) ? { strength: 1 } : undefined),
  young_certificate: ({ seen: { certificate } }) => {
    if (certificate === undefined) return undefined;
    const { ageDays, isFaulty } = certificate;
    return {
      strength: isFaulty ? 1 : Math.max(0, 1 - Math.max(0, ageDays) / certificateDaysMax),
      params: { days: Math.floor(ageDays) },
    };
  },
  redirected: ({ print, site }) => {
    const others = print.redirects
      .flatMap((address) => addressParts(address) ?? [])
      .filter(({ host }) => siteOf(host) !== site);
    if (others.length === 0) return undefined;
    return {
      strength: others.some((at) => isKnown("short", at)) ? 1 : 0.5,
      params: { host: others[0]!.host },
    };
  },
  hidden_markup: ({ print }) => (print.from === "scripts" ? { strength: 1 } : undefined),
} satisfies Measures;

/** Returns an address in the spellings that scripts of kits understand. */
function spelledOut(address: string): string[] {
  const texts = [address.toLowerCase()];
  try {
    texts.push(decodeURIComponent(address).toLowerCase());
  } catch {
    // A percent sign that is no escape leaves the address as it is.
  }
  for (const [part] of address.matchAll(/[A-Za-z0-9+_-]{12,400}/g))
    texts.push(Buffer.from(part, "base64url").toString("latin1").toLowerCase());
  return texts;
}
