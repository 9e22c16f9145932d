import { FieldError } from "../../../platform/lib/errors.ts";
import { cut } from "../../content/cut.ts";
import type { Notice } from "../../content/notice.ts";
import { plainText } from "../../content/plain-text.ts";
import { classifyMeaning, jsonFields } from "../http/classify-response.ts";
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

const defaultUrl = "https://ntfy.sh";

/** A longer message becomes an attachment (docs.ntfy.sh/publish, "Limitations"). */
const messageBytesMax = 4_096;
/** Longest JSON that a server accepts: twice the message (`transformBodyJSON` in its source). */
const requestBytesMax = 8_192;
/** Most buttons of a message (docs.ntfy.sh/publish, "Action buttons"). */
const actionsMax = 3;
/** Not limited by the server, but the request is: a longer address is left out. */
const linkCharactersMax = 1_000;
const labelCharactersMax = 60;
const titleCharactersMax = 200;

/** 3 is the default. 5 is not used: it makes a phone vibrate for long, which a subscriber can set for topics. */
const priorities = { high: 4, medium: 3, low: 2, good: 2, neutral: 3 } as const;
/** Without a sound. The screenshot follows its message. */
const silent = 2;

/** Names of emojis, shown before the title (docs.ntfy.sh/emojis). */
const tags = {
  high: "rotating_light",
  medium: "warning",
  low: "information_source",
  good: "white_check_mark",
  neutral: "bell",
} as const;

/** Sends messages to a topic of ntfy, as JSON (docs.ntfy.sh/publish, "Publish as JSON"). */
export const ntfy: NoticeChannelType = {
  type: "ntfy",
  label: "ntfy",
  // After 60 requests at once, one per 5 s (docs.ntfy.sh/publish, "Limitations").
  ratePerSecond: 0.2,
  usesScreenshot: true,

  validate(target) {
    if (!/^[-_A-Za-z0-9]{1,64}$/.test(target.topic ?? ""))
      throw new FieldError("topic", "topic must be 1 to 64 ASCII letters, digits, _ and -");
    const hint = "the topic is a key of its own";
    return { ...target, url: serverUrl(target.url ?? defaultUrl, { allowPath: false, hint }) };
  },

  requests(target, given, { screenshot }) {
    const notice = bounded(given);
    const message = jsonRequest(`${origin(target)}/`, messageOf(target, notice), target);
    return screenshot === null ? [message] : [message, attachmentOf(target, notice, screenshot)];
  },

  classifyResponse,
};

function messageOf({ topic }: ChannelTarget, notice: Notice): string {
  const links = notice.links.filter(({ url }) => url.length <= linkCharactersMax);
  const [first] = links;
  const text = plainText({ ...notice, links: links.slice(actionsMax) }, { title: false }).trim();
  const json = (message: string) =>
    JSON.stringify({
      topic,
      // An empty message would be shown as "triggered".
      title: message === "" ? undefined : cut(notice.title, titleCharactersMax),
      message: message === "" ? cut(notice.title, titleCharactersMax) : message,
      priority: priorities[notice.tone],
      tags: [tags[notice.tone]],
      click: first?.url,
      actions: links
        .slice(0, actionsMax)
        .map(({ text: label, url }) => ({ action: "view", label: cut(label, labelCharactersMax), url })),
      markdown: false,
    });
  const message = cutBytes(text, messageBytesMax);
  const excess = Buffer.byteLength(json(message)) - requestBytesMax;
  return json(excess > 0 ? cutBytes(message, Buffer.byteLength(message) - excess) : message);
}

/** Uploads the screenshot as an attachment. The server deletes it after some hours. */
function attachmentOf(
  target: ChannelTarget,
  notice: Notice,
  { bytes, mediaType }: Screenshot,
): NoticeRequest {
  // Parameters of the URL, because headers cannot contain every character.
  const parameters = new URLSearchParams({
    filename: "screenshot.jpg",
    title: cut(notice.title, titleCharactersMax),
    message: "Screenshot of the page",
    priority: String(silent),
  });
  return {
    method: "PUT",
    url: `${origin(target)}/${target.topic}?${parameters}`,
    headers: { ...bearer(target.token), "Content-Type": mediaType },
    body: bytes,
    // Most servers accept no attachments.
    optional: true,
  };
}

/** Quotas are per day. */
const quotaPauseMs = 3_600_000;

/** A success is the message as JSON. An error is JSON with a code (`server/errors.go` in ntfy's source). */
function classifyResponse(response: NoticeResponse): ResponseOutcome {
  const { id, code, error: said } = jsonFields(response.body);
  const outcome = classifyMeaning("ntfy", response, { code, said, isConfirmed: typeof id === "string" });
  const isQuota = outcome.outcome !== "delivered" && outcome.failure === "quota";
  return isQuota ? { ...outcome, retryAfterMs: quotaPauseMs } : outcome;
}

function origin({ url }: ChannelTarget): string {
  return new URL(url ?? defaultUrl).origin;
}

/** Returns text that is at most `bytesMax` bytes of UTF-8. */
function cutBytes(text: string, bytesMax: number): string {
  if (Buffer.byteLength(text) <= bytesMax) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(Math.max(bytesMax - ellipsisBytes, 0)));
  return cut(text, read + 1);
}

const ellipsisBytes = 3;
