/**
 * Generates src/facts/lookups/registration/data/rdap-services.txt from IANA's bootstrap registry for domain names (RFC 9224):
 *   scripts/bun scripts/generate-rdap-services.ts dns.json > src/facts/lookups/registration/data/rdap-services.txt
 */
import { readFileSync } from "node:fs";
import { parseBootstrap } from "../src/facts/lookups/registration/rdap-services.ts";

const [path = "dns.json"] = process.argv.slice(2);
const parsed = parseBootstrap(readFileSync(path, "utf8"));
if ("error" in parsed) throw new Error(`${path}: ${parsed.error}`);

const byUrl = Map.groupBy(parsed.services, ([, url]) => url);
const lines = [...byUrl].map(([url, pairs]) => [url, ...pairs.map(([suffix]) => suffix).sort()].join(" "));
console.log(`# RDAP services of top-level domains: IANA's bootstrap registry for domain name space (RFC 9224),
# published ${parsed.publication ?? "at an unknown date"}, https://data.iana.org/rdap/dns.json, reduced by
# scripts/generate-rdap-services.ts. Each line: the URL of the service, then its suffixes.
${lines.sort().join("\n")}`);
