import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Actor } from "../../../src/access/audit/actor.ts";
import { createRecipientAdministration } from "../../../src/messaging/deliveries/administration/recipient-administration.ts";
import type { AttemptResult, Channel, Message } from "../../../src/messaging/deliveries/channel.ts";
import { createEventLog } from "../../../src/threats/events/event-log.ts";
import { manualClock, temporaryFolder } from "../../support/appliance.ts";
import { startReceiver, type Receiver } from "../../support/receiver.ts";
import { openWebhooks, type OpenWebhooks } from "../../support/webhooks.ts";

const by: Actor = { channel: "command_line", name: "tester", address: null };
const minuteMs = 60_000;

type Outcome = Pick<AttemptResult, "failure" | "error" | "consequence">;
const delivered: Outcome = { failure: null, error: null };
const dropped: Outcome = { failure: "rejected", error: "too long", consequence: "drop" };
const gone: Outcome = { failure: "gone", error: "channel is archived", consequence: "disable" };
const busy: Outcome = { failure: "status", error: "HTTP status 500", consequence: "retry" };

let clock: ReturnType<typeof manualClock>;
let folder: ReturnType<typeof temporaryFolder>;
let receiver: Receiver;
let webhooks: OpenWebhooks;
/** Contents of the messages that the chat channel sent, and its outcomes: the last one is repeated. */
let sent: unknown[];
let outcomes: Outcome[];
let chat: Channel<{ room: string }>;
beforeEach(() => {
  clock = manualClock();
  folder = temporaryFolder();
  sent = [];
  outcomes = [delivered];
  chat = {
    kind: "chat",
    recipients: {
      noun: "channel",
      idPrefix: "cht",
      configKey: "chats",
      auditedProperties: ["room"],
      addressOf: ({ room }) => room,
      describe: ({ target: { room } }) => ({ room }),
    },
    subscribesToEvents: false,
    failures: { gone: "Create the channel again." },
    validate: (target) => target,
    send: (_target, { body }: Message) => {
      sent.push(JSON.parse(body));
      const outcome = outcomes.length > 1 ? outcomes.shift()! : outcomes[0]!;
      return Promise.resolve({ ...attempt, startedAt: clock.now(), ...outcome });
    },
  };
  receiver = startReceiver(() => 200);
  webhooks = open();
});
afterEach(async () => {
  await webhooks.close();
  await receiver.stop();
  folder.dispose();
});

const attempt: Omit<AttemptResult, "failure" | "error" | "startedAt"> = {
  durationMs: 1,
  response: "",
  statusCode: 200,
  address: null,
  phases: {},
  retryAfterMs: undefined,
};

function open(settings: Parameters<typeof openWebhooks>[0] = {}): OpenWebhooks {
  const opened = openWebhooks({ clock, folder, furtherChannels: [chat as Channel], ...settings });
  opened.dispatcher.start();
  return opened;
}

function administer() {
  const { auditLog, database, ids, recipients } = webhooks;
  return createRecipientAdministration({
    auditLog,
    clock,
    database,
    ids,
    kinds: [chat.kind],
    recipients,
    traits: chat.recipients,
  });
}

function addChat(name = "team") {
  const settings = {
    name,
    channel: "chat",
    events: [],
    concurrency: 1,
    ratePerSecond: null,
    target: { room: name },
    enabled: true,
  };
  return administer().add(settings, { by });
}

const say = (recipientSeq: number, content: unknown) =>
  webhooks.database.transaction(() =>
    webhooks.messages.send({ recipientSeq, body: JSON.stringify(content) }),
  );

async function settled(): Promise<unknown[]> {
  await webhooks.dispatcher.settled();
  return sent.splice(0);
}

const statuses = () =>
  webhooks.log.list({ recipient: "team" }, 20).map(({ status, attempts }) => `${status} ${attempts}`);

describe("A message", () => {
  test("is sent to its recipient alone, and is shown in the log of deliveries but not as an event", async () => {
    webhooks.endpoints.add({ name: "soc", url: receiver.url });
    const { seq } = addChat();
    addChat("other");
    const about = { title: "High", data: { threat: { id: "thr_1" } } };
    const id = say(seq, about);
    webhooks.record("threat.created");
    expect(await settled()).toEqual([about]);
    expect(receiver.received.map(({ body }) => (JSON.parse(body) as { type: string }).type)).toEqual([
      "threat.created",
    ]);
    expect(webhooks.log.list({ event: id }, 10)).toMatchObject([
      { eventType: "message", recipientName: "team", status: "succeeded" },
    ]);
    const known = createEventLog(webhooks.database).ofThreat("thr_1", 10);
    expect(known.map(({ type }) => type)).toEqual(["threat.created"]);
  });

  test("has the identifier that its sender chose, and is sent again after a failure with the same body", async () => {
    const { seq } = addChat();
    outcomes = [busy, delivered];
    const id = webhooks.ids.next("event");
    webhooks.database.transaction(() =>
      webhooks.messages.send({ id, recipientSeq: seq, body: JSON.stringify(id) }),
    );
    expect(await settled()).toEqual([id]);
    clock.advance(minuteMs);
    expect(await settled()).toEqual([id]);
    expect(webhooks.log.list({ event: id }, 1)).toMatchObject([{ status: "succeeded", attempts: 2 }]);
  });

  test("is lost with the transaction of its cause, and cannot be recorded outside of one", async () => {
    const { seq } = addChat();
    expect(() =>
      webhooks.database.transaction(() => {
        webhooks.messages.send({ recipientSeq: seq, body: `"never"` });
        throw new Error("the cause failed");
      }),
    ).toThrow("the cause failed");
    expect(() => webhooks.messages.send({ recipientSeq: seq, body: `"never"` })).toThrow(
      /in the transaction/,
    );
    expect(await settled()).toEqual([]);
  });

  test("is sent by the next process if this one ends first", async () => {
    const { seq } = addChat();
    await webhooks.dispatcher.stop(0);
    say(seq, "later");
    await webhooks.close();
    webhooks = open();
    expect(await settled()).toEqual(["later"]);
    await webhooks.close();
    webhooks = open();
    expect(await settled()).toEqual([]);
  });

  test("can be replayed to its recipient, and no replay sends it or its recipient anything else", async () => {
    const { id: soc } = webhooks.endpoints.add({ name: "soc", url: receiver.url }).endpoint;
    const { id, seq } = addChat();
    say(seq, "one");
    webhooks.record("threat.created");
    await settled();
    for (const recipient of [id, soc]) {
      expect(webhooks.replay.count({ which: "missed", recipient, since: 0 })).toBe(0);
      expect(await webhooks.replay.run({ which: "all", recipient, since: 0 })).toBe(1);
    }
    expect(await settled()).toEqual(["one"]);
    expect(receiver.eventIds()).toHaveLength(2);
    expect(receiver.received.every(({ body }) => body.includes("threat.created"))).toBe(true);
  });

  test("is deleted with its delivery when both are old", async () => {
    await webhooks.close();
    webhooks = open({ retention: { eventsMs: minuteMs, deliveriesMs: minuteMs } });
    const { seq } = addChat();
    say(seq, "one");
    await settled();
    clock.advance(2 * minuteMs);
    expect(await webhooks.retention.run()).toEqual({ events: 1, deliveries: 1 });
  });
});

describe("A failure whose consequence is", () => {
  test("to drop the message fails the delivery at once, and the next message is sent", async () => {
    const { seq } = addChat();
    outcomes = [dropped, delivered];
    say(seq, "too long");
    say(seq, "short");
    expect(await settled()).toEqual(["too long", "short"]);
    expect(statuses()).toEqual(["succeeded 1", "failed 1"]);
    const [, failed] = webhooks.log.list({ recipient: "team" }, 2);
    expect(webhooks.replay.redeliver(failed!.id)).toMatchObject({ status: "pending" });
    expect(await settled()).toEqual(["too long"]);
    expect(statuses()).toEqual(["succeeded 1", "succeeded 1"]);
  });

  test("to drop the message delays no other, however many are dropped and although the breaker held them", async () => {
    await webhooks.close();
    webhooks = open({ breaker: true });
    const { seq } = addChat();
    outcomes = [busy, busy, busy, dropped, dropped, dropped, dropped, delivered];
    for (const name of ["a", "b", "c"]) say(seq, name);
    expect(await settled()).toEqual(["a", "b", "c"]);
    for (const name of ["d", "e"]) say(seq, name);
    expect(await settled()).toEqual([]);
    // The probe is dropped, and so are those that follow it.
    clock.advance(minuteMs / 2);
    expect(await settled()).toEqual(["d", "e", "a", "b", "c"]);
    expect(statuses()).toEqual(["failed 1", "failed 1", "succeeded 2", "failed 2", "failed 2"]);
    expect(administer().get("team")).toMatchObject({ consecutiveFailures: 0, nextProbeAt: null });
  });

  test("to disable the recipient keeps all messages pending, and enabling it sends them once each", async () => {
    const { seq } = addChat();
    outcomes = [gone];
    say(seq, "one");
    say(seq, "two");
    expect(await settled()).toEqual(["one"]);
    expect(statuses()).toEqual(["pending 0", "pending 0"]);
    expect(administer().get("team")).toMatchObject({
      enabled: false,
      disabledReason: "gone",
      lastFailure: { failure: "gone", error: "channel is archived" },
    });
    const [entry] = webhooks.auditLog.list({}, { limit: 1, offset: 0 });
    expect(entry).toMatchObject({ action: "chat.disable", channel: "system" });
    expect(entry!.detail).toMatchObject({ reason: "gone", cause: "channel is archived after 1 ms" });
    const line = webhooks.logLines.find((text) => text.includes('"recipient.disabled"'));
    expect(JSON.parse(line!)).toMatchObject({ cause: "gone", channel: "chat", name: "team" });
    clock.advance(minuteMs);
    say(seq, "three");
    expect(await settled()).toEqual([]);
    outcomes = [delivered];
    administer().enable("team", { by });
    expect(await settled()).toEqual(["one", "two", "three"]);
    expect(statuses()).toEqual(["succeeded 1", "succeeded 1", "succeeded 1"]);
  });

  test("to disable the recipient holds although another attempt succeeds at the same time", async () => {
    const { seq } = addChat();
    administer().change("team", { concurrency: 2 }, { by });
    outcomes = [gone, delivered];
    webhooks.database.transaction(() => {
      webhooks.messages.send({ recipientSeq: seq, body: `"one"` });
      webhooks.messages.send({ recipientSeq: seq, body: `"two"` });
    });
    expect(await settled()).toEqual(["one", "two"]);
    expect(administer().get("team")).toMatchObject({ enabled: false, disabledReason: "gone" });
    expect(statuses()).toEqual(["succeeded 1", "pending 0"]);
  });

  test("to disable a declared recipient holds across restarts until its address changes", async () => {
    const declared = (room: string) => ({
      name: "team",
      channel: "chat",
      events: [],
      concurrency: null,
      ratePerSecond: null,
      target: () => ({ room }),
    });
    administer().reconcile([declared("a")]);
    outcomes = [gone, delivered];
    say(administer().get("team").seq, "one");
    expect(await settled()).toEqual(["one"]);
    administer().reconcile([declared("a")]);
    expect(administer().get("team").enabled).toBe(false);
    administer().reconcile([declared("b")]);
    expect(administer().get("team").enabled).toBe(true);
    expect(await settled()).toEqual(["one"]);
  });
});

test("Recipients without a rate of their own have that of their channel, and others keep theirs", async () => {
  await webhooks.close();
  chat = { ...chat, ratePerSecond: 0.5 };
  webhooks = open();
  const { seq } = addChat();
  const { seq: fast } = addChat("fast");
  administer().change("fast", { ratePerSecond: 100 }, { by });
  for (const body of ["one", "two", "three"]) say(seq, body);
  for (const body of ["1", "2"]) say(fast, body);
  expect((await settled()).toSorted()).toEqual(["1", "one"]);
  clock.advance(10);
  expect(await settled()).toEqual(["2"]);
  clock.advance(1_980);
  expect(await settled()).toEqual([]);
  clock.advance(10);
  expect(await settled()).toEqual(["two"]);
  clock.advance(2_000);
  expect(await settled()).toEqual(["three"]);
});

test("A channel that retries for days sends again at the last delay, and a message arrives when its service is back", async () => {
  await webhooks.close();
  const dayMs = 24 * 60 * minuteMs;
  chat = { ...chat, retriesForMs: 3 * dayMs };
  webhooks = open();
  const { seq } = addChat();
  outcomes = [busy];
  say(seq, "one");
  const attemptsAt: number[] = [];
  const startedAt = clock.now();
  while (clock.now() - startedAt < 2 * dayMs) {
    if ((await settled()).length > 0) attemptsAt.push((clock.now() - startedAt) / minuteMs);
    clock.advance(minuteMs);
  }
  expect(attemptsAt.slice(0, 7)).toEqual([0, 1, 6, 36, 156, 276, 396]);
  expect(statuses()).toEqual([`pending ${attemptsAt.length}`]);
  await webhooks.close();
  webhooks = open();
  outcomes = [delivered];
  clock.advance(120 * minuteMs);
  expect(await settled()).toEqual(["one"]);
  expect(statuses()).toEqual([`succeeded ${attemptsAt.length + 1}`]);
});
