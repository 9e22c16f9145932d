import { FieldError } from "../../../platform/lib/errors.ts";
import { cut } from "../../content/cut.ts";
import type { Notice } from "../../content/notice.ts";
import { plainText } from "../../content/plain-text.ts";
import { classifyMeaning, isSuccess, jsonFields, positiveNumber } from "../http/classify-response.ts";
import { bearer, jsonRequest } from "../http/json-request.ts";
import type {
  ChannelTarget,
  NoticeChannelType,
  NoticeRequest,
  NoticeResponse,
  ResponseOutcome,
} from "../http/notice-type.ts";
import type { Screenshot } from "../http/screenshots.ts";
import { serverUrl } from "../http/server-url.ts";
import { bounded } from "../texts/notice-text.ts";
import { matrixHtml } from "./html.ts";

/**
 * An event is at most 65,536 bytes (spec.matrix.org, "Size limits"). The rest is left to what the server adds, and to
 * signatures.
 */
const contentBytesMax = 48_000;
const bodyCharactersMax = 12_000;
const screenshotName = "screenshot.jpg";

/** Sends messages to a room that is not encrypted (spec.matrix.org, Client-Server API). */
export const matrix: NoticeChannelType = {
  type: "matrix",
  label: "Matrix",
  // A server permits 10 messages at once, then one per 5 s, unless configured otherwise (Synapse, rc_message).
  ratePerSecond: 0.2,
  usesScreenshot: true,

  validate(target) {
    const { room } = target;
    if (room?.startsWith("#") === true)
      throw new FieldError(
        "room",
        "room must be the room's ID, which begins with \"!\", instead of its address; clients show it in the room's settings, under Advanced",
      );
    if (room === null || !/^![\x21-\x7e]{1,254}$/.test(room))
      throw new FieldError("room", 'room must be the ID of a room, such as "!abc:example.org"');
    const hint = "the room is a key of its own";
    return {
      ...target,
      url: target.url === null ? null : serverUrl(target.url, { allowPath: true, hint }),
    };
  },

  requests(target, notice, { screenshot }) {
    const message = messageRequest(target, notice.id, contentOf(bounded(notice)));
    return screenshot === null ? [message] : [message, uploadRequest(target, notice, screenshot)];
  },

  classifyResponse,
};

/** The server ignores a repeated transaction, so that another attempt does not repeat the message. */
function messageRequest(target: ChannelTarget, transaction: string, content: object): NoticeRequest {
  const room = encodeURIComponent(target.room ?? "");
  const url = `${baseUrl(target)}/_matrix/client/v3/rooms/${room}/send/m.room.message/${encodeURIComponent(transaction)}`;
  return { ...jsonRequest(url, content, target), method: "PUT" };
}

/** Uploads the screenshot, and then sends a message that shows it. */
function uploadRequest(
  target: ChannelTarget,
  { id }: Notice,
  { bytes, mediaType }: Screenshot,
): NoticeRequest {
  return {
    method: "POST",
    url: `${baseUrl(target)}/_matrix/media/v3/upload?filename=${screenshotName}`,
    headers: { ...bearer(target.token), "Content-Type": mediaType },
    body: bytes,
    optional: true,
    followUp({ accepted, body }) {
      const { content_uri: uri } = jsonFields(body);
      if (!accepted || typeof uri !== "string" || !uri.startsWith("mxc://")) return null;
      const image = {
        msgtype: "m.image",
        body: screenshotName,
        url: uri,
        info: { mimetype: mediaType, size: bytes.length },
        "m.mentions": {},
      };
      return { ...messageRequest(target, `${id}-screenshot`, image), optional: true };
    },
  };
}

function contentOf(notice: Notice): object {
  const content = {
    // Clients do not notify people of `m.notice`, the type for messages of bots (push rule .m.rule.suppress_notices).
    msgtype: notice.tone === "low" || notice.tone === "good" ? "m.notice" : "m.text",
    body: cut(plainText(notice), bodyCharactersMax),
    // Old clients would otherwise search the text for @room and for names.
    "m.mentions": {},
  };
  const formatted = {
    ...content,
    format: "org.matrix.custom.html",
    formatted_body: matrixHtml(notice),
  };
  return Buffer.byteLength(JSON.stringify(formatted)) <= contentBytesMax ? formatted : content;
}

/** A success names what was created. An error has a code ("Standard error response"). */
function classifyResponse(response: NoticeResponse): ResponseOutcome {
  const { errcode, error: said, retry_after_ms: pause, ...created } = jsonFields(response.body);
  const code = isSuccess(response.status) ? undefined : errcode;
  const outcome = classifyMeaning("matrix", response, {
    code,
    said: [errcode, said].filter((text) => typeof text === "string").join(": "),
    isConfirmed: typeof (created["event_id"] ?? created["content_uri"]) === "string",
  });
  return code === "M_LIMIT_EXCEEDED" && outcome.outcome === "retry"
    ? { ...outcome, retryAfterMs: positiveNumber(pause) }
    : outcome;
}

function baseUrl({ url }: ChannelTarget): string {
  return (url ?? "").replace(/\/+$/, "");
}
