import type { ProtectedDomains } from "../domains/domains.ts";
import type { Outbox } from "../events/outbox.ts";
import { toIsoTime, type Clock, type Instant } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { RecordedThreat } from "../threats/record.ts";
import type { Threats } from "../threats/threats.ts";
import { createAlarmBounds } from "./alarm-bounds.ts";
import type { Beacon, Beacons } from "./beacons.ts";
import { classifyVisitor } from "./agents.ts";
import type { HitStore } from "./hits.ts";
import type { Honeytoken, Honeytokens } from "./honeytokens.ts";
import type { RawHit } from "./intake.ts";
import { judgeReport, type BeaconReport, type JudgedReport } from "./judge.ts";
import { threatNameOf } from "./places.ts";
import type { HitClass } from "../vocabulary/traps.ts";

export interface AlarmSettings {
  repeatAfterMs: number;
  alarmClasses: readonly HitClass[];
  /** Of one trap; what comes beyond it is recorded and sends none. */
  eventsPerHour: number;
  hostsPerHour: number;
}

/** Rows of these would be the owner's own visitors. */
const countedOnly: readonly HitClass[] = ["own", "unknown"];
const alwaysAlarming: readonly HitClass[] = ["foreign", "visit"];

/** All visits of one visitor in one piece of the queue. */
interface Visit {
  first: RawHit;
  class: HitClass;
  judged: JudgedReport | null;
  subject: { beacon: Beacon } | { token: Honeytoken };
  visitor: string;
  count: number;
  lastAt: Instant;
}

/** Judges visits and writes what follows from them: rows, counts, threats, events. */
export function createAlarm({
  beacons,
  clock,
  domains,
  hits,
  log,
  outbox,
  settings,
  threats,
  tokens,
}: {
  beacons: Beacons;
  clock: Clock;
  domains: Pick<ProtectedDomains, "matcher">;
  hits: HitStore;
  log: Log;
  outbox: Outbox;
  settings: AlarmSettings;
  threats: Pick<Threats, "record">;
  tokens: Honeytokens;
}) {
  const { repeatAfterMs } = settings;
  const bounds = createAlarmBounds({ clock, hits, log, settings });
  const alarms = new Set<HitClass>([...alwaysAlarming, ...settings.alarmClasses]);
  /** Rows since the last trim, by trap. */
  const grown = new Map<string, number>();

  /** A page of one protected domain may well be shown on another, which is no copy of anybody's. */
  function judge(report: BeaconReport, own: readonly string[]): JudgedReport {
    const judged = judgeReport(report, own);
    const { class: place, host } = judged;
    const isOwners = place === "foreign" && host !== null && domains.matcher().isOwn(host);
    return isOwners ? { ...judged, class: "own" } : judged;
  }

  /** One entry for each visitor of each trap; visits to traps that were removed meanwhile are left out. */
  function gather(raw: readonly RawHit[]): Visit[] {
    const subjects = new Map<string, Visit["subject"] | undefined>();
    const subjectOf = (hit: RawHit) => {
      if (!subjects.has(hit.trapId)) {
        const beacon = hit.trap === "beacon" ? beacons.find(hit.trapId) : undefined;
        const token = hit.trap === "token" ? tokens.find(hit.trapId) : undefined;
        subjects.set(hit.trapId, beacon ? { beacon } : token ? { token } : undefined);
      }
      return subjects.get(hit.trapId);
    };
    const visits = new Map<string, Visit>();
    for (const hit of raw) {
      const subject = subjectOf(hit);
      if (subject === undefined) continue;
      const judged =
        hit.trap === "beacon" && "beacon" in subject ? judge(hit.report, subject.beacon.own) : null;
      const hitClass = judged?.class ?? classifyVisitor(hit.userAgent);
      const visitor = countedOnly.includes(hitClass)
        ? hitClass
        : visitorOf(judged?.host ?? "", hit.network, hit.userAgent ?? "");
      const key = `${hit.trapId} ${visitor}`;
      const known = visits.get(key);
      if (known === undefined) {
        visits.set(key, { first: hit, class: hitClass, judged, subject, visitor, count: 1, lastAt: hit.at });
      } else {
        known.count += 1;
        known.lastAt = Math.max(known.lastAt, hit.at);
      }
    }
    return [...visits.values()];
  }

  function writeVisit(visit: Visit): void {
    const { first, count, lastAt, visitor } = visit;
    const { trapId } = first;
    hits.count(trapId, visit.class, count, lastAt);
    if (countedOnly.includes(visit.class)) return;
    const open = hits.openRow(trapId, visitor, first.at - repeatAfterMs);
    if (open !== undefined) return hits.addRepeats(open.seq, count, lastAt);
    const { eventId, threatId } = alarms.has(visit.class) ? raise(visit) : quiet;
    hits.insert({
      trapId,
      class: visit.class,
      visitor,
      host: visit.judged?.host ?? null,
      url: visit.judged?.url ?? (first.trap === "token" ? first.url : ""),
      referrer:
        visit.judged === null && first.trap === "token" ? first.referrer : (visit.judged?.referrer ?? null),
      claimedUrl: visit.judged?.claimedUrl ?? null,
      ipAddress: first.ipAddress,
      userAgent: first.userAgent,
      method: first.trap === "token" ? first.method : null,
      headers: first.trap === "token" ? first.headers : [],
      firstAt: first.at,
      lastAt,
      count,
      eventId,
      threatId,
    });
    trimSometimes(trapId);
  }

  const mayBeTold = (visit: Visit) =>
    alarms.has(visit.class) && (visit.class === "foreign" || bounds.mayTell(visit.first.trapId));

  function raise(visit: Visit): { eventId: string | null; threatId: string | null } {
    const { first, judged, subject } = visit;
    const who = { ip_address: first.ipAddress, user_agent: first.userAgent };
    const at = toIsoTime(first.at);
    if ("token" in subject) {
      if (!bounds.mayTell(first.trapId)) return quiet;
      const { id, name, kind } = subject.token;
      bounds.told(subject.token);
      const referrer = first.trap === "token" ? first.referrer : null;
      const access = { ...who, referrer, at };
      return {
        eventId: outbox.record("token.accessed", { token: { id, name, kind }, access }),
        threatId: null,
      };
    }
    const { beacon } = subject;
    const { host, url, referrer } = judged!;
    const threat = visit.class === "foreign" && host !== null ? recordThreat(beacon, host, first) : null;
    if (threat === undefined) return quiet;
    const threatId = threat?.threatId ?? null;
    // How many new threats there are is bounded by itself, and each is told of.
    if (threat?.outcome !== "created" && !bounds.mayTell(first.trapId)) return { eventId: null, threatId };
    bounds.told(beacon);
    const eventId = outbox.record("beacon.triggered", {
      beacon: { id: beacon.id, name: beacon.name, protected_domain: beacon.protectedDomain },
      hit: { hostname: host ?? "", url, referrer, ...who, at },
      threat: threatId === null ? null : { id: threatId },
    });
    return { eventId, threatId };
  }

  /**
   * Null for a host that is an address: a threat is a name. Undefined when the beacon has raised so many lately
   * that somebody forges its reports.
   */
  function recordThreat(
    beacon: Beacon,
    host: string,
    { at, network }: RawHit,
  ): RecordedThreat | null | undefined {
    const domain = threatNameOf(host);
    if (domain === undefined) return null;
    if (!bounds.mayRaise(beacon.id, host, network)) return undefined;
    const { protectedDomain } = beacon;
    // How alike the names are is another matter: most copies stand under names that resemble nothing.
    const named = domains
      .matcher()
      .match(domain)
      .find((match) => match.protectedDomain === protectedDomain);
    const [recorded] = threats.record([
      {
        domain,
        match: {
          protectedDomain,
          type: "cloned_site",
          similarity: named?.similarity ?? 0,
          reasons: named?.reasons ?? [],
        },
        source: "beacon",
        seenAt: at,
        reasons: [{ code: "beacon_reported", params: { beacon: beacon.name } }],
      },
    ]);
    bounds.raised(beacon.id, recorded!.threatId, network);
    return recorded!;
  }

  function trimSometimes(trapId: string): void {
    const rows = (grown.get(trapId) ?? 0) + 1;
    grown.set(trapId, rows % trimEvery);
    if (rows === trimEvery) hits.trim(trapId);
  }

  return (raw: readonly RawHit[]) => {
    const visits = gather(raw);
    return {
      needsDisk: visits.some(mayBeTold),
      apply: () => visits.forEach(writeVisit),
    };
  };
}

const trimEvery = 500;
const quiet = { eventId: null, threatId: null };

/** A hash that nobody can find a second text for, so that no visit hides behind another. */
function visitorOf(host: string, network: string, userAgent: string): string {
  return Bun.SHA256.hash(`${host}\0${network}\0${userAgent}`, "hex").slice(0, 32);
}
