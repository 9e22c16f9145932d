import { toPlainTime } from "../../../platform/lib/clock.ts";
import { FieldError } from "../../../platform/lib/errors.ts";
import type { Notice, NoticeItem } from "../../content/notice.ts";
import { moreThreats } from "../../content/plain-text.ts";
import { classifyMeaning, jsonFields } from "../http/classify-response.ts";
import { jsonRequest } from "../http/json-request.ts";
import type { NoticeChannelType, NoticeResponse, ResponseOutcome } from "../http/notice-type.ts";
import { bounded, escapedWithin, itemMarkup } from "../texts/notice-text.ts";

/** Limits of Slack, in characters (docs.slack.dev/reference/block-kit/blocks). */
const headerMax = 150;
const sectionMax = 3_000;
/**
 * Shorter than the limits of Slack (3,000 and 2,000), because it rejects a message whose blocks have more than 13,200
 * characters together (slackapi/bolt-js, issue 2509).
 */
const summaryMax = 1_500;
const fieldMax = 300;
const itemPartMax = 300;
const linkTextMax = 75;
/** Longer texts are truncated in notifications. */
const fallbackMax = 1_000;

const hosts = ["hooks.slack.com", "hooks.slack-gov.com"];

/** Sends messages to an incoming webhook (docs.slack.dev/messaging/sending-messages-using-incoming-webhooks). */
export const slack: NoticeChannelType = {
  type: "slack",
  label: "Slack",
  // docs.slack.dev/apis/web-api/rate-limits: incoming webhooks, 1 per second
  ratePerSecond: 1,
  // Incoming webhooks cannot upload files.
  usesScreenshot: false,

  validate(target) {
    const { hostname, pathname } = URL.parse(target.url ?? "") ?? { hostname: "", pathname: "" };
    if (/^\/(workflows|triggers)\//.test(pathname) && hosts.includes(hostname))
      throw new FieldError(
        "url",
        "the URL starts a Slack workflow; create an incoming webhook, whose path begins with /services/, or use a channel of the type template",
      );
    const isOfSlack = /(^|\.)slack(-gov)?\.com$/.test(hostname);
    if (isOfSlack && !(hosts.includes(hostname) && /^\/services\/[^/]+\/[^/]+\/[^/]+$/.test(pathname)))
      throw new FieldError(
        "url",
        "the URL is not one of an incoming webhook, which looks like https://hooks.slack.com/services/T…/B…/…",
      );
    return target;
  },

  requests: ({ url }, notice) => [
    jsonRequest(url, payloadOf(bounded(notice)), { type: "application/json; charset=utf-8" }),
  ],

  classifyResponse,
};

function payloadOf(notice: Notice) {
  const { title, summary, facts, items } = notice;
  const linkLine = linksOf(notice);
  return {
    // Shown in notifications, and by clients that cannot show blocks.
    text: escapedWithin([title, summary].join("\n").trim(), fallbackMax, escapeText),
    blocks: [
      { type: "header", text: plainText(title, headerMax) },
      ...(summary === "" ? [] : [{ type: "section", text: plainText(summary, summaryMax) }]),
      ...(facts.length === 0 ? [] : [{ type: "section", fields: facts.map(field) }]),
      ...(items.length === 0 ? [] : [{ type: "section", text: markup(itemLines(notice)) }]),
      // After a click on a button, Slack warns that the app does not respond, because an incoming webhook cannot.
      ...(linkLine === "" ? [] : [{ type: "section", text: markup(linkLine) }]),
      {
        type: "context",
        elements: [plainText(`phishwatch · ${toPlainTime(Date.parse(notice.at))}`, fieldMax)],
      },
    ],
    // No preview of a link is requested.
    unfurl_links: false,
    unfurl_media: false,
  };
}

/** Plain text is shown as it is, without mentions, links and emoji codes. */
function plainText(text: string, lengthMax: number) {
  return { type: "plain_text", text: escapedWithin(text, lengthMax, escapeText), emoji: false };
}

/** `verbatim`: Slack makes no links and mentions of names in the text. */
function markup(text: string) {
  return { type: "mrkdwn", text, verbatim: true };
}

function field({ label, value }: Notice["facts"][number]) {
  return plainText(`${label}: ${value}`, fieldMax);
}

function linksOf({ links }: Notice): string {
  const shown = links.map(({ text, url }) =>
    link(escapedWithin(text, linkTextMax, escapeText).replaceAll("\n", " "), url),
  );
  while (shown.join(" · ").length > sectionMax) shown.pop();
  return shown.join(" · ");
}

/** A bar would end the address, and is not part of a URL in its normal form. */
function link(escaped: string, url: string): string {
  return `<${escapeText(url).replaceAll("|", "%7C")}|${escaped}>`;
}

function itemLines({ items, more }: Notice): string {
  const shown = [...items];
  for (;;) {
    const hidden = more + items.length - shown.length;
    const lines = [...shown.map(itemLine), ...(hidden > 0 ? [`and ${moreThreats(hidden)}`] : [])].join("\n");
    if (lines.length <= sectionMax || shown.pop() === undefined) return lines;
  }
}

function itemLine(item: NoticeItem): string {
  const escape = (text: string) => escapedWithin(text, itemPartMax, escapeText).replaceAll("\n", " ");
  return `• ${itemMarkup(item, { escape, link })}`;
}

/** Escapes the three control characters of all text objects (docs.slack.dev/messaging/formatting-message-text). */
function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/**
 * A success is the text `ok`. An error is its name, which is the whole body (docs.slack.dev, "Handling errors" of incoming
 * webhooks). Proxies and compatible services respond with an error and the status 200, too.
 */
function classifyResponse(response: NoticeResponse): ResponseOutcome {
  const { error, ok } = jsonFields(response.body);
  const said = response.body.trim();
  const name = typeof error === "string" ? error : said;
  return classifyMeaning("slack", response, {
    code: name,
    said: /^[a-z_]{1,60}$/.test(name) ? name : "",
    isConfirmed: said === "ok" || ok === true,
  });
}
