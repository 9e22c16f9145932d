import { describe, expect, test } from "bun:test";
import { mattermost } from "../../../../src/messaging/channels/mattermost/mattermost.ts";
import { schemaProblems } from "../../../support/json-schema.ts";
import {
  emptyTarget,
  hiddenCharacters,
  hostileNotice,
  jsonRequest,
  responseOf,
  sampleNotices,
  textsIn,
} from "../../../support/notices.ts";

const target = { ...emptyTarget, url: "https://chat.example/hooks/9uxwm5qxmtyx9rq7kd7gkxxxxx" };

/** The documented message (developers.mattermost.com/integrate/webhooks/incoming and /reference/message-attachments). */
const schema = {
  type: "object",
  required: ["text"],
  additionalProperties: false,
  properties: {
    text: { type: "string", minLength: 1, maxLength: 16_383 },
    attachments: {
      type: "array",
      items: {
        type: "object",
        required: ["fallback"],
        additionalProperties: false,
        properties: {
          fallback: { type: "string", minLength: 1 },
          color: { type: "string", pattern: "^#[0-9a-f]{6}$" },
          text: { type: "string" },
          fields: {
            type: "array",
            items: {
              type: "object",
              required: ["short", "title", "value"],
              additionalProperties: false,
              properties: {
                short: { type: "boolean" },
                title: { type: "string" },
                value: { type: "string" },
              },
            },
          },
        },
      },
    },
  },
};

describe("messages to Mattermost", () => {
  test.each(Object.values(sampleNotices))("of the kind $kind have the documented format", (notice) => {
    const { payload, url } = jsonRequest(mattermost, target, notice);
    expect(schemaProblems(schema, payload)).toEqual([]);
    expect(url).toBe(target.url);
    expect(payload).toMatchSnapshot();
  });

  test("keep all limits and contain no formatting, mention or link, whatever an attacker wrote", () => {
    const { payload, body } = jsonRequest(mattermost, target, hostileNotice);
    expect(schemaProblems(schema, payload)).toEqual([]);
    expect(body.length).toBeLessThan(7_900);
    expect(body.isWellFormed()).toBe(true);
    for (const text of textsIn(payload).filter((one) => one !== "#c62828")) {
      const plain = text.replaceAll(/\]\(https:\/\/watch\.example\/console\/threats[^\s()]*\)/g, "");
      expect(text).not.toMatch(hiddenCharacters);
      expect(plain).not.toMatch(/@\w|https?:\/\/|\bwww\.|(?<!\\)\]\(|(?<!\\)[`~|<>!#]/);
    }
  });
});

const error = (id: string, code: number) => ({
  id,
  message: "Something.",
  detailed_error: "",
  status_code: code,
});

test.each<[number, unknown, string, string | undefined]>([
  [200, "ok", "delivered", undefined],
  [200, "<!DOCTYPE html><title>Mattermost</title>", "retry", "unexpected"],
  [200, error("web.incoming_webhook.invalid.app_error", 400), "disable", "gone"],
  [400, error("web.incoming_webhook.invalid.app_error", 400), "disable", "gone"],
  [400, error("web.incoming_webhook.parse.app_error", 400), "drop", "rejected"],
  [403, error("web.incoming_webhook.permissions.app_error", 403), "disable", "unauthorized"],
  [403, error("web.incoming_webhook.channel_locked.app_error", 403), "disable", "unauthorized"],
  [404, "404 page not found", "disable", "gone"],
  [413, "", "drop", "rejected"],
  [429, "limit exceeded", "retry", "rate_limited"],
  [501, error("web.incoming_webhook.disabled.app_error", 501), "disable", "unauthorized"],
  [502, "<html>Bad Gateway</html>", "retry", "status"],
])("Mattermost's response %i %j is classified as %s", (status, body, outcome, failure) => {
  expect(mattermost.classifyResponse(responseOf(status, body))).toMatchObject(
    failure === undefined ? { outcome } : { outcome, failure },
  );
});
