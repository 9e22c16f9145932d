import { and, asc, desc, eq, getTableColumns, lte, sql, type SQL } from "drizzle-orm";
import type { SQLiteUpdateSetSource } from "drizzle-orm/sqlite-core";
import { type Database, relaxedTransaction } from "../../platform/database/database.ts";
import { countValue, opaqueValue, statement, value, valuesOf } from "../../platform/database/statement.ts";
import { protectedDomains } from "../../threats/domains/tables.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import { threats } from "../../threats/threats/store/tables.ts";
import { type Facts, nothingKnown } from "./facts/facts.ts";
import { newRanks, ranks, type NextCheck } from "./plan.ts";
import { enrichments } from "./tables.ts";

/** A threat with its facts and its place in the schedule. */
export type Subject = NonNullable<ReturnType<ReturnType<typeof prepareReads>["find"]["get"]>>;

/** Facts of a threat, when they were last checked and when they are checked next. */
export type KnownFacts = Pick<typeof enrichments.$inferSelect, "facts" | "checkedAt" | "dueAt">;

/** When a job of a threat is due. */
export type Due = Pick<typeof enrichments.$inferSelect, "rank" | "dueAt" | "failures">;

/** Rows of the queue. Its queries read only the rows that they return, however many wait. */
export type EnrichmentStore = ReturnType<typeof createEnrichmentStore>;

/** One place in this many is for the recheck of known threats, so that a flood of new ones does not starve it. */
const placesPerRecheck = 8;

export function createEnrichmentStore(database: Database) {
  const { admit, ends } = prepareAdmission(database);
  const read = prepareReads(database);
  const write = prepareWrites(database);
  const seqs = (query: typeof read.dueOldest, rank: number, now: Instant, limit: number) =>
    query.all({ rank, now, limit }).map(({ seq }) => seq);

  return {
    /** Adds threats of any process that have no row yet. Returns how many were added. */
    async admitNew(now: Instant, limit: number): Promise<number> {
      // Most seconds bring nothing new, and those must not take the write lock.
      const { last, admitted } = ends();
      if (last === null || last <= (admitted ?? 0)) return 0;
      return database.write(() => admit(now, limit), { relaxed: true, patient: true });
    },
    /** Returns row numbers of threats that are due, the most urgent first. */
    due(now: Instant, limit: number): number[] {
      const rechecks = seqs(read.dueOldest, ranks.recheck, now, limit);
      const due = seqs(read.dueOldest, ranks.requested, now, limit);
      due.push(...rechecks.splice(0, Math.ceil(limit / placesPerRecheck)));
      for (const rank of newRanks)
        if (due.length < limit) due.push(...seqs(read.dueNewest, rank, now, limit));
      return [...due, ...rechecks].slice(0, limit);
    },
    find: (threatSeq: number): Subject | undefined => read.find.get({ threatSeq }),
    /** Returns undefined before the threat was admitted. */
    findById: (threatId: string): Subject | undefined => read.findById.get({ threatId }),
    /** Returns the id of the protected domain of a threat. */
    protectedDomainIdOf: (threatId: string) => read.protectedDomainId.get({ threatId })?.id,
    /** Moves a threat to the head of the queue. Returns whether it has a row yet. */
    request: (threatId: string, now: Instant): boolean =>
      relaxedTransaction(database, () => write.request.all({ threatId, now }).length > 0),
    saveFacts: (threatSeq: number, facts: Facts) => write.facts.run({ threatSeq, facts }),
    /** @param checkedAt null if the threat was not checked this time. */
    saveCheck: (threatSeq: number, checkedAt: Instant | null, next: NextCheck & { rank: number }) =>
      write.check.run({ threatSeq, checkedAt, ...next }),
    /** Notes that facts were determined without a check. */
    saveCheckedAt: (threatSeq: number, checkedAt: Instant) => write.checkedAt.run({ threatSeq, checkedAt }),
    /** Returns whether nothing is due for a threat. */
    isSettled(threatId: string, now: Instant): boolean {
      const found = read.dues.get({ threatId });
      return found !== undefined && Object.values(found).every((at) => at === null || at > now);
    },
    /** Returns undefined before the threat was admitted. */
    factsOf: (threatId: string): KnownFacts | undefined => read.facts.get({ threatId }),
  };
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
      ...getTableColumns(enrichments),
      id: threats.id,
      domain: threats.domain,
      status: threats.status,
      severity: threats.severity,
      protectedDomain: protectedDomains.domain,
      keywords: protectedDomains.keywords,
      // Number of takedowns that people wait for: 1 if the site was reported and is not down.
      // Takedowns are stored by a folder that is above this one.
      openTakedowns: sql<number>`(select count(*) from takedowns where threat_seq = ${threats.seq}
        and down_at is null and closed_at is null and ${threats.status} = 'active')`,
    })
    .from(enrichments)
    .innerJoin(threats, eq(enrichments.threatSeq, threats.seq))
    .innerJoin(protectedDomains, eq(threats.protectedDomainSeq, protectedDomains.seq));
}

function prepareReads(database: Database) {
  const { checkedAt, dueAt, facts, networkDueAt, rank, registrationDueAt, screenshotDueAt, threatSeq } =
    enrichments;
  const dueOfRank = (order: SQL) =>
    statement(database, (query) =>
      query
        .select({ seq: threatSeq })
        .from(enrichments)
        .where(and(eq(rank, value(rank)), lte(dueAt, value(dueAt, "now"))))
        .orderBy(order)
        .limit(countValue("limit")),
    );
  return {
    dueOldest: dueOfRank(asc(dueAt)),
    dueNewest: dueOfRank(desc(dueAt)),
    find: statement(database, (query) => subjects(query).where(eq(threatSeq, opaqueValue(threatSeq)))),
    findById: statement(database, (query) => subjects(query).where(hasThreatId)),
    protectedDomainId: statement(database, (query) =>
      query
        .select({ id: protectedDomains.id })
        .from(protectedDomains)
        .innerJoin(threats, eq(threats.protectedDomainSeq, protectedDomains.seq))
        .where(eq(threats.id, opaqueValue(threats.id, "threatId"))),
    ),
    facts: statement(database, (query) =>
      query.select({ facts, checkedAt, dueAt }).from(enrichments).where(hasThreatId),
    ),
    dues: statement(database, (query) =>
      query
        .select({ dueAt, registrationDueAt, networkDueAt, screenshotDueAt })
        .from(enrichments)
        .where(hasThreatId),
    ),
  };
}

function prepareWrites(database: Database) {
  const { checkedAt, dueAt, threatSeq } = enrichments;
  const hasSeq = eq(threatSeq, value(threatSeq));
  const update = (set: () => SQLiteUpdateSetSource<typeof enrichments>) =>
    statement(database, (query) => query.update(enrichments).set(set()).where(hasSeq));
  return {
    request: statement(database, (query) =>
      query
        .update(enrichments)
        .set({ rank: ranks.requested, dueAt: value(dueAt, "now"), failures: 0 })
        .where(hasThreatId)
        .returning({ seq: threatSeq }),
    ),
    facts: update(() => valuesOf(enrichments, "facts")),
    check: update(() => ({
      ...valuesOf(enrichments, "rank", "dueAt", "step", "failures"),
      checkedAt: sql`coalesce(${value(checkedAt)}, ${checkedAt})`,
    })),
    checkedAt: update(() => valuesOf(enrichments, "checkedAt")),
  };
}
