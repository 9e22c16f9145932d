import { checkName } from "../../deliveries/recipient-rules.ts";
import type { NewRecipient, Recipient, Recipients } from "../../deliveries/recipients.ts";
import type { Clock, Instant } from "../../lib/clock.ts";
import { badRequest, notFound } from "../../lib/errors.ts";
import type { IdFactory } from "../../lib/ids.ts";
import { visible } from "../../lib/safe-text.ts";
import {
  toEndpoint,
  webhookKind,
  type Endpoint,
  type EndpointSettings,
  type NewEndpoint,
  type WebhookTarget,
} from "./endpoint.ts";

const noPreviousSecret = { previousSecret: null, previousSecretUntil: null };

/** Values of the settings that an endpoint does not set. */
export const defaultSettings = {
  events: [],
  headers: {},
  concurrency: null,
  ratePerSecond: null,
  caFile: null,
  clientCertFile: null,
  clientKeyFile: null,
};

export const enabledState = {
  enabled: true,
  disabledReason: null,
  consecutiveFailures: 0,
  failingSince: null,
};

/** Reads and writes the recipients of the webhook channel. Checks and audit entries are up to the callers. */
export type EndpointStore = ReturnType<typeof createEndpointStore>;

export function createEndpointStore({
  clock,
  ids,
  recipients,
}: {
  clock: Clock;
  ids: IdFactory;
  recipients: Recipients;
}) {
  const find = (key: string) => recipients.find(webhookKind, key);

  /** @throws PublicError `not_found` */
  function get(key: string): Recipient {
    const recipient = find(key);
    if (recipient === undefined) throw notFound(`there is no endpoint ${visible(key, 100)}`);
    return recipient;
  }

  return {
    list: () => recipients.list(webhookKind),
    find,
    get,
    /** @throws PublicError `not_found`, or `bad_request` for an endpoint that the configuration file declares */
    getEditable(key: string): Recipient {
      const recipient = get(key);
      if (recipient.origin === "file")
        throw badRequest(`${recipient.name} is declared in the configuration file; change it there`);
      return recipient;
    },
    isTaken: recipients.isTaken,
    /** @throws PublicError `bad_request` with what to change */
    insert(
      { name, secret, ...given }: NewEndpoint & { name: string; secret: string },
      state: Pick<NewRecipient, "origin" | "enabled" | "disabledReason" | "disabledAt">,
    ): Endpoint {
      const settings = { ...defaultSettings, ...given };
      const { url, headers, caFile, clientCertFile, clientKeyFile } = settings;
      const { events, concurrency, ratePerSecond } = settings;
      const target = { url, headers, secret, caFile, clientCertFile, clientKeyFile, ...noPreviousSecret };
      return toEndpoint(
        recipients.insert({
          id: ids.next("endpoint"),
          name: checkEndpointName(name),
          channel: webhookKind,
          target,
          events,
          concurrency,
          ratePerSecond,
          ...state,
        }),
      );
    },
    change: recipients.change,
    update: recipients.update,
    remove: recipients.remove,
    disabledState: (reason: Endpoint["disabledReason"]) => ({
      enabled: false,
      disabledReason: reason,
      disabledAt: clock.now(),
    }),
  };
}

/** @throws PublicError `bad_request` */
export function checkEndpointName(name: string): string {
  // Everything that takes a name also takes an identifier.
  if (name.startsWith("whk_")) throw badRequest("a name cannot begin with whk_");
  return checkName(name);
}

/** Replaces the secret. The current one continues to sign for `overlapMs`. */
export function withSecret(
  target: WebhookTarget,
  { secret, overlapMs, now }: { secret: string; overlapMs: number; now: Instant },
): WebhookTarget {
  if (secret === target.secret) return target;
  if (overlapMs <= 0) return { ...withoutPreviousSecret(target), secret };
  return { ...target, secret, previousSecret: target.secret, previousSecretUntil: now + overlapMs };
}

/** Stops the previous secret from signing. */
export function withoutPreviousSecret(target: WebhookTarget): WebhookTarget {
  return { ...target, ...noPreviousSecret };
}

/** Returns those of the settings that belong to the target and were given. */
export function targetSettings({
  url,
  headers,
  caFile,
  clientCertFile,
  clientKeyFile,
}: Partial<EndpointSettings>): Partial<WebhookTarget> {
  return definedOf({ url, headers, caFile, clientCertFile, clientKeyFile });
}

/** Leaves out properties that are undefined. */
export function definedOf<T extends object>(
  settings: T,
): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as T;
}
