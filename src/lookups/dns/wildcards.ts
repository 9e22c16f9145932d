import type { Clock, Instant } from "../../lib/clock.ts";
import type { FillRandom } from "../../lib/ids.ts";
import { randomLabel, type DnsAnswer, type DnsClient } from "../../network/dns/dns-client.ts";

/** What a parent (a public suffix, a hoster's domain) answers for names that nobody can have registered. */
export interface ParentAnswers {
  verdict: "registered_names" | "every_name" | "unknown";
  /** Of `unknown`. */
  reason: string;
  addresses: string[];
  /** Whether it is the same addresses for each name. */
  steady: boolean;
  mailServers: string[];
  nameServers: string[];
}

/** Asked at most once in a while for each parent. Never throws. */
export type WildcardProbe = (
  parent: string,
  options?: { signal?: AbortSignal | undefined },
) => Promise<ParentAnswers>;

const rememberedMs = 10 * 60_000;
const parentsMax = 10_000;
const labelLength = 16;

export function createWildcardProbe({
  dns,
  clock,
  fillRandom,
}: {
  dns: Pick<DnsClient, "query">;
  clock: Clock;
  fillRandom: FillRandom;
}): WildcardProbe {
  const remembered = new Map<string, { until: Instant; answers: Promise<ParentAnswers> }>();

  async function probe(parent: string, signal: AbortSignal | undefined): Promise<ParentAnswers> {
    const name = `${randomLabel(fillRandom, labelLength)}.${parent}`;
    const first = await dns.query(name, "A", { signal });
    if (first.outcome === "nxdomain") return { ...nothing, verdict: "registered_names" };
    const other = `${randomLabel(fillRandom, labelLength)}.${parent}`;
    const [second, mail, servers] = await Promise.all([
      dns.query(other, "A", { signal }),
      dns.query(name, "MX", { signal }),
      dns.query(name, "NS", { signal }),
    ]);
    const failed = [first, second, mail, servers].find((answer) => answer.outcome === "unknown");
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

  return async (parent, { signal } = {}) => {
    const known = remembered.get(parent);
    if (known !== undefined && known.until > clock.now()) return known.answers;
    if (remembered.size >= parentsMax) remembered.clear();
    const answers = probe(parent, signal);
    remembered.set(parent, { until: clock.now() + rememberedMs, answers });
    const { verdict } = await answers;
    // What is not known is asked again for the next name.
    if (verdict === "unknown") remembered.delete(parent);
    return answers;
  };
}

const nothing: Omit<ParentAnswers, "verdict"> = {
  reason: "",
  addresses: [],
  steady: false,
  mailServers: [],
  nameServers: [],
};

function dataOf(answer: DnsAnswer, type: "A" | "MX" | "NS"): string[] {
  if (answer.outcome !== "answer") return [];
  return answer.records.flatMap((record) => {
    if (record.type !== type) return [];
    return record.type === "MX" ? [record.data.exchange] : [record.data];
  });
}
