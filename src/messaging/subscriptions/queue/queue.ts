import type { Database } from "../../../platform/database/database.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import type { NoticeType } from "../../../platform/vocabulary/events.ts";

/** A change that is to be part of the next message of subscriptions. */
export interface QueuedChange {
  type: NoticeType;
  /** Whether the filter matches only now. */
  late: boolean;
  /** Null: about no threat. */
  threatSeq: number | null;
  /** Content as JSON; null for a threat. */
  data: string | null;
  at: Instant;
  /** Time from which it must not wait for the limit of messages; null: it may. */
  urgentAt: Instant | null;
}

export interface QueuedRow extends Pick<QueuedChange, "type" | "threatSeq" | "data"> {
  seq: number;
  late: 0 | 1;
  at: Instant;
}

/** Place in the queue of a subscription. */
export interface Place {
  subscriptionSeq: number;
  /** `seq` of the last change that is done with. */
  consumedSeq: number;
}

/** Changes that wait for messages. Each query reads only the rows that it returns, however many wait. */
export interface Queue {
  /** Adds a change for each of the subscriptions, in the caller's transaction, that was not removed earlier in it. */
  add(change: QueuedChange, subscriptions: readonly Pick<Place, "subscriptionSeq">[]): void;
  /** Marks a new threat that waits anywhere, in the caller's transaction. */
  markUrgent(threatSeq: number, at: Instant): void;
  /** Returns whether a threat waits to be announced. */
  hasNewThreat(place: Place, threatSeq: number): boolean;
  /** Returns the ends of what waits; undefined: nothing. At most `countMax` changes wait. */
  ends(
    place: Place,
  ): { countMax: number; firstAt: Instant; lastAt: Instant; urgentAt: Instant | null } | undefined;
  /** Returns whether at least `count` changes wait. */
  hasMany(place: Place, count: number): boolean;
  /** Returns the next changes, oldest first. */
  read(place: Place, limit: number): QueuedRow[];
  /** Returns the identifiers of up to `limit` new threats that wait, the oldest first. */
  newThreatIds(place: Place, limit: number): string[];
  /** Deletes matches of a threat that came later than at first, in the caller's transaction: it is being announced. */
  deleteLate(place: Place, threatSeq: number): void;
  /** Returns whether rows are left that are done with. */
  hasConsumed(place: Place): boolean;
  /** Deletes rows that are done with, in the caller's transaction. Returns their number. */
  deleteConsumed(place: Place, limit: number): number;
  /** Number of changes that wait, for all subscriptions. */
  count(): number;
}

export function createQueue({ prepare }: Pick<Database, "prepare">): Queue {
  type EndRow = { seq: number; at: Instant };
  type PlaceValues = [number, number];
  // One statement for all subscriptions takes half the time of one for each.
  const insert = prepare<
    unknown,
    [string, string, number, number | null, string | null, number, number | null]
  >(
    `insert into queued_changes (subscription_seq, type, late, threat_seq, data, at, urgent_at)
     select wanted.value, ?2, ?3, ?4, ?5, ?6, ?7 from json_each(?1) wanted
     where exists (select 1 from subscriptions where seq = wanted.value)`,
  );
  const urge = prepare<unknown, [Instant, number]>(
    `update queued_changes set urgent_at = ?
     where threat_seq = ? and type = 'threat.created' and urgent_at is null`,
  );
  const ofThreat = prepare<unknown, [number, number, number]>(
    `select 1 from queued_changes
     where threat_seq = ? and subscription_seq = ? and seq > ? and type = 'threat.created'`,
  );
  const first = prepare<EndRow, PlaceValues>(
    "select seq, at from queued_changes where subscription_seq = ? and seq > ? order by seq limit 1",
  );
  const last = prepare<EndRow, PlaceValues>(
    "select seq, at from queued_changes where subscription_seq = ? and seq > ? order by seq desc limit 1",
  );
  const urgent = prepare<EndRow, PlaceValues>(
    `select seq, urgent_at as at from queued_changes
     where subscription_seq = ? and urgent_at is not null and seq > ? order by urgent_at limit 1`,
  );
  const nth = prepare<unknown, [number, number, number]>(
    "select 1 from queued_changes where subscription_seq = ? and seq > ? order by seq limit 1 offset ?",
  );
  const rows = prepare<QueuedRow, [number, number, number]>(
    `select seq, type, late, threat_seq as threatSeq, data, at from queued_changes
     where subscription_seq = ? and seq > ? order by seq limit ?`,
  );
  const newThreats = prepare<{ id: string }, [number, number, number]>(
    `select t.id from (
       select threat_seq from queued_changes
       where subscription_seq = ? and seq > ? and type = 'threat.created' order by seq limit ?
     ) join threats t on t.seq = threat_seq`,
  );
  const removeLate = prepare<unknown, [number, number, number]>(
    "delete from queued_changes where threat_seq = ? and subscription_seq = ? and seq > ? and late = 1",
  );
  const consumed = prepare<unknown, PlaceValues>(
    "select 1 from queued_changes where subscription_seq = ? and seq <= ? limit 1",
  );
  const remove = prepare<unknown, [number, number, number]>(
    `delete from queued_changes where seq in (
       select seq from queued_changes where subscription_seq = ? and seq <= ? order by seq limit ?)`,
  );
  const total = prepare<{ total: number }>("select count(*) as total from queued_changes");

  return {
    add({ type, late, threatSeq, data, at, urgentAt }, subscriptions) {
      if (subscriptions.length === 0) return;
      const seqs = subscriptions.map(({ subscriptionSeq }) => subscriptionSeq);
      insert.run(JSON.stringify(seqs), type, late ? 1 : 0, threatSeq, data, at, urgentAt);
    },
    markUrgent: (threatSeq, at) => void urge.run(at, threatSeq),
    hasNewThreat: ({ subscriptionSeq, consumedSeq }, threatSeq) =>
      ofThreat.get(threatSeq, subscriptionSeq, consumedSeq) !== undefined,
    ends({ subscriptionSeq, consumedSeq }) {
      const firstRow = first.get(subscriptionSeq, consumedSeq);
      if (firstRow === undefined) return undefined;
      const lastRow = last.get(subscriptionSeq, consumedSeq)!;
      return {
        countMax: lastRow.seq - firstRow.seq + 1,
        firstAt: firstRow.at,
        lastAt: lastRow.at,
        urgentAt: urgent.get(subscriptionSeq, consumedSeq)?.at ?? null,
      };
    },
    hasMany: ({ subscriptionSeq, consumedSeq }, count) =>
      nth.get(subscriptionSeq, consumedSeq, count - 1) !== undefined,
    read: ({ subscriptionSeq, consumedSeq }, limit) => rows.all(subscriptionSeq, consumedSeq, limit),
    newThreatIds: ({ subscriptionSeq, consumedSeq }, limit) =>
      newThreats.all(subscriptionSeq, consumedSeq, limit).map(({ id }) => id),
    deleteLate: ({ subscriptionSeq, consumedSeq }, threatSeq) =>
      void removeLate.run(threatSeq, subscriptionSeq, consumedSeq),
    hasConsumed: ({ subscriptionSeq, consumedSeq }) =>
      consumed.get(subscriptionSeq, consumedSeq) !== undefined,
    deleteConsumed: ({ subscriptionSeq, consumedSeq }, limit) =>
      remove.run(subscriptionSeq, consumedSeq, limit),
    count: () => total.get()!.total,
  };
}
