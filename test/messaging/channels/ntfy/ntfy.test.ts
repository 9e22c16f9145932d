import { afterAll, describe, expect, test } from "bun:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { ntfy } from "../../../../src/messaging/channels/ntfy/ntfy.ts";
import {
  emptyTarget,
  hostileNotice,
  messageOf,
  openNoticeChannel,
  sampleNotices,
} from "../../../support/notices.ts";
import { startNtfyReceiver, type NtfyMessage } from "../../../support/ntfy-receiver.ts";

// Format: docs.ntfy.sh/publish, "Publish as JSON", "Action buttons" and "Limitations".
const isPublishable = new Ajv2020({ strict: true }).compile({
  type: "object",
  required: ["topic"],
  additionalProperties: false,
  properties: {
    topic: { type: "string", pattern: "^[-_A-Za-z0-9]{1,64}$" },
    title: { type: "string" },
    message: { type: "string", minLength: 1 },
    tags: { type: "array", items: { type: "string", pattern: "^[^,]+$" } },
    priority: { type: "integer", minimum: 1, maximum: 5 },
    click: { type: "string", pattern: "^https?://" },
    markdown: { type: "boolean" },
    actions: {
      type: "array",
      maxItems: 3,
      items: {
        type: "object",
        required: ["action", "label", "url"],
        additionalProperties: false,
        properties: {
          action: { const: "view" },
          label: { type: "string", minLength: 1 },
          url: { type: "string", pattern: "^https?://" },
        },
      },
    },
  },
});

const target = { ...emptyTarget, url: "https://ntfy.example", topic: "phish", token: "tk_secret" };
const screenshot = { mediaType: "image/jpeg" as const, bytes: new Uint8Array([0xff, 0xd8, 0xff]) };

describe("a message to ntfy", () => {
  test.each(Object.values(sampleNotices))("about $kind follows the documented format", (notice) => {
    const [request, ...more] = ntfy.requests(target, notice, { screenshot: null });
    expect(more).toEqual([]);
    expect(request).toMatchObject({ method: "POST", url: "https://ntfy.example/" });
    expect(request!.headers["Authorization"]).toBe("Bearer tk_secret");
    const message: unknown = JSON.parse(String(request!.body));
    expect(isPublishable(message) || isPublishable.errors).toBe(true);
    expect(message).toMatchSnapshot();
  });

  test("is never longer than what becomes an attachment or is rejected, whatever it says", () => {
    const quotes = { ...hostileNotice, summary: '"\\'.repeat(5_000), facts: [], items: [] };
    for (const notice of [hostileNotice, quotes, { ...quotes, summary: "\u{1f600}".repeat(5_000) }]) {
      const body = Buffer.from(ntfy.requests(target, notice, { screenshot: null })[0]!.body);
      expect(body.length).toBeLessThanOrEqual(8_192);
      const message = JSON.parse(body.toString()) as NtfyMessage;
      expect(isPublishable(message) || isPublishable.errors).toBe(true);
      expect(Buffer.byteLength(message.message)).toBeLessThanOrEqual(4_096);
      expect(Buffer.byteLength(message.message)).toBeGreaterThan(3_000);
      expect(message.message.isWellFormed()).toBe(true);
      expect(message.message).toEndWith("…");
    }
  });

  test("that has only a title shows it, and is not shown as triggered", () => {
    const notice = { ...sampleNotices.test, summary: "" };
    const body = JSON.parse(String(ntfy.requests(target, notice, { screenshot: null })[0]!.body)) as unknown;
    expect(body).toMatchObject({ message: notice.title });
    expect(body).not.toHaveProperty("title");
  });
});

describe("a channel of ntfy", () => {
  test("uses the public server unless another one is given", () => {
    expect(ntfy.validate({ ...emptyTarget, topic: "phish" }).url).toBe("https://ntfy.sh");
    expect(ntfy.validate({ ...target, url: "https://ntfy.example/" }).url).toBe("https://ntfy.example");
  });

  test.each([
    ["a space in the topic", { topic: "a b" }, "topic must be 1 to 64 ASCII letters, digits, _ and -"],
    ["a path in the topic", { topic: "../admin" }, "topic must be"],
    ["a long topic", { topic: "x".repeat(65) }, "topic must be"],
    ["the topic in the URL", { url: "https://ntfy.example/phish" }, "the address of the server only"],
    ["a query", { url: "https://ntfy.example/?auth=secret" }, "the topic is a key of its own"],
  ])("with %s is rejected with what to change", (_what, change, error) => {
    expect(() => ntfy.validate({ ...target, ...change })).toThrow(error);
  });

  test.each([
    [200, `{"id":"x","event":"message"}`, { outcome: "delivered" }],
    [200, "<html>Sign in to the network</html>", { outcome: "retry", failure: "unexpected" }],
    [400, `{"code":40009,"http":400,"error":"topic invalid"}`, { outcome: "disable", failure: "topic" }],
    [400, `{"code":40017,"http":400,"error":"not JSON"}`, { outcome: "drop", failure: "rejected" }],
    [
      401,
      `{"code":40101,"http":401,"error":"unauthorized"}`,
      { outcome: "disable", error: "HTTP status 401: unauthorized" },
    ],
    [403, `{"code":40301,"http":403,"error":"forbidden"}`, { outcome: "disable", failure: "unauthorized" }],
    [404, "<html>", { outcome: "disable", failure: "gone", error: "HTTP status 404" }],
    [413, `{"code":41303,"http":413,"error":"JSON body too large"}`, { outcome: "drop" }],
    [
      429,
      `{"code":42901,"http":429,"error":"too many requests"}`,
      { outcome: "retry", failure: "rate_limited" },
    ],
    [
      429,
      `{"code":42908,"http":429,"error":"daily message quota reached"}`,
      { outcome: "retry", failure: "quota", retryAfterMs: 3_600_000 },
    ],
    [507, `{"code":50701,"http":507,"error":"no subscriber"}`, { outcome: "retry", failure: "status" }],
    [500, "null", { outcome: "retry" }],
  ])("classifies the response %i %s by its code", (status, body, expected) => {
    expect(ntfy.classifyResponse({ status, headers: new Headers(), body })).toMatchObject(expected);
  });
});

describe("an ntfy server", () => {
  const receiver = startNtfyReceiver({ attachments: true, token: "tk_secret" });
  const bare = startNtfyReceiver({ requestsMax: 2 });
  afterAll(() => Promise.all([receiver.stop(), bare.stop()]));
  const screenshotOf = () => Promise.resolve(screenshot);

  test("shows the message and then, silently, the screenshot", async () => {
    const channel = openNoticeChannel(ntfy, { screenshotOf });
    const found = channel.validate({ ...target, url: receiver.url });
    const result = await channel.send(found, messageOf(sampleNotices.threat));
    expect(result).toMatchObject({ failure: null, statusCode: 200 });
    channel.close?.();

    const response = await fetch(`${receiver.url}/phish/json?poll=1`, {
      headers: { Authorization: "Bearer tk_secret" },
    });
    const lines = (await response.text()).trim().split("\n");
    const { title, links } = sampleNotices.threat;
    expect(lines.map((line) => JSON.parse(line) as NtfyMessage)).toMatchObject([
      { topic: "phish", title, priority: 4, click: links[0]!.url },
      { title, priority: 2, attachment: { name: "screenshot.jpg", type: "image/jpeg", size: 3 } },
    ]);
  });

  test("that accepts no files shows the message alone, and says when it receives too many", async () => {
    const channel = openNoticeChannel(ntfy, { screenshotOf });
    const send = () => channel.send({ ...target, url: bare.url }, messageOf(sampleNotices.threat));
    expect(await send()).toMatchObject({ failure: null });
    expect(bare.messages).toHaveLength(1);
    expect(await send()).toMatchObject({
      failure: "rate_limited",
      consequence: "retry",
      error: "HTTP status 429: limit reached: too many requests",
    });
    bare.refill();
    expect(await send()).toMatchObject({ failure: null });
    channel.close?.();
  });

  test("that rejects the token disables the channel, and the token is not kept", async () => {
    const channel = openNoticeChannel(ntfy);
    const wrong = { ...target, url: receiver.url, token: "tk_revoked123" };
    const result = await channel.send(wrong, messageOf(sampleNotices.test));
    expect(result).toMatchObject({ failure: "unauthorized", consequence: "disable" });
    expect(JSON.stringify(result)).not.toContain("tk_revoked");
    channel.close?.();
  });
});
