import type { Instant } from "../../../platform/lib/clock.ts";
import type { Place, Queue } from "../queue/queue.ts";
import type { Subscription } from "../subscriptions/store.ts";
import { dueAt, type Waiting } from "../timing/due.ts";
import { rowsMax } from "./collect.ts";
import { localTime, type LocalTime } from "../timing/local-time.ts";

/**
 * Returns when the next message of a subscription is due, and when to check that again; undefined: nothing waits.
 */
export type NextDue = (
  subscription: Subscription,
  now: Instant,
) => { at: Instant; checkAt: Instant } | undefined;

/** How often the lookups of new threats are checked that a message waits for. */
const lookupsPollMs = 2_000;
/** With more new threats than this, a message does not wait for their lookups to end, but the longest time. */
const lookupsAwaitedMax = 50;

export function createNextDue({
  isSettled,
  queue,
}: {
  /** Returns whether the lookups of a threat have ended; null: nothing is looked up. */
  isSettled: ((threatId: string) => boolean) | null;
  queue: Pick<Queue, "ends" | "hasMany" | "newThreatIds">;
}): NextDue {
  const zones = new Map<string, LocalTime>();
  const zoneOf = (name: string) => {
    const known = zones.get(name) ?? localTime(name);
    zones.set(name, known);
    return known;
  };

  function hasAllFacts(place: Place): boolean {
    if (isSettled === null) return true;
    const threatIds = queue.newThreatIds(place, lookupsAwaitedMax + 1);
    return threatIds.length <= lookupsAwaitedMax && threatIds.every(isSettled);
  }

  return (subscription, now) => {
    const place = placeOf(subscription);
    const ends = queue.ends(place);
    if (ends === undefined) return undefined;
    // Limits the table, for example when a list of millions of names is imported before a daily digest.
    if (ends.countMax >= rowsMax && queue.hasMany(place, rowsMax)) return { at: now, checkAt: now };
    const complete = subscription.digest !== "none" || hasAllFacts(place);
    const waiting: Waiting = { ...ends, complete };
    const { limitedUntil, lastMessageAt: lastAt } = subscription;
    const at = dueAt(waiting, { limitedUntil, lastAt }, subscription, zoneOf(subscription.timeZone), now);
    return { at, checkAt: complete ? at : Math.min(at, now + lookupsPollMs) };
  };
}

/** Returns the place of a subscription in the queue. */
export function placeOf({ seq, consumedSeq }: Subscription): Place {
  return { subscriptionSeq: seq, consumedSeq };
}
