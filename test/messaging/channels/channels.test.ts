import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Actor } from "../../../src/access/audit/actor.ts";
import { createChannels } from "../../../src/messaging/channels/all/channels.ts";
import { channelTraits } from "../../../src/messaging/channels/http/channel-traits.ts";
import type { NoticeChannel } from "../../../src/messaging/channels/http/notice-channel.ts";
import type { ChannelTarget } from "../../../src/messaging/channels/http/notice-type.ts";
import type { ChannelConfig } from "../../../src/platform/config/sections/notifications.ts";
import type { AttemptResult, Channel, Message } from "../../../src/messaging/deliveries/channel.ts";
import { createRecipients } from "../../../src/messaging/deliveries/recipients.ts";
import { systemClock as clock } from "../../../src/platform/lib/clock.ts";
import { badRequest } from "../../../src/platform/lib/errors.ts";
import type { Notice } from "../../../src/messaging/content/notice.ts";
import type { ChannelType } from "../../../src/platform/vocabulary/channels.ts";
import { openWebhooks, type OpenWebhooks } from "../../support/webhooks.ts";

const by: Actor = { channel: "command_line", name: "tester", address: null };
const secretUrl = "https://hooks.example/services/T0/B0/very-secret";
const delivered: AttemptResult = {
  startedAt: 0,
  durationMs: 1,
  phases: {},
  address: null,
  statusCode: 200,
  failure: null,
  error: null,
  response: "",
  retryAfterMs: undefined,
};

let webhooks: OpenWebhooks;
let sent: { target: ChannelTarget; message: Message }[];
let outcome: AttemptResult;
beforeEach(() => {
  webhooks = openWebhooks();
  sent = [];
  outcome = delivered;
});
afterEach(() => webhooks.dispose());

const publicUrl = () => "https://phishwatch.example";

/** A channel that records what it is given to send. */
function service(type: ChannelType, label: string): NoticeChannel {
  const channel: Channel<ChannelTarget> = {
    kind: type,
    recipients: channelTraits,
    subscribesToEvents: false,
    failures: { gone: "Create a new webhook address." },
    validate(target) {
      if (target.url?.startsWith("http://") === true) throw badRequest("url is not encrypted");
      return target;
    },
    send(target, message) {
      sent.push({ target, message });
      return Promise.resolve(outcome);
    },
  };
  return { type, label, channel };
}

function open() {
  const { auditLog, database, ids } = webhooks;
  const services = [service("slack", "Slack"), service("ntfy", "ntfy"), service("email", "Email")];
  const map = new Map(services.map(({ channel }) => [channel.kind, channel]));
  const recipients = createRecipients({ channels: map, clock, database });
  return createChannels({ auditLog, clock, database, ids, publicUrl, recipients, services });
}

function declared(given: Partial<ChannelConfig>): ChannelConfig {
  const empty = { url: null, token: null, chatId: null, routingKey: null, topic: null, room: null };
  return { name: "team", type: "slack", ...empty, to: [], template: null, headers: {}, ...given };
}

const entries = () =>
  webhooks.auditLog
    .list({}, { limit: 20, offset: 0 })
    .toReversed()
    .map(({ action, detail }) => ({ action, detail }));

test("a channel is added, changed, disabled, enabled and removed, and the audit log names each step without secrets", async () => {
  const channels = open();
  const { id } = channels.add({ name: "team", type: "slack", target: { url: secretUrl } }, { by });
  expect(id).toStartWith("chn_");
  channels.change("team", { url: `${secretUrl}2` }, { by });
  channels.disable(id, { by });
  expect(channels.get("team")).toMatchObject({ id, type: "slack", enabled: false, origin: "runtime" });
  channels.enable(id, { by });
  expect(channels.list()).toMatchObject([{ id, enabled: true, target: { url: `${secretUrl}2`, to: [] } }]);
  await channels.remove("team", { by });
  expect(channels.find(id)).toBeUndefined();
  expect(() => channels.get("team")).toThrow("There is no channel team.");
  const host = "hooks.example";
  expect(entries()).toEqual([
    { action: "channel.add", detail: { host } },
    { action: "channel.change", detail: { changed: ["url"], host } },
    { action: "channel.disable", detail: {} },
    { action: "channel.enable", detail: {} },
    { action: "channel.remove", detail: { host } },
  ]);
});

test("names are unique among channels of all types and webhook endpoints", () => {
  const channels = open();
  webhooks.endpoints.add({ url: "http://127.0.0.1/", name: "soc" });
  channels.add({ name: "team", type: "slack", target: { url: secretUrl } }, { by });
  const addNtfy = (name: string) => channels.add({ name, type: "ntfy", target: { topic: "alerts" } }, { by });
  expect(() => addNtfy("soc")).toThrow(/the name soc is already taken/);
  expect(() => addNtfy("team")).toThrow(/the name team is already taken/);
  expect(() => addNtfy("chn_1")).toThrow(/cannot begin with chn_/);
  expect(() => webhooks.endpoints.get("team")).toThrow(/no webhook endpoint team/);
  expect(() => channels.get("soc")).toThrow(/no channel soc/);
});

test("an invalid channel is rejected with the key to change", () => {
  const rejected: [type: ChannelType, target: Partial<ChannelTarget>, message: RegExp][] = [
    ["slack", {}, /type slack needs url/],
    ["slack", { url: "" }, /type slack needs url/],
    ["slack", { url: secretUrl, token: "t" }, /does not use token, only url/],
    ["slack", { url: "http://hooks.example/" }, /url is not encrypted/],
    ["slack", { url: "https://hooks.example/a b" }, /^url has 1 to 2000 visible ASCII characters/],
    ["ntfy", { url: "https://ntfy.example/" }, /type ntfy needs topic/],
    ["ntfy", { topic: "two words" }, /topic must be .* not two words/],
    ["ntfy", { topic: "a", token: "x\r\nX-Evil: 1" }, /^token has 1 to 2000 visible ASCII/],
    ["email", { to: [] }, /type email needs to/],
    ["email", { to: ["soc@example.com", "x\r\nBcc: all@evil.example"] }, /to must be an email address/],
    ["email", { to: Array.from({ length: 101 }, (_, i) => `u${i}@example.com`) }, /to has at most 100/],
    ["matrix", { url: "https://m.example/", room: "!a:b", token: "t" }, /no channels of the type matrix/],
  ];
  const channels = open();
  for (const [type, target, message] of rejected) {
    const add = () => channels.add({ name: "team", type, target }, { by });
    expect(add).toThrow(
      expect.objectContaining({ code: "bad_request", message: expect.stringMatching(message) }),
    );
  }
  expect(channels.list()).toEqual([]);
});

test("a change keeps what is not given, and may not leave a needed key empty", () => {
  const channels = open();
  channels.add({ name: "phone", type: "ntfy", target: { topic: "alerts", token: "tk_secret" } }, { by });
  const changed = channels.change("phone", { topic: "urgent" }, { by });
  expect(changed.target).toMatchObject({ topic: "urgent", token: "tk_secret", url: null });
  expect(channels.change("phone", { token: null }, { by }).target.token).toBeNull();
  expect(() => channels.change("phone", { topic: null }, { by })).toThrow(/needs topic/);
});

test("a stored secret is not sent to another server, unless it is entered again", () => {
  const channels = open();
  const target = { url: "https://ntfy.example", topic: "alerts", token: "tk_secret" };
  channels.add({ name: "phone", type: "ntfy", target }, { by });
  const change = (changes: Partial<ChannelTarget>) => channels.change("phone", changes, { by }).target;
  expect(() => change({ url: "https://ntfy.evil.example" })).toThrow("enter token again");
  expect(change({ url: "https://ntfy.example/", topic: "other" })).toMatchObject({ token: "tk_secret" });
  expect(change({ url: "https://new.example", token: "tk_secret" })).toMatchObject({ token: "tk_secret" });
  expect(change({ url: "https://third.example", token: null })).toMatchObject({ token: null });
});

test("what is shown of a channel contains no secret", () => {
  const channels = open();
  const target = { url: "https://ntfy.example/secret/", topic: "alerts", token: "tk_secret" };
  const channel = channels.add({ name: "phone", type: "ntfy", target }, { by });
  expect(channels.shown(channel)).toEqual([
    { key: "url", value: "https://ntfy.example/…" },
    { key: "token", value: "••••••••" },
    { key: "topic", value: "alerts" },
  ]);
  const mail = channels.add(
    { name: "mail", type: "email", target: { to: ["a@b.example", "c@d.example"] } },
    { by },
  );
  expect(channels.shown(mail)).toEqual([{ key: "to", value: "a@b.example, c@d.example" }]);
  expect(channels.label("ntfy")).toBe("ntfy");
});

describe("a test message", () => {
  test("is sent once, to a disabled channel too, and is recorded in the audit log only", async () => {
    const channels = open();
    const add = { name: "team", type: "slack", target: { url: secretUrl }, enabled: false } as const;
    channels.add(add, { by });
    expect(await channels.test("team", { by })).toEqual({ ...delivered, advice: undefined });
    expect(sent).toHaveLength(1);
    const notice = JSON.parse(sent[0]!.message.body) as Notice;
    expect(notice).toMatchObject({ kind: "test", id: sent[0]!.message.id, threat: null });
    expect(webhooks.log.list({}, 10)).toEqual([]);
    expect(entries().map(({ action }) => action)).toEqual(["channel.add", "channel.test"]);
  });

  test("that fails comes with advice on what to change", async () => {
    const channels = open();
    channels.add({ name: "team", type: "slack", target: { url: secretUrl } }, { by });
    outcome = { ...delivered, statusCode: 404, failure: "gone", error: "HTTP status 404" };
    expect(await channels.test("team", { by })).toMatchObject({
      failure: "gone",
      error: "HTTP status 404",
      advice: "Create a new webhook address.",
    });
    expect(channels.get("team").consecutiveFailures).toBe(0);
  });
});

describe("channels in the configuration file", () => {
  test("are added, changed and disabled with the file, and people cannot change them", () => {
    const channels = open();
    channels.reconcile([declared({ url: secretUrl })]);
    const { id } = channels.get("team");
    expect(channels.get("team")).toMatchObject({ origin: "file", enabled: true });
    expect(() => channels.change("team", { url: "https://a.example/" }, { by })).toThrow(
      /declared in the configuration file/,
    );
    channels.reconcile([declared({ url: secretUrl })]);
    channels.reconcile([declared({ type: "ntfy", topic: "alerts" })]);
    expect(channels.get("team")).toMatchObject({ id, type: "ntfy", target: { url: null, topic: "alerts" } });
    channels.reconcile([]);
    expect(channels.get("team")).toMatchObject({ enabled: false, disabledReason: "undeclared" });
    const changed = ["channel", "url", "topic"];
    expect(entries()).toEqual([
      { action: "channel.add", detail: { host: "hooks.example" } },
      { action: "channel.change", detail: { changed, topic: "alerts" } },
      { action: "channel.disable", detail: {} },
    ]);
  });
});
