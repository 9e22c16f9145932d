import type { AttemptResult, Channel, NotAttempted } from "../../deliveries/channel.ts";
import type { Clock, Instant } from "../../../platform/lib/clock.ts";
import { messageOf } from "../../../platform/lib/errors.ts";
import { isLackOfDescriptors } from "../../../platform/network/descriptors.ts";
import type { TlsFiles } from "../../../platform/network/http/connection.ts";
import {
  createHttpClient,
  type ExchangeResult,
  type HttpClient,
} from "../../../platform/network/http/http-client.ts";
import type { HttpResponse } from "../../../platform/network/http/http-response.ts";
import { retryAfterMs } from "../../../platform/network/http/retry-after.ts";
import type { ResolveHost } from "../../../platform/network/resolve.ts";
import type { Turns } from "../../../platform/network/turns.ts";
import type { Notice } from "../../content/notice.ts";
import { alertingTypes, type ChannelType } from "../../../platform/vocabulary/channels.ts";
import type { Status } from "../../../platform/vocabulary/threats.ts";
import { failed, observed, startOf, unsent } from "./attempt.ts";
import { channelTraits, messageRetriesForMs } from "./channel-traits.ts";
import { checkHeaders, checkUrl, type DestinationRules, type HttpSettings } from "./destination-rules.ts";
import { serviceFailures } from "../failures.ts";
import type { ChannelTarget, NoticeChannelType, NoticeRequest } from "./notice-type.ts";
import { withSettingHint } from "./private-networks-hint.ts";
import type { Screenshot } from "./screenshots.ts";
import { hiding, maskedUrl, secretsIn, secretsInUrl } from "./secrets.ts";
import { createTlsFiles } from "./tls-files.ts";

/** Longest part of a response that is read. */
const responseBytesMax = 65_536;
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

interface Sending {
  clock: Clock;
  resolveHost: ResolveHost;
  /** Returns the small screenshot of a threat's page, or null if there is none. */
  screenshotOf: (threatId: string) => Promise<Screenshot | null>;
  settings: HttpSettings;
  /** Returns the present status of a threat; null: it is not on record. */
  statusOf: (threatId: string) => Status | null;
  /** Shared with everything else that processes responses. */
  turns: Turns;
  /** Version of the product, for the User-Agent. */
  version: string;
}

/** Constructs channels that send messages to people as HTTP requests. They share their connections. */
export function createNoticeChannels(
  types: readonly NoticeChannelType[],
  { clock, resolveHost, screenshotOf, settings, statusOf, turns, version }: Sending,
): NoticeChannel[] {
  const rules: DestinationRules = settings;
  const tlsFilesOf = createTlsFiles(settings);
  const { idleMax } = settings;
  const client = createHttpClient({ rules, resolveHost, turns, idleMax });
  const exchange = createExchange({ client, settings, version });
  const shared = { client, clock, exchange, rules, screenshotOf, statusOf, tlsFilesOf };
  return types.map((type) => ({
    type: type.type,
    label: type.label,
    channel: createNoticeChannel(type, shared),
  }));
}

type Exchange = ReturnType<typeof createExchange>;

/** Returns a function that makes one request. */
function createExchange({
  client,
  settings,
  version,
}: {
  client: HttpClient;
  settings: Pick<HttpSettings, "timeoutMs">;
  version: string;
}) {
  return (
    { url, method, headers, body }: NoticeRequest,
    { signal, tlsFiles }: { signal: AbortSignal | undefined; tlsFiles: TlsFiles },
  ): Promise<ExchangeResult> =>
    client.send({
      url,
      method,
      headers: { "User-Agent": `phishwatch/${version}`, ...headers },
      body: typeof body === "string" ? Buffer.from(body) : body,
      timeoutMs: settings.timeoutMs,
      bodyBytesMax: responseBytesMax,
      tlsFiles,
      signal,
    });
}

function createNoticeChannel(
  type: NoticeChannelType,
  {
    client,
    clock,
    exchange,
    rules,
    screenshotOf,
    statusOf,
    tlsFilesOf,
  }: {
    client: HttpClient;
    clock: Clock;
    exchange: Exchange;
    rules: DestinationRules;
    screenshotOf: Sending["screenshotOf"];
    statusOf: Sending["statusOf"];
    tlsFilesOf: ReturnType<typeof createTlsFiles>;
  },
): Channel<ChannelTarget> {
  return {
    kind: type.type,
    recipients: channelTraits,
    failures: serviceFailures(type.type),
    subscribesToEvents: false,
    ratePerSecond: type.ratePerSecond,
    retriesForMs: messageRetriesForMs,
    abortUnsent: () => client.abortUnsent(),
    close: () => client.close(),

    validate(given) {
      const target = type.validate(given);
      const headers = checkHeaders(target.headers);
      const url = target.url === null ? null : checkUrl(target.url, rules, maskedUrl);
      return { ...target, url, headers };
    },

    async send(target, message, signal) {
      const startedAt = clock.now();
      let tlsFiles: TlsFiles;
      try {
        tlsFiles = tlsFilesOf(noOwnFiles);
      } catch (error) {
        if (isLackOfDescriptors(error)) return "no_descriptor";
        return failed(unsent(startedAt), "tls", messageOf(error));
      }
      const stored = parseNotice(message.body);
      const notice = alertingTypes.includes(type.type) ? withPresentEnd(stored, statusOf) : stored;
      const screenshot =
        type.usesScreenshot && notice.threat !== null ? await screenshotOf(notice.threat.id) : null;
      let last: AttemptResult = unsent(startedAt);
      let made = 0;
      let pauseMs = 0;
      const requests = [...type.requests(target, notice, { screenshot })];
      for (let request = requests.shift(); request !== undefined; request = requests.shift()) {
        const result = await exchange(request, { signal, tlsFiles });
        const attempt = outcomeOf(result, { endedAt: clock.now(), request, startedAt, target, type });
        made += 1;
        if (typeof attempt !== "string") pauseMs = Math.max(pauseMs, attempt.pauseMs ?? 0);
        const accepted = typeof attempt !== "string" && attempt.failure === null;
        const body = "failure" in result ? "" : textOf(result.response.body);
        const following = request.followUp?.({ accepted, body }) ?? null;
        if (following !== null) requests.unshift(following);
        if (request.optional === true && !accepted) continue;
        if (typeof attempt === "string") return attempt;
        last = { ...attempt, durationMs: last.durationMs + attempt.durationMs };
        if (last.failure !== null) break;
      }
      // The rate of a recipient counts messages, but services count requests.
      const furtherMs = ((made - 1) * 1_000) / type.ratePerSecond;
      pauseMs = Math.max(pauseMs, furtherMs);
      return pauseMs > 0 ? { ...last, pauseMs } : last;
    },
  };
}

const noOwnFiles = { caFile: null, clientCertFile: null, clientKeyFile: null };

interface OutcomeContext {
  endedAt: Instant;
  request: NoticeRequest;
  startedAt: Instant;
  target: ChannelTarget;
  type: NoticeChannelType;
}

/** Classifies an exchange. What is kept of it contains no secret of the target. */
function outcomeOf(result: ExchangeResult, context: OutcomeContext): AttemptResult | NotAttempted {
  const { request, startedAt, target } = context;
  const hide = hiding(secretsOf(target, request));
  const shownStart = (body: Uint8Array) => startOf(Buffer.from(hide(textOf(body))));
  const base = observed(result, startedAt);
  if ("failure" in result) {
    const { failure, partial, refused } = result;
    if (failure === "aborted") return failure;
    if (failure === "descriptors") return "no_descriptor";
    const received =
      partial === undefined ? {} : { statusCode: partial.status, response: shownStart(partial.body) };
    return failed({ ...base, ...received }, failure, withSettingHint(hide(result.reason), refused));
  }
  const { status, body } = result.response;
  const responded = { ...base, statusCode: status, response: shownStart(body) };
  return resultOfResponse(responded, result.response, { ...context, hide });
}

function resultOfResponse(
  base: AttemptResult,
  { status, headers, body }: HttpResponse,
  { endedAt, hide, request, type }: OutcomeContext & { hide: (text: string) => string },
): AttemptResult {
  if (status >= 300 && status <= 399) {
    const location = headers.get("location");
    const goal = URL.parse(location ?? "", request.url)?.href;
    const where = location === undefined || goal === undefined ? "" : ` to ${maskedUrl(goal)}`;
    return failed(base, "redirect", `redirected${where}; redirects are not followed`);
  }
  const classified = type.classifyResponse({ status, headers, body: textOf(body) });
  if (classified.outcome === "delivered") {
    const { pauseMs } = classified;
    return pauseMs === undefined ? base : { ...base, pauseMs };
  }
  const { outcome, failure, error } = classified;
  const result: AttemptResult = { ...failed(base, failure, hide(error)), consequence: outcome };
  if (outcome !== "retry") return result;
  const askedMs = classified.retryAfterMs ?? retryAfterMs(status, headers.get("retry-after"), endedAt);
  const waitMs = askedMs === undefined ? undefined : Math.min(askedMs, retryAfterMsMax);
  const isLimited = failure === "rate_limited";
  return { ...result, retryAfterMs: waitMs, ...(isLimited ? { pauseMs: waitMs ?? limitedPauseMs } : {}) };
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

function textOf(body: Uint8Array): string {
  return new TextDecoder().decode(body);
}
