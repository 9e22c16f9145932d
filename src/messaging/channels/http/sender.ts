import type { AttemptResult, NotAttempted } from "../../deliveries/channel.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import { messageOf } from "../../../platform/lib/errors.ts";
import type { Needs } from "../../../platform/lib/needs.ts";
import { isLackOfDescriptors } from "../../../platform/network/descriptors.ts";
import { createHttpClient, type ExchangeResult } from "../../../platform/network/http/http-client.ts";
import type { HttpResponse } from "../../../platform/network/http/http-response.ts";
import type { ResolveHost } from "../../../platform/network/resolve.ts";
import type { Turns } from "../../../platform/network/turns.ts";
import type { WebhookFailure } from "../failures.ts";
import { failed, observed, startOf, unsent } from "./attempt.ts";
import { withSettingHint, type HttpSettings } from "./destination-rules.ts";
import type { NoticeRequest } from "./notice-type.ts";
import { createTlsFiles, type EndpointFiles } from "./tls-files.ts";

/** Longest part of a response that is read. */
const responseBytesMax = 65_536;

/** Dependencies of a channel that sends HTTP requests. */
export interface HttpSending extends Needs<"clock"> {
  /** Maximum number of idle connections that are kept for the next message. */
  idleMax: number;
  resolveHost: ResolveHost;
  settings: HttpSettings;
  /** Shared with everything else that processes responses. */
  turns: Turns;
  /** Version of the product, for the User-Agent. */
  version: string;
}

export type HttpSender = ReturnType<typeof createHttpSender>;

/** Sends requests over connections that all recipients of the channels share. */
export function createHttpSender({ clock, idleMax, resolveHost, settings, turns, version }: HttpSending) {
  const tlsFilesOf = createTlsFiles(settings);
  const client = createHttpClient({ rules: settings, resolveHost, turns, idleMax });
  return {
    tlsFilesOf,
    abortUnsent: () => client.abortUnsent(),
    close: () => client.close(),
    /** Makes an attempt with the certificates of a recipient, unless they cannot be used. */
    async attempt(
      files: EndpointFiles,
      signal: AbortSignal | undefined,
      make: (
        exchange: (request: NoticeRequest) => Promise<ExchangeResult>,
        startedAt: Instant,
      ) => Promise<AttemptResult | NotAttempted>,
    ): Promise<AttemptResult | NotAttempted> {
      const startedAt = clock.now();
      let tlsFiles: ReturnType<typeof tlsFilesOf>;
      try {
        tlsFiles = tlsFilesOf(files);
      } catch (error) {
        if (isLackOfDescriptors(error)) return "no_descriptor";
        return failed<WebhookFailure>(unsent(startedAt), "tls", messageOf(error));
      }
      const exchange = ({ url, method, headers, body }: NoticeRequest) =>
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
      return make(exchange, startedAt);
    },
  };
}

/** How a channel reads responses. */
interface Reading {
  /** Removes secrets from what is kept; absent: the caller does. */
  hide?: (text: string) => string;
  /** Returns where a redirect leads, without secrets; undefined: not known. */
  shownLocation(location: string): string | undefined;
  /** Classifies a response that is not a redirect. @param responded the observations of it */
  classify(response: HttpResponse, responded: AttemptResult): AttemptResult;
}

/** Classifies an exchange. A redirect is a failure: it is not followed. */
export function outcomeOf(
  result: ExchangeResult,
  startedAt: Instant,
  { hide, shownLocation, classify }: Reading,
): AttemptResult | NotAttempted {
  const base = observed(result, startedAt);
  const shownStart = (body: Uint8Array) =>
    startOf(hide === undefined ? body : Buffer.from(hide(textOf(body))));
  if ("failure" in result) {
    const { failure, partial, reason, refused } = result;
    if (failure === "aborted") return failure;
    if (failure === "descriptors") return "no_descriptor";
    const received =
      partial === undefined ? {} : { statusCode: partial.status, response: shownStart(partial.body) };
    const shown = withSettingHint(hide?.(reason) ?? reason, refused);
    return failed<WebhookFailure>({ ...base, ...received }, failure, shown);
  }
  const { status, headers, body } = result.response;
  const responded = { ...base, statusCode: status, response: shownStart(body) };
  if (status < 300 || status > 399) return classify(result.response, responded);
  const location = headers.get("location");
  const shown = location === undefined ? undefined : shownLocation(location);
  const to = shown === undefined ? "" : ` to ${shown}`;
  return failed<WebhookFailure>(responded, "redirect", `redirected${to}; redirects are not followed`);
}

export function textOf(body: Uint8Array): string {
  return new TextDecoder().decode(body);
}
