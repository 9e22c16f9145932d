import { afterAll, afterEach, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import PostalMime from "postal-mime";
import { createEmailChannel } from "../../../../src/messaging/channels/email/email-channel.ts";
import { createMailServer } from "../../../../src/messaging/channels/email/mail-server.ts";
import type { ChannelTarget } from "../../../../src/messaging/channels/http/notice-type.ts";
import { hiding } from "../../../../src/messaging/channels/http/secrets.ts";
import type { SmtpConfig } from "../../../../src/platform/config/sections/notifications.ts";
import type { AttemptResult } from "../../../../src/messaging/deliveries/channel.ts";
import { systemClock as clock } from "../../../../src/platform/lib/clock.ts";
import { createLog } from "../../../../src/platform/lib/log.ts";
import type { Notice } from "../../../../src/messaging/content/notice.ts";
import { temporaryFolder } from "../../../support/appliance.ts";
import { mailAuthority, startBadMailServer, startMailServer } from "../../../support/mail-server.ts";
import { until } from "../../../support/until.ts";

const folder = temporaryFolder();
const caFile = join(folder.path, "ca.pem");
writeFileSync(caFile, mailAuthority);
afterAll(() => folder.dispose());

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function startServer(...given: Parameters<typeof startMailServer>) {
  const server = await startMailServer(...given);
  cleanups.push(server.stop);
  return server;
}

async function startBadServer(...given: Parameters<typeof startBadMailServer>) {
  const server = await startBadMailServer(...given);
  cleanups.push(server.stop);
  return server;
}

const [alice, bob, carol] = ["alice@example.com", "bob@example.com", "carol@example.org"];

const notice: Notice = {
  id: "evt_01kf0z7m3yeqz9x8r4p6s2t5vw",
  kind: "threat",
  at: "2026-11-22T12:00:00.000Z",
  tone: "high",
  title: "High: examp1e-bank[.]com, look-alike of example-bank.com",
  summary: "The page asks for a password.",
  facts: [{ label: "Registered", value: "2026-11-21" }],
  items: [],
  more: 0,
  links: [{ text: "Open the threat", url: "https://phishwatch.example/console/threats/thr_1" }],
  threat: { id: "thr_1", status: "active" },
  condition: null,
};

function target(to: string[]): ChannelTarget {
  const empty = { url: null, token: null, chatId: null, routingKey: null, topic: null, room: null };
  return { ...empty, to, template: null, headers: {} };
}

function open(smtp: SmtpConfig | null, options: Partial<Parameters<typeof createEmailChannel>[0]> = {}) {
  const lines: string[] = [];
  const log = createLog({ level: "info", format: "json", clock, write: (line) => void lines.push(line) });
  const screenshotOf = () => Promise.resolve(null);
  const { channel, mailServer } = createEmailChannel({
    clock,
    log,
    screenshotOf,
    config: { smtp },
    ...options,
  });
  return {
    channel,
    mailServer,
    lines,
    async send(to: string[], given: Partial<Notice> = {}): Promise<AttemptResult> {
      const body = { ...notice, ...given };
      const result = await channel.send(target(to), { id: body.id, body: JSON.stringify(body) });
      if (typeof result === "string") throw new Error(result);
      return result;
    },
  };
}

test("a message is sent over STARTTLS, over TLS, signed in, and unencrypted only if the settings say so", async () => {
  const login = { username: "phishwatch", password: "correct horse" };
  const send = async (tls: SmtpConfig["tls"]) => {
    const server = await startServer({ tls, login });
    const { send: sendOne, mailServer: checked } = open({ ...server.settings, caFile });
    expect(await checked!.check()).toBeUndefined();
    const result = await sendOne([alice, bob]);
    expect(result).toMatchObject({ failure: null, statusCode: 250, address: "127.0.0.1" });
    const [mail, ...others] = server.mails;
    expect(mail).toMatchObject({ to: [alice, bob], encrypted: tls !== "none", user: "phishwatch" });
    expect(others).toEqual([]);
  };
  await Promise.all((["starttls", "tls", "none"] as const).map(send));
});

test("a certificate that is not trusted, or for another name, is not accepted, and advice says what to set", async () => {
  const unknown = await startServer();
  const other = await startServer({ tls: "tls", names: ["mail.example.com"] });
  for (const settings of [unknown.settings, { ...other.settings, caFile }]) {
    const { send, channel } = open(settings);
    const result = await send([alice]);
    expect(result).toMatchObject({ failure: "tls", consequence: "retry", statusCode: null });
    expect(channel.failures[result.failure!]).toContain("smtp.ca_file");
  }
  expect([...unknown.mails, ...other.mails]).toEqual([]);
});

test("a server without STARTTLS is sent neither a password nor a message, because encryption is required", async () => {
  const server = await startServer({ tls: "none", login: { username: "u", password: "correct horse" } });
  const { send, mailServer: checked } = open({ ...server.settings, tls: "starttls" });
  expect(await send([alice])).toMatchObject({ failure: "tls", consequence: "retry" });
  expect(await checked!.check()).toMatch(/smtp\.tls/);
  expect(server.mails).toEqual([]);
});

test("a certificate authority that cannot be read is reported with its path", async () => {
  const server = await startServer();
  const missing = { ...server.settings, caFile: join(folder.path, "missing.pem") };
  const { send, mailServer: checked } = open(missing);
  expect(await checked!.check()).toContain("missing.pem cannot be used");
  const result = await send([alice]);
  expect(result.failure).toBe("tls");
  expect(result.error).toContain("missing.pem cannot be used");
});

test("a wrong password is retried, so that no message is lost until it is corrected, and is not shown", async () => {
  const server = await startServer({ login: { username: "phishwatch", password: "correct horse" } });
  const wrong = { ...server.settings, password: "wrong-battery-staple", caFile };
  const { send, channel } = open(wrong);
  const result = await send([alice]);
  expect(result).toMatchObject({ failure: "login", consequence: "retry", statusCode: 535 });
  expect(result.response).toContain("authentication failed");
  expect(JSON.stringify(result)).not.toContain("battery");
  expect(channel.failures["login"]).toContain("smtp.password");
});

test("a server that repeats the command with the user name and password does not make them visible", () => {
  const login = { username: "phishwatch", password: "a few words" };
  const server = {
    ...login,
    host: "mail.example",
    port: 25,
    tls: "none" as const,
    from: alice,
    caFile: null,
  };
  const { secrets } = createMailServer(server, { connectMs: 1, silenceMs: 1, totalMs: 1 });
  const encoded = (text: string) => Buffer.from(text).toString("base64");
  const plain = encoded(`\0${login.username}\0${login.password}`);
  const reply = `500 unknown: AUTH PLAIN ${plain}, ${encoded(login.password)}, ${login.password}`;
  expect(hiding(secrets)(reply)).toBe("500 unknown: AUTH PLAIN ***, ***, ***");
});

test("greylisting is retried, and the message is delivered once", async () => {
  const server = await startServer({
    rejectRecipient: (_address, count) => (count === 1 ? { code: 451, text: "4.7.1 greylisted" } : undefined),
  });
  const { send } = open({ ...server.settings, caFile });
  expect(await send([alice])).toMatchObject({ failure: "recipients", consequence: "retry", statusCode: 451 });
  expect(await send([alice])).toMatchObject({ failure: null });
  expect(server.mails.map(({ to }) => to)).toEqual([[alice]]);
});

test("a recipient that must wait does not delay the others, and nobody is sent the message twice", async () => {
  const server = await startServer({
    rejectRecipient: (address, count) =>
      address === bob && count < 3 ? { code: 450, text: "4.2.0 try again later" } : undefined,
  });
  const { send } = open({ ...server.settings, caFile });
  const first = await send([alice, bob]);
  expect(first).toMatchObject({ failure: "recipients", consequence: "retry" });
  expect(first.error).toBe(
    "the mail server rejected some recipients: bob@example.com: 450 4.2.0 try again later",
  );
  expect(await send([alice, bob])).toMatchObject({ failure: "recipients" });
  expect(await send([alice, bob])).toMatchObject({ failure: null });
  expect(server.mails.map(({ to }) => to)).toEqual([[alice], [bob]]);
  expect(
    new Set(await Promise.all(server.mails.map(async ({ raw }) => (await PostalMime.parse(raw)).messageId)))
      .size,
  ).toBe(1);
  // Complete: a replay sends it to everyone again.
  await send([alice, bob]);
  expect(server.mails.at(-1)!.to).toEqual([alice, bob]);
});

test("a rejected recipient does not keep the others from their messages, and is named", async () => {
  const server = await startServer({
    rejectRecipient: (address) => (address === bob ? { code: 550, text: "5.1.1 no such user" } : undefined),
  });
  const { send, lines } = open({ ...server.settings, caFile });
  const result = await send([alice, bob, carol]);
  expect(result).toMatchObject({ failure: null, statusCode: 250 });
  expect(result.response).toContain("bob@example.com: 550 5.1.1 no such user");
  expect(server.mails.map(({ to }) => to)).toEqual([[alice, carol]]);
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { level: "warn", recipientAddress: bob, response: "550 5.1.1 no such user" },
  ]);
  expect(await send([bob])).toMatchObject({ failure: "rejected", consequence: "drop", statusCode: 550 });
});

test("what the server says about a message decides whether it is sent again", async () => {
  const outcomeWith = async (rules: Parameters<typeof startMailServer>[0]) => {
    const server = await startServer(rules);
    return open({ ...server.settings, caFile }).send([alice]);
  };
  const content = (code: number) => outcomeWith({ rejectContent: () => ({ code, text: "because" }) });
  const sender = outcomeWith({ rejectSender: () => ({ code: 550, text: "5.7.60 not your address" }) });
  expect(await Promise.all([content(451), content(421), content(554), sender])).toMatchObject([
    { consequence: "retry", failure: "temporary", statusCode: 451 },
    { consequence: "retry", failure: "temporary", statusCode: 421 },
    { consequence: "drop", failure: "rejected", statusCode: 554 },
    { consequence: "retry", failure: "sender", statusCode: 550 },
  ]);
});

test("a server that hangs, closes the connection, speaks another protocol or denies service is retried", async () => {
  const timeouts = { connectMs: 2_000, silenceMs: 2_000, totalMs: 50 };
  const hanging = await startBadServer(["220 hello"], () => undefined);
  expect(await open(hanging.settings, { timeouts }).send([alice])).toMatchObject({
    failure: "timeout",
    consequence: "retry",
  });
  await until(() => hanging.connections() === 0, "the connection is closed");
  const ehlo = ["220 hello", "250 mail.example", "250 ok", "250 ok", "354 go ahead"];
  const dropping = await startBadServer(ehlo, (socket) => socket.destroy());
  expect(await open(dropping.settings).send([alice])).toMatchObject({
    failure: "closed",
    consequence: "retry",
  });
  const web = await startBadServer(["HTTP/1.1 400 Bad Request"], () => undefined);
  expect(await open(web.settings).send([alice])).toMatchObject({ failure: "protocol", consequence: "retry" });
  const denying = await startBadServer(["554 5.7.1 no service for you"], (socket) => socket.end());
  expect(await open(denying.settings).send([alice])).toMatchObject({
    failure: "denied",
    consequence: "retry",
    statusCode: 554,
  });
  denying.stop();
  expect(await open(denying.settings).send([alice])).toMatchObject({
    failure: "connect",
    consequence: "retry",
  });
  const nowhere = { ...denying.settings, host: "mail..invalid" };
  expect(await open(nowhere).send([alice])).toMatchObject({ failure: "dns", consequence: "retry" });
});

test("a stop aborts attempts that wait for the server, and they are made again later", async () => {
  const hanging = await startBadServer([], () => undefined);
  const { channel } = open(hanging.settings);
  const message = { id: notice.id, body: JSON.stringify(notice) };
  // More than the number of connections.
  const results = Promise.all([1, 2, 3].map(() => channel.send(target([alice]), message)));
  await until(() => hanging.connections() === 2, "two attempts wait for the greeting, one for a connection");
  channel.abortUnsent!();
  expect(await results).toEqual(["aborted", "aborted", "aborted"]);
});

test("without a mail server, a channel cannot be added, and the messages of one that exists wait", async () => {
  const { channel, send, mailServer: checked } = open(null);
  expect(checked).toBeNull();
  expect(() => channel.validate(target([alice]))).toThrow(/smtp\.host/);
  expect(await send([alice])).toMatchObject({ failure: "no_mail_server", consequence: "disable" });
});
