import { describe, expect, test } from "bun:test";
import { googleChat } from "../../../../src/messaging/channels/google-chat/google-chat.ts";
import { schemaProblems } from "../../../support/json-schema.ts";
import {
  emptyTarget,
  hostileNotice,
  jsonRequest,
  privateNotice,
  responseOf,
  sampleNotices,
  textsIn,
} from "../../../support/notices.ts";

const url = "https://chat.googleapis.com/v1/spaces/AAAA/messages?key=AIzaKEY&token=TOKEN";
const target = { ...emptyTarget, url };

const only = (required: string[], properties: object) => ({
  type: "object",
  required,
  additionalProperties: false,
  properties,
});
const text = { type: "string", minLength: 1 };

/** The documented message (developers.google.com/workspace/chat/api/reference/rest/v1/spaces.messages and /cards). */
const schema = only(["cardsV2"], {
  fallbackText: text,
  thread: only(["threadKey"], { threadKey: { type: "string", minLength: 1, maxLength: 4_000 } }),
  cardsV2: {
    type: "array",
    minItems: 1,
    items: only(["cardId", "card"], {
      cardId: text,
      card: only(["header", "sections"], {
        header: only(["title"], { title: text, subtitle: text }),
        sections: {
          type: "array",
          minItems: 1,
          items: only(["widgets"], {
            widgets: {
              type: "array",
              minItems: 1,
              maxItems: 100,
              items: {
                anyOf: [
                  only(["textParagraph"], { textParagraph: only(["text"], { text }) }),
                  only(["decoratedText"], {
                    decoratedText: only(["text"], { topLabel: text, text, wrapText: { type: "boolean" } }),
                  }),
                  only(["buttonList"], {
                    buttonList: only(["buttons"], {
                      buttons: {
                        type: "array",
                        minItems: 1,
                        items: only(["text", "onClick"], {
                          text,
                          onClick: only(["openLink"], {
                            openLink: only(["url"], { url: { type: "string", pattern: "^https?://" } }),
                          }),
                        }),
                      },
                    }),
                  }),
                ],
              },
            },
          }),
        },
      }),
    }),
  },
});

describe("messages to Google Chat", () => {
  test.each(Object.values(sampleNotices))("of the kind $kind have the documented format", (notice) => {
    const { payload, url: sentTo } = jsonRequest(googleChat, target, notice);
    expect(schemaProblems(schema, payload)).toEqual([]);
    expect(sentTo).toBe(`${url}&messageReplyOption=REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD`);
    expect(payload).toMatchSnapshot();
  });

  test("about one threat are in one thread", () => {
    const thread = (notice: typeof hostileNotice) => jsonRequest(googleChat, target, notice).payload;
    const resolved = {
      ...sampleNotices.threat,
      id: "evt_2",
      threat: { ...sampleNotices.threat.threat!, status: "resolved" as const },
    };
    const expected = { thread: { threadKey: sampleNotices.threat.threat!.id } };
    expect(thread(sampleNotices.threat)).toMatchObject(expected);
    expect(thread(resolved)).toMatchObject(expected);
    expect(thread(sampleNotices.digest)).not.toHaveProperty("thread");
  });

  test("show an address without a public name as text", () => {
    const { payload } = jsonRequest(googleChat, target, privateNotice);
    expect(schemaProblems(schema, payload)).toEqual([]);
    expect(textsIn(payload)).toContain("Open the threats: http://phishwatch:8080/console/threats");
    expect(JSON.stringify(payload)).not.toContain("openLink");
  });

  test("keep the limit and contain no markup or mention, whatever an attacker wrote", () => {
    const { payload, body } = jsonRequest(googleChat, target, hostileNotice);
    expect(schemaProblems(schema, payload)).toEqual([]);
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(32_000);
    expect(body.isWellFormed()).toBe(true);
    const { cardsV2 } = payload as { cardsV2: { card: { sections: { widgets: object[] }[] } }[] };
    const widgets = cardsV2[0]!.card.sections[0]!.widgets.filter((widget) => "textParagraph" in widget);
    const markup = textsIn(widgets).flatMap((one) => one.match(/<[^>]*>?/g) ?? []);
    expect(new Set(markup)).toEqual(
      new Set([
        "<br>",
        "</a>",
        '<a href="https://watch.example/console/threats/thr_01k9d8h6gqf3krzpr6jz3t0v5f">',
      ]),
    );
  });
});

test.each([
  [url, undefined],
  ["https://proxy.example/chat", undefined],
  ["https://chat.googleapis.com/v1/spaces/AAAA/messages?key=AIzaKEY", "is not one of a webhook"],
  ["https://chat.googleapis.com/v1/spaces/AAAA?key=AIzaKEY&token=TOKEN", "is not one of a webhook"],
])("the address %s is accepted for Google Chat, or rejected with the right one", (given, error) => {
  const validate = () => googleChat.validate({ ...emptyTarget, url: given });
  if (error === undefined) expect(validate().url).toBe(given);
  else expect(validate).toThrow(error);
});

const failed = (code: number, status: string, details: object[] = []) => ({
  error: { code, message: "Something.", status, details },
});

test.each<[number, unknown, object]>([
  [200, { name: "spaces/AAAA/messages/1.2" }, { outcome: "delivered" }],
  [
    200,
    failed(404, "NOT_FOUND"),
    { outcome: "disable", failure: "gone", error: "HTTP status 404: Something." },
  ],
  [200, "<html>Sign in</html>", { outcome: "retry", failure: "unexpected" }],
  [
    400,
    failed(400, "INVALID_ARGUMENT"),
    { outcome: "drop", failure: "rejected", error: "HTTP status 400: Something." },
  ],
  [
    400,
    failed(400, "INVALID_ARGUMENT", [{ reason: "API_KEY_INVALID" }]),
    { outcome: "disable", failure: "unauthorized" },
  ],
  [401, failed(401, "UNAUTHENTICATED"), { outcome: "disable", failure: "unauthorized" }],
  [403, failed(403, "PERMISSION_DENIED"), { outcome: "disable", failure: "unauthorized" }],
  [404, failed(404, "NOT_FOUND"), { outcome: "disable", failure: "gone" }],
  [429, failed(429, "RESOURCE_EXHAUSTED"), { outcome: "retry", failure: "rate_limited" }],
  [503, failed(503, "UNAVAILABLE"), { outcome: "retry", failure: "status" }],
])("Google Chat's response %i %j is classified by its meaning", (status, body, expected) => {
  expect(googleChat.classifyResponse(responseOf(status, body))).toMatchObject(expected);
});
