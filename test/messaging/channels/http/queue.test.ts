import { join } from "node:path";
import { afterEach, expect, test } from "bun:test";
import { createAuditLog } from "../../../../src/access/audit/audit-log.ts";
import { slack } from "../../../../src/messaging/channels/slack/slack.ts";
import { openNewDatabase } from "../../../support/new-database.ts";
import { createDeliveries } from "../../../../src/messaging/deliveries/deliveries.ts";
import { specifiedRetryDelaysMs } from "../../../../src/messaging/deliveries/rules/retry-schedule.ts";
import { createOutbox } from "../../../../src/threats/events/outbox.ts";
import { createIdFactory } from "../../../../src/platform/lib/ids.ts";
import { createLog } from "../../../../src/platform/lib/log.ts";
import { fillRandom, manualClock, temporaryFolder } from "../../../support/appliance.ts";
import { emptyTarget, messageOf, openNoticeChannel, sampleNotices } from "../../../support/notices.ts";
import { startReceiver, type Reply } from "../../../support/receiver.ts";

// Messages to a chat service on their way through the queue, with a database, a clock and a server.

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanup.splice(0).reverse()) await step();
});

/** Opens a channel whose server responds to each request with the next of `replies`, and then with `ok`. */
function open(...replies: Reply[]) {
  const receiver = startReceiver((_request, count) => replies[count - 1] ?? new Response("ok"));
  const folder = temporaryFolder();
  const clock = manualClock();
  const database = openNewDatabase(join(folder.path, "phishwatch.db"));
  const ids = createIdFactory(clock.now, fillRandom);
  const deliveries = createDeliveries({
    auditLog: createAuditLog({ database, clock }),
    channels: [openNoticeChannel(slack, { clock })],
    clock,
    database,
    ids,
    log: createLog({ level: "info", format: "json", clock, write: () => {} }),
    outbox: createOutbox({ database, clock, ids }),
    settings: {
      retryDelaysMs: specifiedRetryDelaysMs,
      retryJitter: 0,
      endpointConcurrency: 8,
      breaker: false,
      disableAfterMs: null,
    },
    requestsMax: 64,
    retention: { eventsMs: 86_400_000, deliveriesMs: 86_400_000 },
  });
  const { seq } = database.transaction(() =>
    deliveries.recipients.insert({
      id: "chn_1",
      name: "team-chat",
      channel: "slack",
      origin: "runtime",
      enabled: true,
      target: { ...emptyTarget, url: receiver.url },
      events: [],
      concurrency: null,
      ratePerSecond: null,
    }),
  );
  deliveries.start();
  cleanup.push(
    () => receiver.stop(),
    folder.dispose,
    () => database.close(),
    () => deliveries.stop(),
  );
  const recipient = () => deliveries.recipients.find("slack", "chn_1")!;
  return {
    receiver,
    recipient,
    enable: () =>
      database.transaction(() =>
        deliveries.recipients.update(recipient(), {
          enabled: true,
          disabledReason: null,
          consecutiveFailures: 0,
        }),
      ),
    async send() {
      const { body } = messageOf(sampleNotices.threat);
      database.transaction(() => deliveries.messages.send({ recipientSeq: seq, body }));
      await deliveries.dispatcher.settled();
    },
    async pass(ms: number) {
      clock.advance(ms);
      await deliveries.dispatcher.settled();
    },
    /** Status of each delivery, the latest first. */
    statuses: () => deliveries.log.list({}, 10).map(({ status }) => status),
  };
}

test("a message waits while its channel is gone, and is sent when the channel is enabled again", async () => {
  const world = open(new Response("no_service", { status: 404 }));
  await world.send();
  expect(world.recipient()).toMatchObject({ enabled: false, disabledReason: "gone" });
  expect(world.statuses()).toEqual(["pending"]);
  await world.pass(86_400_000);
  expect(world.receiver.received).toHaveLength(1);
  world.enable();
  await world.pass(60_000);
  expect(world.statuses()).toEqual(["succeeded"]);
  const [first, second] = world.receiver.received.map(({ body }) => body);
  expect(second).toBe(first!);
});

test("a message that the service will never accept fails at once, and the next one is sent", async () => {
  const world = open(new Response("invalid_blocks", { status: 400 }));
  await world.send();
  expect(world.statuses()).toEqual(["failed"]);
  await world.pass(1_000);
  await world.send();
  expect(world.statuses()).toEqual(["succeeded", "failed"]);
  expect(world.recipient()).toMatchObject({ enabled: true, consecutiveFailures: 0 });
});

test("after a response with the status 429 nothing is sent for the time that the service asks for", async () => {
  const world = open(new Response("rate_limited", { status: 429, headers: { "Retry-After": "30" } }));
  await world.send();
  await world.send();
  await world.pass(29_000);
  expect(world.receiver.received).toHaveLength(1);
  await world.pass(1_000);
  expect(world.statuses()).toEqual(["succeeded", "pending"]);
  await world.pass(30_000);
  expect(world.statuses()).toEqual(["succeeded", "succeeded"]);
});

test("messages are sent no faster than the service permits", async () => {
  const world = open();
  for (let count = 0; count < 3; count += 1) await world.send();
  expect(world.receiver.received).toHaveLength(1);
  await world.pass(999);
  expect(world.receiver.received).toHaveLength(1);
  await world.pass(1);
  expect(world.receiver.received).toHaveLength(2);
  await world.pass(1_000);
  expect(world.statuses()).toEqual(["succeeded", "succeeded", "succeeded"]);
});
