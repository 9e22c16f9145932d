import { dayMs, toIsoTime, type Instant } from "../../../src/platform/lib/clock.ts";
import { createIdFactory, randomText } from "../../../src/platform/lib/ids.ts";
import { severityFactsOf } from "../../../src/facts/enrichment/facts/facts.ts";
import type { SeverityReason } from "../../../src/threats/threats/severity/severity-reasons.ts";
import { severityOf } from "../../../src/threats/threats/severity/severity.ts";
import { isVerified } from "../../../src/threats/threats/severity/verified.ts";
import type { Registration } from "../../../src/platform/vocabulary/site.ts";
import { decisionsOf, decisionTime, type Decision } from "./decisions.ts";
import { providers } from "../../../src/sandbox/world/scenes.ts";
import samples from "./samples.json" with { type: "json" };
import { worldEntries, type WorldEntry } from "./entries.ts";
import { createRandom, type SeededRandom } from "../../../src/sandbox/world/random.ts";
import { isParkedInDns, lookupMs, storyOf, type Check } from "./story.ts";

/** A sample threat as stored in the database. */
export interface WorldThreat extends Omit<WorldEntry, "evidence"> {
  id: string;
  severityReasons: SeverityReason[];
  firstSeen: Instant;
  createdAt: Instant;
  statusChangedAt: Instant;
  ipAddress: string | null;
  registrar: string | null;
  whois: Registration;
  screenshotToken: string;
  verified: boolean;
  /** Oldest first; at least one. */
  checks: Check[];
  /** Changes of its status, oldest first. */
  decisions: Decision[];
}

const minuteMs = 60_000;
const oldestDays = 90;
/** Characters at the end of an identifier that do not depend on the time. */
const randomCharacters = 12;
const { registrantCountries, registrars } = samples;

/**
 * Returns the sample threats, oldest first, deterministically from seed and start. The seed determines IDs, times,
 * addresses and registration data.
 *
 * @param options.isCaughtUp whether the team has decided on nearly all threats but the newest; otherwise, the statuses
 *   are the documented ones
 */
export function makeWorld(start: Instant, random: SeededRandom, { isCaughtUp = false } = {}): WorldThreat[] {
  const entries = shuffled(worldEntries(), random);
  const times = entries
    .map(() => start - minuteMs - random.below(oldestDays * 24 * 60) * minuteMs - random.below(minuteMs))
    .sort((a, b) => a - b);
  let now = start;
  const ids = createIdFactory(() => now, random.fillRandom);
  return entries.map((documented, index) => {
    const createdAt = times[index]!;
    now = createdAt;
    const found = factsOf(documented, createdAt, random);
    // Feeds and logs list a domain some minutes before it is imported.
    const listed = documented.source === "feed" || documented.source === "certificate_transparency";
    if (documented.status !== "active") random.below(start - createdAt);
    const id = ids.next("threat");
    const firstSeen = listed ? createdAt - random.below(30 * minuteMs) : createdAt;
    const screenshotToken = randomText(random.fillRandom, 16);
    // The random part of the identifier: the course of events does not depend on the time.
    const own = createRandom(Bun.hash.crc32(id.slice(-randomCharacters)));
    const entry = isCaughtUp ? caughtUp(documented, start - createdAt, own) : documented;
    const { evidence: _, ...fixed } = entry;
    const decidedAt =
      entry.status === "active" ? undefined : decisionTime(entry, { createdAt, start, random: own });
    const { checks, goneAt } = storyOf({ ...found, createdAt, decidedAt, entry, random: own, start });
    const last = checks.at(-1);
    const facts = last === undefined ? undefined : severityFactsOf(last.facts, last.at);
    const decisions = decisionsOf(entry, { checks, decidedAt, goneAt, random: own });
    return {
      ...fixed,
      id,
      firstSeen,
      createdAt,
      statusChangedAt: decisions.at(-1)?.at ?? createdAt,
      ...found,
      severityReasons: severityOf(entry, { facts }).reasons,
      screenshotToken,
      verified: isVerified({ type: entry.type, cloneSeen: false, facts }),
      checks,
      decisions,
    };
  });
}

/** A team that has caught up leaves many of the threats up to this age open, and few older ones. */
const recentMs = 12 * dayMs;

function caughtUp(entry: WorldEntry, ageMs: number, random: SeededRandom): WorldEntry {
  const chance = random.below(12);
  // Sites that imitate the brand come back more often.
  const isOld = chance < (entry.evidence?.page?.namesBrand === true ? 3 : 1);
  const isOpen = ageMs < dayMs || (ageMs < recentMs ? chance < 8 : isOld);
  if (entry.status !== "active" || isOpen) return entry;
  const isHarmless = entry.evidence?.page?.namesBrand !== true && entry.evidence?.mail !== true;
  const isFair = isHarmless && entry.evidence?.exists === "yes" && random.below(3) === 0;
  return { ...entry, status: isFair ? "false_positive" : "resolved" };
}

function factsOf(
  entry: WorldEntry,
  createdAt: Instant,
  random: SeededRandom,
): Pick<WorldThreat, "ipAddress" | "registrar" | "whois"> {
  const { evidence } = entry;
  if (evidence === undefined || evidence.exists === "no")
    return { ipAddress: null, registrar: null, whois: {} };
  const ipv4 = `${providers[random.below(providers.length)]!.prefix}.${1 + random.below(254)}`;
  const ipv6 = `2001:db8::${(1 + random.below(0xfffe)).toString(16)}`;
  const { name: registrar, ianaId, nameServers } = registrars[random.below(registrars.length)]!;
  const registeredAt = createdAt - (evidence.registeredDays ?? 0) * dayMs - random.below(dayMs);
  const rdap = random.below(4) > 0;
  const whois: Registration = {
    source: rdap ? "rdap" : "whois",
    registrar,
    registrar_iana_id: ianaId,
    registrant_country: registrantCountries[random.below(registrantCountries.length)]!,
    created_at: toIsoTime(registeredAt),
    updated_at: toIsoTime(registeredAt + random.below(Math.max(1, createdAt - registeredAt))),
    expires_at: toIsoTime(
      registeredAt + (730 + 365 * Math.floor((createdAt - registeredAt) / (365 * dayMs))) * dayMs,
    ),
    name_servers: ["ns1", "ns2"].map(
      (label) =>
        `${label}.${evidence.parked !== undefined && isParkedInDns(entry) ? "sedoparking.com" : nameServers}`,
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
