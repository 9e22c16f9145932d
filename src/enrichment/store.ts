import { and, asc, desc, eq, lte, sql, type SQL } from "drizzle-orm";
import type { Database } from "../database/database.ts";
import { opaque } from "../database/placeholders.ts";
import { relaxedTransaction } from "../database/relaxed.ts";
import { protectedDomains } from "../domains/tables.ts";
import type { Instant } from "../lib/clock.ts";
import { lazy } from "../lib/startup.ts";
import { threats } from "../threats/tables.ts";
import type { Severity, Status } from "../vocabulary/threats.ts";
import { nothingKnown, type Facts } from "./facts/facts.ts";
import { ranks, type NextLook } from "./plan.ts";
import { enrichments } from "./tables.ts";

/** What is known of a threat, and what a look at it has to know. */
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
  registrationFailures: number;
  /** Null: no registration data is wanted. */
  registrationRank: number | null;
  facts: Facts;
}

/** The rows of the queue. Its queries look at the rows that they answer with and no others, however many wait. */
export interface EnrichmentStore {
  /** Takes up threats that have no row yet, from whichever process they came. Answers how many. */
  admitNew(now: Instant, limit: number): number;
  /** Row numbers of threats that are due, in the order in which to look at them. */
  due(now: Instant, limit: number): number[];
  dueScreenshots(now: Instant, limit: number): number[];
  find(threatSeq: number): Subject | undefined;
  /** Puts a threat at the head of the queue. Answers whether it has a row yet. */
  ask(threatId: string, now: Instant): boolean;
  saveFacts(threatSeq: number, facts: Facts): void;
  /** `lookedAt` null: it was not looked at this time. */
  saveLook(threatSeq: number, lookedAt: Instant | null, next: NextLook & { rank: number }): void;
  /** Undefined: none is wanted. */
  saveScreenshotDue(threatSeq: number, wanted: Due | undefined): void;
  /** Whether nothing is due for a threat any more. */
  isSettled(threatId: string, now: Instant): boolean;
  /** What is known of a threat and since when; undefined before it was admitted. */
  factsOf(threatId: string): { facts: Facts; lookedAt: Instant | null; dueAt: Instant } | undefined;
}

/** When a part of the work on a threat is due. */
export interface Due {
  rank: number;
  dueAt: Instant;
  failures: number;
}

/** Of so many places one is for the watch over known threats, so that a flood of new ones does not end it. */
const placesPerWatched = 8;

export function createEnrichmentStore(database: Database): EnrichmentStore {
  const prepared = lazy(() => prepare(database));
  const newRanks = [ranks.high, ranks.medium, ranks.low];

  return {
    admitNew(now, limit) {
      // Most seconds bring nothing, and those must not take the write lock.
      const { last, admitted } = prepared().ends.get()!;
      if (last === null || last <= (admitted ?? 0)) return 0;
      return relaxedTransaction(database, () => prepared().admit.run({ now, limit }).changes);
    },

    due(now, limit) {
      const ready = (query: ReturnType<typeof prepare>["dueOldest"], rank: number) =>
        query.all({ rank, now, limit }).map(seqOf);
      const { dueNewest, dueOldest } = prepared();
      const watched = ready(dueOldest, ranks.watch);
      const due = ready(dueOldest, ranks.asked);
      due.push(...watched.splice(0, Math.ceil(limit / placesPerWatched)));
      for (const rank of newRanks) if (due.length < limit) due.push(...ready(dueNewest, rank));
      return [...due, ...watched].slice(0, limit);
    },

    dueScreenshots: (now, limit) =>
      newRanks
        .flatMap((rank) => prepared().dueScreenshot.all({ rank, now, limit }).map(seqOf))
        .slice(0, limit),
    find: (threatSeq) => prepared().find.get({ threatSeq }),
    ask: (threatId, now) =>
      relaxedTransaction(database, () => prepared().askOne.all({ threatId, now }).length > 0),
    saveFacts: (threatSeq, facts) =>
      void prepared().setFacts.run({ threatSeq, facts: JSON.stringify(facts) }),
    saveLook: (threatSeq, lookedAt, next) => void prepared().setLook.run({ threatSeq, lookedAt, ...next }),
    saveScreenshotDue: (threatSeq, wanted) =>
      void prepared().setScreenshot.run({
        threatSeq,
        ...(wanted ?? { rank: null, dueAt: null, failures: 0 }),
      }),
    isSettled(threatId, now) {
      const found = prepared().dues.get({ threatId });
      return found !== undefined && Object.values(found).every((at) => at === null || at > now);
    },
    factsOf: (threatId) => prepared().factsOf.get({ threatId }),
  };
}

const seqOf = ({ seq }: { seq: number }) => seq;

function prepare({ query, sqlite }: Database) {
  const seq = sql.placeholder("threatSeq");
  const value = (name: string) => sql`${sql.placeholder(name)}`;
  const dueOfRank = (order: SQL) =>
    query
      .select({ seq: enrichments.threatSeq })
      .from(enrichments)
      .where(
        and(eq(enrichments.rank, sql.placeholder("rank")), lte(enrichments.dueAt, sql.placeholder("now"))),
      )
      .orderBy(order)
      .limit(sql.placeholder("limit"))
      .prepare();
  const idIs = sql`(select seq from ${threats} where id = ${sql.placeholder("threatId")})`;
  return {
    ends: sqlite.prepare<{ last: number | null; admitted: number | null }, []>(
      "select (select max(seq) from threats) as last, (select max(threat_seq) from enrichments) as admitted",
    ),
    // In the order of the threats' own numbers: the highest one here tells how far one has come. What is due
    // when is decided by the time of the record: newest first, see `dueNewest`.
    admit: sqlite.prepare<unknown, [{ now: number; limit: number }]>(
      `insert into enrichments (threat_seq, rank, due_at, step, failures, facts, screenshot_failures)
       select seq, case severity when 'high' then ${ranks.high} when 'medium' then ${ranks.medium} else ${ranks.low} end,
         min(created_at, $now), 0, 0, '${JSON.stringify(nothingKnown)}', 0
       from threats where seq > coalesce((select max(threat_seq) from enrichments), 0) order by seq limit $limit`,
    ),
    dueOldest: dueOfRank(asc(enrichments.dueAt)),
    dueNewest: dueOfRank(desc(enrichments.dueAt)),
    dueScreenshot: query
      .select({ seq: enrichments.threatSeq })
      .from(enrichments)
      .where(
        and(
          eq(enrichments.screenshotRank, sql.placeholder("rank")),
          lte(enrichments.screenshotDueAt, sql.placeholder("now")),
        ),
      )
      .orderBy(asc(enrichments.screenshotDueAt))
      .limit(sql.placeholder("limit"))
      .prepare(),
    find: query
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
        registrationFailures: enrichments.registrationFailures,
        registrationRank: enrichments.registrationRank,
        facts: enrichments.facts,
      })
      .from(enrichments)
      .innerJoin(threats, eq(enrichments.threatSeq, threats.seq))
      .innerJoin(protectedDomains, eq(threats.protectedDomainSeq, protectedDomains.seq))
      .where(eq(enrichments.threatSeq, opaque("threatSeq")))
      .prepare(),
    factsOf: query
      .select({ facts: enrichments.facts, lookedAt: enrichments.lookedAt, dueAt: enrichments.dueAt })
      .from(enrichments)
      .where(sql`${enrichments.threatSeq} = ${idIs}`)
      .prepare(),
    dues: query
      .select({
        look: enrichments.dueAt,
        registration: enrichments.registrationDueAt,
        screenshot: enrichments.screenshotDueAt,
      })
      .from(enrichments)
      .where(sql`${enrichments.threatSeq} = ${idIs}`)
      .prepare(),
    askOne: query
      .update(enrichments)
      .set({ rank: ranks.asked, dueAt: value("now"), failures: 0 })
      .where(sql`${enrichments.threatSeq} = ${idIs}`)
      .returning({ seq: enrichments.threatSeq })
      .prepare(),
    setFacts: query
      .update(enrichments)
      .set({ facts: value("facts") })
      .where(eq(enrichments.threatSeq, seq))
      .prepare(),
    setLook: query
      .update(enrichments)
      .set({
        lookedAt: sql`coalesce(${sql.placeholder("lookedAt")}, ${enrichments.lookedAt})`,
        rank: value("rank"),
        dueAt: value("dueAt"),
        step: value("step"),
        failures: value("failures"),
      })
      .where(eq(enrichments.threatSeq, seq))
      .prepare(),
    setScreenshot: query
      .update(enrichments)
      .set({
        screenshotRank: value("rank"),
        screenshotDueAt: value("dueAt"),
        screenshotFailures: value("failures"),
      })
      .where(eq(enrichments.threatSeq, seq))
      .prepare(),
  };
}
