import { isIPv4, isIPv6 } from "node:net";
import type { KnownExistence } from "../../facts/enrichment/facts/facts.ts";
import type { DnsAnswer, DnsClient, DnsRecord, DnsType } from "../../platform/network/dns/dns-client.ts";

/** A DNS without a network. */
export interface SandboxDns extends DnsClient {
  /**
   * Sets what the next scan sees.
   * @param known names that exist, with their stored DNS records, if any
   * @param gone names that do not exist
   * @param finds number of further names that exist: those that are looked up first
   */
  set(world: {
    known: ReadonlyMap<string, KnownExistence | undefined>;
    gone: ReadonlySet<string>;
    finds: number;
    reachable: boolean;
  }): void;
}

const address = "192.0.2.53";
const server = { address: "127.0.0.1", port: 53 };
/** Random labels that test a parent for a wildcard. */
const wildcardProbe = /^[a-z0-9]{16}\./;

export function createSandboxDns(): SandboxDns {
  let world: Parameters<SandboxDns["set"]>[0] = {
    known: new Map(),
    gone: new Set(),
    finds: 0,
    reachable: true,
  };
  const found = new Set<string>();
  const denied = new Set<string>();

  function exists(name: string): boolean {
    if (world.known.has(name) || found.has(name)) return true;
    if (world.gone.has(name) || denied.has(name) || wildcardProbe.test(name) || !name.includes("."))
      return false;
    if (found.size < world.finds) found.add(name);
    // A name is looked up several times, and must stay nonexistent.
    else denied.add(name);
    return found.has(name);
  }

  return {
    async query(name, type): Promise<DnsAnswer> {
      if (!world.reachable) return { outcome: "unknown", reason: "no resolver responds" };
      if (!exists(name)) return { outcome: "nxdomain" };
      const records = world.known.get(name) ?? freshRecords(name);
      const { addresses, mailServers, nameServers } = records;
      if (type === "A") return answerWith(name, type, addresses.filter(isIPv4));
      if (type === "AAAA") return answerWith(name, type, addresses.filter(isIPv6));
      if (type === "NS") return answerWith(name, type, nameServers);
      if (type === "MX")
        return answerWith(
          name,
          type,
          mailServers.map((exchange) => ({ preference: 10, exchange })),
        );
      return { outcome: "nodata" };
    },
    async checkResolvers() {
      return world.reachable
        ? [{ server, verdict: "honest", detail: "reports a nonexistent name as nonexistent" }]
        : [{ server, verdict: "silent", detail: "no response" }];
    },
    confirmDenials: async () => true,
    set(next) {
      world = next;
      found.clear();
      denied.clear();
    },
  };
}

function freshRecords(name: string) {
  return { addresses: [address], mailServers: [], nameServers: [`ns1.${name}`] };
}

function answerWith(name: string, type: DnsType, found: readonly unknown[]): DnsAnswer {
  if (found.length === 0) return { outcome: "nodata" };
  return { outcome: "answer", records: found.map((data) => ({ name, type, data }) as DnsRecord) };
}
