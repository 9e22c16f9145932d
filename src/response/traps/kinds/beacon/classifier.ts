import { nameLines } from "../../../../engines/archive/archive.ts";
import { toIsoTime } from "../../../../platform/lib/clock.ts";
import type { RecordedThreat } from "../../../../threats/threats/record.ts";
import { noAlert, type TrapClassifier, type TrapKindDependencies, type Visit } from "../../kind.ts";
import type { AlertLimits } from "../../visits/alert-limits.ts";
import { ownHosts, type BeaconDetails, type Beacon } from "./details.ts";
import { classifyReport, type PageReport } from "./page-report.ts";
import { threatNameOf } from "./places.ts";

/** Origin of the hosts that beacons report. */
const beaconOrigin = { kind: "beacon", name: "beacons" };

export function openBeacons({
  activity,
  archive,
  domains,
  outbox,
  threats,
}: TrapKindDependencies): TrapClassifier<BeaconDetails, PageReport> {
  /** Returns null if the host is an IP address, and `limited` if the beacon has recorded too many threats. */
  function recordThreat(
    host: string,
    { at, network }: Visit,
    beacon: Beacon,
    limits: AlertLimits,
  ): RecordedThreat | null | "limited" {
    const domain = threatNameOf(host);
    if (domain === undefined) return null;
    if (!limits.mayRecordThreat(beacon.id, host, network)) return "limited";
    archive.add(nameLines([domain]), { source: "beacon", seenAt: at });
    const protectedDomain = beacon.protectedDomain!.domain;
    // Similarity is not required: most copies are hosted on domains that do not resemble the original.
    const match = domains
      .matcher()
      .match(domain)
      .find((found) => found.protectedDomain === protectedDomain);
    const [recorded] = threats.record([
      {
        domain,
        match: {
          protectedDomain,
          type: "cloned_site",
          similarity: match?.similarity ?? 0,
          reasons: match?.reasons ?? [],
        },
        source: "beacon",
        seenAt: at,
        reasons: [{ code: "beacon_reported", params: { beacon: beacon.name } }],
      },
    ]);
    const created = recorded!.outcome === "created" ? 1 : 0;
    activity.add(beaconOrigin, { names: 1, invalid: 0, matched: 1, created });
    limits.countThreat(beacon.id, recorded!.threatId, network);
    return recorded!;
  }

  return {
    classify({ observation }, beacon) {
      const report = classifyReport(observation, ownHosts(beacon));
      // A page of one protected domain may be shown on another one, which is no copy.
      const isOwners =
        report.class === "foreign" && report.host !== null && domains.matcher().isOwn(report.host);
      return { ...report, class: isOwners ? "own" : report.class, method: null, headers: [] };
    },

    alert(visit, beacon, limits) {
      const { host, url, referrer, ipAddress, userAgent, at } = visit;
      const threat =
        visit.class === "foreign" && host !== null ? recordThreat(host, visit, beacon, limits) : null;
      if (threat === "limited") return noAlert;
      const threatId = threat?.threatId ?? null;
      // The number of new threats has its own limit, and each one is reported.
      if (threat?.outcome !== "created" && !limits.mayReport(beacon.id)) return { eventId: null, threatId };
      limits.countReport(beacon);
      const eventId = outbox.record("beacon.triggered", {
        beacon: {
          id: beacon.id,
          name: beacon.name,
          protected_domain: beacon.protectedDomain!.domain,
        },
        hit: {
          hostname: host ?? "",
          url,
          referrer,
          ip_address: ipAddress,
          user_agent: userAgent,
          at: toIsoTime(at),
        },
        threat: threatId === null ? null : { id: threatId },
      });
      return { eventId, threatId };
    },
  };
}
