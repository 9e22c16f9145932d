import { and, desc, eq, sql } from "drizzle-orm";
import { system } from "../access/audit/actor.ts";
import type { Database } from "../database/database.ts";
import { placeholders } from "../database/placeholders.ts";
import type { Match } from "../detection/types.ts";
import { protectedDomains } from "../domains/tables.ts";
import type { Outbox } from "../events/outbox.ts";
import type { Clock, Instant } from "../lib/clock.ts";
import { randomText, type FillRandom, type IdFactory } from "../lib/ids.ts";
import { lazy } from "../lib/startup.ts";
import type { StatusChanger } from "./change-status.ts";
import type { History } from "./history.ts";
import { severityOf } from "./severity.ts";
import type { SimilarityReason } from "./similarity-reasons.ts";
import { threats } from "./tables.ts";
import type { Severity, Source, ThreatType } from "../vocabulary/threats.ts";

/** A source saw a name that imitates a protected domain. */
export interface Sighting {
  /** The suspicious name, normalised (A-label form). */
  domain: string;
  match: Match;
  source: Source;
  /** When the source saw it; a time to come counts as now. */
  seenAt: Instant;
  /** Why it is a threat, beyond what the name shows. */
  reasons?: readonly SimilarityReason[];
}

/** What a sighting led to. For a known threat, type and similarity are those on record. */
export interface RecordedThreat {
  threatId: string;
  domain: string;
  protectedDomain: string;
  type: ThreatType;
  similarity: number;
  outcome: "created" | "known";
}

/**
 * Sources that show a domain to be in use now. A feed is none: lists repeat names for years, and
 * would undo a team's triage every night.
 */
const signsOfLife: readonly Source[] = ["scan", "certificate_transparency", "submission", "beacon"];

const screenshotTokenBytes = 16;

/** Has to run within a transaction. */
export function createRecorder({
  database,
  clock,
  ids,
  outbox,
  fillRandom,
  history,
  reactivate,
  statusChanger,
}: {
  database: Database;
  clock: Clock;
  ids: IdFactory;
  outbox: Outbox;
  fillRandom: FillRandom;
  history: History;
  reactivate: boolean;
  statusChanger: StatusChanger;
}): (sighting: Sighting) => RecordedThreat {
  const findDomain = database.query
    .select({ seq: protectedDomains.seq })
    .from(protectedDomains)
    .where(eq(protectedDomains.domain, sql.placeholder("domain")))
    .prepare();
  const findPair = database.query
    .select()
    .from(threats)
    .where(
      and(
        eq(threats.protectedDomainSeq, sql.placeholder("protectedDomainSeq")),
        eq(threats.domain, sql.placeholder("domain")),
      ),
    )
    .prepare();
  const lastId = database.query
    .select({ id: threats.id })
    .from(threats)
    .orderBy(desc(threats.seq))
    .limit(1)
    .prepare();
  const insert = database.query
    .insert(threats)
    .values(
      placeholders(
        "id",
        "protectedDomainSeq",
        "domain",
        "type",
        "status",
        "severity",
        "similarity",
        "source",
        "reasons",
        "severityReasons",
        "firstSeen",
        "createdAt",
        "statusChangedAt",
        "whois",
        "screenshotToken",
        "cloneSeenAt",
      ),
    )
    .prepare();
  const setFirstSeen = database.query
    .update(threats)
    .set({ firstSeen: sql`${sql.placeholder("firstSeen")}` })
    .where(eq(threats.seq, sql.placeholder("seq")))
    .prepare();
  const setCloneSeen = lazy(() =>
    database.query
      .update(threats)
      .set({
        cloneSeenAt: sql`${sql.placeholder("cloneSeenAt")}`,
        severity: sql`${sql.placeholder("severity")}`,
        severityReasons: sql`${sql.placeholder("severityReasons")}`,
      })
      .where(eq(threats.seq, sql.placeholder("seq")))
      .prepare(),
  );

  /** Whatever was found out about the name weighs less than the page that a visitor was shown. */
  function noteClone(known: typeof threats.$inferSelect, seenAt: Instant): Severity {
    if (known.cloneSeenAt !== null && known.cloneSeenAt >= seenAt) return known.severity;
    const { severity, reasons } = severityOf({ ...known, cloneSeenDays: 0 });
    const severityReasons = JSON.stringify(distinct([...reasons, ...known.severityReasons]));
    setCloneSeen().run({ seq: known.seq, cloneSeenAt: seenAt, severity, severityReasons });
    const change = { field: "severity", before: known.severity, after: severity };
    if (severity !== known.severity) history.record(known.seq, [change], null);
    return severity;
  }

  function create(sighting: Sighting, protectedDomainSeq: number, seenAt: Instant): RecordedThreat {
    const { domain, source } = sighting;
    const { protectedDomain, type, similarity } = sighting.match;
    const reasons = [...(sighting.reasons ?? []), ...sighting.match.reasons];
    // The list is ordered by `seq` where it promises the order of ids, so ids have to grow with it
    // even when another process wrote the last one or the clock was set back.
    const id = ids.next("threat", lastId.get()?.id);
    const { severity, reasons: severityReasons } = severityOf({ type, similarity });
    const now = clock.now();
    insert.run({
      id,
      protectedDomainSeq,
      domain,
      type,
      status: "active",
      severity,
      similarity,
      source,
      reasons,
      severityReasons,
      firstSeen: seenAt,
      createdAt: now,
      statusChangedAt: now,
      whois: {},
      screenshotToken: randomText(fillRandom, screenshotTokenBytes),
      cloneSeenAt: type === "cloned_site" ? seenAt : null,
    });
    outbox.record("threat.created", { threat: { id, domain, type, severity, similarity } });
    return { threatId: id, domain, protectedDomain, type, similarity, outcome: "created" };
  }

  return (sighting) => {
    const { protectedDomain } = sighting.match;
    const protectedDomainSeq = findDomain.get({ domain: protectedDomain })?.seq;
    if (protectedDomainSeq === undefined) throw new Error(`not a protected domain: ${protectedDomain}`);
    const seenAt = Math.min(sighting.seenAt, clock.now());
    const known = findPair.get({ protectedDomainSeq, domain: sighting.domain });
    if (known === undefined) return create(sighting, protectedDomainSeq, seenAt);

    const severity = sighting.match.type === "cloned_site" ? noteClone(known, seenAt) : known.severity;
    if (seenAt < known.firstSeen) setFirstSeen.run({ firstSeen: seenAt, seq: known.seq });
    const backToLife =
      known.status === "resolved" && signsOfLife.includes(sighting.source) && seenAt > known.statusChangedAt;
    if (reactivate && backToLife)
      statusChanger.apply({ ...known, severity, protectedDomain }, "active", system);
    const { id, domain, type, similarity } = known;
    return { threatId: id, domain, protectedDomain, type, similarity, outcome: "known" };
  };
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}
