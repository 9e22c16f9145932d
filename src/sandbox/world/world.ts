import { dayMs, toIsoTime, type Instant } from "../../lib/clock.ts";
import { createIdFactory, randomText } from "../../lib/ids.ts";
import type { Facts } from "../../enrichment/facts/facts.ts";
import type { SeverityReason } from "../../threats/severity/severity-reasons.ts";
import { severityOf, type SeverityFacts } from "../../threats/severity/severity.ts";
import { isVerified } from "../../threats/severity/verified.ts";
import type { SimilarityReason } from "../../threats/store/similarity-reasons.ts";
import type { Registration } from "../../vocabulary/registration.ts";
import type { Severity, ThreatSource, Status, ThreatType } from "../../vocabulary/threats.ts";
import { storedFacts } from "./facts.ts";
import namesText from "./names.txt" with { type: "text" };
import type { SeededRandom } from "./random.ts";

/** Domains that a sandbox protects. */
export const worldDomains = ["example-bank.com", "example-shop.com", "samplix.org"] as const;

/** Default start of a sandbox's clock. */
export const defaultStart: Instant = Date.UTC(2026, 0, 15, 12);
export const defaultSeed = 1;

/** The part of a sample threat that does not depend on the seed. The table in the documentation is made of these. */
export interface WorldEntry {
  domain: string;
  protectedDomain: string;
  type: ThreatType;
  similarity: number;
  reasons: SimilarityReason[];
  status: Status;
  source: ThreatSource;
  severity: Severity;
  severityReasons: SeverityReason[];
  /** Undefined: not looked up yet. */
  evidence: SeverityFacts | undefined;
}

/** A sample threat as stored in the database. */
export interface WorldThreat extends Omit<WorldEntry, "evidence"> {
  id: string;
  firstSeen: Instant;
  createdAt: Instant;
  statusChangedAt: Instant;
  ipAddress: string | null;
  registrar: string | null;
  whois: Registration;
  screenshotToken: string;
  verified: boolean;
  /** Facts and the time at which they were found; undefined: not looked up yet. */
  known: { facts: Facts; checkedAt: Instant } | undefined;
}

// The lengths of these lists have no common factor, so all combinations occur.
const statusTurn: Status[] =
  "active active resolved active active false_positive active resolved active active resolved active false_positive".split(
    " ",
  ) as Status[];
const sourceTurn: ThreatSource[] = [
  "scan",
  "certificate_transparency",
  "feed",
  "submission",
  "scan",
  "feed",
  "beacon",
];
const page = {
  asksForPassword: true,
  asksForCard: false,
  namesBrand: true,
  redirectsToProtected: false,
};
const evidenceTurn: (SeverityFacts | undefined)[] = [
  { exists: "yes", reachable: true, mail: false, registeredDays: 6, page },
  { exists: "yes", reachable: true, mail: true, registeredDays: 240 },
  { exists: "yes", reachable: true, mail: false, registeredDays: 2_400, parked: "Sedo" },
  { exists: "no" },
  undefined,
  {
    exists: "yes",
    reachable: true,
    mail: false,
    registeredDays: 2_900,
    page: { ...page, asksForPassword: false, namesBrand: false },
  },
  { exists: "yes", reachable: true, mail: true, registeredDays: 19, page },
  { exists: "yes", reachable: false, mail: false, registeredDays: 700 },
];

export function worldEntries(): WorldEntry[] {
  return namesText
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line, index) => {
      const [domain = "", protectedDomain = "", type = "", similarity = "", reasons = "[]"] =
        line.split("\t");
      const evidence = evidenceTurn[index % evidenceTurn.length];
      const match = { type: type as ThreatType, similarity: Number(similarity) };
      const { severity, reasons: severityReasons } = severityOf({ ...match, facts: evidence });
      return {
        ...match,
        domain,
        protectedDomain,
        reasons: JSON.parse(reasons) as SimilarityReason[],
        status: statusTurn[index % statusTurn.length]!,
        source: type === "cloned_site" ? "beacon" : sourceTurn[index % sourceTurn.length]!,
        severity,
        severityReasons,
        evidence,
      };
    });
}

const minuteMs = 60_000;
const oldestDays = 90;
/** Time from the record of a threat to its facts. */
const lookupMs = 2_000;
const registrars = [
  ["Quick Names LLC", "9990"],
  ["Northern Registry Services Ltd.", "9991"],
  ["Domainhaus GmbH", "9992"],
  ["Pacific Registrar Inc.", "9993"],
] as const;
const countries = ["US", "NL", "PA", "SC", "DE"];
const networks = ["192.0.2", "198.51.100", "203.0.113"];

/**
 * Returns the sample threats, oldest first, deterministically from seed and start. The seed determines IDs, times,
 * addresses and registration data.
 */
export function makeWorld(start: Instant, random: SeededRandom): WorldThreat[] {
  const entries = shuffled(worldEntries(), random);
  const times = entries
    .map(() => start - minuteMs - random.below(oldestDays * 24 * 60) * minuteMs - random.below(minuteMs))
    .sort((a, b) => a - b);
  let now = start;
  const ids = createIdFactory(() => now, random.fillRandom);
  return entries.map((entry, index) => {
    const createdAt = times[index]!;
    now = createdAt;
    const { evidence, ...fixed } = entry;
    const found = factsOf(entry.domain, evidence, createdAt, random);
    const checkedAt = createdAt + lookupMs;
    // Feeds and logs list a domain some minutes before it is imported.
    const listed = entry.source === "feed" || entry.source === "certificate_transparency";
    const changedAfterMs = entry.status === "active" ? 0 : random.below(start - createdAt);
    return {
      ...fixed,
      id: ids.next("threat"),
      firstSeen: listed ? createdAt - random.below(30 * minuteMs) : createdAt,
      createdAt,
      statusChangedAt: createdAt + changedAfterMs,
      ...found,
      severityReasons: datedReasons(entry.severityReasons, found.whois),
      screenshotToken: randomText(random.fillRandom, 16),
      verified: isVerified({ type: entry.type, cloneSeen: false, facts: evidence }),
      known:
        evidence === undefined
          ? undefined
          : { facts: storedFacts({ ...entry, ...found, evidence, checkedAt }), checkedAt },
    };
  });
}

/** Adds the day of the registration to the reasons that state it. */
function datedReasons(
  reasons: readonly SeverityReason[],
  { created_at: on }: Registration,
): SeverityReason[] {
  return reasons.map((reason) => {
    if (on === undefined) return reason;
    const day = on.slice(0, 10);
    if (reason.code === "newly_registered") return { ...reason, params: { ...reason.params, on: day } };
    if (reason.code === "long_registered") return { ...reason, params: { ...reason.params, on: day } };
    return reason;
  });
}

function factsOf(
  domain: string,
  evidence: SeverityFacts | undefined,
  createdAt: Instant,
  random: SeededRandom,
): Pick<WorldThreat, "ipAddress" | "registrar" | "whois"> {
  if (evidence === undefined || evidence.exists === "no")
    return { ipAddress: null, registrar: null, whois: {} };
  const ipv4 = `${networks[random.below(networks.length)]}.${1 + random.below(254)}`;
  const ipv6 = `2001:db8::${(1 + random.below(0xfffe)).toString(16)}`;
  const [registrar, registrarId] = registrars[random.below(registrars.length)]!;
  const registeredAt = createdAt - (evidence.registeredDays ?? 0) * dayMs - random.below(dayMs);
  const rdap = random.below(4) > 0;
  const whois: Registration = {
    source: rdap ? "rdap" : "whois",
    registrar,
    registrar_iana_id: registrarId,
    registrant_country: countries[random.below(countries.length)]!,
    created_at: toIsoTime(registeredAt),
    updated_at: toIsoTime(registeredAt + random.below(Math.max(1, createdAt - registeredAt))),
    expires_at: toIsoTime(
      registeredAt + (730 + 365 * Math.floor((createdAt - registeredAt) / (365 * dayMs))) * dayMs,
    ),
    name_servers: ["ns1", "ns2"].map(
      (label) => `${label}.${evidence.parked === undefined ? domain : "sedoparking.com"}`,
    ),
    status: ["client transfer prohibited"],
    dnssec: rdap && random.below(3) === 0,
    abuse_email: `abuse@${registrar.split(" ")[0]!.toLowerCase()}.example`,
    abuse_phone: "+1.5555550100",
    fetched_at: toIsoTime(createdAt + lookupMs),
  };
  return {
    ipAddress: evidence.reachable === false ? null : random.below(8) === 0 ? ipv6 : ipv4,
    registrar,
    whois,
  };
}

/** Fisher-Yates shuffle. */
function shuffled<T>(items: T[], random: SeededRandom): T[] {
  for (let last = items.length - 1; last > 0; last -= 1) {
    const other = random.below(last + 1);
    [items[last], items[other]] = [items[other]!, items[last]!];
  }
  return items;
}
