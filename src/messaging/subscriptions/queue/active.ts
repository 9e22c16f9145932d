import type { Database } from "../../../platform/database/database.ts";
import { matchesEverything, type EventFilter } from "../../../threats/events/event-filter.ts";
import { alertingTypes, type ChannelType } from "../../../platform/vocabulary/channels.ts";
import type { NoticeType } from "../../../platform/vocabulary/events.ts";
import type { subscriptions } from "../subscriptions/tables.ts";

/** An enabled subscription, as far as the queue needs it. */
export interface ActiveSubscription {
  subscriptionSeq: number;
  recipientSeq: number;
  consumedSeq: number;
  events: ReadonlySet<NoticeType>;
  filter: EventFilter;
  /** Whether a threat can match the filter later than at first. */
  canMatchLater: boolean;
  sendsThreatsOneByOne: boolean;
}

/** Returns whether a channel is sent a message for each threat, as long as there are few. */
export function sendsThreatsOneByOne(type: ChannelType): boolean {
  return alertingTypes.includes(type);
}

type StoredSubscription = Pick<
  typeof subscriptions.$inferSelect,
  "seq" | "recipientSeq" | "consumedSeq" | "events" | "filter"
>;

/** Returns what the queue needs of a subscription as it is stored. */
export function toActive({
  seq,
  recipientSeq,
  consumedSeq,
  events,
  filter,
  channelType,
}: StoredSubscription & { channelType: ChannelType }): ActiveSubscription {
  return {
    subscriptionSeq: seq,
    recipientSeq,
    consumedSeq,
    events: new Set(events),
    filter,
    canMatchLater: !matchesEverything(filter),
    sendsThreatsOneByOne: sendsThreatsOneByOne(channelType),
  };
}

type Row = Omit<StoredSubscription, "events" | "filter"> & {
  events: string;
  filter: string;
  channelType: ChannelType;
};

/**
 * Returns a function that returns the enabled subscriptions. The rows are read once in a turn of the event loop, so
 * that a step of the fan-out with hundreds of events reads them once, and each transaction sees its own state.
 */
export function createActiveSubscriptions({
  prepare,
}: Pick<Database, "prepare">): () => readonly ActiveSubscription[] {
  const read = prepare<Row>(
    `select s.seq, s.recipient_seq as recipientSeq, s.consumed_seq as consumedSeq,
       s.events, s.filter, r.channel as channelType
     from subscriptions s join recipients r on r.seq = s.recipient_seq where s.enabled = 1`,
  );
  let known: readonly ActiveSubscription[] | undefined;

  return () => {
    if (known === undefined) {
      known = read.all().map(({ events, filter, ...row }) =>
        toActive({
          ...row,
          events: JSON.parse(events) as NoticeType[],
          filter: JSON.parse(filter) as EventFilter,
        }),
      );
      queueMicrotask(() => (known = undefined));
    }
    return known;
  };
}
