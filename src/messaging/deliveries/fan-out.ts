import { asc, eq, isNull, lte, sql } from "drizzle-orm";
import type { Database } from "../../platform/database/database.ts";
import type { Needs } from "../../platform/database/needs.ts";
import {
  columnsOf,
  countValue,
  hasValue,
  statement,
  value,
  valuesOf,
} from "../../platform/database/statement.ts";
import { matchesEvent, matchesFilter, type ThreatSnapshot } from "../../threats/events/event-filter.ts";
import type { EventBody } from "../../threats/events/payloads.ts";
import { events, threatEscalations } from "../../threats/events/tables.ts";
import { toIsoTime, type Instant } from "../../platform/lib/clock.ts";
import type { ThreatSnapshots } from "../../threats/threats/store/snapshots.ts";
import type { EventType } from "../../platform/vocabulary/events.ts";
import type { Severity } from "../../platform/vocabulary/threats.ts";
import type { EventObserver } from "./send-all.ts";
import type { AddressedEvent } from "./store/addressed-events.ts";
import type { Announcements } from "./store/announcements.ts";
import { deliveries, recipients } from "./store/tables.ts";

/** Turns events of the outbox into deliveries. */
export type FanOut = ReturnType<typeof createFanOut>;

/**
 * After this time, a step takes no further event, so that requests are served in between. A number of events would not
 * do: an event costs 6 µs without recipients, and milliseconds with a thousand that compare it with their filters.
 */
const stepMs = 2;
const eventsPerStepMax = 64;
/** Announcements with this number belong to a recipient's own filter. */
const ownFilter = 0;

interface Subscriber {
  seq: number;
  events: readonly EventType[];
  filter: (typeof recipients.$inferSelect)["filter"];
}

interface TakenEvent {
  seq: number;
  type: EventType;
  body: string;
  at: Instant;
}

/** An event with its threat, in the state that the event shows. */
interface ComparedEvent extends TakenEvent {
  threat: ThreatSnapshot | null;
}

interface FanOutDependencies extends TakerDependencies {
  /** Channels whose recipients are sent events. */
  subscribingChannels: ReadonlySet<string>;
}

export function createFanOut({ subscribingChannels, ...dependencies }: FanOutDependencies) {
  const { clock, database, snapshots } = dependencies;
  const statements = prepareReads(database);
  const { takeEvent, takeEscalation } = createTaker(dependencies);

  function takeNext(): ReadonlySet<number> {
    const startedMs = performance.now();
    const subscribers = statements.enabled.all().filter(({ channel }) => subscribingChannels.has(channel));
    const now = clock.now();
    const recipientSeqs = new Set<number>();
    const note = (seqs: readonly number[]) => {
      for (const seq of seqs) recipientSeqs.add(seq);
    };
    const waiting = statements.undispatched.all({ limit: eventsPerStepMax });
    const escalations = statements.escalations.all({ limit: eventsPerStepMax });
    const isLastPage = waiting.length < eventsPerStepMax;
    const isLastOfEscalations = escalations.length < eventsPerStepMax;
    let lastEscalation: number | undefined;
    do {
      const [event] = waiting;
      const [escalation] = escalations;
      const isNext = event === undefined ? isLastPage : (escalation?.eventSeq ?? event.seq) < event.seq;
      if (escalation !== undefined && isNext) {
        const threat = snapshots.bySeq(escalation.threatSeq);
        note(threat === null ? [] : takeEscalation(escalation.at, threat, subscribers));
        lastEscalation = escalation.seq;
        escalations.shift();
      } else if (event !== undefined && (escalation !== undefined || isLastOfEscalations)) {
        note(takeEvent(event, subscribers, now));
        waiting.shift();
      } else break;
    } while (performance.now() - startedMs < stepMs);
    if (lastEscalation !== undefined) statements.deleteEscalations.run({ seq: lastEscalation });
    return recipientSeqs;
  }

  return {
    /** Returns whether there are events or escalations to take. */
    isNeeded: () =>
      statements.undispatched.get({ limit: 1 }) !== undefined ||
      statements.escalations.get({ limit: 1 }) !== undefined,
    /**
     * Takes the next events and escalations, oldest first, in one short transaction: creates a delivery for each
     * recipient that subscribes and whose filter matches, and calls the observers.
     * @returns the recipients with new deliveries
     */
    // Relaxed is safe: until the mark is durable, the event counts as not dispatched.
    step: () => database.write(takeNext, { relaxed: true, patient: true }),
  };
}

interface TakerDependencies extends Needs<"clock" | "database" | "ids"> {
  /** Records an event for one recipient, with its delivery. */
  addAddressed: (event: AddressedEvent) => void;
  announcements: Announcements;
  observers: readonly EventObserver[];
  snapshots: ThreatSnapshots;
}

/** Returns functions that take one event or escalation, in the caller's transaction, and return its recipients. */
function createTaker(dependencies: TakerDependencies) {
  const { addAddressed, announcements, clock, database, ids, observers, snapshots } = dependencies;
  const statements = prepareWrites(database);

  function takeEvent(event: TakenEvent, subscribers: readonly Subscriber[], now: Instant): number[] {
    let known: ReturnType<typeof threatsOf> | undefined;
    const threatsRead = () => (known ??= threatsOf(event, snapshots));
    // Compared with each filter: there may be a thousand.
    let compared: ComparedEvent | undefined;
    const shown = () => (compared ??= { ...event, threat: threatsRead().shown });
    const wanting = subscribers.filter(
      (subscriber) =>
        subscribes(subscriber.events, event.type) &&
        (subscriber.filter === null || isWanted(shown(), subscriber)),
    );
    for (const { seq: recipientSeq } of wanting)
      statements.insert.run({
        id: ids.next("delivery"),
        eventSeq: event.seq,
        recipientSeq,
        nextAttemptAt: now,
        createdAt: now,
      });
    statements.markDispatched.run({ now, seq: event.seq });
    const { type, at, body } = event;
    for (const observer of observers) {
      if (!observer.wants(type)) continue;
      const threat = threatsRead().present;
      observer.observe({ kind: "event", type, at, body, threat });
    }
    return wanting.map(({ seq }) => seq);
  }

  /** A recipient that was sent something about a threat is also sent what happens to it later. */
  function isWanted(event: ComparedEvent, { seq: recipientSeq, filter }: Subscriber): boolean {
    if (filter === null) return true;
    const { type, threat } = event;
    const isMatch = matchesEvent(filter, event);
    if (threat === null || !type.startsWith("threat.")) return isMatch;
    if (!isMatch && type === "threat.created") return false;
    const announcement = { recipientSeq, subscriptionSeq: ownFilter, threatSeq: threat.seq };
    if (!isMatch) return announcements.has(announcement);
    announcements.add(announcement);
    return true;
  }

  /** Sends a threat to recipients whose filter matches only now. */
  function takeEscalation(at: Instant, threat: ThreatSnapshot, subscribers: readonly Subscriber[]): number[] {
    const late = subscribers.filter(
      ({ seq, events: types, filter }) =>
        filter !== null &&
        threat.status === "active" &&
        subscribes(types, "threat.created") &&
        matchesFilter(filter, threat) &&
        announcements.add({ recipientSeq: seq, subscriptionSeq: ownFilter, threatSeq: threat.seq }) &&
        // Sent before the recipient had a filter.
        statements.sentBefore.get(seq, threat.id) === undefined,
    );
    for (const { seq: recipientSeq } of late) {
      const { id: threatId, domain, type, severity, similarity } = threat;
      const id = ids.next("event");
      const body: EventBody = {
        id,
        type: "threat.created",
        created_at: toIsoTime(clock.now()),
        data: { threat: { id: threatId, domain, type, severity, similarity } },
      };
      addAddressed({ id, recipientSeq, type: "threat.created", body: JSON.stringify(body) });
    }
    for (const observer of observers) observer.observe({ kind: "escalation", at, threat });
    return late.map(({ seq }) => seq);
  }

  return { takeEvent, takeEscalation };
}

/** Returns whether a recipient with these event types (none: all) is sent events of `type`. */
function subscribes(types: readonly EventType[], type: EventType): boolean {
  return types.length === 0 || types.includes(type);
}

/**
 * Returns the threat that an event is about, as it is now, and with the severity that the event shows: a rise since
 * then is taken as an escalation after the event. Null if it is about none, or about one that is not on record.
 */
function threatsOf({ body }: TakenEvent, snapshots: ThreatSnapshots) {
  const { data } = JSON.parse(body) as { data: { threat?: { id: string; severity?: Severity } | null } };
  const { threat } = data;
  const present = threat === undefined || threat === null ? null : snapshots.byId(threat.id);
  const severity = threat?.severity ?? present?.severity;
  return { present, shown: present === null || severity === undefined ? null : { ...present, severity } };
}

function prepareReads(database: Database) {
  const undispatched = statement(database, (query) =>
    query
      .select({
        seq: events.seq,
        // Addressed events, which alone have another type, are recorded with their delivery.
        type: sql<EventType>`${events.type}`,
        body: events.body,
        at: events.createdAt,
      })
      .from(events)
      .where(isNull(events.dispatchedAt))
      .orderBy(asc(events.seq))
      .limit(countValue("limit")),
  );
  const escalations = statement(database, (query) =>
    query
      .select({ ...columnsOf(threatEscalations, "seq threatSeq eventSeq"), at: threatEscalations.createdAt })
      .from(threatEscalations)
      .orderBy(asc(threatEscalations.seq))
      .limit(countValue("limit")),
  );
  const deleteEscalations = statement(database, (query) =>
    query.delete(threatEscalations).where(lte(threatEscalations.seq, value(threatEscalations.seq))),
  );
  const enabled = statement(database, (query) =>
    query
      .select(columnsOf(recipients, "seq channel events filter"))
      .from(recipients)
      .where(eq(recipients.enabled, true)),
  );
  return { deleteEscalations, enabled, escalations, undispatched };
}

function prepareWrites(database: Database) {
  const insert = statement(database, (query) =>
    query
      .insert(deliveries)
      .values({
        ...valuesOf(deliveries, "id", "eventSeq", "recipientSeq", "nextAttemptAt", "createdAt"),
        status: "pending",
        attempts: 0,
      })
      .onConflictDoNothing(),
  );
  const markDispatched = statement(database, (query) =>
    query
      .update(events)
      .set({ dispatchedAt: value(events.dispatchedAt, "now") })
      .where(hasValue(events.seq)),
  );
  const sentBefore = database.prepare<unknown, [number, string]>(
    `select 1 from events cross join deliveries on deliveries.event_seq = events.seq and deliveries.recipient_seq = ?
     where body ->> '$.data.threat.id' = ? and type = 'threat.created' limit 1`,
  );
  return { insert, markDispatched, sentBefore };
}
