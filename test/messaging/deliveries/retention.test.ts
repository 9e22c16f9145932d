import { afterEach, beforeEach, expect, test } from "bun:test";
import { manualClock } from "../../support/appliance.ts";
import { startReceiver, type Receiver } from "../../support/receiver.ts";
import { until } from "../../support/until.ts";
import { openWebhooks, type OpenWebhooks } from "../../support/webhooks.ts";

const hourMs = 3_600_000;
let clock: ReturnType<typeof manualClock>;
let webhooks: OpenWebhooks;
let receiver: Receiver;
let status = 200;
beforeEach(() => {
  clock = manualClock();
  status = 200;
  receiver = startReceiver(() => status);
});
afterEach(async () => {
  await receiver.stop();
  await webhooks.dispose();
});

const totals = () =>
  Object.fromEntries(
    ["events", "deliveries", "delivery_attempts"].map((table) => [
      table,
      webhooks.database.sqlite.query<{ total: number }, []>(`SELECT count(*) AS total FROM ${table}`).get()!
        .total,
    ]),
  );

function open(retention: { eventsMs: number; deliveriesMs: number }): void {
  webhooks = openWebhooks({ clock, retention, retryDelaysMs: [hourMs] });
  webhooks.dispatcher.start();
  webhooks.endpoints.add({ url: receiver.url, name: "soc" });
}

async function recordAndTry(count: number): Promise<void> {
  const before = receiver.received.length;
  webhooks.database.transaction(() => {
    for (let index = 0; index < count; index += 1) webhooks.recordAny("threat.created", { index });
  });
  await until(() => receiver.received.length === before + count, "tried");
  await until(() => totals().delivery_attempts === before + count, "recorded");
}

test("old completed deliveries are deleted with their attempts, and younger ones are kept", async () => {
  open({ eventsMs: 30 * hourMs, deliveriesMs: 30 * hourMs });
  await recordAndTry(3);
  clock.jump(20 * hourMs);
  await recordAndTry(2);
  clock.jump(10 * hourMs);
  expect(await webhooks.retention.run()).toEqual({ events: 0, deliveries: 0 });
  clock.advance(1);
  expect(await webhooks.retention.run()).toEqual({ events: 3, deliveries: 3 });
  expect(totals()).toEqual({ events: 2, deliveries: 2, delivery_attempts: 2 });
});

test("pending deliveries and their events are never deleted, however old", async () => {
  open({ eventsMs: hourMs, deliveriesMs: hourMs });
  status = 500;
  await recordAndTry(1);
  webhooks.endpoints.disable("soc");
  clock.jump(5 * hourMs);
  expect(await webhooks.retention.run()).toEqual({ events: 0, deliveries: 0 });
  status = 200;
  webhooks.endpoints.enable("soc");
  await until(() => webhooks.log.list({ status: "succeeded" }, 1).length === 1, "delivered");
  expect(await webhooks.retention.run()).toEqual({ events: 0, deliveries: 0 });
});

test("an event that is not yet dispatched is never deleted", async () => {
  open({ eventsMs: hourMs, deliveriesMs: hourMs });
  await webhooks.dispatcher.stop();
  webhooks.record();
  clock.jump(2 * hourMs);
  expect(await webhooks.retention.run()).toEqual({ events: 0, deliveries: 0 });
});

test("an event is kept as long as its deliveries", async () => {
  open({ eventsMs: hourMs, deliveriesMs: 10 * hourMs });
  await recordAndTry(1);
  clock.jump(5 * hourMs);
  expect(await webhooks.retention.run()).toEqual({ events: 0, deliveries: 0 });
  expect(webhooks.log.list({}, 1)[0]!.eventType).toBe("threat.created");
  clock.jump(6 * hourMs);
  expect(await webhooks.retention.run()).toEqual({ events: 1, deliveries: 1 });
});

test("deliveries can be kept for less time than events", async () => {
  open({ eventsMs: 10 * hourMs, deliveriesMs: hourMs });
  await recordAndTry(1_200);
  clock.jump(2 * hourMs);
  expect(await webhooks.retention.run()).toEqual({ events: 0, deliveries: 1_200 });
  expect(totals()).toEqual({ events: 1_200, deliveries: 0, delivery_attempts: 0 });
});

test("a previous secret is deleted once its rotation is over, and kept while it signs", async () => {
  open({ eventsMs: hourMs, deliveriesMs: hourMs });
  webhooks.endpoints.rotate("soc", { overlapMs: 2 * hourMs });
  const { previousSecret } = webhooks.endpoints.get("soc");
  clock.advance(2 * hourMs - 1);
  await webhooks.retention.run();
  expect(webhooks.endpoints.get("soc").previousSecret).toBe(previousSecret);
  clock.advance(1);
  await webhooks.retention.run();
  expect(webhooks.endpoints.get("soc")).toMatchObject({ previousSecret: null, previousSecretUntil: null });
});

test("rows that are dated ahead, because the clock was wrong, do not keep later ones from being deleted", async () => {
  open({ eventsMs: 30 * hourMs, deliveriesMs: 30 * hourMs });
  const yearMs = 365 * 24 * hourMs;
  clock.setBy(yearMs);
  await recordAndTry(600);
  clock.setBy(-yearMs);
  await recordAndTry(2);
  clock.setBy(31 * hourMs);
  expect(await webhooks.retention.run()).toEqual({ events: 2, deliveries: 2 });
  clock.setBy(yearMs);
  expect(await webhooks.retention.run()).toEqual({ events: 600, deliveries: 600 });
});
