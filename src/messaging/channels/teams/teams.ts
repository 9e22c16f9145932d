import { FieldError } from "../../../platform/lib/errors.ts";
import type { Notice, NoticeItem } from "../../content/notice.ts";
import { moreThreats } from "../../content/plain-text.ts";
import { classifyMeaning, classifyStatus, jsonFields, unexpected } from "../http/classify-response.ts";
import { jsonRequest } from "../http/json-request.ts";
import type { NoticeChannelType, NoticeResponse, ResponseOutcome } from "../http/notice-type.ts";
import { aroundName, bounded, escapedWithin, firstThatFits } from "../texts/notice-text.ts";
import { fieldsOf } from "../../../platform/lib/json.ts";

/**
 * Half of the limit of about 28 KB for a message (learn.microsoft.com/connectors/teams, "Message size limit"), because
 * Teams counts two bytes for each character.
 */
const messageMax = 14_000;

/** Hosts of the addresses of flows (learn.microsoft.com, "Changes to HTTP or Teams webhook trigger flows"). */
const flowHosts = /(^|\.)(logic\.azure\.(com|us|cn)|powerplatform\.(com|us|cn)|powerautomate\.(com|us|cn))$/;
/** Connectors of Office 365, which Microsoft has retired. */
const retiredHosts = /(^|\.)(webhook\.office(365)?\.com|outlook\.office(365)?\.com)$/;

/** Sends cards to a flow that begins with "When a Teams webhook request is received". */
export const teams: NoticeChannelType = {
  type: "teams",
  label: "Microsoft Teams",
  // The action that posts the message is limited to 300 calls in 300 seconds (learn.microsoft.com/connectors/teams).
  ratePerSecond: 1,
  // A card shows images only from an address that Microsoft can reach.
  usesScreenshot: false,

  validate(target) {
    const url = URL.parse(target.url ?? "");
    if (url !== null && retiredHosts.test(url.hostname))
      throw new FieldError(
        "url",
        'the URL is one of a connector, which Microsoft has retired; create a workflow "Send webhook alerts to a channel" in Teams, and enter its URL',
      );
    if (url !== null && flowHosts.test(url.hostname) && !url.searchParams.has("sig"))
      throw new FieldError(
        "url",
        'the URL has no "sig"; copy the whole URL of the workflow, and set its trigger to "Anyone"',
      );
    return target;
  },

  requests: ({ url }, notice) => [
    jsonRequest(
      url,
      firstThatFits(
        (textMax) => JSON.stringify(payloadOf(bounded(notice), textMax)),
        (body) => body.length <= messageMax,
      ),
      { type: "application/json; charset=utf-8" },
    ),
  ],

  classifyResponse,
};

const colors = { high: "Attention", medium: "Warning", low: "Default", good: "Good", neutral: "Default" };

function payloadOf(notice: Notice, textMax: number) {
  const { title, summary, facts, items, more, links, tone } = notice;
  const run = (text: string, style: object = {}) => ({
    type: "TextRun",
    text: escapedWithin(text, textMax),
    ...style,
  });
  const strong = { weight: "Bolder" };
  const body = [
    paragraph([run(title, { ...strong, size: "Medium", color: colors[tone] })]),
    ...(summary === "" ? [] : [paragraph([run(summary)])]),
    ...facts.map(({ label, value }) => paragraph([run(`${label}: `, strong), run(value)])),
    ...items.map((item) => paragraph(itemRuns(item, run))),
    ...(more > 0 ? [paragraph([run(`and ${moreThreats(more)}`)])] : []),
  ];
  return {
    type: "message",
    attachments: [
      {
        contentType: "application/vnd.microsoft.card.adaptive",
        contentUrl: null,
        content: {
          $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
          type: "AdaptiveCard",
          version: "1.4",
          fallbackText: escapedWithin(title, textMax),
          body,
          actions: links.map(({ text, url }) => ({
            type: "Action.OpenUrl",
            title: escapedWithin(text, textMax),
            url,
          })),
          msteams: { width: "Full" },
        },
      },
    ],
  };
}

/** Clients do not interpret Markdown in these runs, unlike in a TextBlock and a FactSet. */
function paragraph(inlines: object[]) {
  return { type: "RichTextBlock", inlines };
}

function itemRuns<Run>(item: NoticeItem, run: (text: string, style?: object) => Run): Run[] {
  const [before, after] = aroundName(item);
  const open = item.url === null ? {} : { selectAction: { type: "Action.OpenUrl", url: item.url } };
  return [run(before), run(item.name, open), run(after)];
}

/**
 * A flow responds with 202 before it posts the message, so that it alone knows whether that succeeded. Connectors and
 * flows with a response of their own report errors of Teams as text, with the status 200. The codes are those of the
 * service that runs flows (learn.microsoft.com/troubleshoot/power-platform/power-automate).
 */
function classifyResponse(response: NoticeResponse): ResponseOutcome {
  const { status, body } = response;
  const { code, message } = fieldsOf(jsonFields(body)["error"]);
  const isConfirmed = code === undefined && !/^\s*</.test(body);
  const outcome = classifyMeaning("teams", response, { code, said: message ?? code, isConfirmed });
  const inner = /\bHTTP error (\d{3})\b/.exec(body)?.[1];
  const isReported = outcome.outcome === "delivered" || outcome.failure === "unexpected";
  if (inner === undefined || !isReported) return outcome;
  const meaning = classifyStatus({ status: Number(inner) });
  const error = `HTTP status ${status}, but Teams responded with ${inner}`;
  return meaning.outcome === "delivered" ? unexpected(body) : { ...meaning, error };
}
