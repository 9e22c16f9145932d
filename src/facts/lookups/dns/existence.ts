import {
  type DnsAnswer,
  type DnsClient,
  type DnsRecord,
  type DnsType,
  createDnsClient,
} from "../../../platform/network/dns/dns-client.ts";
import type { Presence } from "../../../platform/vocabulary/site.ts";
import { type ParentProbe, type WildcardProbe, createWildcardProbe } from "./wildcards.ts";
import { BlockList, isIPv6 } from "node:net";
import { linesOfList } from "../../../platform/lib/lists/list-texts.ts";
import { lazy } from "../../../platform/lib/startup.ts";
import markersText from "./hosting.txt" with { type: "text" };
import type { Config } from "../../../platform/config/config.ts";
import type { Needs } from "../../../platform/lib/needs.ts";
import { systemResolvers } from "../../../platform/network/dns/system-resolvers.ts";

/** Result of looking up a name in DNS. */
export interface Existence {
  /** `unknown`: no server gave a definite response, so the name counts neither as present nor as gone. */
  exists: Presence;
  /** Why existence is unknown, or which records of an existing name could not be determined. */
  reason?: string;
  addresses: string[];
  /** Best first. Also empty for a name that declares that it accepts no mail (RFC 7505). */
  mailServers: string[];
  nameServers: string[];
  /** End of the chain of aliases. */
  canonicalName?: string;
  /** Parking service that the name points to. */
  parked?: string;
  /** Operator of the sinkhole that the name points to. */
  sinkholed?: string;
  /** The parent returns the same records for every name, so this name is not registered. */
  wildcard: boolean;
}

export type LookUpExistence = (name: string, options?: { signal?: AbortSignal }) => Promise<Existence>;

interface Records {
  addresses: string[];
  mailServers: string[];
  nameServers: string[];
  canonicalName?: string | undefined;
  /** Which queries failed, and why. */
  gaps: string[];
}

interface ExistenceLookupDependencies {
  dns: Pick<DnsClient, "query">;
  probeWildcard: WildcardProbe;
}

/**
 * Looks up a name: one query for a name that does not exist, four for one that does, and a few more for each parent
 * the first time. Never throws.
 */
export function createExistenceLookup({ dns, probeWildcard }: ExistenceLookupDependencies): LookUpExistence {
  return async (name, { signal } = {}) => {
    const query = (type: DnsType) => dns.query(name, type, { signal });
    const address = await query("A");
    if (address.outcome === "nxdomain") return { exists: "no", ...nothing };
    // A server that fails for addresses mostly fails for everything: one more query instead of three.
    const delegation = await query("NS");
    if (address.outcome === "unknown" && ownRecords(delegation, name, "NS").length === 0)
      return { exists: "unknown", reason: address.reason, ...nothing };
    const [address6, mail] = await Promise.all([query("AAAA"), query("MX")]);
    const records = collect(name, { A: address, AAAA: address6, MX: mail, NS: delegation });
    if (isEmpty(records) && ownRecords(await query("SOA"), name, "SOA").length === 0) {
      // Some zones deny a name by responding that it has no records (RFC 9824).
      return records.gaps.length > 0
        ? { exists: "unknown", reason: records.gaps.join("; "), ...nothing }
        : { exists: "no", ...nothing };
    }
    return classify(name, records, await probeWildcard(parentOf(name), { signal }));
  };
}

const nothing = { addresses: [], mailServers: [], nameServers: [], wildcard: false };

function collect(name: string, responses: Record<"A" | "AAAA" | "MX" | "NS", DnsAnswer>): Records {
  const data = (type: "A" | "AAAA") => recordsOf(responses[type], type).map((record) => String(record.data));
  const chain = recordsOf(responses.A, "CNAME");
  return {
    addresses: [...data("A"), ...data("AAAA")],
    mailServers: recordsOf(responses.MX, "MX")
      .flatMap(({ data: server }) => (typeof server === "object" && "exchange" in server ? [server] : []))
      // Null MX (RFC 7505): a server without a name means that the domain accepts no mail.
      .filter(({ exchange }) => exchange !== "")
      .sort((a, b) => a.preference - b.preference)
      .map(({ exchange }) => exchange),
    nameServers: ownRecords(responses.NS, name, "NS").map(({ data: server }) => String(server)),
    canonicalName: chain.length === 0 ? undefined : String(chain.at(-1)!.data),
    gaps: Object.entries(responses).flatMap(([type, response]) =>
      response.outcome === "unknown" ? [`${type}: ${response.reason}`] : [],
    ),
  };
}

function isEmpty({ addresses, mailServers, nameServers, canonicalName }: Records): boolean {
  return addresses.length + mailServers.length + nameServers.length === 0 && canonicalName === undefined;
}

function classify(name: string, records: Records, parent: ParentProbe): Existence {
  const { gaps, canonicalName, ...lists } = records;
  const hasOwnServers = records.nameServers.length > 0 && parent.nameServers.length === 0;
  if (parent.verdict === "unknown" && !hasOwnServers) {
    const reason = `cannot tell whether ${parentOf(name)} is a wildcard: ${parent.reason}`;
    return { exists: "unknown", reason, ...nothing };
  }
  const wildcard = parent.verdict === "every_name" && !hasOwnServers && !differs(records, parent);
  return {
    exists: "yes",
    ...(gaps.length > 0 && { reason: gaps.join("; ") }),
    ...lists,
    ...(canonicalName !== undefined && { canonicalName }),
    ...classifyHosting(records),
    wildcard,
  };
}

/** Returns whether the name has a record that its parent does not return for every name. */
function differs(records: Records, parent: ParentProbe): boolean {
  // Where every query returns another address, an address proves nothing.
  const ownAddress =
    parent.steady && records.addresses.some((address) => !parent.addresses.includes(address));
  return ownAddress || records.mailServers.some((server) => !parent.mailServers.includes(server));
}

function recordsOf(response: DnsAnswer, type: DnsType): DnsRecord[] {
  return response.outcome === "answer" ? response.records.filter((record) => record.type === type) : [];
}

/** Returns the records of the name itself: the name servers behind an alias belong to another name. */
function ownRecords(response: DnsAnswer, name: string, type: DnsType): DnsRecord[] {
  return recordsOf(response, type).filter((record) => record.name === name);
}

function parentOf(name: string): string {
  return name.slice(name.indexOf(".") + 1);
}

/**
 * Recognizes names that are held by a parking service or a sinkhole, by the hosts and networks that they point to. The
 * markers are listed in `hosting.txt`.
 */
type Hosting = Pick<Existence, "parked" | "sinkholed">;
interface Marker {
  kind: keyof Hosting;
  holder: string;
}

const markers = lazy(() => readMarkers(markersText));

function classifyHosting({ addresses, nameServers, canonicalName }: Records): Hosting {
  const hosting: Hosting = {};
  const note = (marker: Marker | undefined) => {
    if (marker !== undefined) hosting[marker.kind] ??= marker.holder;
  };
  // Anyone can list one of these name servers next to their own, so every one of them must match.
  const holders = nameServers.map(markerOfName);
  if (holders.every((marker) => marker !== undefined)) for (const marker of holders) note(marker);
  if (canonicalName !== undefined) note(markerOfName(canonicalName));
  // A single address outside of their networks is where the name really points.
  const owners = addresses.map(markerOfAddress);
  if (owners.every((marker) => marker !== undefined)) for (const marker of owners) note(marker);
  return hosting;
}

function markerOfName(name: string): Marker | undefined {
  for (let rest = name; rest.includes("."); rest = rest.slice(rest.indexOf(".") + 1)) {
    const marker = markers().names.get(rest);
    if (marker !== undefined) return marker;
  }
  return undefined;
}

function markerOfAddress(address: string): Marker | undefined {
  const family = isIPv6(address) ? "ipv6" : "ipv4";
  return markers().networks.find(({ addresses }) => addresses.check(address, family))?.marker;
}

/** Reads lines of kind, pattern (a name, including its subdomains, or a network), and holder. */
function readMarkers(text: string) {
  const names = new Map<string, Marker>();
  const networks: { marker: Marker; addresses: BlockList }[] = [];
  for (const line of linesOfList(text)) {
    const [kind = "", pattern = "", ...words] = line.split(/\s+/);
    const entry: Marker = { kind: kind as Marker["kind"], holder: words.join(" ") };
    const [address = "", bits] = pattern.split("/");
    if (bits === undefined) {
      names.set(pattern, entry);
      continue;
    }
    const addresses = new BlockList();
    addresses.addSubnet(address, Number(bits), isIPv6(address) ? "ipv6" : "ipv4");
    networks.push({ marker: entry, addresses });
  }
  return { names, networks };
}

interface DnsDependencies extends Needs<"clock" | "fillRandom"> {
  config: Pick<Config, "scan">;
  /** Replaces DNS. */
  given: DnsClient | undefined;
}

/** Constructs the DNS client of the configuration, and the lookup of existence over it. */
export function openDns({ clock, config, fillRandom, given }: DnsDependencies) {
  const { scan } = config;
  const resolvers = () => (scan.resolvers.length > 0 ? scan.resolvers : systemResolvers());
  const queriesPerSecond = () => scan.queriesPerSecond;
  const dns = given ?? createDnsClient({ clock, fillRandom, resolvers, queriesPerSecond });
  const probeWildcard = createWildcardProbe({ clock, dns, fillRandom });
  return {
    dns,
    /** Looks up whether a name exists, with its records and who holds it. Never throws for what servers respond. */
    lookUp: createExistenceLookup({ dns, probeWildcard }),
  };
}
