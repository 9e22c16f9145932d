import { eq } from "drizzle-orm";
import type { App } from "../../src/app/app.ts";
import { deliveries, deliveryAttempts, recipients } from "../../src/messaging/deliveries/store/tables.ts";
import { events } from "../../src/threats/events/tables.ts";
import { visible } from "../../src/platform/lib/safe-text.ts";
import type { Notice } from "../../src/messaging/content/notice.ts";
import { hostileText, tester } from "./console-pages.ts";

const minuteMs = 60_000;

/** Adds channels, subscriptions, and messages, with hostile texts among them. */
export function seedNotifications({ channels, database, notifications: { subscriptions } }: App) {
  const { query } = database;
  const now = Date.now();
  const by = { by: tester };
  // Names must not contain hidden characters.
  const name = hostileText.replace(/[\u202E\u200B]/g, "").slice(0, 64);
  const chat = channels.add(
    { name: "phones", type: "ntfy", target: { topic: "phishwatch-8f3kq2", token: "tk_0123456789" } },
    by,
  );
  const onCall = channels.add(
    { name, type: "pagerduty", target: { routingKey: "0123456789abcdef0123456789abcdef" } },
    by,
  );
  subscriptions.add(
    {
      name: "high at once",
      channel: "phones",
      events: ["threat.created", "system.source_stopped"],
      filter: { minSeverity: "high", protectedDomains: [], types: [], sources: [], verifiedOnly: true },
    },
    by,
  );
  const morning = subscriptions.add(
    {
      name: "morning",
      channel: "phones",
      events: ["threat.created", "threat.updated", "threat.resolved", "scan.completed"],
      digest: "daily",
      weekdays: ["mon", "tue", "wed", "thu", "fri"],
      timeZone: "Europe/Berlin",
      quietHours: { from: 22 * 60, to: 7 * 60 },
    },
    by,
  );
  subscriptions.add({ name, channel: onCall.name, filter: hostileFilter }, by);
  const lastFailure = {
    failure: "status",
    error: "the service responded with status 400",
    statusCode: 400,
    durationMs: 180,
    response: visible(hostileText),
  };
  query
    .update(recipients)
    .set({ enabled: false, disabledReason: "failing", disabledAt: now - 90 * minuteMs, lastFailure })
    .where(eq(recipients.seq, onCall.seq))
    .run();

  let failed = "";
  for (const [index, recipient] of [chat, onCall, chat].entries()) {
    const createdAt = now - (3 - index) * 40 * minuteMs;
    const isFailed = recipient === onCall;
    const id = `evt_1${String(index).padStart(25, "0")}`;
    const body = JSON.stringify(messageOf(id, createdAt));
    const event = query
      .insert(events)
      .values({ id, type: "message", recipientSeq: recipient.seq, body, createdAt, dispatchedAt: createdAt })
      .returning()
      .get();
    const delivery = query
      .insert(deliveries)
      .values({
        id: `dlv_1${String(index).padStart(25, "0")}`,
        eventSeq: event.seq,
        recipientSeq: recipient.seq,
        status: isFailed ? "failed" : "succeeded",
        attempts: 1,
        nextAttemptAt: null,
        createdAt,
        completedAt: createdAt + 200,
      })
      .returning()
      .get();
    if (isFailed) failed = delivery.id;
    query
      .insert(deliveryAttempts)
      .values({
        deliverySeq: delivery.seq,
        startedAt: createdAt,
        durationMs: 180,
        phases: {},
        address: "203.0.113.7",
        statusCode: isFailed ? 400 : 200,
        failure: isFailed ? "status" : null,
        error: isFailed ? "the service responded with status 400" : null,
        response: isFailed ? visible(hostileText) : "ok",
      })
      .run();
  }
  return { channelId: chat.id, disabledChannelId: onCall.id, subscriptionId: morning.id, messageId: failed };
}

const hostileFilter = {
  minSeverity: "medium" as const,
  protectedDomains: ["example-bank.com", "example-shop.com", "example-declared.com"],
  types: ["homograph" as const],
  sources: ["certificate_transparency" as const, "feed" as const],
  verifiedOnly: false,
};

function messageOf(id: string, at: number): Notice {
  return {
    id,
    kind: "threat",
    at: new Date(at).toISOString(),
    tone: "high",
    title: `High: examp1e-bank[.]com, look-alike of example-bank.com ${hostileText}`.slice(0, 150),
    summary: `The digit 1 replaces the letter l. Title of the page: ${hostileText}`,
    facts: [
      { label: "Registered", value: "2026-11-20 by Example Registrar" },
      { label: "Mail server", value: "mx.examp1e-bank[.]com" },
    ],
    items: [],
    more: 0,
    links: [{ text: "Open in phishwatch", url: "https://phishwatch.example/console/threats/thr_1" }],
    threat: null,
    condition: null,
  };
}
