/** Formats of a list of names; `auto` tells them apart by their content. */
export const listFormats = [
  "auto",
  "lines",
  "jsonl",
  "json",
  "misp",
  "csv",
  "hosts",
  "adblock",
  "zone",
  "rpz",
  "email",
] as const;
export type ListFormat = (typeof listFormats)[number];

/** Forms in which a name is entered or listed. Those of a message are parts of an email. */
export type EntryForm =
  "host_name" | "url" | "email_address" | "ip_address" | "message_link" | "message_image" | "message_sender";

/** How the names of a feed arrive. */
export const feedTypes = ["list", "czds", "certstream"] as const;

/** States of the import of a list. */
export const importStates = ["running", "completed", "failed", "cancelled", "interrupted"] as const;
export type ImportState = (typeof importStates)[number];

/**
 * Formats of block lists, which are also the ends of their addresses: the programs that read each, and whether names below a
 * listed one are blocked, too.
 */
export const blockListFormatHints = {
  txt: "Firewalls and proxies. One name per line.",
  hosts: "Hosts files. Exact names only.",
  adblock: "AdGuard Home, Pi-hole and uBlock Origin. With subdomains.",
  dnsmasq: "dnsmasq. With subdomains.",
  unbound: "Unbound. With subdomains.",
  rpz: "BIND, Unbound, Knot Resolver and PowerDNS: response policy zone. With subdomains.",
  squid: "Squid: file of an ACL of the type dstdomain. With subdomains.",
  csv: "Spreadsheets and SIEM: name, protected domain, type, severity, first seen.",
};
export type BlockListFormat = keyof typeof blockListFormatHints;
export const blockListFormats = Object.keys(blockListFormatHints) as BlockListFormat[];
