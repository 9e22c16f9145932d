import { describe, expect, test } from "bun:test";
import { teams } from "../../../../src/messaging/channels/teams/teams.ts";
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

const url =
  "https://default5c07.61.environment.api.powerplatform.com:443/powerautomate/automations/direct/workflows/3f29/triggers/manual/paths/invoke?api-version=1&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=abc";
const target = { ...emptyTarget, url };

const element = (type: string, required: string[], properties: object) => ({
  type: "object",
  required: ["type", ...required],
  additionalProperties: false,
  properties: { type: { const: type }, ...properties },
});

const openUrl = element("Action.OpenUrl", ["url"], {
  title: { type: "string", minLength: 1 },
  url: { type: "string", pattern: "^https?://" },
});

const run = element("TextRun", ["text"], {
  text: { type: "string" },
  weight: { enum: ["Lighter", "Default", "Bolder"] },
  size: { enum: ["Small", "Default", "Medium", "Large", "ExtraLarge"] },
  color: { enum: ["Default", "Dark", "Light", "Accent", "Good", "Warning", "Attention"] },
  selectAction: openUrl,
});

/** The message of a flow with a card (learn.microsoft.com, "Create Incoming Webhooks"; adaptivecards.io, schema 1.4). */
const schema = {
  type: "object",
  required: ["type", "attachments"],
  additionalProperties: false,
  properties: {
    type: { const: "message" },
    attachments: {
      type: "array",
      minItems: 1,
      maxItems: 1,
      items: {
        type: "object",
        required: ["contentType", "content"],
        additionalProperties: false,
        properties: {
          contentType: { const: "application/vnd.microsoft.card.adaptive" },
          contentUrl: { const: null },
          content: {
            type: "object",
            required: ["type", "version", "body"],
            additionalProperties: false,
            properties: {
              $schema: { const: "http://adaptivecards.io/schemas/adaptive-card.json" },
              type: { const: "AdaptiveCard" },
              version: { const: "1.4" },
              fallbackText: { type: "string" },
              body: {
                type: "array",
                items: element("RichTextBlock", ["inlines"], {
                  inlines: { type: "array", minItems: 1, items: run },
                }),
              },
              // Teams shows at most 6 buttons.
              actions: { type: "array", maxItems: 6, items: openUrl },
              msteams: { const: { width: "Full" } },
            },
          },
        },
      },
    },
  },
};

describe("messages to Teams", () => {
  test.each(Object.values(sampleNotices))("of the kind $kind have the documented format", (notice) => {
    const { payload, url: sentTo } = jsonRequest(teams, target, notice);
    expect(schemaProblems(schema, payload)).toEqual([]);
    expect(sentTo).toBe(url);
    expect(payload).toMatchSnapshot();
  });

  test("keep the limit in either encoding and contain no Markdown element, whatever an attacker wrote", () => {
    const { payload, body } = jsonRequest(teams, target, hostileNotice);
    expect(schemaProblems(schema, payload)).toEqual([]);
    expect(body.length * 2).toBeLessThanOrEqual(28_000);
    expect(body.isWellFormed()).toBe(true);
    for (const text of textsIn(payload)) expect(text).not.toMatch(hiddenCharacters);
  });
});

test.each([
  [url, undefined],
  [
    "https://prod-186.westus.logic.azure.com:443/workflows/3f/triggers/manual/paths/invoke?api-version=2016-06-01&sig=a",
    undefined,
  ],
  ["https://proxy.example/teams", undefined],
  [url.replace("&sig=abc", ""), 'has no "sig"'],
  ["https://acme.webhook.office.com/webhookb2/1@2/IncomingWebhook/3/4", "which Microsoft has retired"],
  ["https://outlook.office.com/webhook/1@2/IncomingWebhook/3/4", "which Microsoft has retired"],
])("the address %s is accepted for Teams, or rejected with the right one", (text, error) => {
  const validate = () => teams.validate({ ...emptyTarget, url: text });
  if (error === undefined) expect(validate().url).toBe(text);
  else expect(validate).toThrow(error);
});

const flowError = (code: string) => ({ error: { code, message: "Something." } });

test.each<[number, unknown, object]>([
  [202, "", { outcome: "delivered" }],
  [200, "1", { outcome: "delivered" }],
  [200, { status: "posted" }, { outcome: "delivered" }],
  [
    200,
    "Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429 with ContextId tcid=1",
    { outcome: "retry", failure: "rate_limited", error: "HTTP status 200, but Teams responded with 429" },
  ],
  [
    200,
    "Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 413 with ContextId tcid=1",
    { outcome: "drop", failure: "rejected" },
  ],
  [200, "<html>Sign in</html>", { outcome: "retry", failure: "unexpected" }],
  [
    400,
    flowError("TriggerInputSchemaMismatch"),
    { outcome: "drop", failure: "rejected", error: "HTTP status 400: Something." },
  ],
  [400, flowError("WorkflowTriggerIsNotEnabled"), { outcome: "disable", failure: "gone" }],
  [401, flowError("DirectApiAuthorizationRequired"), { outcome: "disable", failure: "unauthorized" }],
  [404, flowError("WorkflowNotFound"), { outcome: "disable", failure: "gone" }],
  [202, flowError("WorkflowNotFound"), { outcome: "disable", failure: "gone" }],
  [429, "", { outcome: "retry", failure: "rate_limited" }],
  [502, flowError("NoResponse"), { outcome: "retry", failure: "status" }],
])("Teams' response %i %j is classified by its meaning", (status, body, expected) => {
  expect(teams.classifyResponse(responseOf(status, body))).toMatchObject(expected);
});
