import { afterAll, describe, expect, test } from "bun:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { telegram } from "../../../../src/messaging/channels/telegram/telegram.ts";
import type { AttemptResult, NotAttempted } from "../../../../src/messaging/deliveries/channel.ts";
import type { Notice } from "../../../../src/messaging/content/notice.ts";
import {
  emptyTarget,
  hostileNotice,
  messageOf,
  openNoticeChannel,
  sampleNotices,
} from "../../../support/notices.ts";

// Format: core.telegram.org/bots/api, sendMessage, sendPhoto, LinkPreviewOptions and InlineKeyboardButton.
const replyMarkup = {
  type: "object",
  required: ["inline_keyboard"],
  additionalProperties: false,
  properties: {
    inline_keyboard: {
      type: "array",
      minItems: 1,
      items: {
        type: "array",
        minItems: 1,
        items: {
          type: "object",
          required: ["text", "url"],
          additionalProperties: false,
          properties: {
            text: { type: "string", minLength: 1 },
            // A host without a dot is rejected.
            url: { type: "string", pattern: "^https?://[^/]+\\.[^/]+" },
          },
        },
      },
    },
  },
};
const isMessage = new Ajv2020({ strict: true }).compile({
  type: "object",
  required: ["chat_id", "text", "parse_mode", "link_preview_options"],
  additionalProperties: false,
  properties: {
    chat_id: { type: "string", pattern: "^(-?[0-9]+|@\\w+)$" },
    text: { type: "string", minLength: 1 },
    parse_mode: { const: "HTML" },
    link_preview_options: {
      type: "object",
      required: ["is_disabled"],
      additionalProperties: false,
      properties: { is_disabled: { const: true } },
    },
    disable_notification: { type: "boolean" },
    reply_markup: replyMarkup,
  },
});

const token = "123456789:AAF-secretSECRETsecret_0123456789abc";
const target = { ...emptyTarget, url: "https://api.telegram.org", token, chatId: "-1001234567890" };
const screenshot = {
  mediaType: "image/jpeg" as const,
  bytes: new Uint8Array([0xff, 0xd8, 0x0d, 0x0a, 0x2d]),
};

interface Message {
  text: string;
  disable_notification: boolean;
  reply_markup?: { inline_keyboard: { text: string; url: string }[][] };
}

function messageFor(notice: Notice): Message {
  const [request] = telegram.requests(target, notice, { screenshot: null });
  expect(request).toMatchObject({
    method: "POST",
    url: `https://api.telegram.org/bot${token}/sendMessage`,
    headers: { "Content-Type": "application/json" },
  });
  const message = JSON.parse(String(request!.body)) as Message;
  expect(isMessage(message) || isMessage.errors).toBe(true);
  expectHtml(message.text);
  return message;
}

/** Fails unless Telegram would accept the HTML: known tags, all closed, and no other entities. */
function expectHtml(html: string): void {
  const open: string[] = [];
  for (const [tag, closing, name] of html.matchAll(/<(\/?)([a-z]+)[^>]*>/g))
    if (closing === "") {
      expect(tag).toMatch(/^<(b|a href="https:\/\/watch\.example\/[^"<>]*")>$/);
      open.push(name!);
    } else expect(open.pop()).toBe(name);
  expect(open).toEqual([]);
  expect(html.replace(/<\/?(b|a)\b[^>]*>/g, "")).not.toMatch(/[<>]|&(?!(lt|gt|amp|quot);)/);
}

/** Returns the text that Telegram counts. */
function parsed(html: string): string {
  return html
    .replace(/<[^>]+>/g, "")
    .replace(
      /&(lt|gt|amp|quot);/g,
      (_, name: string) => ({ lt: "<", gt: ">", amp: "&", quot: '"' })[name] ?? "",
    );
}

describe("a message to Telegram", () => {
  test.each(Object.values(sampleNotices))("about $kind follows the documented format", (notice) => {
    expect(messageFor(notice)).toMatchSnapshot();
  });

  test("contains all texts as they are, mentions nobody, and keeps to the limit after parsing", () => {
    const { text } = messageFor(hostileNotice);
    expect(parsed(text).length).toBeLessThanOrEqual(4_096);
    expect(parsed(text).length).toBeGreaterThan(3_000);
    expect(parsed(text)).toContain("<script>alert(1)</script> &amp; <https://evil.example|click>");
    expect(text).not.toMatch(/@\w/);
    expect(text).toEndWith("\n…");
    expect(text.isWellFormed()).toBe(true);
  });

  test("about something that ended well makes no sound", () => {
    expect(messageFor({ ...sampleNotices.system, tone: "good" }).disable_notification).toBe(true);
    expect(messageFor(sampleNotices.threat).disable_notification).toBe(false);
  });

  test.each(["http://phishwatch:8080/console", "http://10.0.0.5/console", "http://watch.local/console"])(
    "names a page at %s in its text, because Telegram rejects such buttons",
    (url) => {
      const message = messageFor({ ...sampleNotices.test, links: [{ text: "Open", url }] });
      expect(message.reply_markup).toBeUndefined();
      expect(message.text).toEndWith(`Open: ${url}`);
    },
  );
});

describe("a channel of Telegram", () => {
  test("uses Telegram's server unless another one is given, which may be below a path", () => {
    expect(telegram.validate({ ...target, url: null }).url).toBe("https://api.telegram.org");
    expect(
      telegram.validate({ ...target, url: "https://proxy.example/telegram/", chatId: "@soc_alerts" }).url,
    ).toBe("https://proxy.example/telegram");
  });

  test.each([
    ["a part of the token", { token: "AAFsecret" }, "copy the whole token that @BotFather shows"],
    ["the word bot before the token", { token: `bot${token}` }, "token must look like 123456789:AAF…"],
    ["the name of a private chat", { chatId: "SOC" }, "chat_id must be a number"],
    ["a link to a chat", { chatId: "https://t.me/soc" }, "chat_id must be a number"],
  ])("with %s is rejected with what to change, without the token", (_what, change, error) => {
    expect(() => telegram.validate({ ...target, ...change })).toThrow(error);
    expect(() => telegram.validate({ ...target, ...change })).not.toThrow("secret");
  });

  // Responses of the source of Telegram's Bot API server (`Client.cpp`, `Query.cpp`).
  test.each([
    [200, { ok: true, result: {} }, { outcome: "delivered" }],
    [
      200,
      { ok: false, error_code: 400, description: "Bad Request: chat not found" },
      { outcome: "disable", failure: "chat_not_found" },
    ],
    [
      200,
      { ok: false, error_code: 429, description: "Too Many Requests", parameters: { retry_after: 7 } },
      { outcome: "retry", failure: "rate_limited", retryAfterMs: 7_000 },
    ],
    [200, { ok: false }, { outcome: "retry", failure: "unexpected" }],
    [200, "<html>Sign in to the network</html>", { outcome: "retry", failure: "unexpected" }],
    [
      400,
      { ok: false, error_code: 400, description: "Bad Request: chat not found" },
      { outcome: "disable", failure: "chat_not_found" },
    ],
    [
      400,
      {
        ok: false,
        error_code: 400,
        description: "Bad Request: group chat was upgraded to a supergroup chat",
        parameters: { migrate_to_chat_id: -1009876543210 },
      },
      {
        outcome: "disable",
        failure: "chat_moved",
        error:
          "HTTP status 400: Bad Request: group chat was upgraded to a supergroup chat; set chat_id to -1009876543210",
      },
    ],
    [
      400,
      {
        ok: false,
        error_code: 400,
        description: "Bad Request: need administrator rights in the channel chat",
      },
      { outcome: "disable", failure: "unauthorized" },
    ],
    [
      400,
      { ok: false, error_code: 400, description: "Bad Request: can't parse entities" },
      { outcome: "drop", failure: "rejected", error: "HTTP status 400: Bad Request: can't parse entities" },
    ],
    [
      401,
      { ok: false, error_code: 401, description: "Unauthorized" },
      { outcome: "disable", failure: "unauthorized" },
    ],
    [
      403,
      { ok: false, error_code: 403, description: "Forbidden: bot was kicked from the group chat" },
      { outcome: "disable", failure: "unauthorized" },
    ],
    [404, { ok: false, error_code: 404, description: "Not Found" }, { outcome: "disable", failure: "gone" }],
    [
      429,
      {
        ok: false,
        error_code: 429,
        description: "Too Many Requests: retry after 35",
        parameters: { retry_after: 35 },
      },
      { outcome: "retry", failure: "rate_limited", retryAfterMs: 35_000 },
    ],
    [500, { ok: false, error_code: 500, description: "Internal Server Error" }, { outcome: "retry" }],
    [502, "<html>Bad Gateway</html>", { outcome: "retry", failure: "status", error: "HTTP status 502" }],
  ])("classifies the response %i %j by its meaning", (status, body, expected) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    expect(telegram.classifyResponse({ status, headers: new Headers(), body: text })).toMatchObject(expected);
  });
});

describe("the server of Telegram", () => {
  /** Requests, with forms parsed as a server parses them. */
  const received: { method: string; fields: Record<string, unknown> }[] = [];
  let respond: (method: string) => Response = () => Response.json({ ok: true, result: {} });
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const method = new URL(request.url).pathname.replace(`/bot${token}/`, "");
      const isForm = request.headers.get("content-type")!.startsWith("multipart/form-data");
      const fields = isForm
        ? Object.fromEntries(await request.formData())
        : ((await request.json()) as Record<string, unknown>);
      received.push({ method, fields });
      return respond(method);
    },
  });
  afterAll(() => server.stop(true));

  async function send(notice: Notice): Promise<AttemptResult | NotAttempted> {
    received.length = 0;
    const channel = openNoticeChannel(telegram, { screenshotOf: () => Promise.resolve(screenshot) });
    const found = channel.validate({ ...target, url: `http://127.0.0.1:${server.port}` });
    const result = await channel.send(found, messageOf(notice));
    channel.close?.();
    return result;
  }

  test("receives the screenshot with the text as its caption, in one message", async () => {
    const notice = {
      ...hostileNotice,
      threat: sampleNotices.threat.threat,
      links: sampleNotices.threat.links,
    };
    expect(await send(notice)).toMatchObject({ failure: null, statusCode: 200 });
    expect(received).toHaveLength(1);
    const { method, fields } = received[0]!;
    expect(method).toBe("sendPhoto");
    expect(Object.keys(fields).toSorted()).toEqual([
      "caption",
      "chat_id",
      "disable_notification",
      "parse_mode",
      "photo",
      "reply_markup",
    ]);
    expectHtml(String(fields["caption"]));
    expect(parsed(String(fields["caption"])).length).toBeLessThanOrEqual(1_024);
    expect(JSON.parse(String(fields["reply_markup"]))).toMatchObject({
      inline_keyboard: [[{ url: notice.links[0]!.url }]],
    });
    const photo = fields["photo"];
    if (!(photo instanceof File)) throw new Error("the photo is no file");
    expect(photo).toMatchObject({ name: "screenshot.jpg", type: "image/jpeg" });
    expect(await photo.bytes()).toEqual(screenshot.bytes);
  });

  test("receives the text alone if it rejects the image", async () => {
    respond = (method) =>
      method === "sendPhoto"
        ? Response.json({ ok: false, description: "Bad Request: PHOTO_INVALID_DIMENSIONS" }, { status: 400 })
        : Response.json({ ok: true, result: {} });
    expect(await send(sampleNotices.threat)).toMatchObject({ failure: null, statusCode: 200 });
    expect(received.map(({ method }) => method)).toEqual(["sendPhoto", "sendMessage"]);
  });

  test("that asks for a pause gets it, and what it repeats of the token is not kept", async () => {
    respond = () =>
      Response.json(
        { ok: false, description: `Too Many Requests: ${token}`, parameters: { retry_after: 7 } },
        { status: 429 },
      );
    const result = await send(sampleNotices.test);
    expect(result).toMatchObject({ failure: "rate_limited", consequence: "retry", retryAfterMs: 7_000 });
    expect(JSON.stringify(result)).not.toContain("secret");
  });
});
