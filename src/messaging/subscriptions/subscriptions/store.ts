import { and, asc, eq, inArray, max, or } from "drizzle-orm";
import type { Database } from "../../../platform/database/database.ts";
import { hasValue, statement } from "../../../platform/database/statement.ts";
import { deleteAnnouncements } from "../../deliveries/store/announcements.ts";
import { recipients } from "../../deliveries/store/tables.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import { channelTypes, type ChannelType } from "../../../platform/vocabulary/channels.ts";
import type { SubscriptionRules } from "./rules.ts";
import { queuedChanges, subscriptions } from "./tables.ts";

export type SubscriptionRow = typeof subscriptions.$inferSelect;

/** A subscription: which events a channel is sent, and when. */
export interface Subscription extends SubscriptionRow {
  channel: { id: string; name: string; type: ChannelType; enabled: boolean };
}

/** Threats that are remembered in one transaction: about 50 ms. */
const rememberedMax = 50_000;
/** By then, the fan-out has taken the event of a threat. */
const takenAfterMs = 60_000;
/** Rows deleted per transaction, so that other writers get their turn. */
const removalRowsMax = 2_000;

/** Subscriptions as they are stored. */
export type SubscriptionStore = ReturnType<typeof createSubscriptionStore>;

export function createSubscriptionStore(database: Database) {
  const { query } = database;
  const reads = prepareReads(database);
  const remember = database.prepare<unknown, [number, number, Instant, Instant, number]>(
    `insert or ignore into announcements (recipient_seq, subscription_seq, threat_seq)
     select ?1, ?2, seq from (select seq, created_at, status from threats order by seq desc limit ${rememberedMax})
     where created_at between ?3 and ?4 and status = 'active' and seq not in (
       select threat_seq from queued_changes
       where subscription_seq = ?2 and seq > ?5 and threat_seq is not null)`,
  );

  function find(key: string): Subscription | undefined {
    const row = reads.one.get({ key });
    return row === undefined ? undefined : toSubscription(row);
  }

  return {
    /** Returns the subscriptions, sorted by name. */
    list: () => reads.all.all().map(toSubscription),
    find,
    /** Returns the `seq` of the last change that waits or waited for a subscription; 0: none. */
    lastQueued(subscriptionSeq: number) {
      const last = query
        .select({ seq: max(queuedChanges.seq) })
        .from(queuedChanges)
        .where(eq(queuedChanges.subscriptionSeq, subscriptionSeq))
        .get();
      return last?.seq ?? 0;
    },
    /**
     * Notes that everything up to `consumedSeq` is done with, in the caller's transaction. Returns false, and writes nothing,
     * if the subscription is no longer enabled or something was noted in the meantime.
     */
    noteMessages: (
      { seq, consumedSeq, recipientSeq }: Pick<Subscription, "seq" | "consumedSeq" | "recipientSeq">,
      values: Partial<Pick<SubscriptionRow, "consumedSeq" | "limitedUntil" | "lastMessageAt">>,
    ) =>
      query
        .update(subscriptions)
        .set(values)
        .where(
          and(
            eq(subscriptions.seq, seq),
            eq(subscriptions.enabled, true),
            eq(subscriptions.consumedSeq, consumedSeq),
            eq(subscriptions.recipientSeq, recipientSeq),
          ),
        )
        .returning({ seq: subscriptions.seq })
        .all().length > 0,
    /**
     * Remembers the newest threats that a subscription without a filter was sent since its last change, in the caller's
     * transaction, so that the filter that it gets now does not announce them again. One that was recorded less than a
     * minute ago, or that waits, may not have been sent.
     */
    rememberSent: (
      { seq, consumedSeq, updatedAt }: Pick<Subscription, "seq" | "consumedSeq" | "updatedAt">,
      { recipientSeq, now }: { recipientSeq: number; now: Instant },
    ) => void remember.run(recipientSeq, seq, updatedAt, now - takenAfterMs, consumedSeq),
    /** Deletes everything that waits for a subscription, and what it was sent, in several transactions. */
    async clear({ seq: subscriptionSeq, recipientSeq }: Pick<Subscription, "seq" | "recipientSeq">) {
      const batch = query
        .select({ seq: queuedChanges.seq })
        .from(queuedChanges)
        .where(eq(queuedChanges.subscriptionSeq, subscriptionSeq))
        .limit(removalRowsMax);
      const deleteBatch = () =>
        query
          .delete(queuedChanges)
          .where(inArray(queuedChanges.seq, batch))
          .returning({ seq: queuedChanges.seq })
          .all();
      while ((await database.write(deleteBatch, { patient: true })).length > 0);
      await deleteAnnouncements(database, { recipientSeq, subscriptionSeq });
    },
  };
}

function prepareReads(database: Database) {
  const rows = (query: Database["query"]) =>
    query
      .select({
        subscription: subscriptions,
        channel: {
          id: recipients.id,
          name: recipients.name,
          kind: recipients.channel,
          enabled: recipients.enabled,
        },
      })
      .from(subscriptions)
      .innerJoin(recipients, eq(recipients.seq, subscriptions.recipientSeq));
  const hasKey = or(hasValue(subscriptions.id, "key"), hasValue(subscriptions.name, "key"));
  return {
    all: statement(database, (query) => rows(query).orderBy(asc(subscriptions.name))),
    one: statement(database, (query) => rows(query).where(hasKey)),
  };
}

function toSubscription({
  subscription,
  channel: { kind, ...channel },
}: ReturnType<ReturnType<typeof prepareReads>["all"]["all"]>[number]): Subscription {
  const type = channelTypes.find((one) => one === kind);
  if (type === undefined) throw new Error(`${kind} is no type of channel`);
  return { ...subscription, channel: { ...channel, type } };
}

/** Returns the settings of a subscription except its channel. */
export function rulesOf({
  events,
  filter,
  digest,
  at,
  weekdays,
  timeZone,
  quietHours,
}: Subscription): SubscriptionRules {
  return { events, filter, digest, at, weekdays, timeZone, quietHours };
}
