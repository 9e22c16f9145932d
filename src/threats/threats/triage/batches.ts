import { and, asc, eq, gte, isNull, lt, sql } from "drizzle-orm";
import type { Actor } from "../../../access/audit/actor.ts";
import type { Database } from "../../../platform/database/database.ts";
import { columnsOf, hasValue, statement, value, valuesOf } from "../../../platform/database/statement.ts";
import type { Clock } from "../../../platform/lib/clock.ts";
import type { Status } from "../../../platform/vocabulary/threats.ts";
import { threats, triageBatches, triageSteps } from "../store/tables.ts";

/** Maximum number of threats in one batch: as many as one transaction can undo without keeping others waiting. */
export const triageThreatsMax = 1_000;
/** How long a batch can be undone; then it is deleted. */
export const undoableMs = 24 * 3_600_000;
/** The decisions of an API key in this time are one batch: a program that changes threats one by one decides once. */
const joinedMs = 60_000;

/** Stores which threats each decision changed, to undo it. Must be used within a transaction. */
export type Batches = ReturnType<typeof createBatches>;

export function createBatches({ database, clock }: { database: Database; clock: Clock }) {
  const statements = createStatements(database);
  /** Returns the time of the oldest decision that can be undone. */
  const since = () => clock.now() - undoableMs;

  function create(status: Status, { channel, name, address }: Actor): number {
    statements.deleteOld.run({ before: since() });
    const actor = { channel, actorName: name, actorAddress: address };
    return statements.insertBatch.get({ at: clock.now(), status, ...actor })!.seq;
  }

  /** Returns the batch of the last minute that an API key continues. */
  function joinable(status: Status, { channel, name }: Actor): { seq: number; left: number } | undefined {
    if (channel !== "api") return undefined;
    const wanted = { channel, actorName: name, status, since: clock.now() - joinedMs };
    const seq = statements.latestOf.get(wanted)?.seq;
    return seq === undefined
      ? undefined
      : { seq, left: triageThreatsMax - statements.countSteps.get({ batchSeq: seq })!.total };
  }

  return {
    /** Returns a record of one decision, which begins a batch with its first step. */
    begin(status: Status, by: Actor) {
      let first: number | undefined;
      let batch: { seq: number; left: number } | undefined;
      const isFull = (threatSeq: number) =>
        batch === undefined ||
        batch.left <= 0 ||
        statements.findStep.get({ batchSeq: batch.seq, threatSeq }) !== undefined;
      return {
        /** Returns the number of the batch, of the first one if there are several; undefined without a step. */
        seq: () => first,
        add(step: Omit<typeof triageSteps.$inferSelect, "batchSeq">) {
          if (batch === undefined) batch = joinable(status, by);
          if (isFull(step.threatSeq)) batch = { seq: create(status, by), left: triageThreatsMax };
          const { seq } = batch!;
          statements.insertStep.run({ batchSeq: seq, ...step });
          batch!.left -= 1;
          first ??= seq;
        },
      };
    },
    find: (seq: number): typeof triageBatches.$inferSelect | undefined => statements.findBatch.get({ seq }),
    steps: (batchSeq: number) => statements.stepsOf.all({ batchSeq }),
    setUndone: (seq: number, { channel, name }: Actor) =>
      statements.setUndone.run({ seq, undoneAt: clock.now(), undoneChannel: channel, undoneName: name }),
    since,
  };
}

function createStatements(database: Database) {
  const seqMatches = hasValue(triageBatches.seq);
  const ofBatch = hasValue(triageSteps.batchSeq);
  return {
    deleteOld: statement(database, (query) =>
      query.delete(triageBatches).where(lt(triageBatches.at, value(triageBatches.at, "before"))),
    ),
    insertBatch: statement(database, (query) =>
      query
        .insert(triageBatches)
        .values(valuesOf(triageBatches, "at", "status", "channel", "actorName", "actorAddress"))
        .returning({ seq: triageBatches.seq }),
    ),
    latestOf: statement(database, (query) =>
      query
        .select({ seq: triageBatches.seq })
        .from(triageBatches)
        .where(
          and(
            hasValue(triageBatches.channel),
            sql`${triageBatches.actorName} is ${value(triageBatches.actorName)}`,
            hasValue(triageBatches.status),
            gte(triageBatches.at, value(triageBatches.at, "since")),
            isNull(triageBatches.undoneAt),
          ),
        )
        .orderBy(sql`${triageBatches.seq} desc`)
        .limit(1),
    ),
    countSteps: statement(database, (query) =>
      query
        .select({ total: sql<number>`count(*)` })
        .from(triageSteps)
        .where(ofBatch),
    ),
    findStep: statement(database, (query) =>
      query
        .select({ threatSeq: triageSteps.threatSeq })
        .from(triageSteps)
        .where(and(ofBatch, hasValue(triageSteps.threatSeq))),
    ),
    findBatch: statement(database, (query) => query.select().from(triageBatches).where(seqMatches)),
    setUndone: statement(database, (query) =>
      query
        .update(triageBatches)
        .set(valuesOf(triageBatches, "undoneAt", "undoneChannel", "undoneName"))
        .where(seqMatches),
    ),
    insertStep: statement(database, (query) =>
      query
        .insert(triageSteps)
        .values(
          valuesOf(triageSteps, "batchSeq", "threatSeq", "previousStatus", "previousDueAt", "changedAt"),
        ),
    ),
    stepsOf: statement(database, (query) =>
      query
        .select({
          id: threats.id,
          ...columnsOf(triageSteps, "previousStatus previousDueAt changedAt"),
        })
        .from(triageSteps)
        .innerJoin(threats, eq(triageSteps.threatSeq, threats.seq))
        .where(ofBatch)
        .orderBy(asc(triageSteps.threatSeq)),
    ),
  };
}
