import { webhookKind } from "../../../src/messaging/channels/webhook/endpoint.ts";
import { specifiedRetryDelaysMs } from "../../../src/messaging/deliveries/rules/retry-schedule.ts";
import { createDeliveryHours } from "../../../src/messaging/deliveries/store/hours.ts";
import { deliveries, deliveryAttempts } from "../../../src/messaging/deliveries/store/tables.ts";
import { severityFactsOf } from "../../../src/facts/enrichment/facts/facts.ts";
import { events as eventTable } from "../../../src/threats/events/tables.ts";
import { dayMs, startOfDay, toIsoTime, type Instant } from "../../../src/platform/lib/clock.ts";
import { consoleLinks } from "../../../src/messaging/content/texts/links.ts";
import { newThreat } from "../../../src/messaging/content/texts/threat-texts.ts";
import { severityOf } from "../../../src/threats/threats/severity/severity.ts";
import { insertAll, type Draft, type PastEvent, type StoredThreat } from "./draft.ts";
import { addChannel, addEndpoint, type Recipient } from "./recipients.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Time from the record of a threat until its message is sent: the first lookups are awaited. */
const messageMs = 15_000;

const linksTo = consoleLinks("https://phishwatch.example-bank.com");

/** Adds the events, an endpoint that was down for a weekend, and a channel with its messages. */
export function addDeliveries(draft: Draft): void {
  const endpoint = addEndpoint(draft);
  const { announced, channel } = addChannel(draft);
  writeEvents(draft, { announced, channel, endpoint });
}

/** Returns the time in which the receiver was down: from Saturday to Monday morning. */
function outageBefore(start: Instant): { from: Instant; to: Instant } {
  const today = startOfDay(start);
  const sinceSaturday = (new Date(today).getUTCDay() + 1) % 7;
  // The last weekend that has ended.
  const saturday = today - (sinceSaturday + (sinceSaturday < 3 ? 7 : 0)) * dayMs;
  return { from: saturday - minuteMs, to: saturday + 2 * dayMs + 8 * hourMs + 40 * minuteMs };
}

interface Sending {
  at: Instant;
  recipient: Recipient;
}

/** Writes the events in order, each with the deliveries that it led to. */
function writeEvents(
  { afterEvents, database, events, idAt, random, start }: Draft,
  {
    announced,
    channel,
    endpoint,
  }: { announced: readonly StoredThreat[]; channel: Recipient; endpoint: Recipient },
): void {
  const outage = outageBefore(start);
  const messages = announced.map((threat) => ({
    at: Math.min(threat.createdAt + messageMs, start - 1),
    threat,
  }));
  type Planned = { at: Instant; event: PastEvent } | { at: Instant; threat: StoredThreat };
  const planned: Planned[] = [...events.map((event) => ({ at: event.at, event })), ...messages].sort(
    (a, b) => a.at - b.at,
  );
  const rows = planned.map((one) => {
    const { at } = one;
    const id = idAt(at).next("event");
    if ("event" in one) {
      const { data, type, onRecorded } = one.event;
      onRecorded?.(id);
      const body = JSON.stringify({ id, type, created_at: toIsoTime(at), data });
      return { id, type, body, createdAt: at, dispatchedAt: at, recipientSeq: null };
    }
    const body = JSON.stringify({ id, at: toIsoTime(at), ...messageAbout(one.threat) });
    return { id, type: "message" as const, body, createdAt: at, dispatchedAt: at, recipientSeq: channel.seq };
  });
  insertAll(database, eventTable, rows);
  for (const call of afterEvents) call();
  const seqs = new Map(
    database.query
      .select({ id: eventTable.id, seq: eventTable.seq })
      .from(eventTable)
      .all()
      .map(({ id, seq }) => [id, seq]),
  );
  const sent = rows.map(({ createdAt, id, type }) => {
    const recipient = type === "message" ? channel : endpoint;
    const sending: Sending = { at: createdAt, recipient };
    const attempts = attemptsOf(sending, { outage, random, start });
    const isDone = attempts.at(-1)!.failure === null;
    return {
      attempts,
      row: {
        id: idAt(createdAt).next("delivery"),
        eventSeq: seqs.get(id)!,
        recipientSeq: recipient.seq,
        status: isDone ? ("succeeded" as const) : ("failed" as const),
        attempts: attempts.length,
        nextAttemptAt: null,
        createdAt,
        completedAt: attempts.at(-1)!.startedAt + attempts.at(-1)!.durationMs,
      },
    };
  });
  insertAll(
    database,
    deliveries,
    sent.map(({ row }) => row),
  );
  const deliverySeqs = new Map(
    database.query
      .select({ id: deliveries.id, seq: deliveries.seq })
      .from(deliveries)
      .all()
      .map(({ id, seq }) => [id, seq]),
  );
  insertAll(
    database,
    deliveryAttempts,
    sent.flatMap(({ attempts, row }) =>
      attempts.map((attempt) => ({ deliverySeq: deliverySeqs.get(row.id)!, ...attempt })),
    ),
  );
  createDeliveryHours(database).add(
    sent.flatMap(({ attempts, row: { recipientSeq } }) =>
      attempts.map(({ startedAt, durationMs, failure = null }) => ({
        recipientSeq,
        result: { startedAt, durationMs, failure },
      })),
    ),
  );
}

function attemptsOf(
  { at, recipient }: Sending,
  {
    outage,
    random,
    start,
  }: { outage: { from: Instant; to: Instant }; random: Draft["random"]; start: Instant },
) {
  const isEndpoint = recipient.channel === webhookKind;
  const attempts: Omit<typeof deliveryAttempts.$inferInsert, "deliverySeq" | "seq">[] = [];
  let startedAt = at + 20 + random.below(60);
  for (const delayMs of [...specifiedRetryDelaysMs, 0]) {
    const isDown = isEndpoint && startedAt >= outage.from && startedAt < outage.to;
    const waitMs = 25 + random.below(isEndpoint ? 60 : 180);
    const connectMs = 9 + random.below(9);
    const durationMs = 2 + connectMs + waitMs;
    attempts.push({
      startedAt: Math.min(startedAt, start - durationMs - 1),
      durationMs,
      phases: { dnsMs: 1, connectMs, waitMs, readMs: 1 },
      address: isEndpoint ? "203.0.113.80" : "203.0.113.91",
      statusCode: isDown ? 503 : isEndpoint ? 200 : 202,
      failure: isDown ? "status" : null,
      error: isDown ? "HTTP status 503" : null,
      response: isDown ? "Down for maintenance until Monday, 08:40 UTC" : isEndpoint ? "ok" : "",
    });
    if (!isDown) break;
    startedAt += durationMs + delayMs;
  }
  return attempts;
}

/** Returns the content of the message that announced a threat. */
function messageAbout(threat: StoredThreat) {
  const first = threat.checks[0]!;
  const facts = severityFactsOf(first.facts, first.at);
  const { reasons, severity } = severityOf(threat, { facts });
  return newThreat(
    {
      ...threat,
      severity,
      status: "active",
      severityReasons: reasons,
      facts: first.facts,
      comparison: null,
    },
    { late: false, links: linksTo },
  );
}
