import type { DnsAnswer, DnsClient, DnsRecord, DnsType } from "../../network/dns/dns-client.ts";

/** A DNS without a network. */
export interface SandboxDns extends DnsClient {
  /**
   * Sets what the next scan sees.
   * @param known names that exist
   * @param gone names that do not exist
   * @param finds number of further names that exist: those that are looked up first
   */
  set(world: {
    known: ReadonlySet<string>;
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
    known: new Set(),
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
      if (type === "A") return answerWith({ name, type, data: address });
      if (type === "NS") return answerWith({ name, type, data: `ns1.${name}` });
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

function answerWith(record: { name: string; type: DnsType; data: string }): DnsAnswer {
  return { outcome: "answer", records: [record as DnsRecord] };
}
