import { describe, expect, test } from "bun:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { pagerduty } from "../../../../src/messaging/channels/pagerduty/pagerduty.ts";
import type { Notice } from "../../../../src/messaging/content/notice.ts";
import { emptyTarget, hostileNotice, sampleNotices } from "../../../support/notices.ts";

// Format: developer.pagerduty.com/docs, Events API v2, "Send an Alert Event" and "PD-CEF".
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
addFormats.default(ajv);
const key = { type: "string", pattern: "^[A-Za-z0-9]{32}$" };
const dedupKey = { type: "string", minLength: 1, maxLength: 255 };
const isEvent = ajv.compile({
  oneOf: [
    {
      type: "object",
      required: ["routing_key", "event_action", "payload"],
      additionalProperties: false,
      properties: {
        routing_key: key,
        event_action: { const: "trigger" },
        dedup_key: dedupKey,
        client: { type: "string" },
        client_url: { type: "string", format: "uri" },
        links: {
          type: "array",
          items: {
            type: "object",
            required: ["href"],
            additionalProperties: false,
            properties: { href: { type: "string", format: "uri" }, text: { type: "string" } },
          },
        },
        payload: {
          type: "object",
          required: ["summary", "source", "severity"],
          additionalProperties: false,
          properties: {
            summary: { type: "string", minLength: 1, maxLength: 1_024 },
            source: { type: "string", minLength: 1 },
            severity: { enum: ["critical", "error", "warning", "info"] },
            timestamp: { type: "string", format: "date-time" },
            component: { type: "string" },
            group: { type: "string" },
            class: { type: "string" },
            custom_details: { type: "object" },
          },
        },
      },
    },
    {
      type: "object",
      required: ["routing_key", "event_action", "dedup_key"],
      additionalProperties: false,
      properties: {
        routing_key: key,
        event_action: { enum: ["acknowledge", "resolve"] },
        dedup_key: dedupKey,
      },
    },
  ],
});

const routingKey = "R0123456789abcdefABCDEF012345678";
const target = { ...emptyTarget, url: "https://events.pagerduty.com", routingKey };

interface Event {
  event_action: string;
  dedup_key: string;
  payload: { summary: string; severity: string; custom_details: Record<string, string | string[]> };
}

function eventsFor(notice: Notice): Event[] {
  return [...pagerduty.requests(target, notice, { screenshot: null })].map(({ body, method, url }) => {
    expect([method, url]).toEqual(["POST", "https://events.pagerduty.com/v2/enqueue"]);
    expect(Buffer.byteLength(body)).toBeLessThan(512_000);
    const event = JSON.parse(String(body)) as Event;
    expect(isEvent(event) || isEvent.errors).toBe(true);
    return event;
  });
}

describe("an event for PagerDuty", () => {
  test.each(Object.values(sampleNotices))("about $kind follows the documented format", (notice) => {
    expect(eventsFor(notice)).toMatchSnapshot();
  });

  test("of hostile and long texts keeps to the limits", () => {
    const [event] = eventsFor({ ...hostileNotice, condition: { key: "k".repeat(300), phase: "began" } });
    expect(event!.dedup_key).toHaveLength(255);
    expect(event!.payload.custom_details["Summary"]!.length).toBeLessThanOrEqual(1_000);
  });

  test("about several events contains each of them, although their facts have the same label", () => {
    const facts = ["a", "b"].map((value) => ({ label: "Event", value }));
    const [event] = eventsFor({ ...sampleNotices.digest, facts: [...facts, { label: "New", value: "c" }] });
    expect(event!.payload.custom_details).toMatchObject({ Event: ["a", "b"], New: "c" });
  });

  test("opens and resolves the alert of a threat with the threat's ID", () => {
    const { threat } = sampleNotices;
    const { id } = threat.threat!;
    expect(eventsFor(threat)).toMatchObject([{ event_action: "trigger", dedup_key: id }]);
    for (const status of ["resolved", "false_positive"] as const)
      expect(eventsFor({ ...threat, id: "evt_2", threat: { id, status } })).toMatchObject([
        { event_action: "resolve", dedup_key: id },
      ]);
  });

  test("opens and resolves the alert of a condition with its key", () => {
    const { system } = sampleNotices;
    const { key: condition } = system.condition!;
    expect(eventsFor(system)).toMatchObject([
      { event_action: "trigger", dedup_key: condition, payload: { severity: "error" } },
    ]);
    const ended = {
      ...system,
      tone: "good" as const,
      condition: { key: condition, phase: "ended" as const },
    };
    expect(eventsFor(ended)).toMatchObject([{ event_action: "resolve", dedup_key: condition }]);
  });

  test("opens another alert for each other message, and one for a test is resolved at once", () => {
    const { digest, test: trial } = sampleNotices;
    expect(eventsFor({ ...digest, id: "evt_3" })).toMatchObject([
      { event_action: "trigger", dedup_key: "evt_3" },
    ]);
    expect(eventsFor(trial)).toMatchObject([
      { event_action: "trigger", dedup_key: trial.id, payload: { severity: "info" } },
      { event_action: "resolve", dedup_key: trial.id },
    ]);
  });

  test.each([
    ["high", "critical"],
    ["medium", "warning"],
    ["low", "info"],
    ["good", "info"],
    ["neutral", "info"],
  ] as const)("of tone %s has the severity %s", (tone, severity) => {
    expect(eventsFor({ ...sampleNotices.threats, tone })[0]!.payload.severity).toBe(severity);
  });
});

describe("a channel of PagerDuty", () => {
  test("uses the US region unless another one is given", () => {
    expect(pagerduty.validate({ ...target, url: null }).url).toBe("https://events.pagerduty.com");
    const url = "https://events.eu.pagerduty.com";
    const europe = pagerduty.validate({ ...target, url: `${url}/` });
    const [request] = pagerduty.requests(europe, sampleNotices.test, { screenshot: null });
    expect(request!.url).toBe(`${url}/v2/enqueue`);
  });

  test.each(["u+secretSECRETsecret", `${routingKey}0`, ""])(
    "with the routing key %p is rejected without showing it",
    (wrong) => {
      const validate = () => pagerduty.validate({ ...target, routingKey: wrong });
      expect(validate).toThrow("routing_key must be the 32 letters and digits of an integration key");
      expect(validate).not.toThrow("secret");
    },
  );

  test.each([
    [202, `{"status":"success","message":"Event processed","dedup_key":"x"}`, { outcome: "delivered" }],
    [200, "<html>Sign in to the network</html>", { outcome: "retry", failure: "unexpected" }],
    [
      400,
      `{"status":"invalid event","message":"Event object is invalid","errors":["Length of 'routing_key' is incorrect (should be 32 characters)"]}`,
      {
        outcome: "disable",
        failure: "routing_key",
        error: "HTTP status 400: Length of 'routing_key' is incorrect (should be 32 characters)",
      },
    ],
    [400, `{"status":"Bad Request","message":"Invalid routing key"}`, { outcome: "disable" }],
    [
      400,
      `{"status":"invalid event","message":"Event object is invalid","errors":["'summary' is missing","'source' is missing"]}`,
      {
        outcome: "drop",
        failure: "rejected",
        error: "HTTP status 400: 'summary' is missing; 'source' is missing",
      },
    ],
    [
      429,
      `{"status":"throttle exceeded","message":"Requests for this service are arriving too quickly."}`,
      { outcome: "retry", failure: "rate_limited", retryAfterMs: 60_000 },
    ],
    [500, "", { outcome: "retry", failure: "status", error: "HTTP status 500" }],
  ])("classifies the response %i %s by its meaning", (status, body, expected) => {
    expect(pagerduty.classifyResponse({ status, headers: new Headers(), body })).toMatchObject(expected);
  });
});
