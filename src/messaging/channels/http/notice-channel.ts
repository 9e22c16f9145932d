import type { AttemptResult, Channel, NotAttempted } from "../../deliveries/channel.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import type { ExchangeResult } from "../../../platform/network/http/http-client.ts";
import { retryAfterMs } from "../../../platform/network/http/retry-after.ts";
import type { Notice } from "../../content/notice.ts";
import { alertingTypes, type ChannelType } from "../../../platform/vocabulary/channels.ts";
import type { Status } from "../../../platform/vocabulary/threats.ts";
import { failed, unsent } from "./attempt.ts";
import { channelTraits, messageRetriesForMs } from "./channel-traits.ts";
import { checkHeaders, checkUrl } from "./destination-rules.ts";
import { serviceFailures } from "../failures.ts";
import type { ChannelTarget, NoticeChannelType, NoticeRequest } from "./notice-type.ts";
import type { Screenshot } from "./screenshots.ts";
import { hiding, maskedUrl, secretsIn, secretsInUrl } from "./secrets.ts";
import { createHttpSender, outcomeOf, textOf, type HttpSender, type HttpSending } from "./sender.ts";
import { noOwnFiles } from "./tls-files.ts";

/** A service that asks for a longer pause is tried again earlier. */
const retryAfterMsMax = 86_400_000;
/** Pause of a channel that received too many messages and did not say for how long. */
const limitedPauseMs = 10_000;

/** A type of channel for people with its channel, whose messages are `Notice` as JSON. */
export interface NoticeChannel {
  type: ChannelType;
  label: string;
  channel: Channel<ChannelTarget>;
}

interface Sending extends HttpSending {
  /** Returns the small screenshot of a threat's page, or null if there is none. */
  screenshotOf: (threatId: string) => Promise<Screenshot | null>;
  /** Returns the present status of a threat; null: it is not on record. */
  statusOf: (threatId: string) => Status | null;
}

/** Constructs channels that send messages to people as HTTP requests. They share their connections. */
export function createNoticeChannels(types: readonly NoticeChannelType[], sending: Sending): NoticeChannel[] {
  const sender = createHttpSender(sending);
  return types.map((type) => ({
    type: type.type,
    label: type.label,
    channel: createNoticeChannel(type, { ...sending, sender }),
  }));
}

function createNoticeChannel(
  type: NoticeChannelType,
  { clock, screenshotOf, sender, settings: rules, statusOf }: Sending & { sender: HttpSender },
): Channel<ChannelTarget> {
  const { abortUnsent, attempt, close } = sender;
  return {
    kind: type.type,
    recipients: channelTraits,
    failures: serviceFailures(type.type),
    subscribesToEvents: false,
    ratePerSecond: type.ratePerSecond,
    retriesForMs: messageRetriesForMs,
    abortUnsent,
    close,

    validate(given) {
      const target = type.validate(given);
      const headers = checkHeaders(target.headers);
      const url = target.url === null ? null : checkUrl(target.url, rules, maskedUrl);
      return { ...target, url, headers };
    },

    send: (target, message, signal) =>
      attempt(noOwnFiles, signal, async (exchange, startedAt) => {
        const stored = parseNotice(message.body);
        const notice = alertingTypes.includes(type.type) ? withPresentEnd(stored, statusOf) : stored;
        const screenshot =
          type.usesScreenshot && notice.threat !== null ? await screenshotOf(notice.threat.id) : null;
        let last: AttemptResult = unsent(startedAt);
        let made = 0;
        let pauseMs = 0;
        const requests = [...type.requests(target, notice, { screenshot })];
        for (let request = requests.shift(); request !== undefined; request = requests.shift()) {
          const result = await exchange(request);
          const one = classifyExchange(result, { endedAt: clock.now(), request, startedAt, target, type });
          made += 1;
          if (typeof one !== "string") pauseMs = Math.max(pauseMs, one.pauseMs ?? 0);
          const accepted = typeof one !== "string" && one.failure === null;
          const body = "failure" in result ? "" : textOf(result.response.body);
          const following = request.followUp?.({ accepted, body }) ?? null;
          if (following !== null) requests.unshift(following);
          if (request.optional === true && !accepted) continue;
          if (typeof one === "string") return one;
          last = { ...one, durationMs: last.durationMs + one.durationMs };
          if (last.failure !== null) break;
        }
        // The rate of a recipient counts messages, but services count requests.
        const furtherMs = ((made - 1) * 1_000) / type.ratePerSecond;
        pauseMs = Math.max(pauseMs, furtherMs);
        return pauseMs > 0 ? { ...last, pauseMs } : last;
      }),
  };
}

/** Classifies an exchange. What is kept of it contains no secret of the target. */
function classifyExchange(
  result: ExchangeResult,
  {
    endedAt,
    request,
    startedAt,
    target,
    type,
  }: {
    endedAt: Instant;
    request: NoticeRequest;
    startedAt: Instant;
    target: ChannelTarget;
    type: NoticeChannelType;
  },
): AttemptResult | NotAttempted {
  const hide = hiding(secretsOf(target, request));
  return outcomeOf(result, startedAt, {
    hide,
    shownLocation(location) {
      const goal = URL.parse(location, request.url)?.href;
      return goal === undefined ? undefined : maskedUrl(goal);
    },
    classify({ status, headers, body }, base) {
      const classified = type.classifyResponse({ status, headers, body: textOf(body) });
      if (classified.outcome === "delivered") {
        const { pauseMs } = classified;
        return pauseMs === undefined ? base : { ...base, pauseMs };
      }
      const { outcome, failure, error } = classified;
      const failing: AttemptResult = { ...failed(base, failure, hide(error)), consequence: outcome };
      if (outcome !== "retry") return failing;
      const askedMs = classified.retryAfterMs ?? retryAfterMs(status, headers.get("retry-after"), endedAt);
      const waitMs = askedMs === undefined ? undefined : Math.min(askedMs, retryAfterMsMax);
      const isLimited = failure === "rate_limited";
      return {
        ...failing,
        retryAfterMs: waitMs,
        ...(isLimited ? { pauseMs: waitMs ?? limitedPauseMs } : {}),
      };
    },
  });
}

/** Returns everything that a response must not repeat in what is kept of it. */
function secretsOf(
  { url, token, routingKey, topic, headers }: ChannelTarget,
  request: NoticeRequest,
): string[] {
  return [
    ...secretsIn([token ?? "", routingKey ?? "", topic ?? "", ...Object.values(headers)]),
    ...secretsInUrl(url ?? ""),
    ...secretsInUrl(request.url),
  ];
}

/** Parses a message, which the channel itself wrote. Services reject half a surrogate pair. */
function parseNotice(body: string): Notice {
  return JSON.parse(body, (_key, value: unknown) =>
    typeof value === "string" ? value.toWellFormed() : value,
  ) as Notice;
}

/**
 * Returns the message with the status of its threat, if that has ended since: a message that is sent late, after the one
 * about the end or in a replay, must not open an alert that nothing resolves.
 */
function withPresentEnd(notice: Notice, statusOf: Sending["statusOf"]): Notice {
  const { threat } = notice;
  const status = threat === null ? null : statusOf(threat.id);
  if (threat === null || status === null || status === "active") return notice;
  return { ...notice, threat: { ...threat, status } };
}
