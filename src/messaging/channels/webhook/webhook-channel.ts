import type { AttemptResult, Channel, NotAttempted } from "../../deliveries/channel.ts";
import type { Clock, Instant } from "../../../platform/lib/clock.ts";
import { FieldError, badRequest, messageOf } from "../../../platform/lib/errors.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import { isLackOfDescriptors } from "../../../platform/network/descriptors.ts";
import type { TlsFiles } from "../../../platform/network/http/connection.ts";
import {
  createHttpClient,
  type ExchangeResult,
  type HttpClient,
} from "../../../platform/network/http/http-client.ts";
import { retryAfterMs } from "../../../platform/network/http/retry-after.ts";
import { allowedAddresses, type ResolveHost } from "../../../platform/network/resolve.ts";
import type { Turns } from "../../../platform/network/turns.ts";
import { failed, observed, startOf, unsent } from "../http/attempt.ts";
import { checkUrl, type DestinationRules, type HttpSettings } from "../http/destination-rules.ts";
import { withSettingHint } from "../http/private-networks-hint.ts";
import { secretsIn, withoutSecrets } from "../http/secrets.ts";
import { createTlsFiles } from "../http/tls-files.ts";
import { signingSecrets, webhookKind, type WebhookTarget } from "./endpoint.ts";
import { endpointTraits } from "./endpoint-traits.ts";
import { webhookFailures, type WebhookFailure } from "../failures.ts";
import { signatureHeaders } from "./signing.ts";
import { checkTarget } from "./target-rules.ts";
import { ExchangeError } from "../../../platform/network/failure.ts";

const responseBytesMax = 65_536;

export interface WebhookChannel extends Channel<WebhookTarget> {
  /**
   * Resolves the host of a URL before anything is sent there. Returns a warning if it has no address yet.
   * @throws PublicError `bad_request` if deliveries there are not allowed, with the setting that would allow them
   */
  checkDestination(url: string): Promise<string | undefined>;
}

/** Sends events as signed HTTP requests. */
export function createWebhookChannel({
  clock,
  resolveHost,
  settings,
  signedAt,
  turns,
  version,
}: {
  clock: Clock;
  resolveHost: ResolveHost;
  settings: HttpSettings;
  /** Returns the time in the signatures of deliveries to a URL. */
  signedAt: (url: string) => Instant;
  /** Shared with everything else that processes responses. */
  turns: Turns;
  /** Version of the product, for the User-Agent. */
  version: string;
}): WebhookChannel {
  const rules: DestinationRules = settings;
  const tlsFilesOf = createTlsFiles(settings);
  const { idleMax } = settings;
  const client: HttpClient = createHttpClient({ rules, resolveHost, turns, idleMax });

  return {
    kind: webhookKind,
    recipients: endpointTraits,
    subscribesToEvents: true,
    failures: webhookFailures,
    abortUnsent: () => client.abortUnsent(),
    close: () => client.close(),
    checkDestination: (url) => checkDestination(url, { rules, resolveHost }),

    validate(target) {
      try {
        tlsFilesOf(target);
      } catch (error) {
        throw badRequest(messageOf(error));
      }
      return checkTarget(target, rules);
    },

    async send(target, message, signal) {
      const startedAt = clock.now();
      let tlsFiles: TlsFiles;
      try {
        tlsFiles = tlsFilesOf(target);
      } catch (error) {
        if (isLackOfDescriptors(error)) return "no_descriptor";
        return failed<WebhookFailure>(unsent(startedAt), "tls", messageOf(error));
      }
      const body = Buffer.from(message.body);
      const result = await client.send({
        url: target.url,
        method: "POST",
        headers: {
          "User-Agent": `phishwatch/${version}`,
          ...target.headers,
          "Content-Type": "application/json",
          ...signatureHeaders({
            eventId: message.id,
            body,
            secrets: signingSecrets(target, startedAt),
            sentAt: signedAt(target.url),
          }),
        },
        body,
        timeoutMs: settings.timeoutMs,
        bodyBytesMax: responseBytesMax,
        tlsFiles,
        signal,
      });
      const outcome = outcomeOf(result, startedAt, clock.now());
      if (typeof outcome === "string" || outcome.failure === null) return outcome;
      return withoutSecrets(outcome, secretsOf(target));
    },

    withoutExpired(target, now) {
      const { previousSecretUntil } = target;
      if (previousSecretUntil === null || previousSecretUntil > now) return target;
      return { ...target, previousSecret: null, previousSecretUntil: null };
    },
  };
}

/** Classifies an exchange: only a complete response with a status from 200 to 299 is a success. */
export function outcomeOf(
  result: ExchangeResult,
  startedAt: Instant,
  endedAt: Instant,
): AttemptResult | NotAttempted {
  const base = observed(result, startedAt);
  if ("failure" in result) {
    const { failure, partial, refused } = result;
    if (failure === "aborted") return failure;
    if (failure === "descriptors") return "no_descriptor";
    const received =
      partial === undefined ? {} : { statusCode: partial.status, response: startOf(partial.body) };
    return failed<WebhookFailure>({ ...base, ...received }, failure, withSettingHint(result.reason, refused));
  }
  const { status, headers, body } = result.response;
  const responded = { ...base, statusCode: status, response: startOf(body) };
  if (status >= 200 && status <= 299) return responded;
  if (status >= 300 && status <= 399) {
    const location = headers.get("location");
    const where = location === undefined ? "" : ` to ${visible(location, 200)}`;
    return failed<WebhookFailure>(responded, "redirect", `redirected${where}; redirects are not followed`);
  }
  return {
    ...failed<WebhookFailure>(responded, "status", `HTTP status ${status}`),
    retryAfterMs: retryAfterMs(status, headers.get("retry-after"), endedAt),
  };
}

/** Returns the endpoint's secrets and the values of its headers. */
function secretsOf({ secret, previousSecret, headers }: WebhookTarget): string[] {
  return secretsIn([secret, previousSecret ?? "", ...Object.values(headers)]);
}

/** Implements `checkDestination` of the webhook channel. */
async function checkDestination(
  text: string,
  { rules, resolveHost }: { rules: DestinationRules; resolveHost: ResolveHost },
): Promise<string | undefined> {
  const { hostname } = new URL(checkUrl(text, rules));
  try {
    await allowedAddresses({ hostname, rules, resolveHost });
    return undefined;
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error;
    if (error.kind === "refused_address")
      throw new FieldError("url", withSettingHint(error.message, error.refused));
    return error.message;
  }
}
