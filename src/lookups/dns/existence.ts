import type { DnsAnswer, DnsClient, DnsRecord, DnsType } from "../../network/dns/dns-client.ts";
import { classifyHosting } from "./hosting.ts";
import type { WildcardProbe } from "./wildcards.ts";

/** What the DNS says about a name. */
export interface Existence {
  /** `unknown`: nobody could say; neither a threat nor gone. */
  exists: "yes" | "no" | "unknown";
  /** Why it is unknown, or what could not be found out about a name that exists. */
  reason?: string;
  addresses: string[];
  /** Best first. Empty also for a name that says that it takes no mail (RFC 7505). */
  mailServers: string[];
  nameServers: string[];
  /** Where its chain of aliases ends. */
  canonicalName?: string;
  /** The parking service that it points to. */
  parked?: string;
  /** Who took it over to make it harmless. */
  sinkholed?: string;
  /** Its parent has the same answer for every name: nobody registered this one. */
  wildcard: boolean;
}

export type LookUpExistence = (name: string, options?: { signal?: AbortSignal }) => Promise<Existence>;

interface Records {
  addresses: string[];
  mailServers: string[];
  nameServers: string[];
  canonicalName?: string | undefined;
  /** What could not be found out. */
  gaps: string[];
}

/**
 * Looks a name up. One query for a name that does not exist, four for one that does, and a few more for each
 * parent the first time. Never throws.
 */
export function createExistenceLookUp({
  dns,
  probeWildcard,
}: {
  dns: Pick<DnsClient, "query">;
  probeWildcard: WildcardProbe;
}): LookUpExistence {
  return async (name, { signal } = {}) => {
    const ask = (type: DnsType) => dns.query(name, type, { signal });
    const address = await ask("A");
    if (address.outcome === "nxdomain") return { exists: "no", ...nothing };
    // A server that fails for addresses mostly fails for everything: one more question instead of three.
    const delegation = await ask("NS");
    if (address.outcome === "unknown" && ownRecords(delegation, name, "NS").length === 0)
      return { exists: "unknown", reason: address.reason, ...nothing };
    const [address6, mail] = await Promise.all([ask("AAAA"), ask("MX")]);
    const records = collect(name, { A: address, AAAA: address6, MX: mail, NS: delegation });
    if (isEmpty(records) && ownRecords(await ask("SOA"), name, "SOA").length === 0) {
      // Some zones deny a name by saying that it has no records (RFC 9824).
      return records.gaps.length > 0
        ? { exists: "unknown", reason: records.gaps.join("; "), ...nothing }
        : { exists: "no", ...nothing };
    }
    return judge(name, records, await probeWildcard(parentOf(name), { signal }));
  };
}

const nothing = { addresses: [], mailServers: [], nameServers: [], wildcard: false };

function collect(name: string, answers: Record<"A" | "AAAA" | "MX" | "NS", DnsAnswer>): Records {
  const data = (type: "A" | "AAAA") => recordsOf(answers[type], type).map((record) => String(record.data));
  const chain = recordsOf(answers.A, "CNAME");
  return {
    addresses: [...data("A"), ...data("AAAA")],
    mailServers: recordsOf(answers.MX, "MX")
      .flatMap(({ data: server }) => (typeof server === "object" && "exchange" in server ? [server] : []))
      // RFC 7505: a server without a name says that no mail is taken.
      .filter(({ exchange }) => exchange !== "")
      .sort((a, b) => a.preference - b.preference)
      .map(({ exchange }) => exchange),
    nameServers: ownRecords(answers.NS, name, "NS").map(({ data: server }) => String(server)),
    canonicalName: chain.length === 0 ? undefined : String(chain.at(-1)!.data),
    gaps: Object.entries(answers).flatMap(([type, answer]) =>
      answer.outcome === "unknown" ? [`${type}: ${answer.reason}`] : [],
    ),
  };
}

function isEmpty({ addresses, mailServers, nameServers, canonicalName }: Records): boolean {
  return addresses.length + mailServers.length + nameServers.length === 0 && canonicalName === undefined;
}

function judge(name: string, records: Records, parent: Awaited<ReturnType<WildcardProbe>>): Existence {
  const { gaps, canonicalName, ...lists } = records;
  const own = records.nameServers.length > 0 && parent.nameServers.length === 0;
  if (parent.verdict === "unknown" && !own) {
    const reason = `whether ${parentOf(name)} has every name: ${parent.reason}`;
    return { exists: "unknown", reason, ...nothing };
  }
  const wildcard = parent.verdict === "every_name" && !own && !differs(records, parent);
  return {
    exists: "yes",
    ...(gaps.length > 0 && { reason: gaps.join("; ") }),
    ...lists,
    ...(canonicalName !== undefined && { canonicalName }),
    ...classifyHosting(records),
    wildcard,
  };
}

/** Whether the name has something that its parent does not have for every name. */
function differs(
  records: Records,
  parent: { addresses: string[]; steady: boolean; mailServers: string[] },
): boolean {
  // Where every question gets another address, an address says nothing.
  const ownAddress =
    parent.steady && records.addresses.some((address) => !parent.addresses.includes(address));
  return ownAddress || records.mailServers.some((server) => !parent.mailServers.includes(server));
}

function recordsOf(answer: DnsAnswer, type: DnsType): DnsRecord[] {
  return answer.outcome === "answer" ? answer.records.filter((record) => record.type === type) : [];
}

/** Behind an alias stand somebody else's name servers. */
function ownRecords(answer: DnsAnswer, name: string, type: DnsType): DnsRecord[] {
  return recordsOf(answer, type).filter((record) => record.name === name);
}

function parentOf(name: string): string {
  return name.slice(name.indexOf(".") + 1);
}
