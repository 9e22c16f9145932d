import type { Notice } from "../../content/notice.ts";
import { moreThreats } from "../../content/plain-text.ts";
import { classifyMeaning, jsonFields } from "../http/classify-response.ts";
import { jsonRequest } from "../http/json-request.ts";
import type { NoticeChannelType, NoticeResponse, ResponseOutcome } from "../http/notice-type.ts";
import { escapeMarkdown, markdownLink, toneColors } from "../texts/markup.ts";
import { bounded, escapedWithin, firstThatFits, itemMarkup } from "../texts/notice-text.ts";

/**
 * Limit of servers before version 7.4 for everything but the text, less what they add (`POST_PROPS_MAX_RUNES` in the
 * source: 8,000). Newer servers allow 800,000. The limit for the text is 16,383.
 */
const propertiesMax = 7_800;
const titleMax = 400;

/** Sends messages to an incoming webhook (developers.mattermost.com/integrate/webhooks/incoming). */
export const mattermost: NoticeChannelType = {
  type: "mattermost",
  label: "Mattermost",
  // A server has no limit by default; RateLimitSettings.PerSec is 10 for everything from one address.
  ratePerSecond: 2,
  // Incoming webhooks cannot upload files.
  usesScreenshot: false,

  validate: (target) => target,

  requests: ({ url }, notice) => [
    jsonRequest(
      url,
      firstThatFits(
        (textMax) => payloadOf(bounded(notice), textMax),
        (body) => body.length <= propertiesMax,
      ),
    ),
  ],

  classifyResponse,
};

function payloadOf(notice: Notice, textMax: number): string {
  const { title, summary, facts, links } = notice;
  const escaped = (text: string) => escapedWithin(text, textMax, escapeMarkdown);
  const line = (text: string) => escaped(text).replaceAll("\n", " ");
  const blocks = [
    escaped(summary),
    itemLines(notice, line).join("\n"),
    // In an attachment, no preview of a link is requested.
    links.map(({ text, url }) => markdownLink(line(text), url)).join(" · "),
  ];
  return JSON.stringify({
    text: `**${escapedWithin(title, titleMax, escapeMarkdown)}**`,
    attachments: [
      {
        fallback: escapedWithin(title, titleMax, escapeMarkdown),
        color: `#${toneColors[notice.tone].toString(16).padStart(6, "0")}`,
        text: blocks.filter((block) => block !== "").join("\n\n"),
        fields: facts.map(({ label, value }) => ({ short: true, title: line(label), value: line(value) })),
      },
    ],
  });
}

function itemLines({ items, more }: Notice, escape: (text: string) => string): string[] {
  const lines = items.map((item) => `- ${itemMarkup(item, { escape, link: markdownLink })}`);
  return more > 0 ? [...lines, `- and ${moreThreats(more)}`] : lines;
}

/**
 * A success is the text `ok`. An error is JSON with an identifier (`HandleIncomingWebhook` in the source of the server),
 * and a wrong path leads to the page of the web app with the status 200.
 */
function classifyResponse(response: NoticeResponse): ResponseOutcome {
  const { id, message } = jsonFields(response.body);
  const isConfirmed = response.body.trim() === "ok";
  return classifyMeaning("mattermost", response, { code: id, said: message, isConfirmed });
}
