import type { EventObserver, ObservedChange } from "../../deliveries/send-all.ts";
import type { Announcement, Announcements } from "../../deliveries/store/announcements.ts";
import { matchesEvent, matchesFilter, type ThreatSnapshot } from "../../../threats/events/event-filter.ts";
import type { EventBody, EventPayload } from "../../../threats/events/payloads.ts";
import type { EventType } from "../../../platform/vocabulary/events.ts";
import type { ActiveSubscription } from "./active.ts";
import type { Incidents } from "./incidents.ts";
import type { Queue } from "./queue.ts";

/**
 * A visit to a honeytoken is urgent: it can be an intruder. Of repeated visits to the same one, only the first in this
 * time is urgent, so that a visitor cannot cause messages all day.
 */
const urgentVisitMs = 3_600_000;

/** Returns an observer that queues changes for the subscriptions that they match, in the transaction of the fan-out. */
export function createChangeObserver({
  active,
  announcements,
  incidents,
  onQueued,
  queue,
}: {
  active: () => readonly ActiveSubscription[];
  announcements: Pick<Announcements, "has">;
  incidents: Pick<Incidents, "has">;
  onQueued: () => void;
  queue: Queue;
}): EventObserver {
  /** Time of the last urgent visit to each honeytoken, by its identifier. */
  const urgentVisits = new Map<string, number>();

  function isFirstVisit({ token }: EventPayload["token.accessed"], at: number): boolean {
    const last = urgentVisits.get(token.id);
    // The same event is observed again if its transaction failed. The clock may have been set back.
    const isFirst = last === undefined || at <= last || at - last >= urgentVisitMs;
    if (isFirst) urgentVisits.set(token.id, at);
    return isFirst;
  }

  function queueEvent(change: Extract<ObservedChange, { kind: "event" }>): void {
    const { type, at, body, threat } = change;
    if (type.startsWith("threat."))
      return threat === null ? undefined : queueThreatEvent(type, threat, change.at);
    const wanting = active().filter(({ events, filter }) => events.has(type) && matchesEvent(filter, change));
    if (wanting.length === 0) return;
    const { data } = JSON.parse(body) as Pick<EventBody, "data">;
    // The outbox wrote the payload of its type.
    const isFirst = type === "token.accessed" && isFirstVisit(data as EventPayload["token.accessed"], at);
    const urgentAt = isFirst ? at : null;
    queue.add({ type, late: false, threatSeq: null, data: JSON.stringify(data), at, urgentAt }, wanting);
    onQueued();
  }

  function queueThreatEvent(type: EventType, threat: ThreatSnapshot, at: number): void {
    const isNew = type === "threat.created";
    const wanting = active().filter((one) =>
      isNew ? wantsNew(one, threat) : wantsChange(one, type, threat),
    );
    const urgentAt = isNew && isUrgent(threat) ? at : null;
    queue.add({ type, late: false, threatSeq: threat.seq, data: null, at, urgentAt }, wanting);
    if (wanting.length > 0) onQueued();
  }

  /** A subscription that was sent a threat, or is about to be, is also sent what happens to it later. */
  function wantsChange(one: ActiveSubscription, type: EventType, threat: ThreatSnapshot): boolean {
    const { subscriptionSeq, recipientSeq, events, filter, sendsThreatsOneByOne } = one;
    const threatSeq = threat.seq;
    if (events.has(type))
      return (
        matchesFilter(filter, threat) ||
        announcements.has({ recipientSeq, subscriptionSeq, threatSeq }) ||
        queue.hasNewThreat(one, threatSeq)
      );
    // An incident that a message opened in the service has to be ended by another.
    return sendsThreatsOneByOne && type === "threat.updated" && incidents.has(subscriptionSeq, threatSeq);
  }

  function queueEscalation({ at, threat }: Extract<ObservedChange, { kind: "escalation" }>): void {
    if (threat.status !== "active") return;
    const urgentAt = isUrgent(threat) ? at : null;
    if (urgentAt !== null) queue.markUrgent(threat.seq, urgentAt);
    const threatSeq = threat.seq;
    const late = active().filter(
      (one) => one.canMatchLater && wantsNew(one, threat) && !announcements.has({ ...keyOf(one), threatSeq }),
    );
    queue.add({ type: "threat.created", late: true, threatSeq, data: null, at, urgentAt }, late);
    if (late.length > 0 || urgentAt !== null) onQueued();
  }

  return {
    wants: (type) =>
      active().some(
        ({ events, sendsThreatsOneByOne }) =>
          events.has(type) || (sendsThreatsOneByOne && type === "threat.updated"),
      ),
    observe: (change) => (change.kind === "event" ? queueEvent(change) : queueEscalation(change)),
  };
}

function keyOf({ recipientSeq, subscriptionSeq }: ActiveSubscription): Omit<Announcement, "threatSeq"> {
  return { recipientSeq, subscriptionSeq };
}

function wantsNew({ events, filter }: ActiveSubscription, threat: ThreatSnapshot): boolean {
  return events.has("threat.created") && matchesFilter(filter, threat);
}

function isUrgent({ severity, verified }: ThreatSnapshot): boolean {
  return severity === "high" && verified;
}
