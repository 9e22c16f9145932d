import { describe, expect, test } from "bun:test";
import { slack } from "../../../../src/messaging/channels/slack/slack.ts";
import { schemaProblems } from "../../../support/json-schema.ts";
import {
  emptyTarget,
  hiddenCharacters,
  hostileNotice,
  jsonRequest,
  messageOf,
  openNoticeChannel,
  responseOf,
  sampleNotices,
  textsIn,
} from "../../../support/notices.ts";
import { startReceiver } from "../../../support/receiver.ts";

const target = {
  ...emptyTarget,
  url: "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXX",
};

/** Text object (docs.slack.dev/reference/block-kit/composition-objects/text-object). */
const textOf = (maxLength: number, types = ["plain_text", "mrkdwn"]) => ({
  type: "object",
  required: ["type", "text"],
  additionalProperties: false,
  properties: {
    type: { enum: types },
    text: { type: "string", minLength: 1, maxLength },
    emoji: { type: "boolean" },
    verbatim: { type: "boolean" },
  },
});

const block = (type: string, required: string[], properties: object) => ({
  type: "object",
  required: ["type", ...required],
  additionalProperties: false,
  properties: { type: { const: type }, ...properties },
});

/** The documented message with the limits of blocks (docs.slack.dev/reference/block-kit/blocks). */
const schema = {
  type: "object",
  required: ["text", "blocks"],
  additionalProperties: false,
  properties: {
    text: { type: "string", minLength: 1, maxLength: 4_000 },
    unfurl_links: { const: false },
    unfurl_media: { const: false },
    blocks: {
      type: "array",
      maxItems: 50,
      items: {
        anyOf: [
          block("header", ["text"], { text: textOf(150, ["plain_text"]) }),
          block("section", [], {
            text: textOf(3_000),
            fields: { type: "array", minItems: 1, maxItems: 10, items: textOf(2_000) },
          }),
          block("context", ["elements"], {
            elements: { type: "array", minItems: 1, maxItems: 10, items: textOf(2_000) },
          }),
        ],
      },
    },
  },
};

describe("messages to Slack", () => {
  test.each(Object.values(sampleNotices))("of the kind $kind have the documented format", (notice) => {
    const { payload, ...request } = jsonRequest(slack, target, notice);
    expect(schemaProblems(schema, payload)).toEqual([]);
    expect(request.url).toBe(target.url);
    expect(payload).toMatchSnapshot();
  });

  test("keep all limits and contain no markup, mention or preview, whatever an attacker wrote", () => {
    const { payload, body } = jsonRequest(slack, target, hostileNotice);
    expect(schemaProblems(schema, payload)).toEqual([]);
    expect(body.length).toBeLessThan(13_200);
    expect(body.isWellFormed()).toBe(true);
    expect(payload).toMatchObject({ unfurl_links: false, unfurl_media: false });
    // Only the links to the console remain between angle brackets.
    const links = textsIn(payload).flatMap((one) => one.match(/<[^>]*>?/g) ?? []);
    expect(links.filter((link) => !link.startsWith("<https://watch.example/console/threats"))).toEqual([]);
    for (const one of textsIn(payload)) expect(one).not.toMatch(hiddenCharacters);
  });
});

test.each([
  ["https://hooks.slack.com/services/T0/B0/x", undefined],
  ["https://hooks.slack-gov.com/services/T0/B0/x", undefined],
  ["https://proxy.example/slack", undefined],
  ["https://hooks.slack.com/workflows/T0/A0/1/x", "starts a Slack workflow"],
  ["https://hooks.slack.com/triggers/T0/1/x", "starts a Slack workflow"],
  ["https://hooks.slack.com/services/T0", "is not one of an incoming webhook"],
  ["https://acme.slack.com/archives/C0", "is not one of an incoming webhook"],
])("the address %s is accepted for Slack, or rejected with the right one", (url, error) => {
  const validate = () => slack.validate({ ...emptyTarget, url });
  if (error === undefined) expect(validate().url).toBe(url);
  else expect(validate).toThrow(error);
});

test.each([
  [200, "ok", "delivered", undefined],
  [200, '{"ok":true}', "delivered", undefined],
  [200, "no_service", "disable", "gone"],
  [200, '{"ok":false,"error":"invalid_blocks"}', "drop", "rejected"],
  [200, "<!DOCTYPE html><p>Sign in</p>", "retry", "unexpected"],
  [200, "", "retry", "unexpected"],
  [400, "invalid_payload", "drop", "rejected"],
  [400, "no_team", "disable", "gone"],
  [403, "action_prohibited", "disable", "unauthorized"],
  [403, "invalid_token", "disable", "unauthorized"],
  [404, "channel_not_found", "disable", "gone"],
  [410, "channel_is_archived", "disable", "gone"],
  [429, "rate_limited", "retry", "rate_limited"],
  [429, "", "retry", "rate_limited"],
  [500, "rollup_error", "retry", "status"],
  [503, "", "retry", "status"],
])("Slack's response %i %p is classified as %s", (status, body, outcome, failure) => {
  expect(slack.classifyResponse(responseOf(status, body))).toMatchObject(
    failure === undefined ? { outcome } : { outcome, failure },
  );
});

test("a message reaches a server in Slack's format, and an error in a response with the status 200 is one", async () => {
  const receiver = startReceiver((_request, count) => new Response(count === 1 ? "ok" : "invalid_blocks"));
  try {
    const channel = openNoticeChannel(slack);
    const local = channel.validate({ ...emptyTarget, url: receiver.url });
    const first = await channel.send(local, messageOf(sampleNotices.threat));
    expect(first).toMatchObject({ failure: null, statusCode: 200, response: "ok" });
    expect(JSON.parse(receiver.received[0]!.body)).toEqual(
      jsonRequest(slack, local, sampleNotices.threat).payload,
    );
    expect(receiver.received[0]!.headers["content-type"]).toBe("application/json; charset=utf-8");
    const second = await channel.send(local, messageOf(sampleNotices.threat));
    expect(second).toMatchObject({
      failure: "rejected",
      consequence: "drop",
      error: "HTTP status 200: invalid_blocks",
      response: "invalid_blocks",
    });
    channel.close?.();
  } finally {
    await receiver.stop();
  }
});
