import { describe, expect, test } from "bun:test";
import { discord } from "../../../../src/messaging/channels/discord/discord.ts";
import { schemaProblems } from "../../../support/json-schema.ts";
import {
  emptyTarget,
  hiddenCharacters,
  hostileNotice,
  jsonRequest,
  messageOf,
  openNoticeChannel,
  privateNotice,
  responseOf,
  sampleNotices,
  textsIn,
} from "../../../support/notices.ts";

const target = {
  ...emptyTarget,
  url: "https://discord.com/api/webhooks/123456789012345678/TOKEN-_abc?thread_id=7",
};

/** The documented message with the limits of embeds (discord.com/developers/docs/resources/webhook and /message). */
const schema = {
  type: "object",
  required: ["embeds", "allowed_mentions"],
  additionalProperties: false,
  properties: {
    allowed_mentions: { const: { parse: [] } },
    attachments: {
      type: "array",
      items: {
        type: "object",
        required: ["id", "filename"],
        additionalProperties: false,
        properties: { id: { type: "integer" }, filename: { type: "string" } },
      },
    },
    embeds: {
      type: "array",
      maxItems: 10,
      items: {
        type: "object",
        required: ["title"],
        additionalProperties: false,
        properties: {
          title: { type: "string", minLength: 1, maxLength: 256 },
          description: { type: "string", minLength: 1, maxLength: 4_096 },
          url: { type: "string", pattern: "^https?://" },
          timestamp: { type: "string", pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$" },
          color: { type: "integer", minimum: 0, maximum: 0xffffff },
          image: { const: { url: "attachment://screenshot.jpg" } },
          fields: {
            type: "array",
            maxItems: 25,
            items: {
              type: "object",
              required: ["name", "value"],
              additionalProperties: false,
              properties: {
                name: { type: "string", minLength: 1, maxLength: 256 },
                value: { type: "string", minLength: 1, maxLength: 1_024 },
                inline: { type: "boolean" },
              },
            },
          },
        },
      },
    },
  },
};

describe("messages to Discord", () => {
  test.each(Object.values(sampleNotices))("of the kind $kind have the documented format", (notice) => {
    const { payload, url } = jsonRequest(discord, target, notice);
    expect(schemaProblems(schema, payload)).toEqual([]);
    expect(url).toBe(
      "https://discord.com/api/v10/webhooks/123456789012345678/TOKEN-_abc?thread_id=7&wait=true",
    );
    expect(payload).toMatchSnapshot();
  });

  test("keep all limits and contain no formatting, mention or link, whatever an attacker wrote", () => {
    const { payload, body } = jsonRequest(discord, target, hostileNotice);
    expect(schemaProblems(schema, payload)).toEqual([]);
    expect(body.isWellFormed()).toBe(true);
    const { embeds } = payload as { embeds: { title: string; description: string; fields: object[] }[] };
    const { title, description, fields } = embeds[0]!;
    expect(textsIn([title, description, fields]).join("").length).toBeLessThanOrEqual(6_000);
    for (const text of textsIn([title, description, fields])) {
      const plain = text.replaceAll(/\]\(https:\/\/watch\.example\/console\/threats[^\s()]*\)/g, "");
      expect(text).not.toMatch(hiddenCharacters);
      expect(plain).not.toMatch(/@\w|https?:\/\/|\bwww\.|(?<!\\)\]\(|(?<!\\)[`~|<>!#]/);
    }
  });

  test("show an address without a public name, which Discord does not accept as a link, as text", () => {
    const { payload } = jsonRequest(discord, target, privateNotice);
    const { embeds } = payload as { embeds: { description: string; url?: string }[] };
    expect(embeds[0]!.url).toBeUndefined();
    expect(embeds[0]!.description).toEndWith("Open the threats: http://phishwatch:8080/console/threats");
    expect(embeds[0]!.description).not.toContain("](");
  });

  test("upload the screenshot in a form that a server can parse", async () => {
    const image = Buffer.from([0xff, 0xd8, 0x0d, 0x0a, 0x2d, 0x2d, 0x00]);
    const forms: FormData[] = [];
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      async fetch(request) {
        forms.push(await request.formData());
        return Response.json({ id: "1" });
      },
    });
    try {
      const screenshotOf = () => Promise.resolve({ mediaType: "image/jpeg" as const, bytes: image });
      const channel = openNoticeChannel(discord, { screenshotOf });
      const local = { ...emptyTarget, url: `${server.url.href}api/webhooks/1/x` };
      expect(await channel.send(local, messageOf(sampleNotices.threat))).toMatchObject({ failure: null });
      channel.close?.();
      const file = forms[0]!.get("files[0]") as File;
      expect([file.name, file.type, Buffer.from(await file.arrayBuffer())]).toEqual([
        "screenshot.jpg",
        "image/jpeg",
        image,
      ]);
      const payload: unknown = JSON.parse(forms[0]!.get("payload_json") as string);
      expect(schemaProblems(schema, payload)).toEqual([]);
      expect(payload).toMatchObject({
        embeds: [{ image: { url: "attachment://screenshot.jpg" } }],
        attachments: [{ id: 0, filename: "screenshot.jpg" }],
      });
    } finally {
      await server.stop(true);
    }
  });
});

test.each([
  ["https://discord.com/api/webhooks/1/x", undefined],
  ["https://discordapp.com/api/v9/webhooks/1/x", undefined],
  ["https://ptb.discord.com/api/webhooks/1/x", undefined],
  ["https://proxy.example/discord", undefined],
  ["https://discord.com/api/webhooks/1/x/slack", "without /slack at its end"],
  ["https://discord.com/channels/1/2", "is not one of a Discord webhook"],
])("the address %s is accepted for Discord, or rejected with the right one", (url, error) => {
  const validate = () => discord.validate({ ...emptyTarget, url });
  if (error === undefined) expect(validate().url).toBe(url);
  else expect(validate).toThrow(error);
});

test.each<[number, unknown, object]>([
  [200, { id: "1", type: 0 }, { outcome: "delivered" }],
  [204, "", { outcome: "delivered" }],
  [200, "<html>Sign in</html>", { outcome: "retry", failure: "unexpected" }],
  [
    400,
    { code: 50_035, message: "Invalid Form Body" },
    { outcome: "drop", failure: "rejected", error: "HTTP status 400: Invalid Form Body" },
  ],
  [401, { code: 50_027, message: "Invalid Webhook Token" }, { outcome: "disable", failure: "unauthorized" }],
  [404, { code: 10_015, message: "Unknown Webhook" }, { outcome: "disable", failure: "gone" }],
  [400, { code: 10_003, message: "Unknown Channel" }, { outcome: "disable", failure: "gone" }],
  [
    429,
    { message: "You are being rate limited.", retry_after: 0.3 },
    { outcome: "retry", failure: "rate_limited", retryAfterMs: 300 },
  ],
  [429, { retry_after: 64.57, global: true }, { outcome: "retry", retryAfterMs: 64_570 }],
  [500, { message: "500: Internal Server Error", code: 0 }, { outcome: "retry", failure: "status" }],
])("Discord's response %i %j is classified by its meaning", (status, body, expected) => {
  expect(discord.classifyResponse(responseOf(status, body))).toMatchObject(expected);
});

test("the last message that Discord permits for now is followed by a pause until its limit is reset", () => {
  const accepted = (headers: Record<string, string>) =>
    discord.classifyResponse(responseOf(200, { id: "1" }, headers));
  const reset = { "x-ratelimit-reset-after": "1.25" };
  expect(accepted({ "x-ratelimit-remaining": "0", ...reset })).toEqual({
    outcome: "delivered",
    pauseMs: 1_250,
  });
  expect(accepted({ "x-ratelimit-remaining": "1", ...reset })).toEqual({ outcome: "delivered" });
});

test("without a pause in the body of a response with the status 429, Discord's header counts, or the general one", () => {
  const limited = (headers: Record<string, string>) =>
    discord.classifyResponse(responseOf(429, "error code: 1015", headers));
  expect(limited({ "x-ratelimit-reset-after": "1.5" })).toMatchObject({ retryAfterMs: 1_500 });
  expect(limited({ "retry-after": "5" })).not.toHaveProperty("retryAfterMs");
});
