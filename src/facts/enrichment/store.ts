import { and, asc, desc, eq, lte, sql, type SQL } from "drizzle-orm";
import { type Database, relaxedTransaction } from "../../platform/database/database.ts";
import { countValue, opaqueValue, statement, value, valuesOf } from "../../platform/database/statement.ts";
import { protectedDomains } from "../../threats/domains/tables.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import { threats } from "../../threats/threats/store/tables.ts";
import type { Severity, Status } from "../../platform/vocabulary/threats.ts";
import { type Facts, nothingKnown } from "./facts/facts.ts";
import { newRanks, ranks, type NextCheck } from "./plan.ts";
import { enrichments } from "./tables.ts";

/** A threat with its facts and its place in the schedule. */
export interface Subject {
  threatSeq: number;
  id: string;
  domain: string;
  protectedDomain: string;
  keywords: string[];
  status: Status;
  severity: Severity;
  rank: number;
  step: number;
  failures: number;
  screenshotFailures: number;
  /** Null if no screenshot is wanted. */
  screenshotRank: number | null;
  registrationFailures: number;
  /** Null if no registration data is wanted. */
  registrationRank: number | null;
  networkFailures: number;
  /** Null if the networks of its addresses are not wanted. */
  networkRank: number | null;
  /** Number of takedowns that people wait for: 1 if the site was reported and is not down. */
  openTakedowns: number;
  facts: Facts;
}

/** Facts of a threat, when they were last checked and when they are checked next. */
export interface KnownFacts {
  facts: Facts;
  checkedAt: Instant | null;
  dueAt: Instant;
}

/** When a job of a threat is due. */
export interface Due {
  rank: number;
  dueAt: Instant;
  failures: number;
}

/** Rows of the queue. Its queries read only the rows that they return, however many wait. */
export interface EnrichmentStore {
  /** Adds threats that have no row yet, from whichever process they came. Returns how many were added. */
  admitNew(now: Instant, limit: number): Promise<number>;
  /** Returns row numbers of threats that are due, the most urgent first. */
  due(now: Instant, limit: number): number[];
  find(threatSeq: number): Subject | undefined;
  /** Returns undefined before the threat was admitted. */
  findById(threatId: string): Subject | undefined;
  /** Returns the id of the protected domain of a threat. */
  protectedDomainIdOf(threatId: string): string | undefined;
  /** Moves a threat to the head of the queue. Returns whether it has a row yet. */
  request(threatId: string, now: Instant): boolean;
  saveFacts(threatSeq: number, facts: Facts): void;
  /** @param checkedAt null if the threat was not checked this time. */
  saveCheck(threatSeq: number, checkedAt: Instant | null, next: NextCheck & { rank: number }): void;
  /** Notes that facts were determined without a check. */
  saveCheckedAt(threatSeq: number, checkedAt: Instant): void;
  /** Returns whether nothing is due for a threat. */
  isSettled(threatId: string, now: Instant): boolean;
  /** Returns undefined before the threat was admitted. */
  factsOf(threatId: string): KnownFacts | undefined;
}

/** One place in this many is for the recheck of known threats, so that a flood of new ones does not starve it. */
const placesPerRecheck = 8;

export function createEnrichmentStore(database: Database): EnrichmentStore {
  const { admit, ends, read, write } = prepareAll(database);
  const seqs = (query: typeof read.dueOldest, rank: number, now: Instant, limit: number) =>
    query.all({ rank, now, limit }).map(({ seq }) => seq);

  return {
    async admitNew(now, limit) {
      // Most seconds bring nothing new, and those must not take the write lock.
      const { last, admitted } = ends();
      if (last === null || last <= (admitted ?? 0)) return 0;
      return database.write(() => admit(now, limit), { relaxed: true, patient: true });
    },
    due(now, limit) {
      const rechecks = seqs(read.dueOldest, ranks.recheck, now, limit);
      const due = seqs(read.dueOldest, ranks.requested, now, limit);
      due.push(...rechecks.splice(0, Math.ceil(limit / placesPerRecheck)));
      for (const rank of newRanks)
        if (due.length < limit) due.push(...seqs(read.dueNewest, rank, now, limit));
      return [...due, ...rechecks].slice(0, limit);
    },
    find: (threatSeq) => read.find.get({ threatSeq }),
    findById: (threatId) => read.findById.get({ threatId }),
    protectedDomainIdOf: (threatId) => read.protectedDomainId.get({ threatId })?.id,
    request: (threatId, now) =>
      relaxedTransaction(database, () => write.request.all({ threatId, now }).length > 0),
    saveFacts: (threatSeq, facts) => write.facts.run({ threatSeq, facts }),
    saveCheck: (threatSeq, checkedAt, next) => write.check.run({ threatSeq, checkedAt, ...next }),
    saveCheckedAt: (threatSeq, checkedAt) => write.checkedAt.run({ threatSeq, checkedAt }),
    isSettled(threatId, now) {
      const found = read.dues.get({ threatId });
      return found !== undefined && Object.values(found).every((at) => at === null || at > now);
    },
    factsOf: (threatId) => read.facts.get({ threatId }),
  };
}

function prepareAll(database: Database) {
  return { ...prepareAdmission(database), read: prepareReads(database), write: prepareWrites(database) };
}

function prepareAdmission({ prepare }: Pick<Database, "prepare">) {
  type Ends = { last: number | null; admitted: number | null };
  const ends = prepare<Ends>(
    "select (select max(seq) from threats) as last, (select max(threat_seq) from enrichments) as admitted",
  );
  // Admits in the order of the threats' row numbers: the highest number here shows how far that got. The order in
  // which they are checked depends on their time of creation, newest first (see `dueNewest`).
  const admit = prepare<unknown, [{ now: number; limit: number }]>(
    `insert into enrichments (threat_seq, rank, due_at, step, failures, facts, screenshot_failures)
     select seq, case severity when 'high' then ${ranks.high} when 'medium' then ${ranks.medium} else ${ranks.low} end,
       min(created_at, $now), 0, 0, '${JSON.stringify(nothingKnown)}', 0
     from threats where seq > coalesce((select max(threat_seq) from enrichments), 0) order by seq limit $limit`,
  );
  return {
    ends: () => ends.get()!,
    admit: (now: Instant, limit: number) => admit.run({ now, limit }),
  };
}

const hasThreatId = sql`${enrichments.threatSeq} = (select seq from ${threats} where id = ${value(threats.id, "threatId")})`;

function subjects(query: Database["query"]) {
  return query
    .select({
      threatSeq: enrichments.threatSeq,
      id: threats.id,
      domain: threats.domain,
      protectedDomain: protectedDomains.domain,
      keywords: protectedDomains.keywords,
      status: threats.status,
      severity: threats.severity,
      rank: enrichments.rank,
      step: enrichments.step,
      failures: enrichments.failures,
      screenshotFailures: enrichments.screenshotFailures,
      screenshotRank: enrichments.screenshotRank,
      registrationFailures: enrichments.registrationFailures,
      registrationRank: enrichments.registrationRank,
      networkFailures: enrichments.networkFailures,
      networkRank: enrichments.networkRank,
      // Takedowns are stored by a folder that is above this one.
      openTakedowns: sql<number>`(select count(*) from takedowns where threat_seq = ${threats.seq}
        and down_at is null and closed_at is null and ${threats.status} = 'active')`,
      facts: enrichments.facts,
    })
    .from(enrichments)
    .innerJoin(threats, eq(enrichments.threatSeq, threats.seq))
    .innerJoin(protectedDomains, eq(threats.protectedDomainSeq, protectedDomains.seq));
}

function prepareReads(database: Database) {
  const dueOfRank = (order: SQL) =>
    statement(database, (query) =>
      query
        .select({ seq: enrichments.threatSeq })
        .from(enrichments)
        .where(
          and(
            eq(enrichments.rank, value(enrichments.rank)),
            lte(enrichments.dueAt, nowFor(enrichments.dueAt)),
          ),
        )
        .orderBy(order)
        .limit(countValue("limit")),
    );
  return {
    dueOldest: dueOfRank(asc(enrichments.dueAt)),
    dueNewest: dueOfRank(desc(enrichments.dueAt)),
    find: statement(database, (query) =>
      subjects(query).where(eq(enrichments.threatSeq, opaqueValue(enrichments.threatSeq))),
    ),
    findById: statement(database, (query) => subjects(query).where(hasThreatId)),
    protectedDomainId: statement(database, (query) =>
      query
        .select({ id: protectedDomains.id })
        .from(protectedDomains)
        .innerJoin(threats, eq(threats.protectedDomainSeq, protectedDomains.seq))
        .where(eq(threats.id, opaqueValue(threats.id, "threatId"))),
    ),
    facts: statement(database, (query) =>
      query
        .select({ facts: enrichments.facts, checkedAt: enrichments.checkedAt, dueAt: enrichments.dueAt })
        .from(enrichments)
        .where(hasThreatId),
    ),
    dues: statement(database, (query) =>
      query
        .select({
          check: enrichments.dueAt,
          registration: enrichments.registrationDueAt,
          network: enrichments.networkDueAt,
          screenshot: enrichments.screenshotDueAt,
        })
        .from(enrichments)
        .where(hasThreatId),
    ),
  };
}

function prepareWrites(database: Database) {
  const hasSeq = eq(enrichments.threatSeq, value(enrichments.threatSeq));
  return {
    request: statement(database, (query) =>
      query
        .update(enrichments)
        .set({ rank: ranks.requested, dueAt: nowFor(enrichments.dueAt), failures: 0 })
        .where(hasThreatId)
        .returning({ seq: enrichments.threatSeq }),
    ),
    facts: statement(database, (query) =>
      query.update(enrichments).set(valuesOf(enrichments, "facts")).where(hasSeq),
    ),
    check: statement(database, (query) =>
      query
        .update(enrichments)
        .set({
          ...valuesOf(enrichments, "rank", "dueAt", "step", "failures"),
          checkedAt: sql`coalesce(${value(enrichments.checkedAt)}, ${enrichments.checkedAt})`,
        })
        .where(hasSeq),
    ),
    checkedAt: statement(database, (query) =>
      query.update(enrichments).set(valuesOf(enrichments, "checkedAt")).where(hasSeq),
    ),
  };
}

function nowFor(column: Parameters<typeof value>[0]): SQL {
  return value(column, "now");
}

/** Counting stops here, so that it takes milliseconds. */
const countedMax = 10_000;
/** The same for one registry and rank. */
const countedOfSuffixMax = 100;

const everyRank = Object.values(ranks);

// Loose index scan: jumps from one suffix to the next. Reading all rows of the index takes 157 ms for a million threats,
// this takes microseconds.
const dueRegistrations = `
  with recursive suffixes(suffix) as (
    select min(registration_suffix) from enrichments where registration_suffix is not null
    union all
    select (select min(registration_suffix) from enrichments where registration_suffix > suffix)
    from suffixes where suffix is not null
  )
  select coalesce(sum((
    select count(*) from (
      select 1 from enrichments
      where registration_suffix = suffix and registration_rank = wanted and registration_due_at <= ? limit ?
    )
  )), 0) as n
  from suffixes, (${everyRank.map((rank) => `select ${rank} as wanted`).join(" union all ")})
  where suffix is not null`;

/** Returns a function that counts the threats for which each kind of lookup is due, up to some thousands. */
export function createDueCounts({ prepare }: Pick<Database, "prepare">) {
  const counted = (query: string) => prepare<{ n: number }, [Instant, number]>(query);
  // The index begins with the rank.
  const ofAnyRank = (rank: string, dueAt: string) =>
    counted(
      `select count(*) as n from (select 1 from enrichments where ${rank} in (${everyRank.join()}) and ${dueAt} <= ? limit ?)`,
    );
  const checks = ofAnyRank("rank", "due_at");
  const registrations = counted(dueRegistrations);
  const networks = ofAnyRank("network_rank", "network_due_at");
  const screenshots = ofAnyRank("screenshot_rank", "screenshot_due_at");
  return (now: Instant) => [
    { lookup: "check", due: checks.get(now, countedMax)!.n },
    { lookup: "registration", due: Math.min(countedMax, registrations.get(now, countedOfSuffixMax)!.n) },
    { lookup: "network", due: networks.get(now, countedMax)!.n },
    { lookup: "screenshot", due: screenshots.get(now, countedMax)!.n },
  ];
}
