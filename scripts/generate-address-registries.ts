/**
 * Generates src/facts/lookups/network/data/address-registries.txt from IANA's bootstrap registries for IP addresses (RFC 9224):
 *   scripts/bun scripts/generate-address-registries.ts ipv4.json ipv6.json > src/facts/lookups/network/data/address-registries.txt
 */
import { readFileSync } from "node:fs";

interface BootstrapFile {
  publication: string;
  services: [blocks: string[], urls: string[]][];
}

/** WHOIS servers of the registries, which IANA's files do not contain, by the host of the RDAP service. */
const whoisServers: Record<string, string> = {
  "rdap.afrinic.net": "whois.afrinic.net",
  "rdap.apnic.net": "whois.apnic.net",
  "rdap.arin.net": "whois.arin.net",
  "rdap.lacnic.net": "whois.lacnic.net",
  "rdap.db.ripe.net": "whois.ripe.net",
};

const paths = process.argv.slice(2);
if (paths.length !== 2) throw new Error("expects the paths of ipv4.json and ipv6.json");
const files = paths.map((path) => JSON.parse(readFileSync(path, "utf8")) as BootstrapFile);
const byUrl = new Map<string, string[]>();
for (const [blocks, urls] of files.flatMap(({ services }) => services)) {
  const url = urls.find((candidate) => candidate.startsWith("https:")) ?? urls[0];
  if (url === undefined) throw new Error(`no URL for ${blocks.join(" ")}`);
  byUrl.set(url, [...(byUrl.get(url) ?? []), ...blocks]);
}
const lines = [...byUrl].map(([url, blocks]) => {
  const server = whoisServers[new URL(url).host];
  if (server === undefined) throw new Error(`no WHOIS server is known for ${url}`);
  return [url, server, ...blocks].join(" ");
});
const [ipv4, ipv6] = files.map(({ publication }) => publication.slice(0, "2019-06-07".length));
console.log(`# Regional Internet registries of IP addresses: IANA's bootstrap registries for IPv4 (published ${ipv4}) and IPv6
# address space (published ${ipv6}) (RFC 9224), with the registries' WHOIS servers.
# Each line: the URL of the RDAP service, the WHOIS server, then its blocks. Generated from IANA's files by
# scripts/generate-address-registries.ts.
${lines.sort().join("\n")}`);
