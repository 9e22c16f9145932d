import { FieldError } from "../../../platform/lib/errors.ts";
import type { Notice } from "../../content/notice.ts";
import { moreThreats } from "../../content/plain-text.ts";
import { classifyMeaning, jsonFields, positiveNumber } from "../http/classify-response.ts";
import { jsonRequest } from "../http/json-request.ts";
import type {
  NoticeChannelType,
  NoticeRequest,
  NoticeResponse,
  ResponseOutcome,
} from "../http/notice-type.ts";
import { multipart } from "../http/multipart.ts";
import { escapeMarkdown, hasPublicName, markdownLink, toneColors } from "../texts/markup.ts";
import { bounded, escapedWithin, itemMarkup } from "../texts/notice-text.ts";
import type { Screenshot } from "../http/screenshots.ts";

/** Limits of an embed, in characters (discord.com/developers/docs/resources/message, "Embed Limits"). */
const titleMax = 256;
const descriptionMax = 4_096;
const embedMax = 6_000;
/** Shorter than the limits of a field (256 and 1,024), so that 10 facts leave room for the description. */
const labelMax = 80;
const factMax = 200;
const summaryMax = 1_000;
const itemPartMax = 150;

const hosts = /^((canary|ptb)\.)?discord(app)?\.com$/;
/** Without a version, the API responds like an old one, which counts pauses in milliseconds. */
const api = "/api/v10/";
const screenshotName = "screenshot.jpg";

/** Sends messages to a webhook (discord.com/developers/docs/resources/webhook, "Execute Webhook"). */
export const discord: NoticeChannelType = {
  type: "discord",
  label: "Discord",
  // 5 in 2 seconds for a webhook, and 30 in a minute for a channel, which is not documented but enforced.
  ratePerSecond: 0.5,
  usesScreenshot: true,

  validate(target) {
    const { hostname, pathname } = URL.parse(target.url ?? "") ?? { hostname: "", pathname: "" };
    if (hosts.test(hostname) && !/^\/api\/(v\d+\/)?webhooks\/\d+\/[^/]+$/.test(pathname))
      throw new FieldError(
        "url",
        "the URL is not one of a Discord webhook, which looks like https://discord.com/api/webhooks/123…/…, without /slack at its end",
      );
    return target;
  },

  requests: ({ url }, notice, { screenshot }) => [
    requestOf(executeUrl(url ?? ""), bounded(notice), screenshot),
  ],

  classifyResponse,
};

/** Adds `wait`: without it, Discord does not report that a message was not stored. */
function executeUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null) return text;
  if (hosts.test(url.hostname)) url.pathname = url.pathname.replace(/^\/api\/(v\d+\/)?/, api);
  url.searchParams.set("wait", "true");
  return url.href;
}

function requestOf(url: string, notice: Notice, screenshot: Screenshot | null): NoticeRequest {
  const payload = payloadOf(notice, screenshot !== null);
  if (screenshot === null) return jsonRequest(url, payload);
  return multipart(url, {
    boundary: `phishwatch-${notice.id}`,
    fields: { payload_json: JSON.stringify(payload) },
    file: { field: "files[0]", name: screenshotName, ...screenshot },
  });
}

function payloadOf(notice: Notice, withScreenshot: boolean) {
  const title = escapedWithin(notice.title, titleMax, escapeMarkdown);
  const page = notice.links.find(({ url }) => hasPublicName(url));
  const fields = notice.facts.map(({ label, value }) => ({
    name: escapedWithin(label, labelMax, escapeMarkdown) || "-",
    value: escapedWithin(value, factMax, escapeMarkdown) || "-",
    inline: true,
  }));
  const used = [title, ...fields.flatMap(({ name, value }) => [name, value])].join("").length;
  const description = describe(notice, Math.min(descriptionMax, embedMax - used));
  return {
    embeds: [
      {
        title,
        description: description || undefined,
        url: page?.url,
        color: toneColors[notice.tone],
        timestamp: notice.at,
        fields: fields.length === 0 ? undefined : fields,
        image: withScreenshot ? { url: `attachment://${screenshotName}` } : undefined,
      },
    ],
    attachments: withScreenshot ? [{ id: 0, filename: screenshotName }] : undefined,
    // Mentions in the texts notify no one.
    allowed_mentions: { parse: [] },
  };
}

/** Returns the summary, the threats and the links. As many threats are left out as it takes. */
function describe({ summary, items, more, links }: Notice, lengthMax: number): string {
  const line = (text: string) => escapedWithin(text, itemPartMax, escapeMarkdown).replaceAll("\n", " ");
  const linkLine = links.map(({ text, url }) => linkOr(line(text), url, `${line(text)}: ${url}`)).join(" · ");
  const link = (name: string, url: string) => linkOr(name, url, name);
  const shown = items.map((item) => `- ${itemMarkup(item, { escape: line, link })}`);
  for (;;) {
    const hidden = more + items.length - shown.length;
    const list = [...shown, ...(hidden > 0 ? [`- and ${moreThreats(hidden)}`] : [])].join("\n");
    const blocks = [escapedWithin(summary, summaryMax, escapeMarkdown), list, linkLine];
    const text = blocks.filter((block) => block !== "").join("\n\n");
    if (text.length <= lengthMax) return text;
    if (shown.pop() === undefined)
      return escapedWithin(summary, Math.min(summaryMax, lengthMax), escapeMarkdown);
  }
}

/** Returns a link, or `otherwise` where clients would show the markup of a link. */
function linkOr(escaped: string, url: string, otherwise: string): string {
  return hasPublicName(url) ? markdownLink(escaped, url) : otherwise;
}

/**
 * A success is the message as JSON. An error is JSON, too, with a code
 * (discord.com/developers/docs/topics/opcodes-and-status-codes, "JSON").
 */
function classifyResponse(response: NoticeResponse): ResponseOutcome {
  const { status, headers, body } = response;
  const { id, code, message, retry_after: retryAfter } = jsonFields(body);
  const isConfirmed = id !== undefined || status === 204;
  const outcome = classifyMeaning("discord", response, { code, said: message, isConfirmed });
  const untilResetMs = milliseconds(Number(headers.get("x-ratelimit-reset-after")));
  if (outcome.outcome === "delivered") {
    const isLast = headers.get("x-ratelimit-remaining") === "0";
    return isLast ? { ...outcome, pauseMs: untilResetMs } : outcome;
  }
  const retryAfterMs = milliseconds(retryAfter) ?? untilResetMs;
  const isLimited = outcome.failure === "rate_limited" && retryAfterMs !== undefined;
  return isLimited ? { ...outcome, retryAfterMs } : outcome;
}

/** @param value seconds with a fraction */
function milliseconds(value: unknown): number | undefined {
  const seconds = positiveNumber(value);
  return seconds === undefined ? undefined : Math.ceil(seconds * 1_000);
}
