import type { EventFilter } from "../../../threats/events/event-filter.ts";
import type { RecipientTraits } from "../../deliveries/channel.ts";
import type { Recipient } from "../../deliveries/recipients.ts";
import type { Instant } from "../../../platform/lib/clock.ts";

/** Kind of the webhook channel, stored with each endpoint. */
export const webhookKind = "webhook";

/** How long the previous secret of a rotation also signs, unless the caller says otherwise. */
export const rotationOverlapMs = 86_400_000;

/** Where and how a webhook endpoint is sent events. */
export interface WebhookTarget {
  url: string;
  /** Stored as plain text, because signing needs it. */
  secret: string;
  /** The secret before the last rotation, which also signs until `previousSecretUntil`. */
  previousSecret: string | null;
  previousSecretUntil: Instant | null;
  /** Custom headers, sent with every request. */
  headers: Record<string, string>;
  /** Paths of PEM files: an additional certificate authority, and the client certificate for mutual TLS. */
  caFile: string | null;
  clientCertFile: string | null;
  clientKeyFile: string | null;
}

/** A webhook endpoint with its secrets. It must not be shown as a whole. */
export interface Endpoint extends Omit<Recipient, "channel" | "target">, WebhookTarget {}

/** Settings that people and the configuration file can change. */
export interface EndpointSettings {
  url: string;
  /** Empty for all. */
  events?: readonly string[];
  /** Null for all. */
  filter?: EventFilter | null;
  headers?: Readonly<Record<string, string>>;
  /** Null for `webhooks.endpoint_concurrency`. */
  concurrency?: number | null;
  /** Null for no limit. */
  ratePerSecond?: number | null;
  caFile?: string | null;
  clientCertFile?: string | null;
  clientKeyFile?: string | null;
}

export interface DeclaredEndpoint extends EndpointSettings {
  name: string;
  secret: string;
}

export interface NewEndpoint extends EndpointSettings {
  /** Default: made from the host. */
  name?: string;
  /** Default: generated. */
  secret?: string;
  enabled?: boolean;
}

/** How webhook endpoints are named, compared and described. */
export const endpointTraits: RecipientTraits<WebhookTarget> = {
  noun: "webhook endpoint",
  idPrefix: "whk",
  configKey: "webhooks.endpoints",
  auditedProperties: ["url", "headers", "caFile", "clientCertFile", "clientKeyFile"],
  addressOf: ({ url }) => url,
  // The path of the URL and the values of headers may be secret.
  describe: ({ target: { url, headers }, events }) => ({
    host: new URL(url).host,
    events,
    headers: Object.keys(headers),
  }),
  isRotated: (before, after) => before.secret !== after.secret,
};

export function toEndpoint({ channel: _channel, target, ...recipient }: Recipient): Endpoint {
  // Every recipient of this channel was written with a valid target.
  return { ...recipient, ...(target as WebhookTarget) };
}

/** Returns the target alone, always with the same order of properties: equal targets are equal as JSON. */
export function targetOf(endpoint: WebhookTarget): WebhookTarget {
  const { url, secret, previousSecret, previousSecretUntil, headers } = endpoint;
  const { caFile, clientCertFile, clientKeyFile } = endpoint;
  return {
    url,
    secret,
    previousSecret,
    previousSecretUntil,
    headers,
    caFile,
    clientCertFile,
    clientKeyFile,
  };
}

/** Returns the secrets that sign at `now`, the current one first. */
export function signingSecrets(target: WebhookTarget, now: Instant): string[] {
  const { secret, previousSecret, previousSecretUntil } = target;
  return previousSecret !== null && previousSecretUntil !== null && now < previousSecretUntil
    ? [secret, previousSecret]
    : [secret];
}
