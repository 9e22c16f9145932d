import { createSharedCache } from "../../../platform/lib/shared-cache.ts";
import type { Needs } from "../../../platform/lib/needs.ts";
import type { DnsAnswer, DnsClient } from "../../../platform/network/dns/dns-client.ts";
import { randomLabel } from "../../../platform/network/dns/resolver-check.ts";

/** Records that a parent (a public suffix, a hosting provider's domain) returns for names that cannot be registered. */
export interface ParentProbe {
  verdict: "registered_names" | "every_name" | "unknown";
  /** Why the verdict is `unknown`; otherwise empty. */
  reason: string;
  addresses: string[];
  /** Whether every name gets the same addresses. */
  steady: boolean;
  mailServers: string[];
  nameServers: string[];
}

/** Probes a parent; the result is cached for a while. Never throws. */
export type WildcardProbe = (
  parent: string,
  options?: { signal?: AbortSignal | undefined },
) => Promise<ParentProbe>;

const cachedMs = 10 * 60_000;
const parentsMax = 10_000;
const labelLength = 16;

export function createWildcardProbe({
  dns,
  clock,
  fillRandom,
}: Needs<"clock" | "fillRandom"> & { dns: Pick<DnsClient, "query"> }): WildcardProbe {
  const cached = createSharedCache<ParentProbe>({
    clock,
    entriesMax: parentsMax,
    // With an unknown verdict, the next name probes again.
    keepMs: ({ verdict }) => (verdict === "unknown" ? 0 : cachedMs),
  });

  async function probe(parent: string, signal: AbortSignal | undefined): Promise<ParentProbe> {
    const name = `${randomLabel(fillRandom, labelLength)}.${parent}`;
    const first = await dns.query(name, "A", { signal });
    if (first.outcome === "nxdomain") return { ...nothing, verdict: "registered_names" };
    const other = `${randomLabel(fillRandom, labelLength)}.${parent}`;
    const [second, mail, servers] = await Promise.all([
      dns.query(other, "A", { signal }),
      dns.query(name, "MX", { signal }),
      dns.query(name, "NS", { signal }),
    ]);
    const failed = [first, second, mail, servers].find((response) => response.outcome === "unknown");
    if (failed?.outcome === "unknown") return { ...nothing, verdict: "unknown", reason: failed.reason };
    const [addresses, others] = [dataOf(first, "A"), dataOf(second, "A")];
    const found = {
      addresses: [...addresses, ...others],
      mailServers: dataOf(mail, "MX"),
      nameServers: dataOf(servers, "NS"),
    };
    const any = first.outcome === "answer" || found.mailServers.length + found.nameServers.length > 0;
    return {
      verdict: any ? "every_name" : "registered_names",
      reason: "",
      ...found,
      steady: addresses.length > 0 && addresses.toSorted().join() === others.toSorted().join(),
    };
  }

  return (parent, { signal } = {}) => cached(parent, () => probe(parent, signal));
}

const nothing: Omit<ParentProbe, "verdict"> = {
  reason: "",
  addresses: [],
  steady: false,
  mailServers: [],
  nameServers: [],
};

function dataOf(response: DnsAnswer, type: "A" | "MX" | "NS"): string[] {
  if (response.outcome !== "answer") return [];
  return response.records.flatMap((record) => {
    if (record.type !== type) return [];
    return record.type === "MX" ? [record.data.exchange] : [record.data];
  });
}
