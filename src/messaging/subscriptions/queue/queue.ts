import type { Database } from "../../../platform/database/database.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import type { queuedChanges } from "../subscriptions/tables.ts";

/** A change that is to be part of the next message of subscriptions. */
export type QueuedChange = Omit<typeof queuedChanges.$inferSelect, "seq" | "subscriptionSeq">;

export interface QueuedRow extends Pick<QueuedChange, "type" | "threatSeq" | "data" | "at"> {
  seq: number;
  late: 0 | 1;
}

/** Place in the queue of a subscription. */
export interface Place {
  subscriptionSeq: number;
  /** `seq` of the last change that is done with. */
  consumedSeq: number;
}

/** Changes that wait for messages. Each query reads only the rows that it returns, however many wait. */
export type Queue = ReturnType<typeof createQueue>;

export function createQueue({ prepare }: Pick<Database, "prepare">) {
  const statements = prepareAll(prepare);

  return {
    /** Adds a change for each of the subscriptions, in the caller's transaction, that was not removed earlier in it. */
    add(
      { type, late, threatSeq, data, at, urgentAt }: QueuedChange,
      subscriptions: readonly Pick<Place, "subscriptionSeq">[],
    ) {
      if (subscriptions.length === 0) return;
      const seqs = subscriptions.map(({ subscriptionSeq }) => subscriptionSeq);
      statements.add.run(JSON.stringify(seqs), type, late ? 1 : 0, threatSeq, data, at, urgentAt);
    },
    /** Marks a new threat that waits anywhere, in the caller's transaction. */
    markUrgent: (threatSeq: number, at: Instant) => void statements.urge.run(at, threatSeq),
    /** Returns whether a threat waits to be announced. */
    hasNewThreat: ({ subscriptionSeq, consumedSeq }: Place, threatSeq: number) =>
      statements.ofThreat.get(threatSeq, subscriptionSeq, consumedSeq) !== undefined,
    /** Returns the ends of what waits; undefined: nothing. At most `countMax` changes wait. */
    ends({ subscriptionSeq, consumedSeq }: Place) {
      const firstRow = statements.first.get(subscriptionSeq, consumedSeq);
      if (firstRow === undefined) return undefined;
      const lastRow = statements.last.get(subscriptionSeq, consumedSeq)!;
      return {
        countMax: lastRow.seq - firstRow.seq + 1,
        firstAt: firstRow.at,
        lastAt: lastRow.at,
        urgentAt: statements.urgent.get(subscriptionSeq, consumedSeq)?.at ?? null,
      };
    },
    /** Returns whether at least `count` changes wait. */
    hasMany: ({ subscriptionSeq, consumedSeq }: Place, count: number) =>
      statements.nth.get(subscriptionSeq, consumedSeq, count - 1) !== undefined,
    /** Returns the next changes, oldest first. */
    read: ({ subscriptionSeq, consumedSeq }: Place, limit: number) =>
      statements.rows.all(subscriptionSeq, consumedSeq, limit),
    /** Returns the identifiers of up to `limit` new threats that wait, the oldest first. */
    newThreatIds: ({ subscriptionSeq, consumedSeq }: Place, limit: number) =>
      statements.newThreats.all(subscriptionSeq, consumedSeq, limit).map(({ id }) => id),
    /** Deletes matches of a threat that came later than at first, in the caller's transaction: it is being announced. */
    deleteLate: ({ subscriptionSeq, consumedSeq }: Place, threatSeq: number) =>
      void statements.removeLate.run(threatSeq, subscriptionSeq, consumedSeq),
    /** Returns whether rows are left that are done with. */
    hasConsumed: ({ subscriptionSeq, consumedSeq }: Place) =>
      statements.consumed.get(subscriptionSeq, consumedSeq) !== undefined,
    /** Deletes rows that are done with, in the caller's transaction. Returns their number. */
    deleteConsumed: ({ subscriptionSeq, consumedSeq }: Place, limit: number) =>
      statements.remove.run(subscriptionSeq, consumedSeq, limit),
    /** Number of changes that wait, for all subscriptions. */
    count: () => statements.total.get()!.total,
  };
}

function prepareAll(prepare: Database["prepare"]) {
  type EndRow = { seq: number; at: Instant };
  type PlaceValues = [number, number];
  return {
    // One statement for all subscriptions takes half the time of one for each.
    add: prepare<unknown, [string, string, number, number | null, string | null, number, number | null]>(
      `insert into queued_changes (subscription_seq, type, late, threat_seq, data, at, urgent_at)
       select wanted.value, ?2, ?3, ?4, ?5, ?6, ?7 from json_each(?1) wanted
       where exists (select 1 from subscriptions where seq = wanted.value)`,
    ),
    urge: prepare<unknown, [Instant, number]>(
      `update queued_changes set urgent_at = ?
       where threat_seq = ? and type = 'threat.created' and urgent_at is null`,
    ),
    ofThreat: prepare<unknown, [number, number, number]>(
      `select 1 from queued_changes
       where threat_seq = ? and subscription_seq = ? and seq > ? and type = 'threat.created'`,
    ),
    first: prepare<EndRow, PlaceValues>(
      "select seq, at from queued_changes where subscription_seq = ? and seq > ? order by seq limit 1",
    ),
    last: prepare<EndRow, PlaceValues>(
      "select seq, at from queued_changes where subscription_seq = ? and seq > ? order by seq desc limit 1",
    ),
    urgent: prepare<EndRow, PlaceValues>(
      `select seq, urgent_at as at from queued_changes
       where subscription_seq = ? and urgent_at is not null and seq > ? order by urgent_at limit 1`,
    ),
    nth: prepare<unknown, [number, number, number]>(
      "select 1 from queued_changes where subscription_seq = ? and seq > ? order by seq limit 1 offset ?",
    ),
    rows: prepare<QueuedRow, [number, number, number]>(
      `select seq, type, late, threat_seq as threatSeq, data, at from queued_changes
       where subscription_seq = ? and seq > ? order by seq limit ?`,
    ),
    newThreats: prepare<{ id: string }, [number, number, number]>(
      `select t.id from (
         select threat_seq from queued_changes
         where subscription_seq = ? and seq > ? and type = 'threat.created' order by seq limit ?
       ) join threats t on t.seq = threat_seq`,
    ),
    removeLate: prepare<unknown, [number, number, number]>(
      "delete from queued_changes where threat_seq = ? and subscription_seq = ? and seq > ? and late = 1",
    ),
    consumed: prepare<unknown, PlaceValues>(
      "select 1 from queued_changes where subscription_seq = ? and seq <= ? limit 1",
    ),
    remove: prepare<unknown, [number, number, number]>(
      `delete from queued_changes where seq in (
         select seq from queued_changes where subscription_seq = ? and seq <= ? order by seq limit ?)`,
    ),
    total: prepare<{ total: number }>("select count(*) as total from queued_changes"),
  };
}
