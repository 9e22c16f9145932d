import { FieldError } from "../../../platform/lib/errors.ts";
import { cut } from "../../content/cut.ts";
import type { Notice } from "../../content/notice.ts";
import { classifyMeaning, isSuccess, jsonFields, positiveNumber } from "../http/classify-response.ts";
import { jsonRequest } from "../http/json-request.ts";
import type {
  ChannelTarget,
  NoticeChannelType,
  NoticeRequest,
  NoticeResponse,
  ResponseOutcome,
} from "../http/notice-type.ts";
import { multipart } from "../http/multipart.ts";
import type { Screenshot } from "../http/screenshots.ts";
import { serverUrl } from "../http/server-url.ts";
import { hasPublicName } from "../texts/markup.ts";
import { bounded } from "../texts/notice-text.ts";
import { telegramHtml } from "./html.ts";
import { fieldsOf } from "../../../platform/lib/json.ts";

const defaultUrl = "https://api.telegram.org";

/** Longest text and longest caption of a photo, without the markup (core.telegram.org/bots/api, sendMessage, sendPhoto). */
const textCharactersMax = 4_096;
const captionCharactersMax = 1_024;
/** Not documented; longer labels are truncated on phones. */
const buttonCharactersMax = 60;

/** Sends messages to a chat as a bot (core.telegram.org/bots/api). */
export const telegram: NoticeChannelType = {
  type: "telegram",
  label: "Telegram",
  // 20 messages per minute in a group, which also meets the limit of one per second in a chat
  // (core.telegram.org/bots/faq, "My bot is hitting limits").
  ratePerSecond: 1 / 3,
  usesScreenshot: true,

  validate(target) {
    if (!/^[0-9]{1,20}:[A-Za-z0-9_-]{20,200}$/.test(target.token ?? ""))
      throw new FieldError(
        "token",
        "token must look like 123456789:AAF…; copy the whole token that @BotFather shows",
      );
    if (!/^(-?[0-9]{1,20}|@[A-Za-z][A-Za-z0-9_]{3,31})$/.test(target.chatId ?? ""))
      throw new FieldError(
        "chat_id",
        "chat_id must be a number such as -1001234567890, or the @name of a public channel or group",
      );
    const hint = "the token and chat_id are keys of their own";
    return { ...target, url: serverUrl(target.url ?? defaultUrl, { allowPath: true, hint }) };
  },

  requests(target, given, { screenshot }) {
    const notice = bounded(given);
    const message = messageRequest(target, notice);
    if (screenshot === null) return [message];
    const photo = photoRequest(target, notice, screenshot);
    // Telegram rejects some images. The text is more important.
    return [{ ...photo, optional: true, followUp: ({ accepted }) => (accepted ? null : message) }];
  },

  classifyResponse,
};

/** Parameters that all methods share. */
function parametersOf({ chatId }: ChannelTarget, notice: Notice) {
  const buttons = linksInButtons(notice);
  return {
    chat_id: chatId ?? "",
    parse_mode: "HTML",
    disable_notification: notice.tone === "low" || notice.tone === "good",
    ...(buttons.length === 0
      ? {}
      : {
          reply_markup: {
            inline_keyboard: buttons.map(({ text, url }) => [{ text: cut(text, buttonCharactersMax), url }]),
          },
        }),
  };
}

function messageRequest(target: ChannelTarget, notice: Notice): NoticeRequest {
  return jsonRequest(methodUrl(target, "sendMessage"), {
    ...parametersOf(target, notice),
    text: telegramHtml(notice, { lengthMax: textCharactersMax, inButtons: linksInButtons(notice) }),
    // Telegram would visit the pages.
    link_preview_options: { is_disabled: true },
  });
}

/** Uploads the screenshot with the text as its caption: one message. */
function photoRequest(target: ChannelTarget, notice: Notice, screenshot: Screenshot): NoticeRequest {
  const { reply_markup: markup, ...parameters } = parametersOf(target, notice);
  return multipart(methodUrl(target, "sendPhoto"), {
    boundary: `phishwatch-${notice.id}`,
    fields: {
      ...parameters,
      disable_notification: String(parameters.disable_notification),
      ...(markup === undefined ? {} : { reply_markup: JSON.stringify(markup) }),
      caption: telegramHtml(notice, { lengthMax: captionCharactersMax, inButtons: linksInButtons(notice) }),
    },
    file: { field: "photo", name: "screenshot.jpg", ...screenshot },
  });
}

/** Returns the links that Telegram accepts for buttons. The others are part of the text. */
function linksInButtons({ links }: Notice): Notice["links"] {
  return links.filter(({ url }) => hasPublicName(url));
}

/**
 * The response is JSON with `ok`, and on failure `description` and `parameters` ("Making requests"). The only code of failures
 * that concern the chat, and so every message to it, is the description (`Client.cpp` in the source of Telegram's Bot API
 * server, and reports of its users).
 */
function classifyResponse(response: NoticeResponse): ResponseOutcome {
  const { ok, error_code: code, description, parameters: given } = jsonFields(response.body);
  // Servers between phishwatch and Telegram may respond with 200 to everything.
  const status = ok === false && typeof code === "number" ? code : response.status;
  const outcome = classifyMeaning("telegram", response, {
    code: isSuccess(status) ? undefined : description,
    said: description,
    isConfirmed: ok === true,
    status,
  });
  if (outcome.outcome === "delivered" || isSuccess(status)) return outcome;
  const { error } = outcome;
  const { migrate_to_chat_id: migratedTo, retry_after: retryAfter } = fieldsOf(given);
  if (typeof migratedTo === "number")
    return { outcome: "disable", failure: "chat_moved", error: `${error}; set chat_id to ${migratedTo}` };
  const seconds = positiveNumber(retryAfter);
  return seconds === undefined ? outcome : { ...outcome, retryAfterMs: seconds * 1_000 };
}

function methodUrl({ url, token }: ChannelTarget, method: "sendMessage" | "sendPhoto"): string {
  return `${(url ?? defaultUrl).replace(/\/+$/, "")}/bot${token}/${method}`;
}
