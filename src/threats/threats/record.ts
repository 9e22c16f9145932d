import { and, desc } from "drizzle-orm";
import { system } from "../../access/audit/actor.ts";
import type { CaseSettings, DetectionSettings } from "../../platform/config/config.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Needs } from "../../platform/database/needs.ts";
import { hasValue, statement, valuesExcept, valuesOf } from "../../platform/database/statement.ts";
import type { Match } from "./severity/similarity-reasons.ts";
import { protectedDomains } from "../domains/tables.ts";
import type { Outbox } from "../events/outbox.ts";
import { dayMs, type Instant } from "../../platform/lib/clock.ts";
import { randomText } from "../../platform/lib/ids.ts";
import type { PageImitation } from "../../platform/vocabulary/page-signals.ts";
import type { SightingOutcome, ThreatSource, ThreatType } from "../../platform/vocabulary/threats.ts";
import type { Assess } from "./assessment.ts";
import { dueAtFor } from "./case/due.ts";
import { createEvidenceNoter } from "./note-evidence.ts";
import { severityOf } from "./severity/severity.ts";
import { isVerified } from "./severity/verified.ts";
import { createDeletedThreats } from "./store/deleted-threats.ts";
import type { CertificateSighting, OriginStore } from "./store/origins.ts";
import { pageReasons, type SimilarityReason } from "./severity/similarity-reasons.ts";
import { changedNow } from "./store/fields.ts";
import { threats } from "./store/tables.ts";
import type { StatusChanger } from "./triage/change-status.ts";

/** A look-alike of a protected domain that a source saw. */
export interface Sighting {
  /** The suspicious name, normalized (A-label form). */
  domain: string;
  match: Match;
  source: ThreatSource;
  /** When the source saw it; a time in the future counts as now. */
  seenAt: Instant;
  /** `seenAt` is the start of a day (UTC), and the time of day is unknown. */
  isDay?: boolean | undefined;
  /** `seq` of the import or scan that the name is from. */
  importSeq?: number | undefined;
  scanSeq?: number | undefined;
  /** Reasons beyond what the name shows. */
  reasons?: readonly SimilarityReason[];
  /** Result of an inspection that found an imitating page; `match` then has the type `cloned_site` and its score. */
  page?: Pick<PageImitation, "score" | "signals"> | undefined;
  /** Address that the source named; kept as a fact. */
  url?: string | undefined;
  /** Certificate that contains the name; kept as a fact. It counts once, however often it is logged. */
  certificate?: CertificateSighting | undefined;
}

export type { CertificateSighting };

/**
 * Result of a sighting. For a known threat, type and similarity are those on record. A threat that retention deleted is
 * known by its former id, which no threat has any more, unless the sighting records it again.
 */
export interface RecordedThreat {
  threatId: string;
  domain: string;
  protectedDomain: string;
  type: ThreatType;
  similarity: number;
  outcome: SightingOutcome;
}

/**
 * Whether a sighting by this source shows that the domain is in use now. Feeds do not: lists repeat names for years,
 * and would undo a team's triage every night.
 */
const showsLife: Readonly<Record<ThreatSource, boolean>> = {
  scan: true,
  certificate_transparency: true,
  feed: false,
  submission: true,
  beacon: true,
};

const screenshotTokenBytes = 16;

interface RecorderDependencies extends Needs<"clock" | "database" | "fillRandom" | "ids"> {
  cases: CaseSettings;
  outbox: Outbox;
  assess: Assess;
  origins: OriginStore;
  /** Whether a sighting makes a resolved threat active again. */
  detection: Pick<DetectionSettings, "reactivate">;
  statusChanger: StatusChanger;
}

/** Returns a function that records one sighting. Must run within a transaction. */
export function createRecorder({
  cases,
  database,
  clock,
  ids,
  outbox,
  fillRandom,
  assess,
  origins,
  detection,
  statusChanger,
}: RecorderDependencies): (sighting: Sighting) => RecordedThreat {
  const statements = createStatements(database);
  const deletedThreats = createDeletedThreats(database);
  const noteEvidence = createEvidenceNoter({ assess, clock, database });

  function create(sighting: Sighting, protectedDomainSeq: number, seenAt: Instant): RecordedThreat {
    const { domain, page, source } = sighting;
    const { protectedDomain, type, similarity } = sighting.match;
    const reasons = reasonsOf(sighting);
    // The list is ordered by `seq` where it promises the order of ids, so ids have to grow with it
    // even if another process wrote the last one or the clock was set back.
    const id = ids.next("threat", statements.lastId.get()?.id);
    const { severity, reasons: severityReasons } = severityOf({ ...sighting.match, domain, reasons });
    const now = clock.now();
    statements.insert.run({
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
      changedAt: now,
      dueAt: dueAtFor(cases, severity, now),
      siteState: type === "cloned_site" ? "up" : null,
      siteStateAt: type === "cloned_site" ? seenAt : null,
      whois: {},
      importSeq: sighting.importSeq ?? null,
      scanSeq: sighting.scanSeq ?? null,
      screenshotToken: randomText(fillRandom, screenshotTokenBytes),
      cloneSeenAt: type === "cloned_site" && page === undefined ? seenAt : null,
      verified: isVerified({ type, cloneSeen: false }),
    });
    outbox.record("threat.created", { threat: { id, domain, type, severity, similarity } });
    return { threatId: id, domain, protectedDomain, type, similarity, outcome: "created" };
  }

  /** @param isRepeated the certificate is on record, so that it shows nothing new */
  function update(
    sighting: Sighting,
    known: KnownThreat,
    { seenAt, isRepeated }: { seenAt: Instant; isRepeated: boolean },
  ): RecordedThreat {
    const { protectedDomain } = sighting.match;
    const severity = noteEvidence(known, sighting, seenAt);
    if (isEarlier(sighting, seenAt, known))
      statements.setFirstSeen.run({ firstSeen: seenAt, changedAt: clock.now(), seq: known.seq });
    if (detection.reactivate && !isRepeated && isBack(sighting, known, { seenAt, now: clock.now() }))
      statusChanger.apply({ ...known, severity, protectedDomain }, "active", system);
    const { id, domain, type, similarity } = known;
    return { threatId: id, domain, protectedDomain, type, similarity, outcome: "known" };
  }

  return (sighting) => {
    const { protectedDomain } = sighting.match;
    const protectedDomainSeq = statements.findDomain.get({ domain: protectedDomain })?.seq;
    if (protectedDomainSeq === undefined) throw new Error(`not a protected domain: ${protectedDomain}`);
    const seenAt = Math.min(sighting.seenAt, clock.now());
    const { certificate, domain } = sighting;
    const known = statements.findPair.get({ protectedDomainSeq, domain });
    const isRepeated =
      known !== undefined && certificate !== undefined && origins.hasCertificate(known.seq, certificate);
    const reactivates = detection.reactivate && isInUse(sighting);
    const formerId =
      known === undefined
        ? deletedThreats.check(protectedDomainSeq, domain, { ...sighting, seenAt, reactivates })
        : undefined;
    if (formerId !== undefined) return { ...matchOf(sighting), threatId: formerId, domain, outcome: "known" };
    const recorded =
      known === undefined
        ? create(sighting, protectedDomainSeq, seenAt)
        : update(sighting, known, { seenAt, isRepeated });
    if (certificate !== undefined || sighting.url !== undefined) {
      const { seq } = known ?? statements.findPair.get({ protectedDomainSeq, domain })!;
      // Exports name the addresses of pages, and platforms take only what has changed.
      if (origins.add(seq, sighting, seenAt) && known !== undefined)
        statements.setChanged.run({ changedAt: clock.now(), seq });
    }
    return recorded;
  };
}

function reasonsOf({ match, page, reasons = [] }: Sighting): SimilarityReason[] {
  return [...(page === undefined ? [] : pageReasons(page)), ...reasons, ...match.reasons];
}

type KnownThreat = typeof threats.$inferSelect;

function matchOf({ match }: Sighting): Pick<RecordedThreat, "protectedDomain" | "type" | "similarity"> {
  const { protectedDomain, type, similarity } = match;
  return { protectedDomain, type, similarity };
}

/** Whether the sighting shows that the domain is in use now. */
function isInUse({ page, source }: Sighting): boolean {
  return page !== undefined || showsLife[source];
}

function isEarlier({ isDay }: Sighting, seenAt: Instant, { firstSeen }: KnownThreat): boolean {
  // A time on record is not replaced by the start of its day.
  return (isDay === true ? seenAt + dayMs - 1 : seenAt) < firstSeen;
}

/** Whether the sighting shows that the domain of a resolved threat is in use again. */
function isBack(
  sighting: Sighting,
  { status, statusChangedAt }: KnownThreat,
  { seenAt, now }: { seenAt: Instant; now: Instant },
): boolean {
  // A decision that lies ahead was made before the clock was set back: a sighting of this moment came after it.
  const decidedAt = statusChangedAt > now ? now - 1 : statusChangedAt;
  return status === "resolved" && isInUse(sighting) && seenAt > decidedAt;
}

function createStatements(database: Database) {
  const seqMatches = hasValue(threats.seq);
  return {
    findDomain: statement(database, (query) =>
      query
        .select({ seq: protectedDomains.seq })
        .from(protectedDomains)
        .where(hasValue(protectedDomains.domain)),
    ),
    findPair: statement(database, (query) =>
      query
        .select()
        .from(threats)
        .where(and(hasValue(threats.protectedDomainSeq), hasValue(threats.domain))),
    ),
    lastId: statement(database, (query) =>
      query.select({ id: threats.id }).from(threats).orderBy(desc(threats.seq)).limit(1),
    ),
    insert: statement(database, (query) =>
      query
        .insert(threats)
        .values(
          valuesExcept(
            threats,
            "seq",
            "decidedAt",
            "reactivations",
            "ipAddress",
            "registrar",
            "nameServer",
            "assigneeSeq",
            "campaignSeq",
          ),
        ),
    ),
    setChanged: statement(database, (query) => query.update(threats).set(changedNow).where(seqMatches)),
    setFirstSeen: statement(database, (query) =>
      query
        .update(threats)
        .set({ ...valuesOf(threats, "firstSeen"), ...changedNow })
        .where(seqMatches),
    ),
  };
}
