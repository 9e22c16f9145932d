import type { App } from "../../src/app/app.ts";
import { apiKeys } from "../../src/access/keys/tables.ts";
import { deliveries, deliveryAttempts, recipients } from "../../src/messaging/deliveries/store/tables.ts";
import type { WebhookFailure } from "../../src/messaging/channels/failures.ts";
import { createDeliveryHours } from "../../src/messaging/deliveries/store/hours.ts";
import { events } from "../../src/threats/events/tables.ts";
import { threats } from "../../src/threats/threats/store/tables.ts";
import { eq } from "drizzle-orm";
import { seedNotifications } from "./console-notification-samples.ts";
import { hostileText, longText, tester } from "./console-pages.ts";

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** Adds API keys, webhook endpoints, and deliveries, with hostile texts among them. */
export function seedSettings(app: App) {
  const { database, keys, lists, webhooks } = app;
  const { query } = database;
  const now = Date.now();
  // Names must not contain hidden characters.
  const visibleHostile = hostileText.replace(/[\u202E\u200B]/g, "");
  const { record: key } = keys.create({ name: "SIEM", scopes: ["threats:read"] }, { by: tester });
  keys.create({ name: "nightly import", scopes: ["candidates:write"], plan: "enterprise" }, { by: tester });
  keys.create(
    {
      name: visibleHostile.slice(0, 100),
      plan: "free",
      domains: ["example-bank.com"],
      expiresAt: now + 5 * dayMs,
    },
    { by: tester },
  );
  const { record: old } = keys.create({ name: "the one that leaked" }, { by: tester });
  keys.revoke(old.id, { by: tester });
  query
    .update(apiKeys)
    .set({ lastUsedAt: now - 3 * minuteMs })
    .where(eq(apiKeys.id, key.id))
    .run();

  // Sizes of the stores on two days, for the page System.
  for (const [days, grown] of [
    [7, 0],
    [0, 14],
  ] as const)
    for (const [store, mebibytes] of [
      ["threats", 80],
      ["events", 40],
      ["deliveries", 25],
      ["screenshots", 900],
      ["free", 12],
    ] as const)
      database.sqlite.run("INSERT INTO store_sizes (day, store, bytes) VALUES (?, ?, ?)", [
        now - (now % dayMs) - days * dayMs,
        store,
        (mebibytes + (store === "free" ? -grown / 2 : grown)) * 2 ** 20,
      ]);

  const add = (name: string, url: string, types: string[] = []) =>
    webhooks.endpoints.add({ name, url, events: types }, { by: tester }).endpoint;
  const endpoint = add("soc", "https://soc.example.com/hooks/phishwatch", [
    "threat.created",
    "threat.resolved",
  ]);
  const broken = add(visibleHostile.slice(0, 90), `https://chat.example.com/${"a".repeat(900)}`);
  const stopped = add("ticket system", "https://tickets.example.com/api/hooks");
  query
    .update(recipients)
    .set({ consecutiveFailures: 7, failingSince: now - 3 * 60 * minuteMs })
    .where(eq(recipients.seq, broken.seq))
    .run();
  query
    .update(recipients)
    .set({ enabled: false, disabledReason: "failing", disabledAt: now - dayMs })
    .where(eq(recipients.seq, stopped.seq))
    .run();

  const responses: [WebhookFailure | null, number | null, string | null, string][] = [
    [null, 200, null, "ok"],
    [
      "status",
      500,
      "the receiver responded with status 500",
      `${visibleHostile} ${longText.slice(0, 1_000)}`,
    ],
    ["timeout", null, "no response within 10 s", ""],
    ["tls", null, "certificate has expired", ""],
  ];
  const hours = createDeliveryHours(database);
  let failed = "";
  const threat = query.select({ id: threats.id }).from(threats).limit(1).get();
  for (const [index, [failure, statusCode, error, response]] of [
    ...responses,
    ...responses,
    ...responses,
  ].entries()) {
    const createdAt = now - (12 - index) * 17 * minuteMs;
    const id = `evt_0${String(index).padStart(25, "0")}`;
    const body = JSON.stringify({
      id,
      type: "threat.created",
      created_at: new Date(createdAt).toISOString(),
      data: { threat: { id: threat?.id, domain: "examp1e-bank.com", note: hostileText } },
    });
    const event = query
      .insert(events)
      .values({ id, type: "threat.created", body, createdAt, dispatchedAt: createdAt })
      .returning()
      .get();
    const delivery = query
      .insert(deliveries)
      .values({
        id: `dlv_0${String(index).padStart(25, "0")}`,
        eventSeq: event.seq,
        recipientSeq: failure === null ? endpoint.seq : broken.seq,
        status: failure === null ? "succeeded" : failure === "timeout" ? "pending" : "failed",
        attempts: failure === null ? 1 : 3,
        nextAttemptAt: failure === "timeout" ? now + 30 * minuteMs : null,
        createdAt,
        completedAt: failure === "timeout" ? null : createdAt + minuteMs,
      })
      .returning()
      .get();
    if (failure === "status") failed = delivery.id;
    const result = { startedAt: createdAt, durationMs: 42, failure };
    hours.add([{ recipientSeq: delivery.recipientSeq, result }]);
    for (let attempt = 0; attempt < (failure === null ? 1 : 3); attempt++) {
      query
        .insert(deliveryAttempts)
        .values({
          deliverySeq: delivery.seq,
          startedAt: createdAt + attempt * 5 * minuteMs,
          durationMs: failure === "timeout" ? 10_000 : 42,
          phases: {},
          address: failure === "dns" ? null : "203.0.113.7",
          statusCode,
          failure,
          error,
          response,
        })
        .run();
    }
  }
  return {
    ...seedNotifications(app),
    listId: lists.add({ name: "block", minSeverity: "low", verifiedOnly: false }, { by: tester }).id,
    keyId: key.id,
    endpointId: endpoint.id,
    brokenEndpointId: broken.id,
    failedDeliveryId: failed,
  };
}
