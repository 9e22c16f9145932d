import type { DnsAnswer, DnsClient, DnsRecord, DnsType } from "../../network/dns/dns-client.ts";

/** A DNS that asks nobody. */
export interface SandboxDns extends DnsClient {
  /**
   * What the next scan is to see.
   * @param known names that exist; of `gone` ones none does
   * @param finds so many other look-alikes exist, those that are asked for first
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
/** With these labels the look-ups ask whether a parent has every name. */
const probe = /^[a-z0-9]{16}\./;

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
    if (world.gone.has(name) || denied.has(name) || probe.test(name) || !name.includes(".")) return false;
    if (found.size < world.finds) found.add(name);
    // A name is asked about several times, and has to go on being nobody's.
    else denied.add(name);
    return found.has(name);
  }

  return {
    async query(name, type): Promise<DnsAnswer> {
      if (!world.reachable) return { outcome: "unknown", reason: "no resolver answers" };
      if (!exists(name)) return { outcome: "nxdomain" };
      if (type === "A") return answer({ name, type, data: address });
      if (type === "NS") return answer({ name, type, data: `ns1.${name}` });
      return { outcome: "nodata" };
    },
    async checkResolvers() {
      return world.reachable
        ? [{ server, verdict: "honest", detail: "says that a name does not exist" }]
        : [{ server, verdict: "silent", detail: "no answer" }];
    },
    set(next) {
      world = next;
      found.clear();
      denied.clear();
    },
  };
}

function answer(record: { name: string; type: DnsType; data: string }): DnsAnswer {
  return { outcome: "answer", records: [record as DnsRecord] };
}
