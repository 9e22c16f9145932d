import { eq } from "drizzle-orm";
import { emptyTarget } from "../../../src/messaging/channels/all/channel-target.ts";
import { webhookKind, type WebhookTarget } from "../../../src/messaging/channels/webhook/endpoint.ts";
import { makeSecret } from "../../../src/messaging/channels/webhook/signing.ts";
import { subjectOf } from "../../../src/access/entries/administration.ts";
import {
  announcements,
  deliveryAttempts,
  recipients,
} from "../../../src/messaging/deliveries/store/tables.ts";
import { severityFactsOf } from "../../../src/facts/enrichment/facts/facts.ts";
import { noFilter } from "../../../src/threats/events/event-filter.ts";
import { dayMs, startOfDay } from "../../../src/platform/lib/clock.ts";
import { subscriptions } from "../../../src/messaging/subscriptions/subscriptions/tables.ts";
import { severityOf } from "../../../src/threats/threats/severity/severity.ts";
import { analyst } from "../world/decisions.ts";
import { demonstrationUrl, historyRecipients } from "../../../src/sandbox/world/samples.ts";
import { insertAll, type Draft, type StoredThreat } from "./draft.ts";
import samples from "./samples.json" with { type: "json" };
import { eventsKeptMs } from "./threats.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Where messages went in the past. */
const urls = samples.recipientUrls;

export type Recipient = typeof recipients.$inferSelect;

function addRecipient(
  { changes, database, idAt, start }: Draft,
  {
    channel,
    daysAgo,
    detail,
    name,
    target,
  }: { channel: string; daysAgo: number; detail: Record<string, string>; name: string; target: unknown },
): Recipient {
  const createdAt = startOfDay(start) - daysAgo * dayMs + 11 * hourMs;
  const recipient = database.query
    .insert(recipients)
    .values({
      id: idAt(createdAt).nextWithPrefix(channel === webhookKind ? "whk" : "chn"),
      name,
      channel,
      target,
      events: [],
      filter: null,
      origin: "runtime",
      enabled: false,
      disabledReason: "operator",
      disabledAt: start,
      consecutiveFailures: 0,
      lastFailure: null,
      createdAt,
      updatedAt: createdAt,
    })
    .returning()
    .get();
  const action = channel === webhookKind ? "webhook.add" : "channel.add";
  changes.push({ at: createdAt, by: analyst, action, subject: subjectOf(recipient), detail });
  return recipient;
}

export function addEndpoint(draft: Draft): Recipient {
  const target: WebhookTarget = {
    url: urls.endpoint,
    secret: makeSecret(draft.random.fillRandom),
    previousSecret: null,
    previousSecretUntil: null,
    headers: {},
    caFile: null,
    clientCertFile: null,
    clientKeyFile: null,
  };
  const name = historyRecipients.endpoint;
  return addRecipient(draft, {
    channel: webhookKind,
    daysAgo: 84,
    detail: { url: urls.endpoint },
    name,
    target,
  });
}

/** Adds a chat channel that is sent severe threats at once. */
export function addChannel(draft: Draft): { announced: StoredThreat[]; channel: Recipient } {
  const { database, idAt, start, threats } = draft;
  const target = { ...emptyTarget, url: urls.channel };
  const name = historyRecipients.channel;
  const channel = addRecipient(draft, {
    channel: "teams",
    daysAgo: 80,
    detail: { type: "teams" },
    name,
    target,
  });
  const { createdAt } = channel;
  const filter = { ...noFilter, minSeverity: "high" as const, verifiedOnly: true };
  const subscription = database.query
    .insert(subscriptions)
    .values({
      id: idAt(createdAt).nextWithPrefix("sub"),
      name: "High severity, at once",
      recipientSeq: channel.seq,
      events: ["threat.created"],
      filter,
      digest: "none",
      at: 8 * 60,
      weekdays: [],
      timeZone: "UTC",
      quietHours: null,
      origin: "runtime",
      enabled: true,
      createdAt,
      updatedAt: createdAt,
    })
    .returning()
    .get();
  draft.changes.push({
    at: createdAt + minuteMs,
    by: analyst,
    action: "subscription.add",
    subject: `${subscription.name} (${subscription.id})`,
    detail: { channel: name },
  });
  const announced = threats.filter(
    (threat) =>
      threat.createdAt > createdAt &&
      threat.severity === "high" &&
      threat.verified &&
      isSevereAtFirst(threat),
  );
  insertAll(
    database,
    announcements,
    announced.map(({ seq }) => ({
      recipientSeq: channel.seq,
      subscriptionSeq: subscription.seq,
      threatSeq: seq,
    })),
  );
  return { channel, announced: announced.filter((threat) => threat.createdAt >= start - eventsKeptMs) };
}

/** Returns whether the first check already showed what the present severity is. */
function isSevereAtFirst(threat: StoredThreat): boolean {
  const first = threat.checks[0];
  if (first?.facts.existence?.exists !== "yes") return false;
  return severityOf(threat, { facts: severityFactsOf(first.facts, first.at) }).severity === "high";
}

/** Enables the recipients of the history, and lets them send to inboxes of the demonstration. */
export function connectRecipients({ query }: Draft["database"]): void {
  for (const name of Object.values(historyRecipients)) {
    const found = query.select().from(recipients).where(eq(recipients.name, name)).get();
    if (found === undefined) continue;
    const inbox = name.toLowerCase().replaceAll(" ", "-");
    const target = { ...(found.target as object), url: `${demonstrationUrl}/sandbox/inbox/${inbox}` };
    query
      .update(recipients)
      .set({ enabled: true, disabledReason: null, disabledAt: null, target })
      .where(eq(recipients.seq, found.seq))
      .run();
  }
  // Where the past attempts went must agree with the addresses.
  query.update(deliveryAttempts).set({ address: "127.0.0.1" }).run();
}
