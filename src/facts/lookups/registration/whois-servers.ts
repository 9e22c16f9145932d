import { linesOfList, listText } from "../../../platform/lib/lists/list-texts.ts";
import { lazy } from "../../../platform/lib/startup.ts";
import embeddedText from "./data/whois-servers.txt" with { type: "text" };
import { findBySuffix } from "./rdap-services.ts";

/** Returns the server for the longest suffix of `domain` that has one, with `:port` unless that is 43. */
export type WhoisServerFor = (domain: string) => string | undefined;

export function embeddedWhoisServers(): WhoisServerFor {
  // Most runs of the program never need it.
  const table = lazy(() => parseServerLines(listText("whois_servers", embeddedText)));
  return (domain) => findBySuffix(table(), domain);
}

/** Parses lines with a server and its suffixes, and returns the server of each suffix. */
export function parseServerLines(text: string): Map<string, string> {
  const bySuffix = new Map<string, string>();
  for (const line of linesOfList(text)) {
    const [server = "", ...suffixes] = line.split(" ");
    for (const suffix of suffixes) bySuffix.set(suffix, server.replace("*", suffix));
  }
  return bySuffix;
}

/**
 * Queries of servers that expect more than the bare name (RFC 3912 leaves the query to the server), according to their
 * documentation: flags that select the domain only, A-labels, English or UTF-8.
 */
const queryForms: Record<string, (domain: string) => string> = {
  "whois.verisign-grs.com": (domain) => `domain ${domain}`,
  "whois.denic.de": (domain) => `-T dn,ace ${domain}`,
  "whois.jprs.jp": (domain) => `${domain}/e`,
  "whois.punktum.dk": (domain) => `--charset=utf-8 ${domain}`,
  "whois.norid.no": (domain) => `-c utf-8 ${domain}`,
};

export function whoisQuery(server: string, domain: string): string {
  return `${queryForms[server]?.(domain) ?? domain}\r\n`;
}
