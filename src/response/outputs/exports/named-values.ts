import { withoutMailboxes } from "../../../threats/threats/severity/mailboxes.ts";
import { isPageOnSharedHost } from "../../../threats/threats/shared-hosts.ts";
import { openableUrl } from "../../../threats/threats/store/origins.ts";
import type { ExportedThreat } from "./threat-reader.ts";

/** Names or addresses by which a threat intelligence platform detects a threat. */
export interface NamedValues {
  kind: "domain" | "url";
  /** At least one, each once. */
  values: string[];
  /** Whether they are known to be malicious by themselves; false for the home page that stands for a page without address. */
  isExact: boolean;
}

/**
 * Returns the host of a threat or, for one page on a host that strangers share, the addresses under which sources named
 * that page.
 */
export function namedValues(threat: Pick<ExportedThreat, "domain" | "type" | "urls">): NamedValues {
  const { domain } = threat;
  if (!isPageOnSharedHost(threat)) return { kind: "domain", values: [domain], isExact: true };
  const pages = pageAddresses(threat).filter((address) => !homePage.test(address));
  return pages.length === 0
    ? { kind: "url", values: [`https://${domain}/`], isExact: false }
    : { kind: "url", values: pages, isExact: true };
}

const homePage = /^https?:\/\/[^/]+\/$/;

/**
 * Returns the addresses of a threat's pages, newest first, without mailboxes: the links of phishing emails name their
 * recipient. An address that has one in its path is left out.
 */
export function pageAddresses({ domain, urls }: Pick<ExportedThreat, "domain" | "urls">): string[] {
  return [...new Set(urls.flatMap((url) => shareableAddress(url, domain)))];
}

function shareableAddress(written: string, domain: string): string[] {
  const url = URL.parse(openableUrl(written, domain) ?? "");
  if (url === null) return [];
  const hasMailbox = () => withoutMailboxes(url.href) !== url.href;
  if (hasMailbox()) url.hash = "";
  if (hasMailbox()) url.search = "";
  return hasMailbox() ? [] : [url.href];
}
