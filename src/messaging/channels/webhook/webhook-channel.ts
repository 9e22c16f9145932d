import type { AttemptResult, Channel, NotAttempted } from "../../deliveries/channel.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import { FieldError, badRequest, messageOf } from "../../../platform/lib/errors.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import { ExchangeError } from "../../../platform/network/failure.ts";
import type { ExchangeResult } from "../../../platform/network/http/http-client.ts";
import { retryAfterMs } from "../../../platform/network/http/retry-after.ts";
import { allowedAddresses, type ResolveHost } from "../../../platform/network/resolve.ts";
import { failed } from "../http/attempt.ts";
import { isSuccess } from "../http/classify-response.ts";
import { checkUrl, withSettingHint, type DestinationRules } from "../http/destination-rules.ts";
import { secretsIn, withoutSecrets } from "../http/secrets.ts";
import { createHttpSender, outcomeOf, type HttpSending } from "../http/sender.ts";
import { webhookFailures, type WebhookFailure } from "../failures.ts";
import { endpointTraits, signingSecrets, webhookKind, type WebhookTarget } from "./endpoint.ts";
import { signatureHeaders } from "./signing.ts";
import { checkTarget } from "./target-rules.ts";

export interface WebhookChannel extends Channel<WebhookTarget> {
  /**
   * Resolves the host of a URL before anything is sent there. Returns a warning if it has no address yet.
   * @throws PublicError `bad_request` if deliveries there are not allowed, with the setting that would allow them
   */
  checkDestination(url: string): Promise<string | undefined>;
}

/** Sends events as signed HTTP requests. */
export function createWebhookChannel({
  signedAt,
  ...sending
}: HttpSending & {
  /** Returns the time in the signatures of deliveries to a URL. */
  signedAt: (url: string) => Instant;
}): WebhookChannel {
  const { clock, resolveHost, settings: rules } = sending;
  const { abortUnsent, attempt, close, tlsFilesOf } = createHttpSender(sending);

  return {
    kind: webhookKind,
    recipients: endpointTraits,
    subscribesToEvents: true,
    failures: webhookFailures,
    abortUnsent,
    close,
    checkDestination: (url) => checkDestination(url, { rules, resolveHost }),

    validate(target) {
      try {
        tlsFilesOf(target);
      } catch (error) {
        throw badRequest(messageOf(error));
      }
      return checkTarget(target, rules);
    },

    send: (target, message, signal) =>
      attempt(target, signal, async (exchange, startedAt) => {
        const body = Buffer.from(message.body);
        const signature = signatureHeaders({
          eventId: message.id,
          body,
          secrets: signingSecrets(target, startedAt),
          sentAt: signedAt(target.url),
        });
        const headers = { ...target.headers, "Content-Type": "application/json", ...signature };
        const result = await exchange({ url: target.url, method: "POST", headers, body });
        const outcome = classifyExchange(result, startedAt, clock.now());
        if (typeof outcome === "string" || outcome.failure === null) return outcome;
        return withoutSecrets(outcome, secretsOf(target));
      }),

    withoutExpired(target, now) {
      const { previousSecretUntil } = target;
      if (previousSecretUntil === null || previousSecretUntil > now) return target;
      return { ...target, previousSecret: null, previousSecretUntil: null };
    },
  };
}

/** Classifies an exchange: only a complete response with a status from 200 to 299 is a success. */
export function classifyExchange(
  result: ExchangeResult,
  startedAt: Instant,
  endedAt: Instant,
): AttemptResult | NotAttempted {
  return outcomeOf(result, startedAt, {
    shownLocation: (location) => visible(location, 200),
    classify: ({ status, headers }, responded) =>
      isSuccess(status)
        ? responded
        : {
            ...failed<WebhookFailure>(responded, "status", `HTTP status ${status}`),
            retryAfterMs: retryAfterMs(status, headers.get("retry-after"), endedAt),
          },
  });
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
