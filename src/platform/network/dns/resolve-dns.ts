import type { DnsAnswer, DnsClient } from "./dns-client.ts";
import type { ResolveHost } from "../resolve.ts";

/**
 * Resolves with the configured resolvers, for names on the internet. Does not use the hosts file and the search domains
 * of this machine, which describe its own network.
 */
export function resolveWithDns(dns: Pick<DnsClient, "query">): ResolveHost {
  return async (hostname) => {
    const name = hostname.toLowerCase().replace(/\.$/, "");
    const answers = await Promise.all([dns.query(name, "A"), dns.query(name, "AAAA")]);
    const addresses = answers.flatMap(addressesIn);
    if (addresses.length > 0) return addresses;
    const failed = answers.find(({ outcome }) => outcome === "unknown");
    throw Object.assign(new Error(`${name} has no address`), {
      code: failed?.outcome === "unknown" ? failed.reason : "ENOTFOUND",
    });
  };
}

function addressesIn(answer: DnsAnswer): string[] {
  if (answer.outcome !== "answer") return [];
  return answer.records.filter(({ type }) => type === "A" || type === "AAAA").map(({ data }) => String(data));
}
