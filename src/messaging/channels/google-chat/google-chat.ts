import { FieldError } from "../../../platform/lib/errors.ts";
import type { Notice } from "../../content/notice.ts";
import { moreThreats } from "../../content/plain-text.ts";
import { classifyMeaning, jsonFields } from "../http/classify-response.ts";
import { jsonRequest } from "../http/json-request.ts";
import type { NoticeChannelType, NoticeResponse, ResponseOutcome } from "../http/notice-type.ts";
import { escapeEntities, hasPublicName } from "../texts/markup.ts";
import { bounded, escapedWithin, firstThatFits, itemMarkup } from "../texts/notice-text.ts";
import { fieldsOf } from "../../../platform/lib/json.ts";

/** Longest message, in bytes (developers.google.com/workspace/chat/api/reference/rest/v1/spaces.messages/create). */
const messageBytesMax = 32_000;
const titleMax = 200;

const apiHost = "chat.googleapis.com";

/** Sends messages to a webhook of a space (developers.google.com/workspace/chat/quickstart/webhooks). */
export const googleChat: NoticeChannelType = {
  type: "google_chat",
  label: "Google Chat",
  // developers.google.com/workspace/chat/limits: 60 messages in a minute for a space, shared by all its webhooks
  ratePerSecond: 1,
  // A card shows images only from a public address.
  usesScreenshot: false,

  validate(target) {
    const url = URL.parse(target.url ?? "");
    const isWebhook =
      url !== null &&
      /^\/v1\/spaces\/[^/]+\/messages$/.test(url.pathname) &&
      url.searchParams.has("key") &&
      url.searchParams.has("token");
    if (url?.hostname === apiHost && !isWebhook)
      throw new FieldError(
        "url",
        "the URL is not one of a webhook, which looks like https://chat.googleapis.com/v1/spaces/…/messages?key=…&token=…",
      );
    return target;
  },

  requests: ({ url }, notice) => [
    jsonRequest(
      withReplies(url ?? ""),
      firstThatFits(
        (textMax) => JSON.stringify(payloadOf(bounded(notice), textMax)),
        (body) => Buffer.byteLength(body) <= messageBytesMax,
      ),
      { type: "application/json; charset=UTF-8" },
    ),
  ],

  classifyResponse,
};

/** Without this parameter, the thread of a message is ignored. */
function withReplies(text: string): string {
  const url = URL.parse(text);
  if (url === null) return text;
  url.searchParams.set("messageReplyOption", "REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD");
  return url.href;
}

function payloadOf(notice: Notice, textMax: number) {
  const { id, title, summary, facts, items, more, links, threat, condition } = notice;
  const escaped = (text: string) => escapedWithin(text, textMax, escapeText);
  const buttons = links.filter(({ url }) => hasPublicName(url));
  const others = links.filter((link) => !buttons.includes(link));
  const widgets = [
    ...(summary === "" ? [] : [{ textParagraph: { text: escaped(summary) } }]),
    ...facts.map(({ label, value }) => ({
      decoratedText: { topLabel: escapedWithin(label, textMax), text: escaped(value), wrapText: true },
    })),
    ...items.map((item) => ({
      textParagraph: { text: itemMarkup(item, { escape: escaped, link: anchor }) },
    })),
    ...(more > 0 ? [{ textParagraph: { text: `and ${moreThreats(more)}` } }] : []),
    ...(buttons.length === 0
      ? []
      : [{ buttonList: { buttons: buttons.map((link) => button(link, textMax)) } }]),
    ...others.map(({ text, url }) => ({ textParagraph: { text: `${escaped(text)}: ${escapeText(url)}` } })),
  ];
  const threadKey = threat?.id ?? condition?.key;
  return {
    // Shown in notifications. The text of a message would be shown in addition to the card.
    fallbackText: escapedWithin(title, titleMax),
    cardsV2: [
      {
        cardId: id,
        card: {
          header: { title: escapedWithin(title, titleMax), subtitle: "phishwatch" },
          sections: [
            { widgets: widgets.length === 0 ? [{ textParagraph: { text: escaped(title) } }] : widgets },
          ],
        },
      },
    ],
    thread: threadKey === undefined ? undefined : { threadKey },
  };
}

function anchor(escaped: string, url: string): string {
  return `<a href="${escapeText(url)}">${escaped}</a>`;
}

function button({ text, url }: Notice["links"][number], textMax: number) {
  return { text: escapedWithin(text, textMax), onClick: { openLink: { url } } };
}

/** Escapes text for cards, which interpret a part of HTML (developers.google.com/workspace/chat/format-messages). */
function escapeText(text: string): string {
  return escapeEntities(text).replaceAll("\n", "<br>");
}

/** A success is the message as JSON. An error is JSON, too (google.rpc.Status). */
function classifyResponse(response: NoticeResponse): ResponseOutcome {
  const { error, name } = jsonFields(response.body);
  const { code, message, details } = fieldsOf(error);
  const reasons = Array.isArray(details) ? details.map((detail) => fieldsOf(detail)["reason"]) : [];
  return classifyMeaning("google_chat", response, {
    // The other details have no reason.
    code: reasons.find((reason) => reason === "API_KEY_INVALID"),
    said: message,
    isConfirmed: typeof name === "string",
    // A proxy may respond with an error and the status 200.
    status: typeof code === "number" && code >= 400 && code <= 599 ? code : response.status,
  });
}
