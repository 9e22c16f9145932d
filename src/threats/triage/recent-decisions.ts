import { and, asc, count, desc, eq, gte, isNull, sql } from "drizzle-orm";
import type { Actor } from "../../access/audit/actor.ts";
import type { Database } from "../../database/database.ts";
import { countValue, statement, value } from "../../database/statement.ts";
import { protectedDomains } from "../../domains/tables.ts";
import type { Instant } from "../../lib/clock.ts";
import type { Status } from "../../vocabulary/threats.ts";
import { threats, triageBatches, triageSteps } from "../store/tables.ts";

/** A decision that can be undone, or was. */
export interface RecentDecision {
  /** Number of its batch, to undo it. */
  batch: number;
  at: Instant;
  status: Status;
  /** Null: recorded by a version that did not store it. */
  by: Actor | null;
  undoneAt: Instant | null;
  /** Number of threats that it changed. */
  threats: number;
  /** The first of them, by age: `namedThreatsMax` at most. */
  named: { id: string; domain: string; protectedDomain: string }[];
}

export interface RecentDecisions {
  /** Returns a page of the decisions of the last day, newest first, with their number. */
  recent(page: { page: number; perPage: number }): { decisions: RecentDecision[]; total: number };
  /** Returns the number of the actor's latest decision that can be undone. */
  latest(by: Actor): number | undefined;
}

const namedThreatsMax = 3;

/** @param since returns the time of the oldest decision that can still be undone */
export function createRecentDecisions({
  database,
  since,
}: {
  database: Database;
  since: () => Instant;
}): RecentDecisions {
  const isRecent = gte(triageBatches.at, value(triageBatches.at, "since"));
  const list = statement(database, (query) =>
    query
      .select({
        batch: triageBatches.seq,
        at: triageBatches.at,
        status: triageBatches.status,
        undoneAt: triageBatches.undoneAt,
        channel: triageBatches.channel,
        actorName: triageBatches.actorName,
        actorAddress: triageBatches.actorAddress,
        threats: sql<number>`(select count(*) from ${triageSteps} where act_seq = ${triageBatches.seq})`,
      })
      .from(triageBatches)
      .where(isRecent)
      .orderBy(desc(triageBatches.seq))
      .limit(countValue("limit"))
      .offset(countValue("offset")),
  );
  const total = statement(database, (query) =>
    query.select({ total: count() }).from(triageBatches).where(isRecent),
  );
  const named = statement(database, (query) =>
    query
      .select({ id: threats.id, domain: threats.domain, protectedDomain: protectedDomains.domain })
      .from(triageSteps)
      .innerJoin(threats, eq(triageSteps.threatSeq, threats.seq))
      .innerJoin(protectedDomains, eq(threats.protectedDomainSeq, protectedDomains.seq))
      .where(eq(triageSteps.batchSeq, value(triageSteps.batchSeq)))
      .orderBy(asc(triageSteps.threatSeq))
      .limit(namedThreatsMax),
  );
  const latest = statement(database, (query) =>
    query
      .select({ batch: triageBatches.seq })
      .from(triageBatches)
      .where(
        and(
          isRecent,
          isNull(triageBatches.undoneAt),
          eq(triageBatches.channel, value(triageBatches.channel)),
          sql`${triageBatches.actorName} is ${value(triageBatches.actorName)}`,
        ),
      )
      .orderBy(desc(triageBatches.seq))
      .limit(1),
  );

  return {
    recent: ({ page, perPage }) => ({
      total: total.get({ since: since() })!.total,
      decisions: list
        .all({ since: since(), limit: perPage, offset: (page - 1) * perPage })
        .map(({ channel, actorName: name, actorAddress: address, ...decision }) => ({
          ...decision,
          by: channel === null ? null : { channel, name, address },
          named: named.all({ batchSeq: decision.batch }),
        })),
    }),
    latest: ({ channel, name }) => latest.get({ since: since(), channel, actorName: name })?.batch,
  };
}
