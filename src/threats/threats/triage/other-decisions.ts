import { and, desc, eq, gt, max } from "drizzle-orm";
import { system, type Actor } from "../../../access/audit/actor.ts";
import type { Database } from "../../../platform/database/database.ts";
import { hasValue, statement, value } from "../../../platform/database/statement.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import type { Status } from "../../../platform/vocabulary/threats.ts";
import { threatHistory, threats } from "../store/tables.ts";

/** A decision that gave a threat its present status. */
export interface PresentDecision {
  id: string;
  domain: string;
  status: Status;
  by: Actor;
  at: Instant;
}

/** A threat as it is now. */
type PresentThreat = Pick<typeof threats.$inferSelect, "seq" | "id" | "domain" | "status">;

/** Finds decisions of others that a reader cannot have seen. */
export type OtherDecisions = ReturnType<typeof createOtherDecisions>;

export function createOtherDecisions(database: Database) {
  const newest = statement(database, (query) =>
    query.select({ seq: max(threatHistory.seq) }).from(threatHistory),
  );
  const latestStatus = statement(database, (query) =>
    query
      .select({
        at: threatHistory.at,
        channel: threatHistory.channel,
        name: threatHistory.actorName,
        address: threatHistory.actorAddress,
      })
      .from(threatHistory)
      .where(
        and(
          hasValue(threatHistory.threatSeq),
          eq(threatHistory.field, "status"),
          gt(threatHistory.seq, value(threatHistory.seq, "after")),
        ),
      )
      .orderBy(desc(threatHistory.seq))
      .limit(1),
  );

  /** Returns what gave the threat its status, if it is later than the mark. */
  function latest(threat: PresentThreat, mark = 0): PresentDecision | undefined {
    const row = latestStatus.get({ threatSeq: threat.seq, after: mark });
    if (row === undefined) return undefined;
    const { at, channel, name, address } = row;
    const { id, domain, status } = threat;
    return { id, domain, status, at, by: channel === null ? system : { channel, name, address } };
  }

  return {
    /** Returns the position in the history of all threats, which grows with each change. */
    mark: () => newest.get()?.seq ?? 0,
    latest,

    /**
     * Returns the same if it is a decision of others. What phishwatch itself changes is no decision, and a reader's own
     * decisions on other pages do not count.
     */
    ofOthers(threat: PresentThreat, by: Actor, mark?: number) {
      const found = latest(threat, mark);
      return found === undefined || !isDecider(found.by) || isSame(found.by, by) ? undefined : found;
    },
  };
}

function isDecider({ channel }: Actor): boolean {
  return channel !== "system" && channel !== "configuration";
}

/** Returns whether two actors are the same person or program, at any address. */
function isSame(one: Actor, other: Actor): boolean {
  return one.channel === other.channel && one.name === other.name;
}
