import { afterEach, expect, test } from "bun:test";
import { createEmailChannel } from "../../../../src/messaging/channels/email/email-channel.ts";
import { createLog } from "../../../../src/platform/lib/log.ts";
import type { Notice } from "../../../../src/messaging/content/notice.ts";
import { manualClock } from "../../../support/appliance.ts";
import { startMailServer, type MailRejection } from "../../../support/mail-server.ts";
import { until } from "../../../support/until.ts";
import { openWebhooks } from "../../../support/webhooks.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** Opens deliveries with one email channel to a server that accepts recipients as `rejectRecipient` says. */
async function openWorld(rejectRecipient: (address: string, count: number) => MailRejection | undefined) {
  const server = await startMailServer({ tls: "none", rejectRecipient });
  const clock = manualClock();
  const log = createLog({ level: "silent", format: "json", clock, write: () => {} });
  const screenshotOf = () => Promise.resolve(null);
  const { channel } = createEmailChannel({ clock, log, screenshotOf, config: { smtp: server.settings } });
  const world = openWebhooks({ clock, furtherChannels: [channel] });
  cleanups.push(server.stop, () => world.dispose());
  const empty = { url: null, token: null, chatId: null, routingKey: null, topic: null, room: null };
  const target = { ...empty, to: ["soc@example.com"], template: null, headers: {} };
  const settings = { target, events: [], concurrency: null, ratePerSecond: null };
  const { seq } = world.recipients.insert({
    ...settings,
    id: world.ids.nextWithPrefix("chn"),
    name: "soc",
    channel: "email",
    origin: "runtime",
    enabled: true,
  });
  world.dispatcher.start();
  return {
    ...world,
    clock,
    server,
    send() {
      const id = world.ids.next("event");
      const notice = {
        id,
        kind: "test",
        at: "2026-11-22T12:00:00Z",
        tone: "neutral",
        title: "Hello",
      } as const;
      const rest = { summary: "", facts: [], items: [], more: 0, links: [], threat: null, condition: null };
      const body = JSON.stringify({ ...notice, ...rest } satisfies Notice);
      world.database.transaction(() => world.messages.send({ id, recipientSeq: seq, body }));
    },
    delivery: () => world.log.list({}, 10)[0],
  };
}

test("a greylisted message is delivered once, at the next attempt, and its log shows both responses", async () => {
  const world = await openWorld((_address, count) =>
    count === 1 ? { code: 451, text: "4.7.1 greylisted, try again later" } : undefined,
  );
  world.send();
  await until(() => world.delivery()?.attempts === 1, "the first attempt");
  expect(world.delivery()).toMatchObject({ status: "pending" });
  world.clock.advance(60_000);
  await until(() => world.delivery()?.status === "succeeded", "the second attempt");
  expect(world.server.mails.map(({ to }) => to)).toEqual([["soc@example.com"]]);
  const attempts = world.log.attempts(world.delivery()!.id);
  expect(attempts).toMatchObject([
    { statusCode: 451, failure: "recipients", response: expect.stringContaining("greylisted") },
    { statusCode: 250, failure: null },
  ]);
});

test("a message that is rejected for good fails at once, and can be sent again after the server was corrected", async () => {
  const world = await openWorld((_address, count) =>
    count === 1 ? { code: 550, text: "5.1.1 no such user" } : undefined,
  );
  world.send();
  await until(() => world.delivery()?.status === "failed", "the only attempt");
  expect(world.server.named("soc@example.com")).toBe(1);
  world.replay.redeliver(world.delivery()!.id);
  world.clock.advance(2_000);
  await until(() => world.delivery()?.status === "succeeded", "the repeated delivery");
  expect(world.server.mails).toHaveLength(1);
});
