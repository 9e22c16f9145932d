import { FieldError } from "../../../platform/lib/errors.ts";
import { cut } from "../../content/cut.ts";
import type { Notice } from "../../content/notice.ts";
import { moreThreats } from "../../content/plain-text.ts";
import { classifyMeaning, jsonFields } from "../http/classify-response.ts";
import { jsonRequest } from "../http/json-request.ts";
import type {
  ChannelTarget,
  NoticeChannelType,
  NoticeRequest,
  NoticeResponse,
  ResponseOutcome,
} from "../http/notice-type.ts";
import { serverUrl } from "../http/server-url.ts";
import { aroundName, bounded } from "../texts/notice-text.ts";

/** Host of the US service region. The EU has its own: https://events.eu.pagerduty.com. */
const defaultUrl = "https://events.pagerduty.com";

/** Limits of the Events API v2 (developer.pagerduty.com/docs, "Send an Alert Event"). */
const summaryCharactersMax = 1_024;
const keyCharactersMax = 255;
/** Not documented. Keeps a request far below the limit of 512 KB. */
const detailCharactersMax = 1_000;

/** PagerDuty recommends minutes ("Response Codes & Retry Logic"). */
const pauseMs = 60_000;

const severities = {
  high: "critical",
  medium: "warning",
  low: "info",
  good: "info",
  neutral: "info",
} as const;

/** Opens and resolves alerts with the Events API v2. */
export const pagerduty: NoticeChannelType = {
  type: "pagerduty",
  label: "PagerDuty",
  // About 120 calls per minute for each integration key (developer.pagerduty.com/docs, "Events API Rate Limits").
  ratePerSecond: 2,
  usesScreenshot: false,

  validate(target) {
    if (!/^[A-Za-z0-9]{32}$/.test(target.routingKey ?? ""))
      throw new FieldError(
        "routing_key",
        "routing_key must be the 32 letters and digits of an integration key of Events API V2; a REST API key does not work",
      );
    const hint = "for the EU: https://events.eu.pagerduty.com";
    return { ...target, url: serverUrl(target.url ?? defaultUrl, { allowPath: true, hint }) };
  },

  requests(target, notice) {
    const key = keyOf(notice);
    if (isEnd(notice)) return [eventRequest(target, { event_action: "resolve", dedup_key: key })];
    const trigger = eventRequest(target, {
      event_action: "trigger",
      dedup_key: key,
      ...contentOf(bounded(notice)),
    });
    // A test leaves no incident open.
    return notice.kind === "test"
      ? [trigger, eventRequest(target, { event_action: "resolve", dedup_key: key })]
      : [trigger];
  },

  classifyResponse,
};

/** Whether the threat or the condition that opened an alert has ended. */
function isEnd({ threat, condition }: Notice): boolean {
  return condition?.phase === "ended" || (threat !== null && threat.status !== "active");
}

/** Returns the key of the alert: the same when it begins and when it ends. */
function keyOf({ id, threat, condition }: Notice): string {
  return (threat?.id ?? condition?.key ?? id).slice(0, keyCharactersMax);
}

function contentOf(notice: Notice) {
  const { at, kind, title, links } = notice;
  const [first] = links;
  return {
    client: "phishwatch",
    client_url: first?.url,
    links: links.map(({ text, url }) => ({ href: url, text })),
    payload: {
      summary: cut(title, summaryCharactersMax),
      source: URL.parse(first?.url ?? "")?.hostname ?? "phishwatch",
      severity: kind === "system" ? "error" : severities[notice.tone],
      timestamp: at,
      component: "phishwatch",
      class: kind,
      custom_details: detailsOf(notice),
    },
  };
}

function detailsOf({ summary, facts, items, more }: Notice): Record<string, string | string[]> {
  const threats = items.map((item) => {
    const [before, after] = aroundName(item);
    return cut(`${before}${item.name}${after}`, detailCharactersMax);
  });
  return {
    ...(summary === "" ? {} : { Summary: cut(summary, detailCharactersMax) }),
    ...Object.fromEntries(
      // A message about several events has a fact with the same label for each.
      [...Map.groupBy(facts, ({ label }) => label)].map(([label, same]) => {
        const values = same.map(({ value }) => cut(value, detailCharactersMax));
        return [label, values.length === 1 ? values[0]! : values];
      }),
    ),
    ...(threats.length === 0
      ? {}
      : { Threats: more > 0 ? [...threats, `and ${moreThreats(more)}`] : threats }),
  };
}

function eventRequest({ url, routingKey }: ChannelTarget, event: object): NoticeRequest {
  const base = (url ?? defaultUrl).replace(/\/+$/, "");
  return jsonRequest(`${base}/v2/enqueue`, { routing_key: routingKey, ...event });
}

/** The response is JSON with `status`, `message` and, if the event is not valid, the texts `errors`. */
function classifyResponse(response: NoticeResponse): ResponseOutcome {
  const { status, message, errors } = jsonFields(response.body);
  const texts = Array.isArray(errors) ? errors.filter((text) => typeof text === "string") : [];
  const outcome = classifyMeaning("pagerduty", response, {
    said: texts.length > 0 ? texts.join("; ") : message,
    isConfirmed: status === "success",
  });
  if (outcome.outcome === "delivered") return outcome;
  if (outcome.failure === "rate_limited") return { ...outcome, retryAfterMs: pauseMs };
  // The errors have no codes. All other parts of an event follow the documented format, so that the key is the cause.
  return response.status === 400 && /routing.?key/i.test(outcome.error)
    ? { ...outcome, outcome: "disable", failure: "routing_key" }
    : outcome;
}
