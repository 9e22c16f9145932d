import { and, asc, count, desc, eq, gte, isNull, or, sql, type SQL } from "drizzle-orm";
import type { Actor, ActorChannel } from "../../../access/audit/actor.ts";
import type { Database } from "../../../platform/database/database.ts";
import { columnsOf, countValue, hasValue, statement, value } from "../../../platform/database/statement.ts";
import { protectedDomains } from "../../domains/tables.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import type { Status } from "../../../platform/vocabulary/threats.ts";
import { threats, triageBatches, triageSteps } from "../store/tables.ts";

/** Who decides, without the address. */
export type Decider = Pick<Actor, "channel" | "name">;

/** A decision that can be undone, or was. */
export interface RecentDecision {
  /** Number of its batch, to undo it. */
  batch: number;
  at: Instant;
  status: Status;
  /** Null: recorded by a version that did not store it. */
  by: Actor | null;
  undoneAt: Instant | null;
  /** Null: not undone, or by a version that did not store it. */
  undoneBy: Decider | null;
  /** Number of threats that it changed. */
  threats: number;
  /** The first of them, by age: `namedThreatsMax` at most. */
  named: DecidedThreat[];
}

/** A threat of a decision, with its present status. */
export type DecidedThreat = ReturnType<ReturnType<typeof createStatements>["named"]["all"]>[number];

interface Page {
  page: number;
  perPage: number;
}

export type RecentDecisions = ReturnType<typeof createRecentDecisions>;

const namedThreatsMax = 3;
const decidersMax = 100;

/** @param since returns the time of the oldest decision that can still be undone */
export function createRecentDecisions({ database, since }: { database: Database; since: () => Instant }) {
  const statements = createStatements(database);

  function decisionOf(row: ReturnType<typeof statements.list.all>[number]): RecentDecision {
    const { channel, actorName: name, actorAddress: address, undoneChannel, undoneName, ...decision } = row;
    return {
      ...decision,
      by: channel === null ? null : { channel, name, address },
      undoneBy: undoneChannel === null ? null : { channel: undoneChannel, name: undoneName },
      named: statements.named.all({ batchSeq: decision.batch, limit: namedThreatsMax, offset: 0 }),
    };
  }

  return {
    /** Returns a page of the decisions of the last day, newest first, with their number. */
    recent({ page, perPage, by }: Page & { by?: Decider | undefined }): {
      decisions: RecentDecision[];
      total: number;
    } {
      const wanted = { since: since(), channel: by?.channel ?? null, actorName: by?.name ?? null };
      return {
        total: statements.total.get(wanted)!.total,
        decisions: statements.list
          .all({ ...wanted, limit: perPage, offset: (page - 1) * perPage })
          .map(decisionOf),
      };
    },

    /** Returns who decided in the last day: `decidersMax` at most, in the order of channel and name. */
    deciders: (): Decider[] =>
      statements.deciders
        .all({ since: since() })
        .flatMap(({ channel, name }) => (channel === null ? [] : [{ channel, name }])),

    /** Returns one decision of the last day. */
    decision(batch: number) {
      const row = statements.one.get({ since: since(), seq: batch });
      return row && decisionOf(row);
    },

    /** Returns a page of the threats that a decision changed, by age. */
    threatsOf: (batchSeq: number, { page, perPage }: Page): DecidedThreat[] =>
      statements.named.all({ batchSeq, limit: perPage, offset: (page - 1) * perPage }),

    /** Returns the number of the actor's latest decision that can be undone. */
    latest: ({ channel, name }: Actor) =>
      statements.latest.get({ since: since(), channel, actorName: name })?.batch,
  };
}

function createStatements(database: Database) {
  const isRecent = gte(triageBatches.at, value(triageBatches.at, "since"));
  const channel = value(triageBatches.channel);
  const isBy = sql`${triageBatches.actorName} is ${value(triageBatches.actorName)}`;
  const isWanted = and(isRecent, or(sql`${channel} is null`, and(eq(triageBatches.channel, channel), isBy)));
  const columns = {
    batch: triageBatches.seq,
    ...columnsOf(triageBatches, "at status undoneAt undoneChannel undoneName channel actorName actorAddress"),
    threats: sql<number>`(select count(*) from ${triageSteps} where batch_seq = ${triageBatches.seq})`,
  };
  const select = (where: SQL | undefined) => (query: Database["query"]) =>
    query.select(columns).from(triageBatches).where(where);
  return {
    list: statement(database, (query) =>
      select(isWanted)(query)
        .orderBy(desc(triageBatches.seq))
        .limit(countValue("limit"))
        .offset(countValue("offset")),
    ),
    one: statement(database, select(and(isRecent, hasValue(triageBatches.seq)))),
    total: statement(database, (query) =>
      query.select({ total: count() }).from(triageBatches).where(isWanted),
    ),
    deciders: statement(database, (query) =>
      query
        .selectDistinct({
          channel: sql<ActorChannel | null>`${triageBatches.channel}`,
          name: triageBatches.actorName,
        })
        .from(triageBatches)
        .where(isRecent)
        .orderBy(asc(triageBatches.channel), asc(triageBatches.actorName))
        .limit(decidersMax),
    ),
    named: statement(database, (query) =>
      query
        .select({
          id: threats.id,
          domain: threats.domain,
          protectedDomain: protectedDomains.domain,
          previousStatus: triageSteps.previousStatus,
          status: threats.status,
        })
        .from(triageSteps)
        .innerJoin(threats, eq(triageSteps.threatSeq, threats.seq))
        .innerJoin(protectedDomains, eq(threats.protectedDomainSeq, protectedDomains.seq))
        .where(hasValue(triageSteps.batchSeq))
        .orderBy(asc(triageSteps.threatSeq))
        .limit(countValue("limit"))
        .offset(countValue("offset")),
    ),
    latest: statement(database, (query) =>
      query
        .select({ batch: triageBatches.seq })
        .from(triageBatches)
        .where(and(isRecent, isNull(triageBatches.undoneAt), eq(triageBatches.channel, channel), isBy))
        .orderBy(desc(triageBatches.seq))
        .limit(1),
    ),
  };
}
