import type { Page } from "../../lookups/page/page-lookup.ts";
import { isLinkToAddress, pastedUrl, readPastedName } from "../../../engines/detection/names/pasted-name.ts";

/** Maximum length of an address in characters: a longer one is no usable link. */
const addressLengthMax = 2_048;

/** An address that can be inspected. */
export interface ReadAddress {
  /** URL (HTTP or HTTPS) without name, password and fragment; or a host name. */
  address: string;
  /** A-label form. */
  host: string;
}

/**
 * Reads a URL, host name or email address, also in a defanged form. Returns an error for anything else: a phrase that
 * follows the text.
 */
export function readAddress(text: string): ReadAddress | { error: string } {
  if (text.length > addressLengthMax) return { error: `is longer than ${addressLengthMax} characters` };
  if (isLinkToAddress(text)) return { error: "names an IP address; threats have a host name" };
  const read = readPastedName(text);
  if ("error" in read) return read;
  const { name: host, form } = read;
  const href = form === "url" ? pastedUrl(text) : undefined;
  const url = href === undefined ? null : URL.parse(href);
  if (url === null) return { address: host, host };
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return { error: `has the scheme ${url.protocol.slice(0, -1)}; only http and https can be inspected` };
  url.username = "";
  url.password = "";
  url.hash = "";
  url.hostname = host;
  return { address: url.href, host };
}

/** Returns whether two addresses lead to the same page, by HTTP or HTTPS. */
export function isSamePage(one: string, other: string): boolean {
  return pageOf(one) === pageOf(other);
}

function pageOf(address: string): string {
  return address.replace(/^https?:\/\//, "").replace(/\/$/, "");
}

/** Where a page was seen. */
export type ShownPage = Pick<Page, "finalUrl" | "framedBy">;

/**
 * Returns the host that shows a page, and its address there: where redirects and “Continue” led. Services that redirect to
 * any address imitate no brand.
 */
export function placeOf(
  { address, host }: ReadAddress,
  { finalUrl, framedBy = finalUrl }: ShownPage,
): ReadAddress {
  const read = readAddress(framedBy);
  // An IP address cannot be a threat, and a service that adds or removes "www" is the same one.
  return "error" in read || withoutWww(read.host) === withoutWww(host) ? { address, host } : read;
}

function withoutWww(host: string): string {
  return host.replace(/^www\./, "");
}
