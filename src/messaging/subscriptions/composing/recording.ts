import type { Needs } from "../../../platform/database/needs.ts";
import type { Announcements } from "../../deliveries/store/announcements.ts";
import { toIsoTime } from "../../../platform/lib/clock.ts";
import type { IdFactory } from "../../../platform/lib/ids.ts";
import { toActive } from "../queue/active.ts";
import type { Incidents } from "../queue/incidents.ts";
import type { Queue } from "../queue/queue.ts";
import type { Subscription, SubscriptionStore } from "../subscriptions/store.ts";
import { afterMessage } from "../timing/due.ts";
import { collect, type Collected } from "./collect.ts";
import type { ComposedMessage } from "./messages.ts";
import type { ThreatStates } from "./threat-states.ts";

/** Words what was collected for a subscription. */
export type WordMessages = (subscription: Subscription, collected: Collected) => Promise<ComposedMessage[]>;

const announcementsPerStep = 250;
const background = { relaxed: true, patient: true };

/**
 * Returns a function that composes the messages of a subscription and hands them off to the deliveries, in the
 * transaction that marks what they contain as done with. Returns their number.
 */
export function createMessageRecorder({
  announcements,
  clock,
  database,
  ids,
  incidents,
  pause,
  queue,
  send,
  states,
  store,
  word,
}: Needs<"clock" | "database"> & {
  announcements: Announcements;
  ids: Pick<IdFactory, "next">;
  incidents: Incidents;
  pause: () => Promise<void>;
  queue: Pick<Queue, "deleteLate" | "read">;
  /** Records a message and its delivery, in the caller's transaction. */
  send: (message: { id: string; recipientSeq: number; body: string }) => void;
  states: ThreatStates;
  store: Pick<SubscriptionStore, "noteMessages">;
  word: WordMessages;
}): (subscription: Subscription) => Promise<number> {
  return async (subscription) => {
    const { seq: subscriptionSeq, recipientSeq } = subscription;
    const active = toActive({ ...subscription, channelType: subscription.channel.type });
    const collected = await collect(active, { incidents, pause, queue, states });
    const messages = await word(subscription, collected);
    const { upTo } = collected;
    const announce = (threatSeqs: readonly number[]) => {
      for (const threatSeq of threatSeqs) {
        announcements.add({ recipientSeq, subscriptionSeq, threatSeq });
        // The severity may have risen again since the changes were collected.
        queue.deleteLate({ subscriptionSeq, consumedSeq: upTo }, threatSeq);
      }
    };
    // In steps before the message, except the last one: after a crash in between, everything is still queued and is
    // composed again.
    const announced = active.canMatchLater ? collected.created.threatSeqs : [];
    const last = Math.max(0, announced.length - announcementsPerStep);
    for (let start = 0; start < last; start += announcementsPerStep)
      await database.write(
        () => announce(announced.slice(start, Math.min(start + announcementsPerStep, last))),
        background,
      );
    const isRecorded = await database.write(
      () => {
        const now = clock.now();
        const values =
          messages.length === 0 ? {} : { limitedUntil: afterMessage(subscription, now), lastMessageAt: now };
        // Another process may have disabled or removed the subscription in the meantime.
        if (!store.noteMessages(subscription, { consumedSeq: upTo, ...values })) return false;
        announce(announced.slice(last));
        for (const { content, opens, closes } of messages) {
          const id = ids.next("event");
          send({ id, recipientSeq, body: JSON.stringify({ id, at: toIsoTime(now), ...content }) });
          if (opens !== undefined && active.sendsThreatsOneByOne) incidents.open(subscriptionSeq, opens);
          if (closes !== undefined) incidents.close(subscriptionSeq, closes);
        }
        return true;
      },
      { patient: true },
    );
    return isRecorded ? messages.length : 0;
  };
}
