import { type Facts, nothingKnown, severityFactsOf } from "../../../src/facts/enrichment/facts/facts.ts";
import { siteTimesAfter } from "../../../src/facts/enrichment/facts/site-state.ts";
import { intervalsMs } from "../../../src/facts/enrichment/plan.ts";
import { dayMs, type Instant } from "../../../src/platform/lib/clock.ts";
import type { Registration } from "../../../src/platform/vocabulary/site.ts";
import { severityOf, type SeverityFacts } from "../../../src/threats/threats/severity/severity.ts";
import { brandOf, type PictureName } from "../../../src/sandbox/pictures/pictures.ts";
import type { SeededRandom } from "../../../src/sandbox/world/random.ts";
import { factsAt, type Scene } from "../../../src/sandbox/world/scenes.ts";
import type { WorldEntry } from "./entries.ts";

/** Facts that a check found. */
export interface Check {
  at: Instant;
  facts: Facts;
}

export interface Story {
  /** Oldest first; at least one. */
  checks: Check[];
  /** When its name was gone before it came back; absent for most. */
  goneAt?: Instant;
}

/** Facts of a name whose servers never responded. */
const silentFacts: Facts = {
  unknown: { existence: "its name servers do not respond", registration: "the registry does not respond" },
};

/** Time from the record of a threat to its first check. */
export const lookupMs = 2_000;
const hourMs = 3_600_000;

/** Returns the times of the checks of a threat from its record to `start`. */
function checkTimes(createdAt: Instant, start: Instant): Instant[] {
  const times: Instant[] = [];
  let at = createdAt + lookupMs;
  for (let step = 0; at < start; step += 1) {
    times.push(at);
    at += intervalsMs[Math.min(step, intervalsMs.length - 1)]!;
  }
  return times;
}

/**
 * Returns what the checks of a sample threat found. The last one agrees with the evidence that determines its severity.
 *
 * @param random determines the course of events, without influence on other threats
 */
export function storyOf({
  createdAt,
  decidedAt,
  entry,
  ipAddress,
  random,
  start,
  whois,
}: {
  createdAt: Instant;
  /** When a person decided; undefined: not yet. */
  decidedAt: Instant | undefined;
  entry: WorldEntry;
  ipAddress: string | null;
  random: SeededRandom;
  start: Instant;
  whois: Registration;
}): Story {
  const times = checkTimes(createdAt, start);
  const { domain, evidence, protectedDomain } = entry;
  if (evidence === undefined) return { checks: times.slice(-1).map((at) => ({ at, facts: silentFacts })) };
  const isYoung = (evidence.registeredDays ?? 0) < 30;
  const certifiedAt = isYoung
    ? createdAt - random.below(2 * hourMs) - hourMs
    : createdAt - random.below(20 * dayMs) - hourMs;
  // A name that is gone had an address before.
  const formerAddress = `198.51.100.${1 + random.below(254)}`;
  const address = evidence.exists === "no" ? formerAddress : ipAddress;
  const subject = { domain, protectedDomain, ipAddress: address, whois, certifiedAt };
  const play = (scenes: readonly Scene[]): Check[] => {
    let before = nothingKnown;
    return times.map((at, index) => {
      const facts = factsAt(scenes[Math.min(index, scenes.length - 1)]!, subject, { at, createdAt, before });
      const site = siteTimesAfter(before, facts, at);
      before = site === undefined ? facts : { ...facts, site };
      return { at, facts: before };
    });
  };
  const scenes = scenesOf(entry, evidence, { random, checks: times.length });
  const last = times.at(-1)!;
  // A site goes down some time after it was reported.
  if (entry.status === "resolved" && evidence.page?.asksForPassword && (decidedAt ?? last) < last) {
    const up = scenes.at(-1)!;
    const { picture: _, ...down } = up;
    const endings: Scene[] = [{ ...up, picture: "blocked" }, down];
    if (random.below(2) === 0) endings.reverse();
    for (const ending of endings) {
      const closed = play([...fill(scenes, times, decidedAt!), ending]);
      if (isAsSevere(entry, closed.at(-1)!)) return { checks: closed };
    }
  }
  const checks = play(scenes);
  const gone = checks.findIndex(
    ({ facts }, index) => index > 0 && facts.existence?.exists === "no" && index < checks.length - 1,
  );
  const isBack = gone !== -1 && checks.at(-1)!.facts.existence?.exists === "yes";
  return { checks, ...(isBack ? { goneAt: checks[gone]!.at } : {}) };
}

/** Returns whether a parked name uses the name servers of the parking service; otherwise, only its page says so. */
export function isParkedInDns({ domain }: Pick<WorldEntry, "domain">): boolean {
  return domain.length % 3 === 0;
}

/** Repeats the last scene until the first check after `until`. */
function fill(scenes: readonly Scene[], times: readonly Instant[], until: Instant): Scene[] {
  const before = times.filter((at) => at <= until).length;
  return Array.from(
    { length: Math.max(1, before) },
    (_, index) => scenes[Math.min(index, scenes.length - 1)]!,
  );
}

function isAsSevere(entry: WorldEntry, { at, facts }: Check): boolean {
  return severityOf(entry, { facts: severityFactsOf(facts, at) }).severity === entry.severity;
}

/** Returns at most as many states as there are checks. The last one agrees with the evidence. */
function scenesOf(
  entry: WorldEntry,
  evidence: SeverityFacts,
  { checks, random }: { checks: number; random: SeededRandom },
): Scene[] {
  const { protectedDomain, source, status } = entry;
  const { copies } = brandOf(protectedDomain);
  const copy: PictureName = copies[random.below(copies.length)]!;
  const choice = random.below(3);
  const registered: Scene = { exists: true };
  const mail = evidence.mail === true;
  const all = ((): Scene[] => {
    if (evidence.exists !== "yes") {
      const gone: Scene = { exists: false };
      if (status === "resolved") return [{ exists: true, picture: copy }, { exists: true }, gone];
      const wasSeen = source === "scan" || source === "certificate_transparency";
      return wasSeen ? [registered, gone] : [gone];
    }
    if (evidence.reachable === false) return [{ exists: true, address: "none" }];
    if (evidence.parked !== undefined)
      return isParkedInDns(entry)
        ? [{ exists: true, parked: evidence.parked }]
        : [{ exists: true, picture: "parked" }];
    if (evidence.page === undefined)
      return choice === 0 ? [registered, { exists: true, mail }] : [{ exists: true, mail }];
    if (!evidence.page.asksForPassword)
      return [{ exists: true, picture: choice === 0 ? "empty" : "unrelated" }];
    const up: Scene = { exists: true, picture: copy };
    const receives: Scene = { ...up, mail };
    if (status === "active" && choice === 0 && checks > 4)
      return [registered, up, { exists: false }, receives];
    if (choice === 1) return [{ ...registered, address: "earlier" }, up, receives];
    return mail ? [registered, up, receives] : [up];
  })();
  return all.slice(-checks);
}
